// One complete step of the memory of a Neural Turing Machine, forward and backward, for
// one sequence, as in memnets/ntm/memory.py. Equations are those of Graves, Wayne,
// Danihelka (2014), arXiv:1410.5401.
#pragma once

#include "access.h"
#include "ntm_heads.h"

namespace memnets {

// Parameters of one head, squashed.
struct HeadParameters {
  HeadParameters(const NTMSizes& s, const float* parameters, int head)
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
  HeadGradients(const NTMSizes& s, float* parameters, int head)
      : key(parameters + s.key() + head * s.word),
        beta(parameters + s.beta() + head),
        gate(parameters + s.gate() + head),
        shift(parameters + s.shift() + head * s.taps),
        gamma(parameters + s.gamma() + head) {}
  float *key, *beta, *gate, *shift, *gamma;
};

// The steps on the way to a weighting.
struct Trace {
  static size_t size(const NTMSizes& s) { return 2 * s.stride + wrapped_size(s, s.shift_range); }
  // `dots` are the products of `dot_products`; they become the cosines.
  Trace(const NTMSizes& s, float* dots, float* floats)
      : cosine(dots),
        content(floats),
        shifted(content + s.stride),
        gated(shifted + s.stride) {}
  float *cosine, *content;
  float* shifted;  // plus epsilon
  float* gated;    // wrapped around
};

// From the dot products to the shifted weighting, eqs. 5 to 8.
inline void locate(const NTMSizes& s, const float* row_norms, const HeadParameters& head,
                   const float* previous, Trace& trace) {
  const int stride = s.stride, taps = s.taps;
  find_content(s, row_norms, inverse_norm(head.key, s.word), head.beta, trace.cosine,
               trace.content);
  for (int n = 0; n < stride; n += LANES)
    store(trace.gated + s.shift_range + n,
          head.gate * load(trace.content + n) +
              (1.0f - head.gate) * load(previous + n));  // eq. 7
  wrap_around(s, s.shift_range, trace.gated);
  for (int n = 0; n < stride; n += LANES) {
    vec shifted = fill(SHARPEN_EPSILON);
    for (int tap = 0; tap < taps; ++tap)
      shifted += head.shift[tap] * load(trace.gated + n + taps - 1 - tap);  // eq. 8
    store(trace.shifted + n, shifted);
  }
}

// Gradients of eqs. 5 to 9. Takes those of the weighting, d_weighting; sets those of
// the head's parameters but the key, adds to those of the weighting before; sets those
// of the dot products of rows and key, and adds to those of the squared norms of rows
// and key. `room` holds `s.stride + wrapped_size(s, s.shift_range)` floats.
inline void locate_backward(const NTMSizes& s, const float* row_norms,
                            const HeadParameters& head, const float* previous,
                            const float* weighting, const Trace& trace,
                            const float* d_weighting, const HeadGradients& gradient,
                            float* d_previous, float* d_dot, float* d_row_squares,
                            float* d_key_square, float* room) {
  const int stride = s.stride, taps = s.taps;
  float* wrapped = room;
  float* d_shifted = wrapped + s.shift_range;
  float* d_content = room + wrapped_size(s, s.shift_range);

  *gradient.gamma = sharpen_backward(s, trace.shifted, head.gamma, weighting, d_weighting,
                                     d_shifted);  // eq. 9
  for (int tap = 0; tap < taps; ++tap) {
    vec d_tap{};
    for (int n = 0; n < stride; n += LANES)
      d_tap += load(d_shifted + n) * load(trace.gated + n + taps - 1 - tap);
    gradient.shift[tap] = sum(d_tap);
  }
  wrap_around(s, s.shift_range, wrapped);
  vec d_gate{};
  for (int n = 0; n < stride; n += LANES) {
    vec d_gated{};
    for (int tap = 0; tap < taps; ++tap)
      d_gated += head.shift[tap] * load(wrapped + n + tap);  // eq. 8
    const vec content = load(trace.content + n), before = load(previous + n);
    d_gate += d_gated * (content - before);
    store(d_previous + n, load(d_previous + n) + (1.0f - head.gate) * d_gated);
    store(d_content + n, head.gate * d_gated);  // eq. 7
  }
  *gradient.gate = sum(d_gate);
  set_padding(d_previous, s.rows, stride, 0.0f);
  *d_key_square = find_content_backward(
      s, row_norms, inverse_norm(head.key, s.word), head.beta, trace.cosine,
      trace.content, d_content, gradient.beta, d_dot, d_row_squares);
}

// One step of the memory: address, write, read. `memory` changes in place.
template <int WRITE>
void access(const NTMSizes& s, const float* parameters, const float* previous,
            float* weightings, float* memory, float* reads, float* room) {
  float* dots = room + Trace::size(s);
  dot_products(memory, parameters + s.key(), s.heads, s.word, s.stride, dots);
  for (int h = 0; h < s.heads; ++h) {
    const HeadParameters head(s, parameters, h);
    Trace trace(s, dots + h * s.stride, room);
    locate(s, inverse_norms(s, memory), head, previous + h * s.stride, trace);
    sharpen(s, trace.shifted, head.gamma, weightings + h * s.stride);  // eq. 9
  }
  write(Writer<WRITE>(s, parameters, weightings), s, memory, memory);
  for (int r = 0; r < s.read_heads; ++r)  // eq. 2
    combine_rows(s, memory, weightings + r * s.stride, reads + r * s.word);
}

inline size_t access_room(const NTMSizes& s) {
  return Trace::size(s) + size_t{1} * s.heads * s.stride;
}

// Gradients of `access`. Takes the gradients of its results: d_reads, and d_weightings
// and d_memory, which become the gradients of the previous step. Sets d_parameters.
template <int WRITE>
void access_backward(const NTMSizes& s, const float* parameters, const float* previous,
                     const float* weightings, const float* before, const float* after,
                     const float* d_reads, float* d_weightings, float* d_memory,
                     float* d_parameters, float* room) {
  float* sums = room + Trace::size(s);
  float* d_row_squares = sums + 2 * size_t{1} * s.word * LANES;
  float* d_weighting = d_row_squares + s.stride;
  float* dots = d_weighting + s.stride;
  float* d_dots = dots + size_t{1} * s.heads * s.stride;
  float* rest = d_dots + size_t{1} * s.heads * s.stride;

  // With one write head the last read head goes with it.
  const int apart = s.read_heads - (WRITE == 1), reads = s.read_heads * s.stride;
  for (int r = 0; r < apart; ++r)
    read_backward(s, after, weightings + r * s.stride, d_reads + r * s.word,
                  d_weightings + r * s.stride, d_memory);
  const Writer<WRITE> writer(s, parameters, weightings);
  float *d_erase = d_parameters + s.erase(), *d_add = d_parameters + s.add();
  if constexpr (WRITE == 1)
    one_of_each_backward(writer, s, before, weightings + apart * s.stride,
                         d_reads + apart * s.word, d_weightings + apart * s.stride,
                         d_weightings + reads, d_memory, d_erase, d_add, sums);
  else
    write_backward(writer, s, before, d_weightings + reads, d_memory, d_erase, d_add, sums);

  const float* norms = inverse_norms(s, before);
  std::memset(d_row_squares, 0, s.stride * sizeof(float));
  dot_products(before, parameters + s.key(), s.heads, s.word, s.stride, dots);
  for (int h = 0; h < s.heads; ++h) {
    const HeadParameters head(s, parameters, h);
    const HeadGradients gradient(s, d_parameters, h);
    const int row = h * s.stride;
    std::memcpy(d_weighting, d_weightings + row, s.stride * sizeof(float));
    std::memset(d_weightings + row, 0, s.stride * sizeof(float));
    Trace trace(s, dots + row, room);
    locate(s, norms, head, previous + row, trace);
    float d_key_square;
    locate_backward(s, norms, head, previous + row, weightings + row, trace,
                    d_weighting, gradient, d_weightings + row, d_dots + row,
                    d_row_squares, &d_key_square, rest);
    for (int w = 0; w < s.word; ++w)
      gradient.key[w] = 2.0f * d_key_square * head.key[w];
  }
  dot_products_backward(s, s.heads, before, parameters + s.key(), d_dots, d_row_squares,
                        d_parameters + s.key(), d_memory, sums);
}

inline size_t access_backward_room(const NTMSizes& s) {
  return Trace::size(s) + 2 * size_t{1} * s.word * LANES +
         (size_t{3} + 2 * s.heads) * s.stride + wrapped_size(s, s.shift_range);
}

// What `Network` needs to know about this memory. A record is what is kept of each step:
// the weightings. A memory is as in access.h.
struct NTMMemory {
  using Sizes = NTMSizes;

