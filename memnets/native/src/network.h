// A network with a memory over whole sequences, forward and backward through time.
//
// The batch is split into blocks of a few sequences, and a thread that is done with its
// block takes the next one. The matrices are read once for a block, and the memories of
// its sequences stay in the first caches. A thread that starts late, or shares its core
// with other work, takes fewer blocks.
#pragma once

#include <map>
#include <mutex>

#include "blocks.h"
#include "controller.h"
#include "history.h"
#include "matrix.h"

namespace memnets {

constexpr int BLOCK = 4;  // sequences; at most. 8 is no faster

// The flat state of a sequence is that of the cell in Python, without the output of the
// network: output (and carry) of each cell of the controller, reads, and what the memory
// has. For `Memory` see NTMMemory.
template <class Memory>
class Network {
 public:
  using Sizes = typename Memory::Sizes;

  Network(const Sizes& s, const float* weights, bool backward)
      : s_(s),
        history_(history_of(s)),
        at_(s, unchanged),
        sums_(s, tiled),
        weights_(weights) {
    for (const Weights::Matrix& kernel : at_.kernels) {
      const int rows = kernel.rows, columns = kernel.columns;
      if (backward)
        kernels_.emplace_back(weights + kernel.start, columns, rows, true);
      else
        kernels_.emplace_back(weights + kernel.start, rows, columns);
    }
  }

  static History history_of(const Sizes& s) {
    return History(s, Memory::record_size(s), Memory::memory_size(s));
  }

  // Sequences per block: at most BLOCK, and few enough for all threads to have work.
  int block_size() const {
    return std::max(1, std::min(BLOCK, (s_.batch + s_.threads - 1) / s_.threads));
  }
  int blocks() const { return (s_.batch + block_size() - 1) / block_size(); }

  // See `memnets_ntm_forward`. `history` is of the whole batch, or null.
  void forward(int block, const float* inputs, const uint8_t* mask, const float* state,
               float* features, float* last_state, float* history) const {
    const int first = block * block_size();
    const int count = std::min(block_size(), s_.batch - first);
    Floats own(s_.saves ? 0 : history_.size() * count);
    history = s_.saves ? history + history_.size() * first : own.get();
    const size_t memory_size = Memory::memory_size(s_);
    Floats memories(memory_size * count), joined(count * widest_join()),
        values(count * widest_values()), room(Memory::room(s_));

    for (int b = 0; b < count; ++b)
      begin(state + size_t{1} * (first + b) * s_.state_size, history, b,
            memories.get() + b * memory_size);
    for (int t = 0; t < s_.steps; ++t) {
      if (s_.saves && t % CHECKPOINT == 0)
        for (int b = 0; b < count; ++b)
          std::memcpy(history_.checkpoint(history, b, t / CHECKPOINT),
                      memories.get() + b * memory_size, memory_size * sizeof(float));
      control(inputs, mask, history, first, count, t, joined.get(), values.get());
      for (int b = 0; b < count; ++b) {
        step_memory(is_skipped(mask, first + b, t), history, b, t,
                    memories.get() + b * memory_size, room.get());
        float* feature = features + (size_t{1} * (first + b) * s_.steps + t) * s_.features_size;
        std::memcpy(feature, history_.at(history, b, history_.output.back(), t + 1),
                    s_.units() * sizeof(float));
        std::memcpy(feature + s_.units(), history_.at(history, b, history_.reads, t + 1),
                    s_.reads * sizeof(float));
      }
    }
    for (int b = 0; b < count; ++b)
      finish(history, b, memories.get() + b * memory_size,
             last_state + size_t{1} * (first + b) * s_.state_size);
  }

  size_t sums_size() const { return sums_.size; }

