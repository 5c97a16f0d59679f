// One complete step of the memory of a Differentiable Neural Computer, forward and
// backward, for one sequence, as in memnets/dnc/memory.py: Graves, Wayne, Reynolds et al.
// (2016), Nature 538, Methods.
#pragma once

#include "dnc_read.h"
#include "dnc_write.h"

namespace memnets {

// A memory is as in access.h; the links of each write head follow.
struct DNCMemory {
  using Sizes = DNCSizes;
  using Record = DNCRecord<float>;
  using Previous = DNCRecord<const float>;

  static size_t record_size(const Sizes& s) { return Record::size(s); }
  static size_t memory_size(const Sizes& s) {
    return memnets::memory_size(s) + size_t{1} * link_rows(s) * s.stride;
  }
  static size_t link_rows(const Sizes& s) {
    return s.links ? size_t{1} * s.write_heads * s.rows : 0;
  }

  // Between the flat state of a sequence and the padded arrays; of values or gradients.
  static void unpack(const Sizes& s, const float* state, float* floats, float* memory) {
    const Record record(s, floats);
    for_parts(s, record, memory, [&](float* part, size_t count) {
      widen(state, count, s.rows, s.stride, part);
      state += count * s.rows;
    });
  }
  static void pack(const Sizes& s, float* floats, float* memory, float* state) {
    const Record record(s, floats);
    for_parts(s, record, memory, [&](const float* part, size_t count) {
      narrow(part, count, s.rows, s.stride, state);
      state += count * s.rows;
    });
  }

  // What of a record and a memory is not in the state.
  static void complete(const Sizes& s, float* floats, float* memory) {
    set_inverse_norms(s, memory);
    const Record record(s, floats);
    for (int h = 0; h < s.write_heads; ++h)
      for (int n = 0; n < s.rows; ++n) order_of(s, record, h)[n] = n;
  }

  static size_t room(const Sizes& s) {
    const int heads = std::max(s.read_heads, s.write_heads);
    return (size_t{2} * s.write_heads + 3) * s.stride + Search::size(s, heads, s.masks);
  }

  // `memory` changes in place.
  static void step(const Sizes& s, const float* parameters, const float* previous,
                   float* floats, float* memory, float* reads, float* room) {
    const Previous before(s, previous);
    const Record record(s, floats);
    float* retention = room;
    float* rest = retention + s.stride;  // 2 rows
    float* usages = rest + 2 * s.stride;
    float* allocations = usages + size_t{1} * s.write_heads * s.stride;
    float* search = allocations + size_t{1} * s.write_heads * s.stride;

    retain(s, before.reads, parameters + s.free_gate(), retention);
    update_usage(s, before.usage, before.writes, retention, record.usage);
    std::memcpy(record.order, before.order, sizeof(float) * s.write_heads * s.stride);
    const auto order = [&](int h, const float* usage) {
      order_rows(s, usage, order_of(s, record, h), rest);
      return order_of(s, record, h);
    };
    allocate_in_turn(s, parameters, record.usage, order, usages, allocations);
    Search writers(s, s.write_heads, search);
    find(s, wanted_by_writers(s, parameters), memory, writers);
    blend_writes(s, parameters, allocations, writers.content, record.writes);
    change(s, parameters, retention, record, memory, memory);
    if (s.links) move_along_links(s, before, record, memory);

    Search readers(s, s.read_heads, search);
    find(s, wanted_by_readers(s, parameters), memory, readers);
    for (int r = 0; r < s.read_heads; ++r) {
      float* weighting = record.reads + size_t{1} * r * s.stride;
      blend_reads(s, parameters, record, r, readers.content + size_t{1} * r * s.stride,
                  weighting, rest);
      combine_rows(s, memory, weighting, reads + r * s.word);
    }
  }

  // The memory after a step, again from the one before. `room` holds a row.
  static void rebuild(const Sizes& s, const float* parameters, const float* previous,
                      float* floats, const float* before, float* after, float* room) {
    const Previous was(s, previous);
    const Record record(s, floats);
    if (s.deallocate) retain(s, was.reads, parameters + s.free_gate(), room);
    change(s, parameters, room, record, before, after);
    for (int h = 0; s.links && h < s.write_heads; ++h)
      follow_links<0, true>(link_step(s, was, record, h, 0), links_of(s, before, h),
                            links_of(s, after, h), nullptr, nullptr);
  }

  static size_t backward_room(const Sizes& s) {
    const int heads = std::max(s.read_heads, s.write_heads);
    return (size_t{2} * s.write_heads + heads + 5) * s.stride +
           Search::size(s, heads, s.masks) + size_t{1} * s.word * s.stride +
           find_backward_room(s, heads);
  }