  static size_t record_size(const Sizes& s) { return size_t{1} * s.heads * s.stride; }
  static size_t memory_size(const Sizes& s) { return memnets::memory_size(s); }

  // Between the flat state of a sequence and the padded arrays; of values or gradients.
  static void unpack(const Sizes& s, const float* state, float* record, float* memory) {
    widen(state, s.heads, s.rows, s.stride, record);
    widen(state + s.heads * s.rows, s.word, s.rows, s.stride, memory);
  }
  static void pack(const Sizes& s, const float* record, const float* memory, float* state) {
    narrow(record, s.heads, s.rows, s.stride, state);
    narrow(memory, s.word, s.rows, s.stride, state + s.heads * s.rows);
  }

  // What of a record and a memory is not in the state.
  static void complete(const Sizes& s, float*, float* memory) {
    set_inverse_norms(s, memory);
  }

  static size_t room(const Sizes& s) { return access_room(s); }
  static size_t backward_room(const Sizes& s) { return access_backward_room(s); }

  // `memory` changes in place.
  static void step(const Sizes& s, const float* parameters, const float* previous,
                   float* record, float* memory, float* reads, float* room) {
    with_write_heads(s, [&](auto heads) {
      access<heads.value>(s, parameters, previous, record, memory, reads, room);
    });
  }

  // The memory after a step, again from the one before.
  static void rebuild(const Sizes& s, const float* parameters, const float*,
                      const float* record, const float* before, float* after, float*) {
    with_write_heads(s, [&](auto heads) {
      write(Writer<heads.value>(s, parameters, record), s, before, after);
    });
  }

  // Takes the gradients of the results of a step; those of record and memory become those
  // of the step before. Sets those of the parameters.
  static void step_backward(const Sizes& s, const float* parameters, const float* previous,
                            const float* record, const float* before, const float* after,
                            const float* d_reads, float* d_record, float* d_memory,
                            float* d_parameters, float* room) {
    with_write_heads(s, [&](auto heads) {
      access_backward<heads.value>(s, parameters, previous, record, before, after, d_reads,
                                   d_record, d_memory, d_parameters, room);
    });
  }
};

}  // namespace memnets
