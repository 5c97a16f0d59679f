// The sizes of a memory with least recently used access, and the parameters of its heads:
// the squashing functions of memnets/lrua/head_parameters.py and their gradients. For one sequence.
#pragma once

#include "sizes.h"
#include "squash.h"

namespace memnets {

struct LRUASizes : Sizes {
  bool strengths, separate_add;
  float decay;

  LRUASizes(const int32_t* numbers, int64_t count) : Sizes(numbers, count, 3) {
    const int32_t* options = numbers + OPTIONS;
    strengths = options[0], separate_add = options[1];
    decay = float_of(options[2]);
    if (!(decay >= 0 && decay < 1) || read_heads != write_heads || read_heads > rows)
      throw std::invalid_argument("sizes out of range");
    complete(read_heads * ((1.0 + separate_add) * word + 1.0 + strengths),
             (heads + 1.0) * rows + double{1} * rows * word);
  }

  // Where the parameters of the heads begin, in the order of lrua/memory.py.
  int key() const { return 0; }
  int gate() const { return read_heads * word; }
  int add() const { return separate_add ? gate() + read_heads : key(); }
  int beta() const { return gate() + read_heads + (separate_add ? read_heads * word : 0); }
};

// Raw values of all heads to parameters.
inline void squash(const LRUASizes& s, const float* values, float* parameters) {
  const int vectors = s.read_heads * s.word;
  tanh_forward(vectors, values, parameters);
  sigmoid_forward(s.read_heads, values + s.gate(), parameters + s.gate());
  if (s.separate_add) tanh_forward(vectors, values + s.add(), parameters + s.add());
  for (int i = s.beta(); i < s.parameters_size; ++i)
    parameters[i] = 1.0f + softplus(values[i]);
}

// Gradients of the parameters to gradients of the raw values, in place.
inline void squash_backward(const LRUASizes& s, const float* parameters, float* d) {
  const auto through_tanh = [=](int start, int count) {
    for (int i = start; i < start + count; ++i) d[i] *= 1.0f - parameters[i] * parameters[i];
  };
  through_tanh(s.key(), s.read_heads * s.word);
  if (s.separate_add) through_tanh(s.add(), s.read_heads * s.word);
  for (int i = s.gate(); i < s.gate() + s.read_heads; ++i)
    d[i] *= parameters[i] * (1.0f - parameters[i]);
  for (int i = s.beta(); i < s.parameters_size; ++i)
    d[i] *= softplus_slope(parameters[i] - 1.0f);
}

}  // namespace memnets
