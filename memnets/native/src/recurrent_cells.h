// The cells of recurrent networks without a memory, for one step of one sequence. Both
// have the gates, their order and the equations of Keras.
#pragma once

#include "controller.h"
#include "matrix.h"

namespace memnets {

// A state is the output, and for an LSTM the carry, each padded to complete vectors.
// `inputs` (gates) is the product of the inputs and their matrix, with the first bias;
// `product` (gates) that of the previous output and the recurrent matrix, with the second
// bias. `record` is what the backward pass needs beside the states.
struct LSTMUnit {
  static constexpr int GATES = 4, STATES = 2;
  // One bias, and one sum of both products: `product` is that sum, `inputs` is not used.
  static constexpr bool IS_ONE_SUM = true;

  static int record_size(int units) { return padded(GATES * units); }

  static void step(int units, float clip, const float*, const float* product,
                   const float* before, float* after, float* record) {
    lstm_forward(units, clip, product, before + padded(units), record,
                 after + padded(units), after);
  }

  // From the gradients of the state after the step to those of the product and of the
  // state before, without the part that goes through the product.
  static void step_backward(int units, float clip, const float* before, const float* after,
                            const float* record, const float* d_after, float* d_before,
                            float*, float* d_product) {
    const int carry = padded(units);
    lstm_backward(units, clip, record, before + carry, after + carry, d_after,
                  d_after + carry, d_before + carry, d_product);
    std::memset(d_before, 0, units * sizeof(float));
  }
};

// With the reset gate after the product, the default of Keras. Gates: update, reset,
// candidate.
struct GRUUnit {
  static constexpr int GATES = 3, STATES = 1;
  static constexpr bool IS_ONE_SUM = false;

  // The gates, and the candidate's part of the product.
  static int record_size(int units) { return padded((GATES + 1) * units); }

  static void step(int units, float, const float* inputs, const float* product,
                   const float* before, float* after, float* record) {
    for_vectors(units, [=](int i, int lanes) MEMNETS_LAMBDA {
      const int second = units + i, third = 2 * units + i;
      const vec update = sigmoid(load(inputs + i, lanes) + load(product + i, lanes));
      const vec reset = sigmoid(load(inputs + second, lanes) + load(product + second, lanes));
      const vec inner = load(product + third, lanes);
      const vec candidate = tanh(load(inputs + third, lanes) + reset * inner);
      const vec output = update * load(before + i, lanes) + (1.0f - update) * candidate;
      store(record + i, update, lanes);
      store(record + second, reset, lanes);
      store(record + third, candidate, lanes);
      store(record + 3 * units + i, inner, lanes);
      store(after + i, output, lanes);
    });
  }

  static void step_backward(int units, float, const float* before, const float*,
                            const float* record, const float* d_after, float* d_before,
                            float* d_inputs, float* d_product) {
    for_vectors(units, [=](int i, int lanes) MEMNETS_LAMBDA {
      const int second = units + i, third = 2 * units + i;
      const vec update = load(record + i, lanes), reset = load(record + second, lanes);
      const vec candidate = load(record + third, lanes);
      const vec inner = load(record + 3 * units + i, lanes);
      const vec d = load(d_after + i, lanes);
      const vec d_update = d * (load(before + i, lanes) - candidate) * update * (1.0f - update);
      const vec d_candidate = d * (1.0f - update) * (1.0f - candidate * candidate);
      const vec d_reset = d_candidate * inner * reset * (1.0f - reset);
      for (float* to : {d_inputs, d_product}) {
        store(to + i, d_update, lanes);
        store(to + second, d_reset, lanes);
      }
      store(d_inputs + third, d_candidate, lanes);
      store(d_product + third, d_candidate * reset, lanes);
      store(d_before + i, d * update, lanes);
    });
  }
};

}  // namespace memnets