  // Adds the sums of one block, as `backward` makes them, to d_weights.
  void add_sums(const float* sums, float* d_weights) const {
    auto add_matrices = [&](const std::vector<Weights::Matrix>& from,
                            const std::vector<Weights::Matrix>& to) {
      for (size_t i = 0; i < to.size(); ++i)
        for (size_t row = 0; row < to[i].rows; ++row)
          add(sums + from[i].start + row * from[i].row, to[i].columns,
              d_weights + to[i].start + row * to[i].row);
    };
    add_matrices(sums_.kernels, at_.kernels);
    add_matrices(sums_.biases, at_.biases);
  }

  // See `memnets_ntm_backward`. Sets the sums of the block.
  void backward(int block, const float* inputs, const uint8_t* mask, const float* history_of_all,
                const float* d_features, const float* d_last_state, float* d_inputs,
                float* d_state, float* sums) const {
    const int first = block * block_size();
    const int count = std::min(block_size(), s_.batch - first);
    float* history =
        const_cast<float*>(history_of_all) + history_.size() * first;  // only read
    Gradients d(*this, count);
    for (int b = 0; b < count; ++b)
      d.begin(b, d_last_state + size_t{1} * (first + b) * s_.state_size);

    // Memories before each step between two checkpoints, and after the last step.
    const size_t memory_size = Memory::memory_size(s_);
    const size_t stretch_size = memory_size * (CHECKPOINT + 1);
    Floats memories(stretch_size * count), room(Memory::backward_room(s_));
    for (int start = (s_.steps - 1) / CHECKPOINT * CHECKPOINT; start >= 0 && s_.steps;
         start -= CHECKPOINT) {
      const int end = std::min(start + CHECKPOINT, s_.steps);
      for (int b = 0; b < count; ++b)
        rebuild(mask, history, first, b, start, end, memories.get() + b * stretch_size,
                room.get());
      for (int t = end - 1; t >= start; --t) {
        for (int b = 0; b < count; ++b) {
          const float* memory =
              memories.get() + b * stretch_size + (t - start) * memory_size;
          const float* d_feature =
              d_features + (size_t{1} * (first + b) * s_.steps + t) * s_.features_size;
          add(d_feature, s_.units(), d.output(b, s_.cells.size() - 1));
          add(d_feature + s_.units(), s_.reads, d.reads(b));
          step_memory_backward(is_skipped(mask, first + b, t), history, b, t, memory,
                               memory + memory_size, d, room.get());
        }
        control_backward(mask, history, first, count, t, d, d_inputs);
      }
    }
    for (int b = 0; b < count; ++b)
      d.finish(b, d_state + size_t{1} * (first + b) * s_.state_size);
    std::memset(sums, 0, sums_size() * sizeof(float));
    add_weight_gradients(inputs, history, first, count, d, sums);
  }

 private:
  // Gradients that go from step to step for each sequence of a block, and those of
  // gates and head parameters at all steps.
  class Gradients {
   public:
    Gradients(const Network& network, int count)
        : s_(network.s_),
          carried_(size_of_sequence() * count),
          records_(Memory::record_size(s_) * count),
          memories_(Memory::memory_size(s_) * count),
          parameters_(size_t{1} * count * s_.steps * parameters_row()),
          joined(count * network.widest_join()),
          carry_before(network.widest_join()) {
      for (size_t i = 0; i < s_.cells.size(); ++i)
        gates_.emplace_back(size_t{1} * count * s_.steps * gates_row(i));
    }

    float* output(int b, size_t cell) const { return sequence(b) + start(cell); }
    float* carry(int b, size_t cell) const {
      return output(b, cell) + s_.cells[cell].units;
    }
    float* reads(int b) const { return sequence(b) + start(s_.cells.size()); }
    float* record(int b) const { return records_.get() + b * Memory::record_size(s_); }
    float* memory(int b) const { return memories_.get() + b * Memory::memory_size(s_); }
    float* parameters(int b, int t) const {
      return parameters_.get() + (size_t{1} * b * s_.steps + t) * parameters_row();
    }
    float* gates(int b, int t, size_t cell) const {
      return gates_[cell].get() + (size_t{1} * b * s_.steps + t) * gates_row(cell);
    }
    size_t parameters_row() const { return tiled(s_.parameters_size); }
    size_t gates_row(size_t cell) const { return tiled(s_.cells[cell].gates); }

