// One complete step of a memory with least recently used access, forward and backward, for
// one sequence, as in memnets/lrua/memory.py: Santoro, Bartunov, Botvinick, Wierstra,
// Lillicrap (2016), arXiv:1605.06065, section 3.2.
#pragma once

#include <algorithm>

#include "content_of_heads.h"
#include "lrua_heads.h"

namespace memnets {

// What is kept of each step, or its gradients.
template <class Float>
struct LRUARecord {
  static size_t size(const LRUASizes& s) {
    return (size_t{1} * s.heads + 1) * s.stride + padded(s.read_heads);
  }
  LRUARecord(const LRUASizes& s, Float* floats)
      : reads(floats),
        writes(reads + size_t{1} * s.read_heads * s.stride),
        usage(writes + size_t{1} * s.write_heads * s.stride),
        free(usage + s.stride) {}

  Float *reads, *writes;  // weightings
  Float* usage;
  Float* free;  // the row that each head may take; integers, see `free_rows`
};

// The least used row of each head in this step. Nothing else uses this place.
inline int32_t* free_rows(const LRUARecord<float>& record) {
  return reinterpret_cast<int32_t*>(record.free);
}

// The least used rows in the order of their usage, one for each head; of equal rows the
// first comes first. Every row that is found exists, whatever the usage is.
inline void find_least_used(const LRUASizes& s, const float* usage, int32_t* found) {
  for (int n = 0; n < s.rows; ++n) {
    int place = std::min(n, s.read_heads);
    if (place == s.read_heads && !(usage[n] < usage[found[place - 1]])) continue;
    if (place == s.read_heads) --place;
    for (; place > 0 && usage[n] < usage[found[place - 1]]; --place)
      found[place] = found[place - 1];
    found[place] = n;
  }
}

// A memory is as in access.h.
struct LRUAMemory {
  using Sizes = LRUASizes;
  using Record = LRUARecord<float>;
  using Previous = LRUARecord<const float>;

  static size_t record_size(const Sizes& s) { return Record::size(s); }
  static size_t memory_size(const Sizes& s) { return memnets::memory_size(s); }

  // Between the flat state of a sequence and the padded arrays; of values or gradients.
  static void unpack(const Sizes& s, const float* state, float* floats, float* memory) {
    widen(state, s.heads + 1, s.rows, s.stride, floats);
    widen(state + (s.heads + 1) * s.rows, s.word, s.rows, s.stride, memory);
  }
  static void pack(const Sizes& s, const float* floats, const float* memory, float* state) {
    narrow(floats, s.heads + 1, s.rows, s.stride, state);
    narrow(memory, s.word, s.rows, s.stride, state + (s.heads + 1) * s.rows);
  }

  // What of a record and a memory is not in the state.
  static void complete(const Sizes& s, float*, float* memory) {
    set_inverse_norms(s, memory);
  }

  static size_t room(const Sizes& s) {
    return Search::size(s, s.read_heads, false) + padded(s.read_heads);
  }

  // `memory` changes in place.
  static void step(const Sizes& s, const float* parameters, const float* previous,
                   float* floats, float* memory, float* reads, float* room) {
    const Previous before(s, previous);
    const Record record(s, floats);
    find_least_used(s, before.usage, free_rows(record));
    blend_writes(s, parameters, before, record);
    change(s, parameters, record, memory);

    float* ones = room + Search::size(s, s.read_heads, false);
    Search search(s, s.read_heads, room);
    find(s, wanted(s, parameters, ones), memory, search);
    const size_t size = size_t{1} * s.read_heads * s.stride;
    std::memcpy(record.reads, search.content, size * sizeof(float));
    for (int h = 0; h < s.read_heads; ++h)
      combine_rows(s, memory, record.reads + size_t{1} * h * s.stride, reads + h * s.word);
    for (int n = 0; n < s.stride; n += LANES) {  // eq. 5
      vec used = s.decay * load(before.usage + n);
      for (int h = 0; h < s.heads; ++h) used += load(record.reads + size_t{1} * h * s.stride + n);
      store(record.usage + n, used);
    }
  }

  // The memory after a step, again from the one before.
  static void rebuild(const Sizes& s, const float* parameters, const float*, float* floats,
                      const float* before, float* after, float*) {
    std::memcpy(after, before, memory_size(s) * sizeof(float));
    change(s, parameters, Record(s, floats), after);
  }

  static size_t backward_room(const Sizes& s) {
    return Search::size(s, s.read_heads, false) + 2 * padded(s.read_heads) +
           find_backward_room(s, s.read_heads);
  }

