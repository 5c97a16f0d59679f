// A recurrent network without a memory over whole sequences, forward and backward through
// time.
//
// Blocks of a few sequences are computed by one thread, as in network.h. The product of
// the inputs is made for a stretch of steps at a time, which stays in the second cache.
// The gradients of the matrices are products over all steps and sequences: each thread
// has some of their columns, so the sums do not depend on the number of threads.
#pragma once

#include "blocks.h"
#include "recurrent_cells.h"
#include "sizes.h"

namespace memnets {

// Reads what memnets/native/recurrent_kernel_layout.py writes.
struct RecurrentSizes {
  int batch, steps, input, units;
  float cell_clip;  // bound of the carries of an LSTM
  int threads;
  bool saves;  // whether gradients will be needed

  RecurrentSizes(const int32_t* numbers, int64_t count) {
    if (count != 7) throw std::invalid_argument("wrong number of sizes");
    batch = numbers[0], steps = numbers[1], threads = numbers[2], saves = numbers[3];
    input = numbers[4], units = numbers[5];
    std::memcpy(&cell_clip, numbers + 6, sizeof cell_clip);
    constexpr int WIDEST = 1 << 14;  // the square, four times, fits an int
    if (batch < 0 || steps < 0 || input < 0 || input > WIDEST || units < 1 ||
        units > WIDEST || threads < 1 || !(cell_clip > 0))
      throw std::invalid_argument("sizes out of range");
  }
};

template <class Unit>
class Recurrent {
 public:
  using Sizes = RecurrentSizes;

  // `weights`: the matrix of the inputs, the recurrent one, and the biases.
  Recurrent(const Sizes& s, const float* weights)
      : s_(s),
        gates_(Unit::GATES * s.units),
        row_(tiled(gates_)),
        state_(Unit::STATES * padded(s.units)),
        of_inputs_(weights),
        recurrent_(of_inputs_ + size_t{1} * s.input * gates_),
        biases_(recurrent_ + size_t{1} * s.units * gates_) {}

  // Floats of the history of one sequence: a slot for the state before the first step
  // and one for each step.
  static size_t history_of_sequence(const Sizes& s) {
    return (size_t{1} + s.steps) * slot_size(s);
  }
  static int features_size(const Sizes& s) { return s.units; }
  static int state_size(const Sizes& s) { return Unit::STATES * s.units; }

  // See entry_points.h.
  void forward(const float* inputs, const uint8_t* mask, const float* state,
               float* features, float* last_state, float* history) const {
    const Packed of_inputs(of_inputs_, s_.input, gates_);
    const Packed recurrent(recurrent_, s_.units, gates_);
    for_blocks(blocks(), s_.threads, [&](int block) {
      const int first = block * block_size(), count = count_of(block);
      const size_t slots = s_.saves ? size_t{1} + s_.steps : 2;
      Floats own(s_.saves ? 0 : count * slots * slot());
      float* of_block = s_.saves ? history + first * slots * slot() : own.get();
      const auto at = [&](int b, int t) {
        return of_block + (b * slots + (s_.saves ? t : t & 1)) * slot();
      };
      for (int b = 0; b < count; ++b) unpack(state + state_place(first + b), at(b, 0));

      const size_t of_sequence = STRETCH * row_;
      Floats products(count * of_sequence), other(Unit::IS_ONE_SUM ? 0 : count * row_);
      for (int t = 0; t < s_.steps; ++t) {
        if (t % STRETCH == 0)
          for (int b = 0; b < count; ++b)
            multiply_inputs(of_inputs, inputs, first + b, t,
                            products.get() + b * of_sequence);
        float* of_step = products.get() + t % STRETCH * row_;
        float* sums = Unit::IS_ONE_SUM ? of_step : other.get();
        const size_t sums_row = Unit::IS_ONE_SUM ? of_sequence : row_;
        if (!Unit::IS_ONE_SUM)
          for (int b = 0; b < count; ++b)
            std::memcpy(sums + b * row_, biases_ + gates_, gates_ * sizeof(float));
        recurrent.multiply_add(at(0, t), slots * slot(), count, sums, sums_row);
        for (int b = 0; b < count; ++b) {
          const float* before = at(b, t);
          float* after = at(b, t + 1);
          if (is_skipped(mask, first + b, t))
            std::memcpy(after, before, state_ * sizeof(float));
          else
            Unit::step(s_.units, s_.cell_clip, of_step + b * of_sequence,
                       sums + b * sums_row, before, after, after + state_);
          std::memcpy(features + place(first + b, t) * s_.units, after,
                      s_.units * sizeof(float));
        }
      }
      for (int b = 0; b < count; ++b)
        pack(at(b, s_.steps), last_state + state_place(first + b));
    });
  }

