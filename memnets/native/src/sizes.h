// The sizes of a network and of a call, and the positions of all arrays. Letters as in
// memnets/memory/addressing.py: B sequences, T steps, N rows, W word size, H heads, of which R
// read; K shift range.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "vector.h"

namespace memnets {

// Gradients need the memory before each step. It is stored at every eighth step, and the
// others are computed again from there: at 10 KB per sequence, that avoids 7 of 8
// transfers to and from main memory.
constexpr int CHECKPOINT = 8;

// Rows of weightings and memories are padded to complete vectors.
inline int padded(int count) { return (count + 15) / 16 * 16; }

// One cell of the controller.
struct CellSizes {
  int inputs;     // inputs and reads, or the output of the cell below
  int recurrent;  // its own previous output, or 0
  int units;
  int gates;  // columns of its matrix: units, four times for an LSTM
};

// What all memories share. A memory adds the sizes of its own options, of the parameters
// of its heads and of its state.
struct Sizes {
  int batch, steps, input, rows, word, read_heads, write_heads;
  bool lstm;
  float cell_clip;  // bound of the carries of an LSTM
  int threads;
  bool saves;  // whether gradients will be needed
  std::vector<CellSizes> cells;

  int heads, reads, stride;  // stride: rows, padded
  int parameters_size, state_size, weights_size, features_size;

  int units() const { return cells.back().units; }

 protected:
  static constexpr int OPTIONS = 9;  // where the options of a memory begin
  static constexpr double LIMIT = 1 << 30;

  // Reads what memnets/native/kernel_layout.py writes; `options` of its numbers are of the
  // memory. `complete` must follow.
  Sizes(const int32_t* numbers, int64_t count, int options) {
    const int fixed = OPTIONS + options + 3;
    if (count < fixed + 1) throw std::invalid_argument("too few sizes");
    batch = numbers[0], steps = numbers[1], threads = numbers[2], saves = numbers[3];
    input = numbers[4], rows = numbers[5], word = numbers[6];
    read_heads = numbers[7], write_heads = numbers[8];
    const int32_t* rest = numbers + OPTIONS + options;
    lstm = rest[0];
    cell_clip = float_of(rest[1]);
    const int layers = rest[2];
    if (batch < 0 || steps < 0 || input < 0 || rows < 1 || word < 1 || read_heads < 1 ||
        write_heads < 1 || threads < 1 || layers < 1 || count != int64_t{fixed} + layers ||
        int64_t{read_heads} + write_heads > LIMIT || !(cell_clip > 0))
      throw std::invalid_argument("sizes out of range");
    for (int i = 0; i < layers; ++i) {
      const int units = rest[3 + i];
      if (units < 1) throw std::invalid_argument("sizes out of range");
      cells.push_back({0, 0, units, 0});
    }
    heads = read_heads + write_heads;
  }

  // Takes the number of parameters of all heads, and the size of the state without that
  // of the controller and the reads. Every size must fit an int: they are computed in
  // double, so that an overflow is visible.
  void complete(double parameters, double memory_state) {
    double state = memory_state + double{1} * read_heads * word;
    double weights = 0, below = input + double{1} * read_heads * word;
    for (const CellSizes& cell : cells) {
      const double units = cell.units;
      state += (lstm ? 2 : 1) * units;
      weights += (below + units + 1) * (lstm ? 4 : 1) * units;
      below = units;
    }
    weights += (below + 1) * parameters;
    if (state > LIMIT || weights > LIMIT || parameters > LIMIT)
      throw std::length_error("sizes too large");

    reads = read_heads * word;
    stride = padded(rows);
    parameters_size = static_cast<int>(parameters);
    state_size = static_cast<int>(state);
    weights_size = 0;
    int inputs = input + reads;
    for (CellSizes& cell : cells) {
      cell = {inputs, lstm ? cell.units : 0, cell.units, (lstm ? 4 : 1) * cell.units};
      weights_size += (inputs + cell.recurrent + 1) * cell.gates;
      inputs = cell.units;
    }
    weights_size += (inputs + 1) * parameters_size;
    features_size = inputs + reads;
  }

  // Numbers that are not integers are passed as their bits.
  static float float_of(int32_t bits) {
    float number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
  }
};

// Where each matrix begins in the vector of all weights, and its rows' distance: the
// number of columns, or more where whole tiles are added to it.
struct Weights {
  Weights(const Sizes& s, int (*row_size)(int)) {
    auto take = [&](size_t rows, int columns) {
      const Matrix matrix{size, rows, static_cast<size_t>(columns),
                          static_cast<size_t>(row_size(columns))};
      size += rows * matrix.row;
      return matrix;
    };
    for (size_t i = 0; i < s.cells.size(); ++i) {
      const CellSizes& cell = s.cells[i];
      kernels.push_back(take(cell.inputs + cell.recurrent, cell.gates));
      biases.push_back(take(1, cell.gates));
    }
    kernels.push_back(take(s.units(), s.parameters_size));
    biases.push_back(take(1, s.parameters_size));
  }

  struct Matrix {
    size_t start, rows, columns, row;
  };
  std::vector<Matrix> kernels, biases;  // of the cells, then of the heads
  size_t size = 0;
};

inline int unchanged(int columns) { return columns; }

}  // namespace memnets