  // Takes the gradients of the results of a step; those of record and memory become those
  // of the step before. Sets those of the parameters.
  static void step_backward(const Sizes& s, const float* parameters, const float* previous,
                            float* floats, const float*, const float* after,
                            const float* d_reads, float* d_record, float* d_memory,
                            float* d_parameters, float* room) {
    const Previous was(s, previous);
    const Record record(s, floats), d(s, d_record);
    float* ones = room + Search::size(s, s.read_heads, false);
    float* d_ones = ones + padded(s.read_heads);
    float* rest = d_ones + padded(s.read_heads);

    for (int h = 0; h < s.read_heads; ++h) {
      const size_t row = size_t{1} * h * s.stride;
      read_backward(s, after, record.reads + row, d_reads + h * s.word, d.reads + row,
                    d_memory);
    }
    Search search(s, s.read_heads, room);
    const Wanted<const float> keys = wanted(s, parameters, ones);
    find(s, keys, after, search);
    float* d_betas = s.strengths ? d_parameters + s.beta() : d_ones;
    find_backward(s, keys, after, search, d.reads,
                  {s.read_heads, d_parameters + s.key(), d_betas, nullptr}, d_memory, rest);

    // Usage only chooses rows, and no gradient goes through a choice.
    for (int n = 0; n < s.stride; n += LANES)
      store(d.usage + n, s.decay * load(d.usage + n));
    add_backward(s, parameters, record, d, d_memory, d_parameters, search.cosine, rest);
    blend_writes_backward(s, parameters, was, record, d, d_parameters);
    set_free_rows_to_zero(s, record, d_memory);
  }

 private:
  // What the heads look for: with strengths of 1 if they set none.
  static Wanted<const float> wanted(const Sizes& s, const float* parameters, float* ones) {
    for (int h = 0; h < s.read_heads; ++h) ones[h] = 1.0f;
    return {s.read_heads, parameters + s.key(), s.strengths ? parameters + s.beta() : ones,
            nullptr};
  }

  // eq. 7, w^w = g w^r_prev + (1 - g) w^lu_prev.
  static void blend_writes(const Sizes& s, const float* parameters, const Previous& before,
                           const Record& record) {
    for (int h = 0; h < s.read_heads; ++h) {
      const size_t row = size_t{1} * h * s.stride;
      const float gate = parameters[s.gate() + h];
      for (int n = 0; n < s.stride; n += LANES)
        store(record.writes + row + n, gate * load(before.reads + row + n));
      record.writes[row + free_rows(record)[h]] += 1.0f - gate;
    }
  }

  // From the gradients of the weightings of writing: those of the gates, and of the
  // weightings of reading in the step before.
  static void blend_writes_backward(const Sizes& s, const float* parameters,
                                    const Previous& was, const Record& record,
                                    const Record& d, float* d_parameters) {
    for (int h = 0; h < s.read_heads; ++h) {
      const size_t row = size_t{1} * h * s.stride;
      const float gate = parameters[s.gate() + h];
      vec d_gate{};
      for (int n = 0; n < s.stride; n += LANES) {
        const vec d_write = load(d.writes + row + n);
        d_gate += d_write * load(was.reads + row + n);
        store(d.reads + row + n, gate * d_write);
      }
      d_parameters[s.gate() + h] = sum(d_gate) - d.writes[row + free_rows(record)[h]];
    }
    std::memset(d.writes, 0, sizeof(float) * s.write_heads * s.stride);
  }

  // Sets the least used rows to zero, then adds; eq. 8.
  static void change(const Sizes& s, const float* parameters, const Record& record,
                     float* memory) {
    set_free_rows_to_zero(s, record, memory);
    const int heads = s.write_heads, stride = s.stride, word = s.word;
    const float *writes = record.writes, *add = parameters + s.add();
    float* norms = memory + size_t{1} * word * stride;
    for_tiles(stride, [=](int n, auto tile) MEMNETS_LAMBDA {
      vec squares[tile.COUNT];
      for (int v = 0; v < tile.COUNT; ++v) squares[v] = fill(NORM_EPSILON);
      for (int w = 0; w < word; ++w) {
        float* at = memory + size_t{1} * w * stride + n;
        vec m[tile.COUNT];
        for (int v = 0; v < tile.COUNT; ++v) m[v] = load(at + v * LANES);
        for (int h = 0; h < heads; ++h)
          for (int v = 0; v < tile.COUNT; ++v)
            m[v] += add[h * word + w] * load(writes + h * stride + n + v * LANES);
        for (int v = 0; v < tile.COUNT; ++v) {
          squares[v] += m[v] * m[v];
          store(at + v * LANES, m[v]);
        }
      }
      for (int v = 0; v < tile.COUNT; ++v) store(norms + n + v * LANES, squares[v]);
    });
    inverse_roots(norms, stride);
  }

  // Gradients of adding: adds to those of the weightings of writing, and to those of the
  // keys if they are what is written; otherwise sets those of what is. `dots` holds a row
  // for each head, `sums` a word.
  static void add_backward(const Sizes& s, const float* parameters, const Record& record,
                           const Record& d, const float* d_memory, float* d_parameters,
                           float* dots, float* sums) {
    dot_products(d_memory, parameters + s.add(), s.write_heads, s.word, s.stride, dots);
    for (int n = 0; n < s.write_heads * s.stride; n += LANES)
      store(d.writes + n, load(d.writes + n) + load(dots + n));
    for (int h = 0; h < s.write_heads; ++h) {
      float* d_add = d_parameters + s.add() + h * s.word;
      combine_rows(s, d_memory, record.writes + size_t{1} * h * s.stride, sums);
      for (int w = 0; w < s.word; ++w) d_add[w] = sums[w] + (s.separate_add ? 0.0f : d_add[w]);
    }
  }

  // A memory or its gradient.
  static void set_free_rows_to_zero(const Sizes& s, const Record& record, float* memory) {
    for (int h = 0; h < s.write_heads; ++h)
      for (int w = 0; w < s.word; ++w)
        memory[size_t{1} * w * s.stride + free_rows(record)[h]] = 0.0f;
  }
};

}  // namespace memnets