  void backward(const float* inputs, const uint8_t* mask, const float* history,
                const float* d_features, const float* d_last_state, float* d_inputs,
                float* d_state, float* d_weights) const {
    // The gradients of both products at all steps.
    const size_t all = place(s_.batch, 0) * row_;
    const Floats own(all), other(Unit::IS_ONE_SUM ? 0 : all);
    float* d_products = own.get();  // of the inputs
    float* d_recurrent = Unit::IS_ONE_SUM ? own.get() : other.get();
    const Packed of_inputs(of_inputs_, gates_, s_.input, true);
    const Packed recurrent(recurrent_, gates_, s_.units, true);
    for_blocks(blocks(), s_.threads, [&](int block) {
      const int first = block * block_size(), count = count_of(block);
      Floats d(2 * count * state_);  // after a step and before it, in turns
      const auto d_at = [&](int b, int t) {
        return d.get() + ((t & 1) * count + b) * state_;
      };
      for (int b = 0; b < count; ++b)
        unpack(d_last_state + state_place(first + b), d_at(b, s_.steps));
      for (int t = s_.steps - 1; t >= 0; --t) {
        for (int b = 0; b < count; ++b) {
          const size_t now = place(first + b, t);
          float* d_after = d_at(b, t + 1);
          for (int i = 0; i < s_.units; ++i) d_after[i] += d_features[now * s_.units + i];
          if (is_skipped(mask, first + b, t)) {
            std::memcpy(d_at(b, t), d_after, state_ * sizeof(float));
            std::memset(d_products + now * row_, 0, gates_ * sizeof(float));
            std::memset(d_recurrent + now * row_, 0, gates_ * sizeof(float));
            continue;
          }
          const float* before = slot_of(history, first + b, t);
          const float* after = before + slot();
          Unit::step_backward(s_.units, s_.cell_clip, before, after, after + state_, d_after,
                              d_at(b, t), d_products + now * row_, d_recurrent + now * row_);
        }
        recurrent.multiply_add(d_recurrent + place(first, t) * row_, s_.steps * row_, count,
                               d_at(0, t), state_);
      }
      for (int b = 0; b < count; ++b) {
        pack(d_at(b, 0), d_state + state_place(first + b));
        input_gradients(of_inputs, d_products, first + b, d_inputs);
      }
    });
    weight_gradients(inputs, history, d_products, d_recurrent, d_weights);
  }

 private:
  static constexpr int STRETCH = 32;  // steps

  static size_t slot_size(const Sizes& s) {
    return Unit::STATES * padded(s.units) + Unit::record_size(s.units);
  }
  size_t slot() const { return slot_size(s_); }
  size_t place(int sequence, int t) const { return size_t{1} * sequence * s_.steps + t; }
  size_t state_place(int sequence) const {
    return size_t{1} * sequence * Unit::STATES * s_.units;
  }
  const float* slot_of(const float* history, int sequence, int t) const {
    return history + (size_t{1} * sequence * (s_.steps + 1) + t) * slot();
  }

  int block_size() const {
    return std::max(1, std::min(TILE_ROWS, (s_.batch + s_.threads - 1) / s_.threads));
  }
  int blocks() const { return (s_.batch + block_size() - 1) / block_size(); }
  int count_of(int block) const {
    return std::min(block_size(), s_.batch - block * block_size());
  }

  bool is_skipped(const uint8_t* mask, int sequence, int t) const {
    return mask && !mask[place(sequence, t)];
  }

