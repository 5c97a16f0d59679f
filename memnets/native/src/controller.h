// The controller: LSTM and feedforward cells, and the squashing functions of
// memnets/heads.py; forward and backward, for one sequence.
#pragma once

#include <cmath>

#include "sizes.h"

namespace memnets {

// Gates in the order of Keras: input, forget, candidate, output. `values` is the result
// of the matrix product. The carry is clipped to `clip`, which may be infinite.
inline void lstm_forward(int units, float clip, const float* values,
                         const float* previous_carry, float* gates, float* carry,
                         float* output) {
  for_vectors(units, [=](int i, int lanes) MEMNETS_LAMBDA {
    const vec in = sigmoid(load(values + i, lanes));
    const vec forget = sigmoid(load(values + units + i, lanes));
    const vec candidate = tanh(load(values + 2 * units + i, lanes));
    const vec out = sigmoid(load(values + 3 * units + i, lanes));
    const vec sum = forget * load(previous_carry + i, lanes) + in * candidate;
    const vec c = smaller(larger(sum, fill(-clip)), fill(clip));
    store(gates + i, in, lanes);
    store(gates + units + i, forget, lanes);
    store(gates + 2 * units + i, candidate, lanes);
    store(gates + 3 * units + i, out, lanes);
    store(carry + i, c, lanes);
    store(output + i, out * tanh(c), lanes);
  });
}

// From the gradients of the output and the carry to the gradients of the previous carry
// and of the arguments of the squashing functions.
inline void lstm_backward(int units, float clip, const float* gates,
                          const float* previous_carry, const float* carry,
                          const float* d_output, const float* d_carry,
                          float* d_previous_carry, float* d_values) {
  for_vectors(units, [=](int i, int lanes) MEMNETS_LAMBDA {
    const vec in = load(gates + i, lanes), forget = load(gates + units + i, lanes);
    const vec candidate = load(gates + 2 * units + i, lanes);
    const vec out = load(gates + 3 * units + i, lanes);
    const vec c = load(carry + i, lanes), d = load(d_output + i, lanes);
    const vec squashed = tanh(c);
    const vec d_kept = load(d_carry + i, lanes) + d * out * (1.0f - squashed * squashed);
    // At the bound the carry is a constant. (TensorFlow lets the gradient pass where a
    // carry that was not clipped equals the bound.)
    const vec d_c = (c >= clip) | (c <= -clip) ? 0.0f : d_kept;
    const vec before = load(previous_carry + i, lanes);
    store(d_values + i, d_c * candidate * in * (1.0f - in), lanes);
    store(d_values + units + i, d_c * before * forget * (1.0f - forget), lanes);
    store(d_values + 2 * units + i, d_c * in * (1.0f - candidate * candidate), lanes);
    store(d_values + 3 * units + i, d * squashed * out * (1.0f - out), lanes);
    store(d_previous_carry + i, d_c * forget, lanes);
  });
}

inline void tanh_forward(int units, const float* values, float* output) {
  for_vectors(units, [=](int i, int lanes) MEMNETS_LAMBDA {
    store(output + i, tanh(load(values + i, lanes)), lanes);
  });
}

inline void tanh_backward(int units, const float* output, const float* d_output,
                          float* d_values) {
  for_vectors(units, [=](int i, int lanes) MEMNETS_LAMBDA {
    const vec y = load(output + i, lanes);
    store(d_values + i, load(d_output + i, lanes) * (1.0f - y * y), lanes);
  });
}

inline float softplus(float x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

// The slope of softplus where its value is y: 1 - e^-y, by its series where y is small.
inline float softplus_slope(float y) {
  return y < 0.03f ? y * (1.0f - y * (0.5f - y * (1.0f / 6.0f))) : 1.0f - std::exp(-y);
}

// Raw values of all heads to parameters; see memnets/heads.py. Keys are linear.
inline void squash(const Sizes& s, const float* values, float* parameters) {
  std::memcpy(parameters, values, s.beta() * sizeof(float));
  for (int h = 0; h < s.heads; ++h) {
    parameters[s.beta() + h] = softplus(values[s.beta() + h]);
    parameters[s.gate() + h] = 1.0f / (1.0f + std::exp(-values[s.gate() + h]));
    parameters[s.gamma() + h] = 1.0f + softplus(values[s.gamma() + h]);
    const float* raw = values + s.shift() + h * s.taps;
    float* shift = parameters + s.shift() + h * s.taps;
    float top = raw[0], total = 0.0f;
    for (int tap = 1; tap < s.taps; ++tap) top = std::fmax(top, raw[tap]);
    for (int tap = 0; tap < s.taps; ++tap) total += shift[tap] = std::exp(raw[tap] - top);
    for (int tap = 0; tap < s.taps; ++tap) shift[tap] /= total;
  }
  const int count = s.write_heads * s.word;
  const float* erase = values + s.erase();
  float* squashed = parameters + s.erase();
  for_vectors(count, [=](int i, int lanes) MEMNETS_LAMBDA {
    store(squashed + i, sigmoid(load(erase + i, lanes)), lanes);
  });
  tanh_forward(count, values + s.add(), parameters + s.add());
}

// Gradients of the parameters to gradients of the raw values, in place.
inline void squash_backward(const Sizes& s, const float* values, float* d) {
  for (int h = 0; h < s.heads; ++h) {
    const float gate = values[s.gate() + h];
    d[s.beta() + h] *= softplus_slope(values[s.beta() + h]);
    d[s.gate() + h] *= gate * (1.0f - gate);
    d[s.gamma() + h] *= softplus_slope(values[s.gamma() + h] - 1.0f);
    const float* shift = values + s.shift() + h * s.taps;
    float* d_shift = d + s.shift() + h * s.taps;
    float mean = 0.0f;
    for (int tap = 0; tap < s.taps; ++tap) mean += shift[tap] * d_shift[tap];
    for (int tap = 0; tap < s.taps; ++tap) d_shift[tap] = shift[tap] * (d_shift[tap] - mean);
  }
  for (int i = 0; i < s.write_heads * s.word; ++i) {
    const float erase = values[s.erase() + i], add = values[s.add() + i];
    d[s.erase() + i] *= erase * (1.0f - erase);
    d[s.add() + i] *= 1.0f - add * add;
  }
}

}  // namespace memnets