    void begin(int b, const float* d_state) {
      for (size_t i = 0; i < s_.cells.size(); ++i) {
        const int size = (s_.lstm ? 2 : 1) * s_.cells[i].units;
        std::memcpy(output(b, i), d_state, size * sizeof(float));
        d_state += size;
      }
      std::memcpy(reads(b), d_state, s_.reads * sizeof(float));
      Memory::unpack(s_, d_state + s_.reads, record(b), memory(b));
    }

    void finish(int b, float* d_state) const {
      for (size_t i = 0; i < s_.cells.size(); ++i) {
        const int size = (s_.lstm ? 2 : 1) * s_.cells[i].units;
        std::memcpy(d_state, output(b, i), size * sizeof(float));
        d_state += size;
      }
      std::memcpy(d_state, reads(b), s_.reads * sizeof(float));
      Memory::pack(s_, record(b), memory(b), d_state + s_.reads);
    }

   private:
    size_t start(size_t cell) const {
      size_t place = 0;
      for (size_t i = 0; i < cell; ++i) place += padded((s_.lstm ? 2 : 1) * s_.cells[i].units);
      return place;
    }
    size_t size_of_sequence() const {
      return start(s_.cells.size()) + padded(s_.reads);
    }
    float* sequence(int b) const { return carried_.get() + b * size_of_sequence(); }

    const Sizes& s_;
    Floats carried_, records_, memories_, parameters_;
    std::vector<Floats> gates_;

   public:
    Floats joined;        // of what goes into a cell from below and from before
    Floats carry_before;  // of one cell of one sequence
  };

  bool is_skipped(const uint8_t* mask, int sequence, int t) const {
    return mask && !mask[size_t{1} * sequence * s_.steps + t];
  }

  static void add(const float* from, int count, float* to) {
    for (int i = 0; i < count; ++i) to[i] += from[i];
  }

  // The widest inputs of the matrices, and their widest outputs.
  size_t widest_join() const {
    size_t widest = 0;
    for (const Weights::Matrix& kernel : at_.kernels) widest = std::max(widest, kernel.rows);
    return tiled(widest);
  }
  size_t widest_values() const {
    size_t widest = 0;
    for (const Weights::Matrix& kernel : sums_.kernels) widest = std::max(widest, kernel.row);
    return widest;
  }

  // Into slot 0.
  void begin(const float* state, float* history, int b, float* memory) const {
    for (size_t i = 0; i < s_.cells.size(); ++i) {
      const size_t bytes = s_.cells[i].units * sizeof(float);
      std::memcpy(history_.at(history, b, history_.output[i], 0), state, bytes);
      state += s_.cells[i].units;
      if (!s_.lstm) continue;
      std::memcpy(history_.at(history, b, history_.carry[i], 0), state, bytes);
      state += s_.cells[i].units;
    }
    std::memcpy(history_.at(history, b, history_.reads, 0), state,
                s_.reads * sizeof(float));
    float* record = history_.at(history, b, history_.record, 0);
    Memory::unpack(s_, state + s_.reads, record, memory);
    Memory::complete(s_, record, memory);
  }

  void finish(float* history, int b, float* memory, float* state) const {
    for (size_t i = 0; i < s_.cells.size(); ++i) {
      const size_t bytes = s_.cells[i].units * sizeof(float);
      std::memcpy(state, history_.at(history, b, history_.output[i], s_.steps), bytes);
      state += s_.cells[i].units;
      if (!s_.lstm) continue;
      std::memcpy(state, history_.at(history, b, history_.carry[i], s_.steps), bytes);
      state += s_.cells[i].units;
    }
    std::memcpy(state, history_.at(history, b, history_.reads, s_.steps),
                s_.reads * sizeof(float));
    Memory::pack(s_, history_.at(history, b, history_.record, s_.steps), memory,
                 state + s_.reads);
  }

