// What a Differentiable Neural Computer keeps of each step, and what its heads look for.
// For one sequence.
#pragma once

#include "content_of_heads.h"
#include "dnc_heads.h"

namespace memnets {

// What is kept of each step, or its gradients.
template <class Float>
struct DNCRecord {
  static size_t size(const DNCSizes& s) {
    const size_t rows = s.heads + 1 + s.write_heads + s.links * (s.write_heads + moves(s));
    return rows * s.stride;
  }
  DNCRecord(const DNCSizes& s, Float* floats)
      : reads(floats),
        writes(reads + size_t{1} * s.read_heads * s.stride),
        usage(writes + size_t{1} * s.write_heads * s.stride),
        precedence(usage + s.stride),
        order(precedence + s.links * s.write_heads * size_t{1} * s.stride),
        moves_(order + size_t{1} * s.write_heads * s.stride) {}

  // Backward and forward along the links of a write head, of all read heads; before they
  // are sharpened.
  Float* moves(const DNCSizes& s, int write_head, bool forward) const {
    return moves_ + (size_t{2} * write_head + forward) * s.read_heads * s.stride;
  }
  static size_t moves(const DNCSizes& s) { return size_t{2} * s.write_heads * s.read_heads; }
  // The place of a move of another record in this one.
  Float* moves_like(const DNCRecord<float>& other, const float* move) const {
    return moves_ + (move - other.moves_);
  }

  Float *reads, *writes;  // weightings
  Float *usage, *precedence;
  Float* order;  // of the rows, for each write head; integers, see `order_of`

  Float* moves_;
};

// The order of the rows in which a write head allocates. Nothing else uses this place.
inline int32_t* order_of(const DNCSizes& s, const DNCRecord<float>& record, int head) {
  return reinterpret_cast<int32_t*>(record.order) + size_t{1} * head * s.stride;
}

template <class Float>
Wanted<Float> wanted_by_readers(const DNCSizes& s, Float* parameters) {
  return {s.read_heads, parameters + s.read_key(), parameters + s.read_beta(),
          s.masks ? parameters + s.read_mask() : nullptr};
}

template <class Float>
Wanted<Float> wanted_by_writers(const DNCSizes& s, Float* parameters) {
  return {s.write_heads, parameters + s.write_key(), parameters + s.write_beta(),
          s.masks ? parameters + s.write_mask() : nullptr};
}

}  // namespace memnets
