// The sizes of a Differentiable Neural Computer, and the parameters of its heads: the
// squashing functions of memnets/dnc/head_parameters.py and their gradients. For one sequence.
#pragma once

#include "sizes.h"
#include "squash.h"

namespace memnets {

struct DNCSizes : Sizes {
  bool links, deallocate, masks;
  float mask_min;
  bool sharpen_links, usage_gradient;
  int ways;  // in which a read head finds rows: content, and two for each write head

  DNCSizes(const int32_t* numbers, int64_t count) : Sizes(numbers, count, 6) {
    const int32_t* options = numbers + OPTIONS;
    links = options[0], deallocate = options[1], masks = options[2];
    mask_min = float_of(options[3]);
    sharpen_links = options[4], usage_gradient = options[5];
    if (!(mask_min >= 0 && mask_min < 1) || (sharpen_links && !links))
      throw std::invalid_argument("sizes out of range");
    const double read = read_heads, write = write_heads, n = rows;
    const double mode = links ? read * (2 * write + 1) : 0;
    const double mask = masks ? (read + write) * word : 0;
    const double gamma = sharpen_links ? read * 2 * write : 0;
    const double order = links ? write * n * (n + 1) : 0;
    ways = links ? 2 * write_heads + 1 : 1;
    complete((read + 3 * write) * word + 2 * read + 3 * write + mode + mask + gamma,
             (read + write + 1) * n + order + n * word);
  }

  // Where the parameters of the heads begin, in the order of dnc/memory.py.
  int read_key() const { return 0; }
  int read_beta() const { return read_key() + read_heads * word; }
  int write_key() const { return read_beta() + read_heads; }
  int write_beta() const { return write_key() + write_heads * word; }
  int erase() const { return write_beta() + write_heads; }
  int add() const { return erase() + write_heads * word; }
  int free_gate() const { return add() + write_heads * word; }
  int allocation_gate() const { return free_gate() + read_heads; }
  int write_gate() const { return allocation_gate() + write_heads; }
  int mode() const { return write_gate() + write_heads; }
  int read_mask() const { return mode() + (links ? read_heads * ways : 0); }
  int write_mask() const { return read_mask() + (masks ? read_heads * word : 0); }
  int gamma() const { return write_mask() + (masks ? write_heads * word : 0); }
};

// Raw values of all heads to parameters. Keys and what is added are linear.
inline void squash(const DNCSizes& s, const float* values, float* parameters) {
  std::memcpy(parameters, values, s.parameters_size * sizeof(float));
  const auto oneplus = [=](int start, int count) {
    for (int i = start; i < start + count; ++i) parameters[i] = 1.0f + softplus(values[i]);
  };
  const auto squash_part = [=](int start, int count) {
    sigmoid_forward(count, values + start, parameters + start);
  };
  oneplus(s.read_beta(), s.read_heads);
  oneplus(s.write_beta(), s.write_heads);
  squash_part(s.erase(), s.write_heads * s.word);
  squash_part(s.free_gate(), s.mode() - s.free_gate());  // all gates
  if (s.links)
    for (int r = 0; r < s.read_heads; ++r)
      softmax(values + s.mode() + r * s.ways, s.ways, parameters + s.mode() + r * s.ways);
  const int mask = s.read_mask(), masked = s.gamma() - mask;
  squash_part(mask, masked);
  for (int i = mask; i < mask + masked; ++i)
    parameters[i] = s.mask_min + (1.0f - s.mask_min) * parameters[i];
  oneplus(s.gamma(), s.parameters_size - s.gamma());
}

// Gradients of the parameters to gradients of the raw values, in place.
inline void squash_backward(const DNCSizes& s, const float* parameters, float* d) {
  const auto oneplus = [=](int start, int count) {
    for (int i = start; i < start + count; ++i) d[i] *= softplus_slope(parameters[i] - 1.0f);
  };
  const auto squash_part = [=](int start, int count) {
    for (int i = start; i < start + count; ++i) d[i] *= parameters[i] * (1.0f - parameters[i]);
  };
  oneplus(s.read_beta(), s.read_heads);
  oneplus(s.write_beta(), s.write_heads);
  squash_part(s.erase(), s.write_heads * s.word);
  squash_part(s.free_gate(), s.mode() - s.free_gate());
  if (s.links)
    for (int r = 0; r < s.read_heads; ++r)
      softmax_backward(parameters + s.mode() + r * s.ways, s.ways,
                       d + s.mode() + r * s.ways);
  for (int i = s.read_mask(); i < s.gamma(); ++i)
    d[i] *= (parameters[i] - s.mask_min) * (1.0f - parameters[i]) / (1.0f - s.mask_min);
  oneplus(s.gamma(), s.parameters_size - s.gamma());
}

}  // namespace memnets