  // Takes the gradients of the results of a step; those of record and memory become those
  // of the step before. Sets those of the parameters.
  static void step_backward(const Sizes& s, const float* parameters, const float* previous,
                            float* floats, const float* before, const float* after,
                            const float* d_reads, float* d_record, float* d_memory,
                            float* d_parameters, float* room) {
    const Previous was(s, previous);
    const Record record(s, floats), d(s, d_record);
    const int heads = std::max(s.read_heads, s.write_heads);
    float* retention = room;
    float* d_retention = retention + s.stride;
    float* d_contents = d_retention + s.stride;
    float* usages = d_contents + size_t{1} * heads * s.stride;
    float* allocations = usages + size_t{1} * s.write_heads * s.stride;
    float* search = allocations + size_t{1} * s.write_heads * s.stride;
    float* kept = search + Search::size(s, heads, s.masks);
    float* three_rows = kept + size_t{1} * s.word * s.stride;
    float* rest = three_rows + 3 * s.stride;

    read_backward_all(s, parameters, record, after, d_reads, search, d_contents, d, d_memory,
                      d_parameters, three_rows, rest);
    std::memset(d.reads, 0, sizeof(float) * s.read_heads * s.stride);
    if (s.links) move_along_links_backward(s, was, record, before, d, d_memory);

    retain(s, was.reads, parameters + s.free_gate(), retention);
    std::memset(d_retention, 0, s.stride * sizeof(float));
    if (s.deallocate) scale_rows(s, before, retention, kept);
    with_write_heads(s, [&](auto count) {
      write_backward(Writer<count.value>(s, parameters, record.reads), s,
                     s.deallocate ? kept : before, d.writes, d_memory,
                     d_parameters + s.erase(), d_parameters + s.add(), rest);
    });
    if (s.deallocate) scale_rows_backward(s, before, retention, d_retention, d_memory);

    const auto order = [&](int h, const float* = nullptr) { return order_of(s, record, h); };
    allocate_in_turn(s, parameters, record.usage, order, usages, allocations);
    Search writers(s, s.write_heads, search);
    const Wanted<const float> wanted = wanted_by_writers(s, parameters);
    find(s, wanted, before, writers);
    blend_writes_backward(s, parameters, order, usages, allocations, writers.content,
                          d.writes, d_parameters, d_contents, d.usage, three_rows);
    find_backward(s, wanted, before, writers, d_contents,
                  wanted_by_writers(s, d_parameters), d_memory, rest);
    std::memset(d.writes, 0, sizeof(float) * s.write_heads * s.stride);
    update_usage_backward(s, was.usage, was.writes, retention, d.usage, d_retention,
                          s.usage_gradient ? d.writes : nullptr);
    retain_backward(s, was.reads, parameters + s.free_gate(), d_retention, d.reads,
                    d_parameters + s.free_gate());
  }

 private:
  // Calls `work(rows, count)` for all parts of the state, in the order of DNCState.
  template <class Work>
  static void for_parts(const Sizes& s, const Record& record, float* memory, Work work) {
    work(record.reads, s.read_heads);
    work(record.writes, s.write_heads);
    work(record.usage, 1);
    if (s.links) {
      work(record.precedence, s.write_heads);
      work(links_of(s, memory, 0), link_rows(s));
    }
    work(memory, s.word);
  }

  // Frees, erases and adds.
  static void change(const Sizes& s, const float* parameters, const float* retention,
                     const Record& record, const float* before, float* after) {
    if (s.deallocate) {
      scale_rows(s, before, retention, after);
      before = after;
    }
    with_write_heads(s, [&](auto heads) {
      write(Writer<heads.value>(s, parameters, record.reads), s, before, after);
    });
  }

  // Gradients of reading: from those of the vectors that were read and of the weightings
  // to those of the memory, of the moves in `d`, and of the parameters of the read heads.
  static void read_backward_all(const Sizes& s, const float* parameters,
                                const Record& record, const float* memory,
                                const float* d_reads, float* search, float* d_contents,
                                const Record& d, float* d_memory, float* d_parameters,
                                float* three_rows, float* room) {
    Search readers(s, s.read_heads, search);
    const Wanted<const float> wanted = wanted_by_readers(s, parameters);
    find(s, wanted, memory, readers);
    for (int r = 0; r < s.read_heads; ++r) {
      const size_t row = size_t{1} * r * s.stride;
      read_backward(s, memory, record.reads + row, d_reads + r * s.word, d.reads + row,
                    d_memory);  // eq. 2
      blend_reads_backward(s, parameters, record, r, readers.content + row, d.reads + row,
                           d_contents + row, d, d_parameters, three_rows);
    }
    find_backward(s, wanted, memory, readers, d_contents, wanted_by_readers(s, d_parameters),
                  d_memory, room);
  }
};

}  // namespace memnets
