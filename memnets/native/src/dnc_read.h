// How the read heads of a Differentiable Neural Computer find rows: by content and along
// links, forward and backward. For one sequence; as in memnets/dnc/memory.py.
#pragma once

#include "dnc_record.h"
#include "linkage.h"

namespace memnets {

// y += factor * x.
inline void add_scaled(const Sizes& s, float factor, const float* x, float* y) {
  for (int n = 0; n < s.stride; n += LANES)
    store(y + n, load(y + n) + factor * load(x + n));
}

inline float dot(const Sizes& s, const float* x, const float* y) {
  vec total{};
  for (int n = 0; n < s.stride; n += LANES) total += load(x + n) * load(y + n);
  return sum(total);
}

// The links of a write head behind the words and the norms of a memory.
template <class Float>
Float* links_of(const DNCSizes& s, Float* memory, int write_head) {
  return memory + memory_size(s) + size_t{1} * write_head * s.rows * s.stride;
}

inline LinkStep link_step(const DNCSizes& s, const DNCRecord<const float>& previous,
                          const DNCRecord<float>& record, int write_head, int read_head) {
  const size_t row = size_t{1} * write_head * s.stride;
  return {s.rows, s.stride, record.writes + row, previous.precedence + row,
          previous.reads + size_t{1} * read_head * s.stride};
}

// The new links and precedence of all write heads, and the moves of all read heads.
inline void move_along_links(const DNCSizes& s, const DNCRecord<const float>& previous,
                             const DNCRecord<float>& record, float* memory) {
  for (int h = 0; h < s.write_heads; ++h) {
    float* links = links_of(s, memory, h);
    for_head_pairs(s.read_heads, [&](int r, auto pair) {
      const LinkStep step = link_step(s, previous, record, h, r);
      float* backward = record.moves(s, h, false) + size_t{1} * r * s.stride;
      float* forward = record.moves(s, h, true) + size_t{1} * r * s.stride;
      if (r == 0)
        follow_links<pair.COUNT, true>(step, links, links, backward, forward);
      else
        follow_links<pair.COUNT, false>(step, links, links, backward, forward);
    });
    const size_t row = size_t{1} * h * s.stride;
    update_precedence(s, previous.precedence + row, record.writes + row,
                      record.precedence + row);
  }
}

// From the gradients of the moves, laid out as in a record. In `d` the gradient of the
// precedence becomes that of the step before; adds to those of the weightings of the write
// heads and of the read heads in the step before.
inline void move_along_links_backward(const DNCSizes& s,
                                      const DNCRecord<const float>& previous,
                                      const DNCRecord<float>& record, const float* memory,
                                      const DNCRecord<float>& d, float* d_memory) {
  for (int h = 0; h < s.write_heads; ++h) {
    const size_t row = size_t{1} * h * s.stride;
    update_precedence_backward(s, previous.precedence + row, record.writes + row,
                               d.precedence + row, d.writes + row);
    const float* links = links_of(s, memory, h);
    float* d_links = links_of(s, d_memory, h);
    for_head_pairs(s.read_heads, [&](int r, auto pair) {
      const LinkStep step = link_step(s, previous, record, h, r);
      const float* d_backward = d.moves(s, h, false) + size_t{1} * r * s.stride;
      const float* d_forward = d.moves(s, h, true) + size_t{1} * r * s.stride;
      float* d_reads = d.reads + size_t{1} * r * s.stride;
      if (r + pair.COUNT == s.read_heads)
        follow_links_backward<pair.COUNT, true>(step, links, d_backward, d_forward, d_links,
                                                d.writes + row, d.precedence + row, d_reads);
      else
        follow_links_backward<pair.COUNT, false>(step, links, d_backward, d_forward,
                                                 d_links, d.writes + row,
                                                 d.precedence + row, d_reads);
    });
  }
}

// Calls `work(mode, gamma, move)` for the moves of a read head along the links of all write
// heads: places of its shares and of its sharpening among the parameters, and the place of
// the move in the record.
template <class Work>
void for_moves(const DNCSizes& s, const DNCRecord<float>& record, int read_head, Work work) {
  const int mode = s.mode() + read_head * s.ways;
  const int gamma = s.gamma() + read_head * 2 * s.write_heads;
  for (int h = 0; h < s.write_heads; ++h)
    for (int forward = 0; forward < 2; ++forward) {
      const int place = forward * s.write_heads + h;
      work(mode + place + forward, gamma + place,
           record.moves(s, h, forward) + size_t{1} * read_head * s.stride);
    }
}

// A move with the epsilon of `sharpen`.
inline void above_zero(const DNCSizes& s, const float* move, float* result) {
  for (int n = 0; n < s.stride; n += LANES)
    store(result + n, load(move + n) + SHARPEN_EPSILON);
}

// The weighting of a read head, w = pi_1 b + pi_2 c + pi_3 f. `room` holds 2 rows.
inline void blend_reads(const DNCSizes& s, const float* parameters,
                        const DNCRecord<float>& record, int read_head,
                        const float* content, float* weighting, float* room) {
  const size_t bytes = s.stride * sizeof(float);
  if (!s.links) {
    std::memcpy(weighting, content, bytes);
    return;
  }
  std::memset(weighting, 0, bytes);
  add_scaled(s, parameters[s.mode() + read_head * s.ways + s.write_heads], content,
             weighting);
  for_moves(s, record, read_head, [&](int mode, int gamma, const float* move) {
    if (s.sharpen_links) {
      float *positive = room, *sharp = room + s.stride;
      above_zero(s, move, positive);
      sharpen(s, positive, parameters[gamma], sharp);
      move = sharp;
    }
    add_scaled(s, parameters[mode], move, weighting);
  });
}

// From the gradient of the weighting to those of the content, of the moves in `d`, and of
// the parameters. `room` holds 3 rows.
inline void blend_reads_backward(const DNCSizes& s, const float* parameters,
                                 const DNCRecord<float>& record, int read_head,
                                 const float* content, const float* d_weighting,
                                 float* d_content, const DNCRecord<float>& d,
                                 float* d_parameters, float* room) {
  const size_t bytes = s.stride * sizeof(float);
  if (!s.links) {
    std::memcpy(d_content, d_weighting, bytes);
    return;
  }
  const int mode = s.mode() + read_head * s.ways + s.write_heads;
  d_parameters[mode] = dot(s, d_weighting, content);
  std::memset(d_content, 0, bytes);
  add_scaled(s, parameters[mode], d_weighting, d_content);
  for_moves(s, record, read_head, [&](int mode, int gamma, const float* move) {
    float* d_move = d.moves_like(record, move);
    std::memset(d_move, 0, bytes);
    add_scaled(s, parameters[mode], d_weighting, d_move);
    if (!s.sharpen_links) {
      d_parameters[mode] = dot(s, d_weighting, move);
      return;
    }
    float *positive = room, *sharp = positive + s.stride, *d_sharp = sharp + s.stride;
    above_zero(s, move, positive);
    sharpen(s, positive, parameters[gamma], sharp);
    d_parameters[mode] = dot(s, d_weighting, sharp);
    std::memcpy(d_sharp, d_move, bytes);
    d_parameters[gamma] =
        sharpen_backward(s, positive, parameters[gamma], sharp, d_sharp, d_move);
  });
}

}  // namespace memnets