  // Copies the slot of the previous step to the slot of a masked step.
  void hold(float* history, int b, const History::Field& field, int t) const {
    std::memcpy(history_.at(history, b, field, t + 1), history_.at(history, b, field, t),
                field.size * sizeof(float));
  }

  // The controller, and the raw parameters of the heads, for all sequences of a block.
  void control(const float* inputs, const uint8_t* mask, float* history, int first,
               int count, int t, float* joined, float* values) const {
    for (size_t i = 0; i < s_.cells.size(); ++i) {
      const CellSizes& cell = s_.cells[i];
      const int width = cell.inputs + cell.recurrent, row = tiled(cell.gates);
      for (int b = 0; b < count; ++b) {
        float* to = joined + b * width;
        if (i == 0) {
          std::copy_n(inputs + (size_t{1} * (first + b) * s_.steps + t) * s_.input,
                      s_.input, to);
          std::memcpy(to + s_.input, history_.at(history, b, history_.reads, t),
                      s_.reads * sizeof(float));
        } else {
          std::memcpy(to, history_.at(history, b, history_.output[i - 1], t + 1),
                      cell.inputs * sizeof(float));
        }
        std::memcpy(to + cell.inputs, history_.at(history, b, history_.output[i], t),
                    cell.recurrent * sizeof(float));
        std::memcpy(values + b * row, weights_ + at_.biases[i].start,
                    cell.gates * sizeof(float));
      }
      kernels_[i].multiply_add(joined, width, count, values, row);
      for (int b = 0; b < count; ++b) {
        float* output = history_.at(history, b, history_.output[i], t + 1);
        if (is_skipped(mask, first + b, t)) {
          hold(history, b, history_.output[i], t);
          if (s_.lstm) hold(history, b, history_.carry[i], t);
        } else if (s_.lstm) {
          lstm_forward(cell.units, s_.cell_clip, values + b * row,
                       history_.at(history, b, history_.carry[i], t),
                       history_.at(history, b, history_.gates[i], t + 1),
                       history_.at(history, b, history_.carry[i], t + 1), output);
        } else {
          tanh_forward(cell.units, values + b * row, output);
        }
      }
    }
    const int units = s_.units(), size = s_.parameters_size, row = tiled(size);
    for (int b = 0; b < count; ++b) {
      std::memcpy(joined + b * units,
                  history_.at(history, b, history_.output.back(), t + 1),
                  units * sizeof(float));
      std::memcpy(values + b * row, weights_ + at_.biases.back().start,
                  size * sizeof(float));
    }
    kernels_.back().multiply_add(joined, units, count, values, row);
    for (int b = 0; b < count; ++b)
      squash(s_, values + b * row, history_.at(history, b, history_.parameters, t + 1));
  }

  void step_memory(bool skipped, float* history, int b, int t, float* memory,
                   float* room) const {
    if (skipped) {
      hold(history, b, history_.record, t);
      hold(history, b, history_.reads, t);
      return;
    }
    Memory::step(s_, history_.at(history, b, history_.parameters, t + 1),
                 history_.at(history, b, history_.record, t),
                 history_.at(history, b, history_.record, t + 1), memory,
                 history_.at(history, b, history_.reads, t + 1), room);
  }

  void rebuild(const uint8_t* mask, float* history, int first, int b, int start, int end,
               float* memories, float* room) const {
    const size_t size = Memory::memory_size(s_);
    std::memcpy(memories, history_.checkpoint(history, b, start / CHECKPOINT),
                size * sizeof(float));
    for (int t = start; t < end; ++t, memories += size) {
      if (is_skipped(mask, first + b, t)) {
        std::memcpy(memories + size, memories, size * sizeof(float));
        continue;
      }
      Memory::rebuild(s_, history_.at(history, b, history_.parameters, t + 1),
                      history_.at(history, b, history_.record, t),
                      history_.at(history, b, history_.record, t + 1), memories,
                      memories + size, room);
    }
  }