  // Between states in Python and those whose parts are padded.
  void unpack(const float* from, float* to) const {
    for (int i = 0; i < Unit::STATES; ++i)
      std::memcpy(to + i * padded(s_.units), from + i * s_.units, s_.units * sizeof(float));
  }
  void pack(const float* from, float* to) const {
    for (int i = 0; i < Unit::STATES; ++i)
      std::memcpy(to + i * s_.units, from + i * padded(s_.units), s_.units * sizeof(float));
  }

  // The product of the inputs from step t, with their bias.
  void multiply_inputs(const Packed& matrix, const float* inputs, int sequence, int t,
                       float* products) const {
    const int count = std::min(STRETCH, s_.steps - t);
    for (int i = 0; i < count; ++i)
      std::memcpy(products + i * row_, biases_, gates_ * sizeof(float));
    matrix.multiply_add(inputs + place(sequence, t) * s_.input, s_.input, count, products,
                        row_);
  }

  void input_gradients(const Packed& matrix, const float* d_products, int sequence,
                       float* d_inputs) const {
    const size_t row = tiled(s_.input);
    Floats sums(STRETCH * row);
    for (int t = 0; t < s_.steps; t += STRETCH) {
      const int count = std::min(STRETCH, s_.steps - t);
      std::memset(sums.get(), 0, count * row * sizeof(float));
      matrix.multiply_add(d_products + place(sequence, t) * row_, row_, count, sums.get(), row);
      for (int i = 0; i < count; ++i)
        std::copy_n(sums.get() + i * row, s_.input,
                    d_inputs + place(sequence, t + i) * s_.input);
    }
  }

  void weight_gradients(const float* inputs, const float* history, const float* d_products,
                        const float* d_recurrent, float* d_weights) const {
    constexpr int STRIPE = 2 * TILE_COLUMNS;
    for_blocks((gates_ + STRIPE - 1) / STRIPE, s_.threads, [&](int stripe) {
      const int from = stripe * STRIPE, width = std::min(STRIPE, gates_ - from);
      float* to = d_weights + from;
      const auto products = [&](const float* d, int rows, size_t column, auto rows_at) {
        add_products(d + from, width, rows, column, rows_at, to);
        to += size_t{1} * rows * gates_;
      };
      products(d_products, s_.input, s_.input,
               [&](int b, int t) { return inputs + place(b, t) * s_.input; });
      products(d_recurrent, s_.units, slot(),
               [&](int b, int t) { return slot_of(history, b, t); });
      add_rows(d_products + from, width, to);
      if (!Unit::IS_ONE_SUM) add_rows(d_recurrent + from, width, to + gates_);
    });
  }

  // Sets `rows` of a matrix with the distance `gates_`: the sum of outer products of
  // rows_at(b, t), whose steps have the distance `column`, and the gradients.
  template <class RowsAt>
  void add_products(const float* d, int width, int rows, size_t column, RowsAt rows_at,
                    float* to) const {
    constexpr int DEPTH = 64;  // steps; a panel of them stays in the first cache
    const size_t row = tiled(width);
    Floats sums(rows * row);
    std::fill_n(sums.get(), rows * row, 0.0f);
    for (int b = 0; b < s_.batch; ++b)
      for (int t = 0; t < s_.steps; t += DEPTH)
        Packed(d + place(b, t) * row_, std::min(DEPTH, s_.steps - t), width, row_, 1)
            .multiply_add(rows_at(b, t), 1, rows, sums.get(), row, column);
    for (int i = 0; i < rows; ++i)
      std::memcpy(to + size_t{1} * i * gates_, sums.get() + i * row, width * sizeof(float));
  }

  // The sum over all steps and sequences.
  void add_rows(const float* d, int width, float* sums) const {
    std::memset(sums, 0, width * sizeof(float));
    for (size_t now = 0; now < place(s_.batch, 0); ++now)
      for (int i = 0; i < width; ++i) sums[i] += d[now * row_ + i];
  }

  const Sizes& s_;
  const int gates_;
  const size_t row_, state_;  // padded
  const float *of_inputs_, *recurrent_, *biases_;
};

}  // namespace memnets
