// The controller: LSTM and feedforward cells, forward and backward, for one sequence. The
// forward pass of a feedforward cell is `tanh_forward`.
#pragma once

#include "squash.h"

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

inline void tanh_backward(int units, const float* output, const float* d_output,
                          float* d_values) {
  for_vectors(units, [=](int i, int lanes) MEMNETS_LAMBDA {
    const vec y = load(output + i, lanes);
    store(d_values + i, load(d_output + i, lanes) * (1.0f - y * y), lanes);
  });
}

}  // namespace memnets
