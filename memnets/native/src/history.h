// What a forward pass stores.
#pragma once

#include "sizes.h"

namespace memnets {

// The history that a forward pass stores for the backward pass. For each sequence: a
// slot for the state before the first step, a slot for each step, then the stored
// memories. A slot is contiguous, which is fast to read. Without gradients two slots are
// used alternately, in the scratch memory of a block.
class History {
 public:
  History(const Sizes& s, size_t record_size, size_t memory_size)
      : saves_(s.saves), memory_size_(memory_size) {
    reads = take(s.reads);
    for (const CellSizes& cell : s.cells) {
      output.push_back(take(cell.units));
      if (!s.lstm) continue;
      carry.push_back(take(cell.units));
      gates.push_back(take(cell.gates));
    }
    parameters = take(s.parameters_size);
    record = take(record_size);
    const size_t slots = s.saves ? size_t{1} + s.steps : 2;
    const size_t kept = s.saves ? (size_t{1} * s.steps + CHECKPOINT - 1) / CHECKPOINT : 0;
    memories_ = slots * slot_size_;
    size_ = memories_ + kept * memory_size_;
  }

  struct Field {
    size_t start, size;
  };
  Field reads, parameters;
  Field record;  // what the memory needs of a step: weightings and its like
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

}  // namespace memnets
