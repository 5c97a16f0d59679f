// The networks and calls that sanitized.cpp runs, and the sizes of their arrays, as
// entry_points.h and kernel_layout.py document them: computed here once more, apart from the kernel.
#pragma once

#include "entry_points.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

// The functions of a kind of memory.
struct Kind {
  decltype(&memnets_ntm_history_size) history_size;
  decltype(&memnets_ntm_forward) forward;
  decltype(&memnets_ntm_backward) backward;
};
inline const Kind NTM{memnets_ntm_history_size, memnets_ntm_forward, memnets_ntm_backward};
inline const Kind DNC{memnets_dnc_history_size, memnets_dnc_forward, memnets_dnc_backward};
inline const Kind LRUA{memnets_lrua_history_size, memnets_lrua_forward,
                       memnets_lrua_backward};

inline const Kind LSTM{memnets_lstm_history_size, memnets_lstm_forward,
                       memnets_lstm_backward};
inline const Kind GRU{memnets_gru_history_size, memnets_gru_forward, memnets_gru_backward};

inline int32_t bits_of(float number) {
  int32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

// Options of a DNC.
enum { LINKS = 1, DEALLOCATE = 2, MASKS = 4, SHARPEN_LINKS = 8, USAGE_GRADIENT = 16, ALL = 31 };
// Options of an LRUA.
enum { STRENGTHS = 1, SEPARATE_ADD = 2 };

struct Network {
  const char* name;
  const Kind& kind;
  int input, rows, word, read_heads, write_heads;
  int choices;  // shift range of an NTM; options of a DNC or an LRUA
  std::vector<int> units;

  bool is_dnc() const { return &kind == &DNC; }
  bool is_lrua() const { return &kind == &LRUA; }
  bool is_gru() const { return &kind == &GRU; }
  bool has_memory() const { return &kind != &LSTM && !is_gru(); }
  bool has(int option) const { return choices & option; }

  // As `options` in the kernel_layout.py of each memory.
  std::vector<int32_t> options() const {
    if (is_lrua()) return {has(STRENGTHS), has(SEPARATE_ADD), bits_of(0.9f)};
    if (!is_dnc()) return {choices};
    return {has(LINKS),     has(DEALLOCATE),     has(MASKS),
            bits_of(0.1f), has(SHARPEN_LINKS), has(USAGE_GRADIENT)};
  }

  // As `head_shapes` in the memory.py of each memory.
  size_t parameters() const {
    const size_t read = read_heads, write = write_heads, heads = read + write;
    if (is_lrua())
      return read * ((1 + has(SEPARATE_ADD)) * word + 1 + has(STRENGTHS));
    if (!is_dnc())
      return heads * (word + 3 + 2 * choices + 1) + 2 * write * word;
    return heads * (word + 1) + 2 * write * word + read + 2 * write +
           has(LINKS) * read * (2 * write + 1) + has(MASKS) * heads * word +
           has(SHARPEN_LINKS) * read * 2 * write;
  }

  // Of the state, what depends on rows.
  size_t memory() const {
    const size_t n = rows, heads = read_heads + write_heads;
    const size_t usage = is_dnc() || is_lrua() ? n : 0;
    const size_t order = is_dnc() ? has(LINKS) * write_heads * (n + 1) * n : 0;
    return heads * n + usage + order + n * word;
  }
};

inline const Network NETWORKS[] = {
    {"usual", NTM, 9, 16, 6, 1, 1, 1, {12}},
    {"odd sizes", NTM, 7, 37, 5, 1, 1, 1, {33}},
    {"whole vectors", NTM, 16, 32, 16, 1, 1, 1, {16}},
    {"stack", NTM, 3, 16, 6, 1, 1, 1, {12, 7, 17}},
    {"heads", NTM, 1, 19, 4, 3, 2, 2, {5}},
    {"many heads", NTM, 33, 7, 3, 8, 8, 3, {4}},
    {"no shift", NTM, 0, 16, 6, 2, 1, 0, {9}},
    {"as small as can be", NTM, 1, 1, 1, 1, 1, 0, {1}},
    {"DNC", DNC, 9, 16, 6, 1, 1, LINKS, {12}},
    {"DNC, all options", DNC, 3, 19, 5, 2, 2, ALL, {12, 7}},
    {"DNC without links", DNC, 1, 37, 4, 3, 1, DEALLOCATE | MASKS, {5}},
    {"DNC, many heads", DNC, 0, 7, 3, 6, 3, LINKS | USAGE_GRADIENT, {4}},
    {"DNC, as small as can be", DNC, 1, 1, 1, 1, 1, LINKS, {1}},
    {"LRUA", LRUA, 9, 19, 6, 4, 4, 0, {12}},
    {"LRUA, all options", LRUA, 3, 37, 5, 3, 3, STRENGTHS | SEPARATE_ADD, {12, 7}},
    {"LRUA, every row", LRUA, 0, 2, 40, 2, 2, STRENGTHS, {1}},
    {"LSTM", LSTM, 9, 1, 0, 0, 0, 0, {12}},
    {"LSTM, whole vectors", LSTM, 16, 1, 0, 0, 0, 0, {64}},
    {"LSTM, odd sizes", LSTM, 0, 1, 0, 0, 0, 0, {37}},
    {"GRU", GRU, 9, 1, 0, 0, 0, 0, {12}},
    {"GRU, whole vectors", GRU, 32, 1, 0, 0, 0, 0, {48}},
    {"GRU, as small as can be", GRU, 1, 1, 0, 0, 0, 0, {1}},
};

struct Case {
  const Network& network;
  bool lstm;
  int batch, steps, threads;
  bool masked;

  std::vector<int32_t> sizes(bool saves) const {
    const Network& n = network;
    if (!n.has_memory()) return {batch, steps, threads, saves, n.input, n.units[0], clip()};
    std::vector<int32_t> numbers{batch,  steps,  threads,      saves,        n.input,
                                 n.rows, n.word, n.read_heads, n.write_heads};
    for (int32_t option : n.options()) numbers.push_back(option);
    numbers.insert(numbers.end(), {lstm, clip(), static_cast<int32_t>(n.units.size())});
    numbers.insert(numbers.end(), n.units.begin(), n.units.end());
    numbers.shrink_to_fit();
    return numbers;
  }

  // The bits of the bound of the carries: such that some are at it, or none.
  int32_t clip() const {
    return bits_of(steps % 2 ? 0.05f : std::numeric_limits<float>::infinity());
  }
  size_t reads() const { return size_t{1} * network.read_heads * network.word; }
  size_t gates(size_t cell) const { return (lstm ? 4 : 1) * network.units[cell]; }
  size_t features() const { return network.units.back() + reads(); }

  size_t state() const {
    if (!network.has_memory()) return (network.is_gru() ? 1 : 2) * network.units[0];
    const auto& units = network.units;
    return (lstm ? 2 : 1) * std::accumulate(units.begin(), units.end(), size_t{0}) +
           reads() + network.memory();
  }

  // As `weights_of` in layout.py: kernels and biases of the cells, then those of the
  // heads. As `recurrent_weights` without a memory.
  size_t weights() const {
    if (!network.has_memory()) {
      const size_t gates = (network.is_gru() ? 3 : 4) * network.units[0];
      return (network.input + network.units[0] + (network.is_gru() ? 2 : 1)) * gates;
    }
    size_t size = 0, below = network.input + reads();
    for (size_t i = 0; i < network.units.size(); ++i) {
      const size_t recurrent = lstm ? network.units[i] : 0;
      size += (below + recurrent + 1) * gates(i);
      below = network.units[i];
    }
    return size + (below + 1) * network.parameters();
  }

  std::string description() const {
    return std::string(network.name) + (lstm ? ", lstm" : ", feedforward") +
           ", batch " + std::to_string(batch) + ", steps " + std::to_string(steps) +
           ", threads " + std::to_string(threads) + (masked ? ", masked" : "");
  }
};

[[noreturn]] inline void fail(const Case& c, const char* what) {
  std::fprintf(stderr, "%s: %s\n", c.description().c_str(), what);
  std::exit(1);
}
