// Addressing: eqs. 5 to 9 of Graves, Wayne, Danihelka (2014), arXiv:1410.5401, as in
// memnets/addressing.py, and their gradients. For one head of one sequence. The memory
// is stored (W, N), the long axis last.
#pragma once

#include <cfloat>
#include <cmath>

#include "sizes.h"

namespace memnets {

constexpr float NORM_EPSILON = 1e-6f;     // as in memnets/addressing.py
constexpr float SHARPEN_EPSILON = 1e-6f;  // as in memnets/addressing.py

// Calls `work(h, count)` for all heads, two at a time, with `count` as a constant: two
// heads share one pass over the memory.
template <class Work>
MEMNETS_INLINE void for_head_pairs(int heads, Work work) {
  int h = 0;
  for (; h + 2 <= heads; h += 2) work(h, Vectors<2>());
  if (h < heads) work(h, Vectors<1>());
}

// dots[h][n] = sum over w of keys[h][w] * memory[w][n].
inline void dot_products(const float* memory, const float* keys, int heads, int word,
                         int stride, float* dots) {
  for_head_pairs(heads, [=](int first, auto pair) MEMNETS_LAMBDA {
    const float* key = keys + first * word;
    for_tiles(stride, [=](int n, auto tile) MEMNETS_LAMBDA {
      vec sums[pair.COUNT][tile.COUNT]{};
      for (int w = 0; w < word; ++w)
        for (int v = 0; v < tile.COUNT; ++v) {
          const vec m = load(memory + size_t{1} * w * stride + n + v * LANES);
          for (int h = 0; h < pair.COUNT; ++h) sums[h][v] += key[h * word + w] * m;
        }
      for (int h = 0; h < pair.COUNT; ++h)
        for (int v = 0; v < tile.COUNT; ++v)
          store(dots + size_t{1} * (first + h) * stride + n + v * LANES, sums[h][v]);
    });
  });
}

// x[n] = 1 / sqrt(x[n]).
inline void inverse_roots(float* x, int count) {
  for (int n = 0; n < count; ++n) x[n] = 1.0f / std::sqrt(x[n]);
}

inline float inverse_norm(const float* key, int word) {
  float squares = NORM_EPSILON;
  for (int w = 0; w < word; ++w) squares += key[w] * key[w];
  return 1.0f / std::sqrt(squares);
}

inline void set_padding(float* row, int rows, int stride, float value) {
  for (int n = rows; n < stride; ++n) row[n] = value;
}

// In place; the padding becomes 0.
inline void softmax(float* x, int rows, int stride) {
  set_padding(x, rows, stride, -FLT_MAX);
  vec top = load(x);
  for (int n = LANES; n < stride; n += LANES) top = larger(top, load(x + n));
  const vec highest = fill(largest(top));
  vec totals{};
  for (int n = 0; n < stride; n += LANES) {
    const vec e = exp(load(x + n) - highest);
    totals += e;
    store(x + n, e);
  }
  const vec share = fill(1.0f / sum(totals));
  for (int n = 0; n < stride; n += LANES) store(x + n, load(x + n) * share);
  set_padding(x, rows, stride, 0.0f);
}

// Floats of a row with copies of its ends on either side.
inline int wrapped_size(const Sizes& s) { return s.stride + padded(2 * s.shift_range) + 16; }

// Puts copies of the ends around a row at `wrapped + shift_range`, so that shifting
// needs no modulo. Zeros follow, because loops read complete vectors.
inline void wrap_around(const Sizes& s, float* wrapped) {
  const int range = s.shift_range;
  for (int i = 0; i < range; ++i) {
    wrapped[i] = wrapped[s.rows + i];
    wrapped[range + s.rows + i] = wrapped[range + i];
  }
  set_padding(wrapped, s.rows + 2 * range, wrapped_size(s), 0.0f);
}

// Parameters of one head, squashed.
struct HeadParameters {
  HeadParameters(const Sizes& s, const float* parameters, int head)
      : key(parameters + s.key() + head * s.word),
        beta(parameters[s.beta() + head]),
        gate(parameters[s.gate() + head]),
        shift(parameters + s.shift() + head * s.taps),
        gamma(parameters[s.gamma() + head]) {}
  const float* key;
  float beta, gate;
  const float* shift;
  float gamma;
};

// Gradients of the same.
struct HeadGradients {
  HeadGradients(const Sizes& s, float* parameters, int head)
      : key(parameters + s.key() + head * s.word),
        beta(parameters + s.beta() + head),
        gate(parameters + s.gate() + head),
        shift(parameters + s.shift() + head * s.taps),
        gamma(parameters + s.gamma() + head) {}
  float *key, *beta, *gate, *shift, *gamma;
};

// The steps on the way to a weighting.
struct Trace {
  static size_t size(const Sizes& s) { return 2 * s.stride + wrapped_size(s); }
  // `dots` are the products of `dot_products`; they become the cosines.
  Trace(const Sizes& s, float* dots, float* floats)
      : cosine(dots),
        content(floats),
        shifted(content + s.stride),
        gated(shifted + s.stride) {}
  float *cosine, *content;
  float* shifted;  // plus epsilon
  float* gated;    // wrapped around
};

// From the dot products to the shifted weighting, eqs. 5 to 8.
inline void locate(const Sizes& s, const float* row_norms, const HeadParameters& head,
                   const float* previous, Trace& trace) {
  const int stride = s.stride, taps = s.taps;
  const float key_norm = inverse_norm(head.key, s.word);
  for (int n = 0; n < stride; n += LANES) {
    const vec cosine = load(trace.cosine + n) * key_norm * load(row_norms + n);  // eq. 6
    store(trace.cosine + n, cosine);
    store(trace.content + n, cosine * head.beta);
  }
  softmax(trace.content, s.rows, stride);  // eq. 5
  for (int n = 0; n < stride; n += LANES)
    store(trace.gated + s.shift_range + n,
          head.gate * load(trace.content + n) +
              (1.0f - head.gate) * load(previous + n));  // eq. 7
  wrap_around(s, trace.gated);
  for (int n = 0; n < stride; n += LANES) {
    vec shifted = fill(SHARPEN_EPSILON);
    for (int tap = 0; tap < taps; ++tap)
      shifted += head.shift[tap] * load(trace.gated + n + taps - 1 - tap);  // eq. 8
    store(trace.shifted + n, shifted);
  }
}

// eq. 9, as a softmax of logarithms.
inline void sharpen(const Sizes& s, const float* shifted, float gamma, float* weighting) {
  const int stride = s.stride;
  for (int n = 0; n < stride; n += LANES)
    store(weighting + n, gamma * log(load(shifted + n)));
  softmax(weighting, s.rows, stride);
}

// Gradients of eqs. 5 to 9. Takes those of the weighting, d_weighting; sets those of
// the head's parameters but the key, adds to those of the weighting before; sets those
// of the dot products of rows and key, and adds to those of the squared norms of rows
// and key. `room` holds `s.stride + wrapped_size(s)` floats.
inline void locate_backward(const Sizes& s, const float* row_norms,
                            const HeadParameters& head, const float* previous,
                            const float* weighting, const Trace& trace,
                            const float* d_weighting, const HeadGradients& gradient,
                            float* d_previous, float* d_dot, float* d_row_squares,
                            float* d_key_square, float* room) {
  const int stride = s.stride, taps = s.taps;
  float* wrapped = room;
  float* d_shifted = wrapped + s.shift_range;
  float* d_content = room + wrapped_size(s);

  vec totals{};
  for (int n = 0; n < stride; n += LANES)
    totals += load(weighting + n) * load(d_weighting + n);
  const float mean = sum(totals);
  vec d_gamma{};
  for (int n = 0; n < stride; n += LANES) {
    const vec shifted = load(trace.shifted + n);
    const vec d_logit = load(weighting + n) * (load(d_weighting + n) - mean);
    // Padding has no weight; its logarithm may be NaN after large inputs elsewhere.
    d_gamma += d_logit * log(shifted);
    store(d_shifted + n, head.gamma * d_logit / shifted);
  }
  *gradient.gamma = sum(d_gamma);  // eq. 9

  set_padding(d_shifted, s.rows, stride, 0.0f);
  for (int tap = 0; tap < taps; ++tap) {
    vec d_tap{};
    for (int n = 0; n < stride; n += LANES)
      d_tap += load(d_shifted + n) * load(trace.gated + n + taps - 1 - tap);
    gradient.shift[tap] = sum(d_tap);
  }
  wrap_around(s, wrapped);
  vec d_gate{};
  totals = vec{};
  for (int n = 0; n < stride; n += LANES) {
    vec d_gated{};
    for (int tap = 0; tap < taps; ++tap)
      d_gated += head.shift[tap] * load(wrapped + n + tap);  // eq. 8
    const vec content = load(trace.content + n), before = load(previous + n);
    d_gate += d_gated * (content - before);
    store(d_previous + n, load(d_previous + n) + (1.0f - head.gate) * d_gated);
    const vec d = head.gate * d_gated;  // eq. 7
    store(d_content + n, d);
    totals += content * d;
  }
  *gradient.gate = sum(d_gate);
  set_padding(d_previous, s.rows, stride, 0.0f);

  const float content_mean = sum(totals);
  const float key_norm = inverse_norm(head.key, s.word);
  vec d_beta{}, d_key{};
  for (int n = 0; n < stride; n += LANES) {
    const vec d_logit =
        load(trace.content + n) * (load(d_content + n) - content_mean);  // eq. 5
    const vec cosine = load(trace.cosine + n), norm = load(row_norms + n);
    d_beta += d_logit * cosine;
    const vec d_cosine = head.beta * d_logit;
    store(d_dot + n, d_cosine * key_norm * norm);  // eq. 6
    const vec product = d_cosine * cosine;
    d_key += product;
    store(d_row_squares + n, load(d_row_squares + n) - 0.5f * product * norm * norm);
  }
  *gradient.beta = sum(d_beta);
  *d_key_square = -0.5f * sum(d_key) * key_norm * key_norm;
}

}  // namespace memnets
