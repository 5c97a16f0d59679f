// The sizes of a network and of a call, and the positions of all arrays. Letters as in
// memnets/addressing.py: B sequences, T steps, N rows, W word size, H heads, of which R
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

struct Sizes {
  int batch, steps, input, rows, word, read_heads, write_heads, shift_range;
  bool lstm;
  float cell_clip;  // bound of the carries of an LSTM
  int threads;
  bool saves;  // whether gradients will be needed
  std::vector<CellSizes> cells;

  int heads, reads, taps, stride;  // stride: rows, padded
  int state_size, weights_size, features_size;

  // Reads what memnets/native/layout.py writes.
  explicit Sizes(const int32_t* numbers, int64_t count) {
    constexpr int FIXED = 13;
    if (count < FIXED + 1) throw std::invalid_argument("too few sizes");
    batch = numbers[0], steps = numbers[1], input = numbers[2], rows = numbers[3];
    word = numbers[4], read_heads = numbers[5], write_heads = numbers[6];
    shift_range = numbers[7], lstm = numbers[8];
    std::memcpy(&cell_clip, numbers + 9, sizeof cell_clip);
    threads = numbers[10], saves = numbers[11];
    const int layers = numbers[12];
    if (batch < 0 || steps < 0 || input < 0 || rows < 1 || word < 1 || read_heads < 1 ||
        write_heads < 1 || shift_range < 0 || threads < 1 || layers < 1 ||
        count != int64_t{FIXED} + layers || 2 * int64_t{shift_range} + 1 > rows ||
        int64_t{read_heads} + write_heads > LIMIT || !(cell_clip > 0))
      throw std::invalid_argument("sizes out of range");
    heads = read_heads + write_heads;
    taps = 2 * shift_range + 1;
    // Every size must fit an int: computed in double, so that an overflow is visible.
    double state = (double{1} * read_heads + rows) * word + double{1} * heads * rows;
    double weights = 0, below = input + double{1} * read_heads * word;
    for (int i = 0; i < layers; ++i) {
      const double units = numbers[FIXED + i];
      if (units < 1) throw std::invalid_argument("sizes out of range");
      state += (lstm ? 2 : 1) * units;
      weights += (below + units + 1) * (lstm ? 4 : 1) * units;
      below = units;
    }
    const double parameters = head_values(double{1});
    weights += (below + 1) * parameters;
    if (state > LIMIT || weights > LIMIT || parameters > LIMIT)
      throw std::length_error("sizes too large");

    reads = read_heads * word;
    stride = padded(rows);
    int inputs = input + reads;
    state_size = reads + heads * rows + word * rows;
    weights_size = 0;
    for (int i = 0; i < layers; ++i) {
      const int units = numbers[FIXED + i];
      cells.push_back({inputs, lstm ? units : 0, units, (lstm ? 4 : 1) * units});
      state_size += (lstm ? 2 : 1) * units;
      weights_size += (inputs + cells[i].recurrent + 1) * cells[i].gates;
      inputs = units;
    }
    weights_size += (inputs + 1) * parameters_size();
    features_size = inputs + reads;
  }

  int parameters_size() const { return static_cast<int>(head_values(double{1})); }
  int units() const { return cells.back().units; }

  // Where the parameters of the heads begin, in the order of heads.py.
  int key() const { return 0; }
  int beta() const { return heads * word; }
  int gate() const { return beta() + heads; }
  int shift() const { return gate() + heads; }
  int gamma() const { return shift() + heads * taps; }
  int erase() const { return gamma() + heads; }
  int add() const { return erase() + write_heads * word; }

 private:
  static constexpr double LIMIT = 1 << 30;

  double head_values(double one) const {
    return one * heads * (word + 3.0 + taps) + one * write_heads * 2.0 * word;
  }
};

// The history that a forward pass stores for the backward pass. For each sequence: a
// slot for the state before the first step, a slot for each step, then the stored
// memories. A slot is contiguous, which is fast to read. Without gradients two slots are
// used alternately, in the scratch memory of a block.
class History {
 public:
  explicit History(const Sizes& s) : saves_(s.saves) {
    reads = take(s.reads);
    for (const CellSizes& cell : s.cells) {
      output.push_back(take(cell.units));
      if (!s.lstm) continue;
      carry.push_back(take(cell.units));
      gates.push_back(take(cell.gates));
    }
    parameters = take(s.parameters_size());
    weightings = take(s.heads * s.stride);
    const size_t slots = s.saves ? size_t{1} + s.steps : 2;
    const size_t kept = s.saves ? (s.steps + CHECKPOINT - 1) / CHECKPOINT : 0;
    memory_size_ = (size_t{1} + s.word) * s.stride;  // see access.h
    memories_ = slots * slot_size_;
    size_ = memories_ + kept * memory_size_;
  }

  struct Field {
    size_t start, size;
  };
  Field reads, parameters, weightings;
  std::vector<Field> output, carry, gates;

  size_t size() const { return size_; }  // floats for each sequence
  size_t slot_size() const { return slot_size_; }

  // The slot of a field for a sequence; slot 0 is before the first step.
  float* at(float* history, int sequence, const Field& field, int slot) const {
    return history + sequence * size_ + (saves_ ? slot : slot & 1) * slot_size_ + field.start;
  }
  float* checkpoint(float* history, int sequence, int number) const {
    return history + sequence * size_ + memories_ + number * memory_size_;
  }

 private:
  Field take(size_t size) {
    const Field field{slot_size_, (size + 15) / 16 * 16};
    slot_size_ += field.size;
    return field;
  }

  bool saves_;
  size_t slot_size_ = 0, memory_size_, memories_, size_;
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
    kernels.push_back(take(s.units(), s.parameters_size()));
    biases.push_back(take(1, s.parameters_size()));
  }

  struct Matrix {
    size_t start, rows, columns, row;
  };
  std::vector<Matrix> kernels, biases;  // of the cells, then of the heads
  size_t size = 0;
};

inline int unchanged(int columns) { return columns; }

}  // namespace memnets