  void step_memory_backward(bool skipped, float* history, int b, int t,
                            const float* before, const float* after, Gradients& d,
                            float* room) const {
    float* d_parameters = d.parameters(b, t);
    if (skipped) {
      std::memset(d_parameters, 0, s_.parameters_size * sizeof(float));
      return;
    }
    const float* parameters = history_.at(history, b, history_.parameters, t + 1);
    Memory::step_backward(s_, parameters, history_.at(history, b, history_.record, t),
                          history_.at(history, b, history_.record, t + 1), before, after,
                          d.reads(b), d.record(b), d.memory(b), d_parameters, room);
    std::memset(d.reads(b), 0, s_.reads * sizeof(float));
    squash_backward(s_, parameters, d_parameters);
  }

  // In a masked step the gradients of gates and parameters are zero, and the gradients
  // of the state stay.
  void control_backward(const uint8_t* mask, float* history, int first, int count, int t,
                        Gradients& d, float* d_inputs) const {
    float* joined = d.joined.get();
    const int units = s_.units(), row = tiled(units);
    std::memset(joined, 0, sizeof(float) * count * row);
    kernels_.back().multiply_add(d.parameters(0, t), s_.steps * d.parameters_row(), count,
                                 joined, row);
    for (int b = 0; b < count; ++b)
      add(joined + b * row, units, d.output(b, s_.cells.size() - 1));
    for (size_t i = s_.cells.size(); i-- > 0;) {
      const CellSizes& cell = s_.cells[i];
      const int width = tiled(cell.inputs + cell.recurrent);
      for (int b = 0; b < count; ++b) {
        float* d_gates = d.gates(b, t, i);
        if (is_skipped(mask, first + b, t)) {
          std::memset(d_gates, 0, cell.gates * sizeof(float));
          continue;
        }
        if (s_.lstm) {
          lstm_backward(cell.units, s_.cell_clip,
                        history_.at(history, b, history_.gates[i], t + 1),
                        history_.at(history, b, history_.carry[i], t),
                        history_.at(history, b, history_.carry[i], t + 1),
                        d.output(b, i), d.carry(b, i), d.carry_before.get(), d_gates);
          std::memcpy(d.carry(b, i), d.carry_before.get(), cell.units * sizeof(float));
        } else {
          tanh_backward(cell.units, history_.at(history, b, history_.output[i], t + 1),
                        d.output(b, i), d_gates);
        }
        std::memset(d.output(b, i), 0, cell.units * sizeof(float));
      }
      std::memset(joined, 0, sizeof(float) * count * width);
      kernels_[i].multiply_add(d.gates(0, t, i), s_.steps * d.gates_row(i), count, joined,
                               width);
      for (int b = 0; b < count; ++b) {
        const float* from = joined + b * width;
        if (i == 0) {
          std::copy_n(from, s_.input,
                      d_inputs + (size_t{1} * (first + b) * s_.steps + t) * s_.input);
          add(from + s_.input, s_.reads, d.reads(b));
        } else {
          add(from, cell.inputs, d.output(b, i - 1));
        }
        add(from + cell.inputs, cell.recurrent, d.output(b, i));
      }
    }
  }

