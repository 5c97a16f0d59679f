// The sizes of a Neural Turing Machine, and the parameters of its heads: the squashing
// functions of memnets/ntm/head_parameters.py and their gradients. For one sequence.
#pragma once

#include "sizes.h"
#include "squash.h"

namespace memnets {

struct NTMSizes : Sizes {
  int shift_range, taps;

  NTMSizes(const int32_t* numbers, int64_t count) : Sizes(numbers, count, 1) {
    shift_range = numbers[OPTIONS];
    if (shift_range < 0 || 2 * int64_t{shift_range} + 1 > rows)
      throw std::invalid_argument("sizes out of range");
    taps = 2 * shift_range + 1;
    complete(double{1} * heads * (word + 3.0 + taps) + 2.0 * write_heads * word,
             double{1} * heads * rows + double{1} * rows * word);
  }

  // Where the parameters of the heads begin, in the order of ntm/memory.py.
  int key() const { return 0; }
  int beta() const { return heads * word; }
  int gate() const { return beta() + heads; }
  int shift() const { return gate() + heads; }
  int gamma() const { return shift() + heads * taps; }
  int erase() const { return gamma() + heads; }
  int add() const { return erase() + write_heads * word; }
};

// Raw values of all heads to parameters. Keys are linear.
inline void squash(const NTMSizes& s, const float* values, float* parameters) {
  std::memcpy(parameters, values, s.beta() * sizeof(float));
  for (int h = 0; h < s.heads; ++h) {
    parameters[s.beta() + h] = softplus(values[s.beta() + h]);
    parameters[s.gate() + h] = sigmoid(values[s.gate() + h]);
    parameters[s.gamma() + h] = 1.0f + softplus(values[s.gamma() + h]);
    softmax(values + s.shift() + h * s.taps, s.taps, parameters + s.shift() + h * s.taps);
  }
  const int count = s.write_heads * s.word;
  sigmoid_forward(count, values + s.erase(), parameters + s.erase());
  tanh_forward(count, values + s.add(), parameters + s.add());
}

// Gradients of the parameters to gradients of the raw values, in place.
inline void squash_backward(const NTMSizes& s, const float* parameters, float* d) {
  for (int h = 0; h < s.heads; ++h) {
    const float gate = parameters[s.gate() + h];
    d[s.beta() + h] *= softplus_slope(parameters[s.beta() + h]);
    d[s.gate() + h] *= gate * (1.0f - gate);
    d[s.gamma() + h] *= softplus_slope(parameters[s.gamma() + h] - 1.0f);
    softmax_backward(parameters + s.shift() + h * s.taps, s.taps,
                     d + s.shift() + h * s.taps);
  }
  for (int i = 0; i < s.write_heads * s.word; ++i) {
    const float erase = parameters[s.erase() + i], add = parameters[s.add() + i];
    d[s.erase() + i] *= erase * (1.0f - erase);
    d[s.add() + i] *= 1.0f - add * add;
  }
}

}  // namespace memnets
