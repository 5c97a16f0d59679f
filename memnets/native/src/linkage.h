// The temporal links of a Differentiable Neural Computer, as in memnets/dnc/linkage.py, forward
// and backward. For one write head of one sequence. Graves, Wayne, Reynolds et al. (2016),
// Nature 538, Methods; its equations have no numbers.
//
// Links are (N, N), each row padded. They are by far the largest part of the memory: one
// pass over them does all that a step needs.
#pragma once

#include "addressing.h"

namespace memnets {

// Rows of links that are in registers at the same time, which divide a vector.
constexpr int LINK_ROWS = LANES == 16 ? 4 : 2;

// Calls `work(row, count)` for all rows, LINK_ROWS at a time, then one, as a constant.
template <class Work>
MEMNETS_INLINE void for_link_rows(int rows, Work work) {
  int row = 0;
  for (; row + LINK_ROWS <= rows; row += LINK_ROWS) work(row, Vectors<LINK_ROWS>());
  for (; row < rows; ++row) work(row, Vectors<1>());
}

// The numbers of the lanes.
MEMNETS_INLINE ivec lane_numbers() {
  ivec lanes;
  for (int i = 0; i < LANES; ++i) lanes[i] = i;
  return lanes;
}

MEMNETS_INLINE vec without_lane(vec v, int lane) {
  return lane_numbers() == (ivec{} + lane) ? vec{} : v;
}

// What happens to the links in one step. `weighting` is of the write head, `precedence` of
// the step before, `reads` are the weightings of the read heads of the step before.
struct LinkStep {
  int rows, stride;
  const float *weighting, *precedence, *reads;
};

// L[i, j] = (1 - w_i - w_j) L_prev[i, j] + w_i p_prev[j], and 0 on the diagonal, where
// UPDATE; then the moves of HEADS read heads, b = L^T r and f = L r. `before` may be
// `links`.
template <int HEADS, bool UPDATE>
void follow_links(LinkStep step, const float* before, float* links, float* backward,
                  float* forward) {
  constexpr int SOME = HEADS ? HEADS : 1;  // no array is empty
  const int stride = step.stride;
  if (HEADS) std::memset(backward, 0, sizeof(float) * HEADS * stride);
  for_link_rows(step.rows, [=](int row, auto tile) MEMNETS_LAMBDA {
    constexpr int ROWS = tile.COUNT;
    float written[ROWS], kept[ROWS], read[SOME][ROWS];
    vec sums[SOME][ROWS]{};
    for (int i = 0; i < ROWS; ++i) {
      written[i] = step.weighting[row + i], kept[i] = 1.0f - written[i];
      for (int r = 0; r < HEADS; ++r) read[r][i] = step.reads[r * stride + row + i];
    }
    for (int n = 0; n < stride; n += LANES) {
      const vec w = load(step.weighting + n), p = load(step.precedence + n);
      vec moved[SOME], from[SOME];
      for (int r = 0; r < HEADS; ++r) {
        moved[r] = load(backward + r * stride + n);
        from[r] = load(step.reads + r * stride + n);
      }
      for (int i = 0; i < ROWS; ++i) {
        const size_t place = size_t(row + i) * stride + n;
        vec link = load(before + place);
        if constexpr (UPDATE) {
          link = (kept[i] - w) * link + written[i] * p;
          if (row >= n && row < n + LANES) link = without_lane(link, row + i - n);
          store(links + place, link);
        }
        for (int r = 0; r < HEADS; ++r) {
          sums[r][i] += link * from[r];
          moved[r] += link * read[r][i];
        }
      }
      for (int r = 0; r < HEADS; ++r) store(backward + r * stride + n, moved[r]);
    }
    for (int r = 0; r < HEADS; ++r)
      for (int i = 0; i < ROWS; ++i) forward[r * stride + row + i] = sum(sums[r][i]);
  });
  for (int r = 0; r < HEADS; ++r) set_padding(forward + r * stride, step.rows, stride, 0.0f);
}

// Gradients of a step of the links, for HEADS read heads: from those of their moves. Adds
// to those of their weightings and of the links. With UPDATE, which must come last, turns
// the gradient of the links into that of the links before, and adds to those of weighting
// and precedence.
template <int HEADS, bool UPDATE>
void follow_links_backward(LinkStep step, const float* before, const float* d_backward,
                           const float* d_forward, float* d_links, float* d_weighting,
                           float* d_precedence, float* d_reads) {
  const int stride = step.stride;
  for_link_rows(step.rows, [=](int row, auto tile) MEMNETS_LAMBDA {
    constexpr int ROWS = tile.COUNT;
    float written[ROWS], kept[ROWS], read[HEADS][ROWS], d_move[HEADS][ROWS];
    vec d_written[ROWS]{}, d_read[HEADS][ROWS]{};
    for (int i = 0; i < ROWS; ++i) {
      written[i] = step.weighting[row + i], kept[i] = 1.0f - written[i];
      for (int r = 0; r < HEADS; ++r) {
        read[r][i] = step.reads[r * stride + row + i];
        d_move[r][i] = d_forward[r * stride + row + i];
      }
    }
    for (int n = 0; n < stride; n += LANES) {
      const vec w = load(step.weighting + n), p = load(step.precedence + n);
      vec d_w{}, d_p{}, from[HEADS], d_moved[HEADS], d_from[HEADS];
      for (int r = 0; r < HEADS; ++r) {
        from[r] = load(step.reads + r * stride + n);
        d_moved[r] = load(d_backward + r * stride + n);
        d_from[r] = load(d_reads + r * stride + n);
      }
      for (int i = 0; i < ROWS; ++i) {
        const size_t place = size_t(row + i) * stride + n;
        const vec previous = load(before + place), share = kept[i] - w;
        const bool is_diagonal = row >= n && row < n + LANES;
        vec link = share * previous + written[i] * p, d = load(d_links + place);
        if (is_diagonal) link = without_lane(link, row + i - n);
        for (int r = 0; r < HEADS; ++r) {
          d += d_move[r][i] * from[r] + read[r][i] * d_moved[r];
          d_from[r] += link * d_move[r][i];
          d_read[r][i] += link * d_moved[r];
        }
        if constexpr (UPDATE) {
          if (is_diagonal) d = without_lane(d, row + i - n);
          d_written[i] += d * (p - previous);
          d_w -= d * previous;
          d_p += d * written[i];
          d *= share;
        }
        store(d_links + place, d);
      }
      for (int r = 0; r < HEADS; ++r) store(d_reads + r * stride + n, d_from[r]);
      if constexpr (UPDATE) {
        store(d_weighting + n, load(d_weighting + n) + d_w);
        store(d_precedence + n, load(d_precedence + n) + d_p);
      }
    }
    for (int i = 0; i < ROWS; ++i) {
      for (int r = 0; r < HEADS; ++r) d_reads[r * stride + row + i] += sum(d_read[r][i]);
      if constexpr (UPDATE) d_weighting[row + i] += sum(d_written[i]);
    }
  });
}

// p = (1 - sum_i w_i) p_prev + w.
inline void update_precedence(const Sizes& s, const float* previous, const float* weighting,
                              float* precedence) {
  vec total{};
  for (int n = 0; n < s.stride; n += LANES) total += load(weighting + n);
  const float left = 1.0f - sum(total);
  for (int n = 0; n < s.stride; n += LANES)
    store(precedence + n, left * load(previous + n) + load(weighting + n));
}

// Turns the gradient of the precedence into that of the precedence before, and adds to
// that of the weighting.
inline void update_precedence_backward(const Sizes& s, const float* previous,
                                       const float* weighting, float* d_precedence,
                                       float* d_weighting) {
  vec total{}, products{};
  for (int n = 0; n < s.stride; n += LANES) {
    total += load(weighting + n);
    products += load(d_precedence + n) * load(previous + n);
  }
  const float left = 1.0f - sum(total), d_left = sum(products);
  for (int n = 0; n < s.stride; n += LANES) {
    const vec d = load(d_precedence + n);
    store(d_weighting + n, load(d_weighting + n) + (d - d_left));
    store(d_precedence + n, left * d);
  }
  set_padding(d_weighting, s.rows, s.stride, 0.0f);
}

}  // namespace memnets