  // One sum of outer products over all steps for each matrix and sequence.
  void add_weight_gradients(const float* inputs, float* history, int first, int count,
                            const Gradients& d, float* sums) const {
    auto add_products = [&](int b, const History::Field& field, int slot, int rows,
                            const float* d_out, const Weights::Matrix& to, int skipped) {
      add_outer_products(history_.at(history, b, field, slot), history_.slot_size(), rows, d_out,
                         to.row, to.columns, s_.steps,
                         sums + to.start + skipped * to.row, to.row);
    };
    auto add_rows = [&](const float* d_out, const Weights::Matrix& to) {
      for (int t = 0; t < s_.steps; ++t)
        add(d_out + t * to.row, to.columns, sums + to.start);
    };
    for (int b = 0; b < count; ++b) {
      for (size_t i = 0; i < s_.cells.size(); ++i) {
        const CellSizes& cell = s_.cells[i];
        const float* d_gates = d.gates(b, 0, i);
        const Weights::Matrix& kernel = sums_.kernels[i];
        if (i == 0) {
          add_outer_products(inputs + size_t{1} * (first + b) * s_.steps * s_.input,
                             s_.input, s_.input, d_gates, kernel.row, kernel.columns,
                             s_.steps, sums + kernel.start, kernel.row);
          add_products(b, history_.reads, 0, s_.reads, d_gates, kernel, s_.input);
        } else {
          add_products(b, history_.output[i - 1], 1, cell.inputs, d_gates, kernel, 0);
        }
        if (cell.recurrent)
          add_products(b, history_.output[i], 0, cell.recurrent, d_gates, kernel,
                       cell.inputs);
        add_rows(d_gates, sums_.biases[i]);
      }
      add_products(b, history_.output.back(), 1, s_.units(), d.parameters(b, 0),
                   sums_.kernels.back(), 0);
      add_rows(d.parameters(b, 0), sums_.biases.back());
    }
  }

  const Sizes& s_;
  const History history_;
  const Weights at_, sums_;
  const float* weights_;
  std::vector<Packed> kernels_;  // of the cells, then of the heads
};

// Adds the gradients of the blocks in the order of the blocks, in whichever order they
// are computed: the same call gives the same bits.
template <class Network>
class OrderedSum {
 public:
  OrderedSum(const Network& network, float* d_weights)
      : network_(network), d_weights_(d_weights) {}

  void add(int block, Floats sums) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.emplace(block, std::move(sums));
    for (; waiting_.count(next_); ++next_) {
      network_.add_sums(waiting_.at(next_).get(), d_weights_);
      waiting_.erase(next_);
    }
  }

 private:
  const Network& network_;
  float* d_weights_;
  std::mutex mutex_;
  std::map<int, Floats> waiting_;
  int next_ = 0;
};

// The network over a whole batch, on several threads.
template <class Memory>
class MemoryNetwork {
 public:
  using Sizes = typename Memory::Sizes;

  MemoryNetwork(const Sizes& s, const float* weights) : s_(s), weights_(weights) {}

  // Floats of the history of one sequence.
  static size_t history_of_sequence(const Sizes& s) {
    return Network<Memory>::history_of(s).size();
  }
  static int features_size(const Sizes& s) { return s.features_size; }
  static int state_size(const Sizes& s) { return s.state_size; }

  void forward(const float* inputs, const uint8_t* mask, const float* state,
               float* features, float* last_state, float* history) const {
    const Network<Memory> network(s_, weights_, false);
    for_blocks(network.blocks(), s_.threads, [&](int block) {
      network.forward(block, inputs, mask, state, features, last_state, history);
    });
  }

  void backward(const float* inputs, const uint8_t* mask, const float* history,
                const float* d_features, const float* d_last_state, float* d_inputs,
                float* d_state, float* d_weights) const {
    const Network<Memory> network(s_, weights_, true);
    std::memset(d_weights, 0, s_.weights_size * sizeof(float));
    OrderedSum sum(network, d_weights);
    for_blocks(network.blocks(), s_.threads, [&](int block) {
      Floats own(network.sums_size());
      network.backward(block, inputs, mask, history, d_features, d_last_state, d_inputs,
                       d_state, own.get());
      sum.add(block, std::move(own));
    });
  }

 private:
  const Sizes& s_;
  const float* weights_;
};

}  // namespace memnets
