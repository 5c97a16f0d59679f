// Squashing functions, of single numbers and of arrays, and their gradients.
#pragma once

#include <cmath>

#include "vector.h"

namespace memnets {

inline float softplus(float x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

// The slope of softplus where its value is y: 1 - e^-y, by its series where y is small.
inline float softplus_slope(float y) {
  return y < 0.03f ? y * (1.0f - y * (0.5f - y * (1.0f / 6.0f))) : 1.0f - std::exp(-y);
}

inline float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

inline void sigmoid_forward(int count, const float* values, float* output) {
  for_vectors(count, [=](int i, int lanes) MEMNETS_LAMBDA {
    store(output + i, sigmoid(load(values + i, lanes)), lanes);
  });
}

inline void tanh_forward(int count, const float* values, float* output) {
  for_vectors(count, [=](int i, int lanes) MEMNETS_LAMBDA {
    store(output + i, tanh(load(values + i, lanes)), lanes);
  });
}

// For a few numbers; for the rows of a memory see addressing.h.
inline void softmax(const float* values, int count, float* output) {
  float top = values[0], total = 0.0f;
  for (int i = 1; i < count; ++i) top = std::fmax(top, values[i]);
  for (int i = 0; i < count; ++i) total += output[i] = std::exp(values[i] - top);
  for (int i = 0; i < count; ++i) output[i] /= total;
}

// In place.
inline void softmax_backward(const float* output, int count, float* d) {
  float mean = 0.0f;
  for (int i = 0; i < count; ++i) mean += output[i] * d[i];
  for (int i = 0; i < count; ++i) d[i] = output[i] * (d[i] - mean);
}

}  // namespace memnets
