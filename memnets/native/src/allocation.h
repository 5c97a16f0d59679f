// The allocation of a Differentiable Neural Computer, as in memnets/dnc/allocation.py, forward
// and backward. For one sequence. Graves, Wayne, Reynolds et al. (2016), Nature 538,
// Methods; its equations have no numbers. The padding of all rows is 0: there is no row
// that could be allocated.
#pragma once

#include <algorithm>

#include "addressing.h"

namespace memnets {

// The product of (1 - gates[h] * weightings[h][n]) over the heads but `skipped`. Without
// gates they are 1.
MEMNETS_INLINE vec untouched(const Sizes& s, int heads, const float* weightings,
                             const float* gates, int n, int skipped = -1) {
  vec product = fill(1.0f);
  for (int h = 0; h < heads; ++h)
    if (h != skipped)
      product *= 1.0f - (gates ? gates[h] : 1.0f) * load(weightings + h * s.stride + n);
  return product;
}

// psi = prod_r (1 - f_r w_r), over the read heads.
inline void retain(const Sizes& s, const float* weightings, const float* free_gates,
                   float* retention) {
  for (int n = 0; n < s.stride; n += LANES)
    store(retention + n, untouched(s, s.read_heads, weightings, free_gates, n));
}

// Adds to the gradients of the weightings, sets those of the gates.
inline void retain_backward(const Sizes& s, const float* weightings,
                            const float* free_gates, const float* d_retention,
                            float* d_weightings, float* d_free_gates) {
  for (int r = 0; r < s.read_heads; ++r) {
    const float *weighting = weightings + r * s.stride;
    float* d_weighting = d_weightings + r * s.stride;
    vec d_gate{};
    for (int n = 0; n < s.stride; n += LANES) {
      const vec d = load(d_retention + n) *
                    untouched(s, s.read_heads, weightings, free_gates, n, r);
      d_gate -= d * load(weighting + n);
      store(d_weighting + n, load(d_weighting + n) - free_gates[r] * d);
    }
    d_free_gates[r] = sum(d_gate);
  }
}

// u = (u_prev + (1 - u_prev) w) psi, where w = 1 - prod_h (1 - w_h), over the write heads.
inline void update_usage(const Sizes& s, const float* previous, const float* weightings,
                         const float* retention, float* usage) {
  for (int n = 0; n < s.stride; n += LANES) {
    const vec before = load(previous + n);
    const vec written = 1.0f - untouched(s, s.write_heads, weightings, nullptr, n);
    store(usage + n, (before + (1.0f - before) * written) * load(retention + n));
  }
}

// Turns the gradient of the usage into that of the usage before; adds to that of the
// retention, and to those of the weightings unless they are null.
inline void update_usage_backward(const Sizes& s, const float* previous,
                                  const float* weightings, const float* retention,
                                  float* d_usage, float* d_retention,
                                  float* d_weightings) {
  for (int n = 0; n < s.stride; n += LANES) {
    const vec before = load(previous + n), d = load(d_usage + n);
    const vec left = untouched(s, s.write_heads, weightings, nullptr, n);
    const vec kept = d * load(retention + n);
    store(d_usage + n, kept * left);
    store(d_retention + n,
          load(d_retention + n) + d * (before + (1.0f - before) * (1.0f - left)));
    if (!d_weightings) continue;
    for (int h = 0; h < s.write_heads; ++h) {
      float* d_weighting = d_weightings + h * s.stride + n;
      const vec others = untouched(s, s.write_heads, weightings, nullptr, n, h);
      store(d_weighting, load(d_weighting) + kept * (1.0f - before) * others);
    }
  }
}

// Orders the rows by ascending usage, and rows of equal usage by their number. `order` is
// any order of the rows: the last one, which is nearly right. `room` holds 2 N floats.
inline void order_rows(const Sizes& s, const float* usage, int32_t* order, float* room) {
  // Integers in the order of usage, then of rows: NaN has its place too.
  uint64_t* keys = reinterpret_cast<uint64_t*>(room);
  for (int j = 0; j < s.rows; ++j) {
    const float number = usage[order[j]] + 0.0f;  // of -0 and 0 the order is by row
    uint32_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    bits ^= bits >> 31 ? 0xffffffffu : 0x80000000u;
    keys[j] = uint64_t{bits} << 32 | static_cast<uint32_t>(order[j]);
  }
  int64_t moves = int64_t{8} * s.rows;  // then sorting is faster
  for (int j = 1; j < s.rows && moves >= 0; ++j) {
    const uint64_t key = keys[j];
    int place = j;
    for (; place > 0 && keys[place - 1] > key; --place) keys[place] = keys[place - 1];
    keys[place] = key;
    moves -= j - place;
  }
  if (moves < 0) std::sort(keys, keys + s.rows);
  for (int j = 0; j < s.rows; ++j) order[j] = static_cast<int32_t>(keys[j] & 0xffffffffu);
}

// a[phi_j] = (1 - u[phi_j]) prod_{i<j} u[phi_i], with phi the order of the rows.
inline void allocate(const Sizes& s, const float* usage, const int32_t* order,
                     float* allocation) {
  float product = 1.0f;
  for (int j = 0; j < s.rows; ++j) {
    const int row = order[j];
    allocation[row] = (1.0f - usage[row]) * product;
    product *= usage[row];
  }
  set_padding(allocation, s.rows, s.stride, 0.0f);
}

// Adds to the gradient of the usage. No division: usage may be 0. `room` holds N floats.
inline void allocate_backward(const Sizes& s, const float* usage, const int32_t* order,
                              const float* d_allocation, float* d_usage, float* room) {
  float product = 1.0f;
  for (int j = 0; j < s.rows; ++j) {
    room[j] = product;
    product *= usage[order[j]];
  }
  float d_product = 0.0f;  // of the product over the rows up to j
  for (int j = s.rows - 1; j >= 0; --j) {
    const int row = order[j];
    d_usage[row] += room[j] * (d_product - d_allocation[row]);
    d_product = (1.0f - usage[row]) * d_allocation[row] + usage[row] * d_product;
  }
}

}  // namespace memnets
