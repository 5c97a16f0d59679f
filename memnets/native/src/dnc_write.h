// Which rows are written: the weightings of the write heads, of allocation and content,
// w = g_w (g_a a + (1 - g_a) c), forward and backward. For one sequence; as in
// memnets/dnc/memory.py.
#pragma once

#include "allocation.h"
#include "dnc_record.h"

namespace memnets {

// The allocation weighting of each write head, and the usage that it sees: heads allocate
// in turn, and the rows that others are about to write are in use. `order(h, usage)` is
// the order of the rows for head h.
template <class Order>
void allocate_in_turn(const DNCSizes& s, const float* parameters, const float* usage,
                      Order order, float* usages, float* allocations) {
  std::memcpy(usages, usage, s.stride * sizeof(float));
  for (int h = 0; h < s.write_heads; ++h) {
    const float* seen = usages + size_t{1} * h * s.stride;
    float* allocation = allocations + size_t{1} * h * s.stride;
    allocate(s, seen, order(h, seen), allocation);
    if (h + 1 == s.write_heads) break;
    const float gate = parameters[s.write_gate() + h] * parameters[s.allocation_gate() + h];
    float* next = usages + size_t{1} * (h + 1) * s.stride;
    for (int n = 0; n < s.stride; n += LANES) {
      const vec u = load(seen + n);
      store(next + n, u + (1.0f - u) * gate * load(allocation + n));
    }
  }
}

inline void blend_writes(const DNCSizes& s, const float* parameters,
                         const float* allocations, const float* contents,
                         float* weightings) {
  for (int h = 0; h < s.write_heads; ++h) {
    const float gate = parameters[s.allocation_gate() + h];
    const float share = parameters[s.write_gate() + h];
    for (int n = h * s.stride; n < (h + 1) * s.stride; n += LANES)
      store(weightings + n,
            share * (gate * load(allocations + n) + (1.0f - gate) * load(contents + n)));
  }
}

// Gradients of both: from those of the weightings. Sets those of the gates and of the
// contents, and adds to that of the usage. `room` holds 3 rows.
template <class Order>
void blend_writes_backward(const DNCSizes& s, const float* parameters, Order order,
                           const float* usages, const float* allocations,
                           const float* contents, const float* d_weightings,
                           float* d_parameters, float* d_contents, float* d_usage,
                           float* room) {
  float *d_seen = room, *d_allocation = d_seen + s.stride, *rest = d_allocation + s.stride;
  std::memset(d_seen, 0, s.stride * sizeof(float));
  for (int h = s.write_heads - 1; h >= 0; --h) {
    const float gate = parameters[s.allocation_gate() + h];
    const float share = parameters[s.write_gate() + h];
    const float* usage = usages + size_t{1} * h * s.stride;
    vec d_gate{}, d_share{}, d_both{};
    for (int n = 0; n < s.stride; n += LANES) {
      const size_t i = size_t{1} * h * s.stride + n;
      const vec a = load(allocations + i), c = load(contents + i);
      const vec d = load(d_weightings + i);
      d_gate += d * (a - c);
      d_share += d * (gate * a + (1.0f - gate) * c);
      store(d_contents + i, share * (1.0f - gate) * d);
      // What the next head sees; 0 after the last one.
      const vec d_next = load(d_seen + n), free = 1.0f - load(usage + n);
      d_both += d_next * free * a;
      store(d_allocation + n, share * gate * (d + d_next * free));
      store(d_seen + n, d_next * (1.0f - share * gate * a));
    }
    const float both = sum(d_both);
    d_parameters[s.allocation_gate() + h] = share * (sum(d_gate) + both);
    d_parameters[s.write_gate() + h] = sum(d_share) + gate * both;
    allocate_backward(s, usage, order(h), d_allocation, d_seen, rest);
  }
  for (int n = 0; n < s.stride; n += LANES)
    store(d_usage + n, load(d_usage + n) + load(d_seen + n));
}

}  // namespace memnets
