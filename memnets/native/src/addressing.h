// Addressing: eqs. 5 to 9 of Graves, Wayne, Danihelka (2014), arXiv:1410.5401, as in
// memnets/memory/addressing.py, and their gradients. For one head of one sequence. The memory
// is stored (W, N), the long axis last.
#pragma once

#include <cfloat>
#include <cmath>

#include "sizes.h"

namespace memnets {

constexpr float NORM_EPSILON = 1e-6f;     // as in memnets/memory/addressing.py
constexpr float SHARPEN_EPSILON = 1e-6f;  // as in memnets/memory/addressing.py

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

// From the dot products of a key with all rows to their cosines, eq. 6, and the content
// weighting, eq. 5.
inline void find_content(const Sizes& s, const float* row_norms, float key_norm,
                         float beta, float* cosine, float* content) {
  for (int n = 0; n < s.stride; n += LANES) {
    const vec c = load(cosine + n) * key_norm * load(row_norms + n);  // eq. 6
    store(cosine + n, c);
    store(content + n, c * beta);
  }
  softmax(content, s.rows, s.stride);  // eq. 5
}

// Gradients of eqs. 5 and 6. Takes those of the content weighting; sets those of beta and
// of the dot products, and adds to those of the squared norms of the rows. Returns that
// of the squared norm of the key.
inline float find_content_backward(const Sizes& s, const float* row_norms, float key_norm,
                                   float beta, const float* cosine, const float* content,
                                   const float* d_content, float* d_beta, float* d_dot,
                                   float* d_row_squares) {
  vec totals{};
  for (int n = 0; n < s.stride; n += LANES)
    totals += load(content + n) * load(d_content + n);
  const float mean = sum(totals);
  vec d_betas{}, d_key{};
  for (int n = 0; n < s.stride; n += LANES) {
    const vec d_logit = load(content + n) * (load(d_content + n) - mean);  // eq. 5
    const vec c = load(cosine + n), norm = load(row_norms + n);
    d_betas += d_logit * c;
    const vec d_cosine = beta * d_logit;
    store(d_dot + n, d_cosine * key_norm * norm);  // eq. 6
    const vec product = d_cosine * c;
    d_key += product;
    store(d_row_squares + n, load(d_row_squares + n) - 0.5f * product * norm * norm);
  }
  *d_beta = sum(d_betas);
  return -0.5f * sum(d_key) * key_norm * key_norm;
}

// Floats of a row with copies of its ends on either side.
inline int wrapped_size(const Sizes& s, int range) { return s.stride + padded(2 * range) + 16; }

// Puts copies of the ends around a row at `wrapped + range`, so that shifting needs no
// modulo. Zeros follow, because loops read complete vectors.
inline void wrap_around(const Sizes& s, int range, float* wrapped) {
  for (int i = 0; i < range; ++i) {
    wrapped[i] = wrapped[s.rows + i];
    wrapped[range + s.rows + i] = wrapped[range + i];
  }
  set_padding(wrapped, s.rows + 2 * range, wrapped_size(s, range), 0.0f);
}

// eq. 9, as a softmax of logarithms. `shifted` contains the epsilon.
inline void sharpen(const Sizes& s, const float* shifted, float gamma, float* weighting) {
  for (int n = 0; n < s.stride; n += LANES)
    store(weighting + n, gamma * log(load(shifted + n)));
  softmax(weighting, s.rows, s.stride);
}

// Sets the gradient of `shifted` from that of the weighting, and returns that of gamma.
inline float sharpen_backward(const Sizes& s, const float* shifted, float gamma,
                              const float* weighting, const float* d_weighting,
                              float* d_shifted) {
  vec totals{};
  for (int n = 0; n < s.stride; n += LANES)
    totals += load(weighting + n) * load(d_weighting + n);
  const float mean = sum(totals);
  vec d_gamma{};
  for (int n = 0; n < s.stride; n += LANES) {
    const vec x = load(shifted + n);
    const vec d_logit = load(weighting + n) * (load(d_weighting + n) - mean);
    // Padding has no weight; its logarithm may be NaN after large inputs elsewhere.
    d_gamma += d_logit * log(x);
    store(d_shifted + n, gamma * d_logit / x);
  }
  set_padding(d_shifted, s.rows, s.stride, 0.0f);
  return sum(d_gamma);
}

}  // namespace memnets
