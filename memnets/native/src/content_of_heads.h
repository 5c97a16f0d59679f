// Content weightings of several heads, each of which may mask components: eqs. 5 and 6 of
// Graves, Wayne, Danihelka (2014), and Csordas, Schmidhuber (2019), arXiv:1904.10278. As
// `content_weighting` in memnets/memory/addressing.py. For one sequence.
#pragma once

#include "access.h"

namespace memnets {

// What some heads look for, or its gradients. Without masks `mask` is null.
template <class Float>
struct Wanted {
  int heads;
  Float *key, *beta, *mask;
};

// The steps on the way to the content weightings of some heads.
struct Search {
  static size_t size(const Sizes& s, int heads, bool masks) {
    return size_t{2} * heads * s.stride +
           (masks ? size_t{1} * heads * (s.stride + 2 * padded(s.word)) : 0);
  }
  Search(const Sizes& s, int heads, float* floats)
      : cosine(floats),
        content(cosine + size_t{1} * heads * s.stride),
        norms(content + size_t{1} * heads * s.stride),
        shares(norms + size_t{1} * heads * s.stride),
        keys(shares + size_t{1} * heads * padded(s.word)) {}

  float *cosine, *content;
  // With masks: the inverse norms of the rows for each head, the squares of the masks, and
  // the keys times those.
  float *norms, *shares, *keys;
};

// norms[h][n] = 1 / sqrt(sum over w of shares[h][w] * memory[w][n]^2).
inline void masked_norms(const Sizes& s, int heads, const float* memory,
                         const float* shares, float* norms) {
  for (int h = 0; h < heads; ++h, shares += s.word, norms += s.stride) {
    for (int n = 0; n < s.stride; n += LANES) {
      vec squares = fill(NORM_EPSILON);
      for (int w = 0; w < s.word; ++w) {
        const vec m = load(memory + size_t{1} * w * s.stride + n);
        squares += shares[w] * (m * m);
      }
      store(norms + n, squares);
    }
    inverse_roots(norms, s.stride);
  }
}

// Adds to the gradient of the memory; sets those of the shares of one head.
inline void masked_norms_backward(const Sizes& s, const float* memory, const float* shares,
                                  const float* d_row_squares, float* d_shares,
                                  float* d_memory) {
  for (int w = 0; w < s.word; ++w) {
    vec d_share{};
    for (int n = 0; n < s.stride; n += LANES) {
      const size_t i = size_t{1} * w * s.stride + n;
      const vec m = load(memory + i), d = load(d_row_squares + n) * m;
      d_share += d * m;
      store(d_memory + i, load(d_memory + i) + (2.0f * shares[w]) * d);
    }
    d_shares[w] = sum(d_share);
  }
}

// The norm of the key of a head, after its mask.
inline float wanted_norm(const Sizes& s, const Wanted<const float>& wanted,
                         const Search& search, int h) {
  if (!wanted.mask) return inverse_norm(wanted.key + h * s.word, s.word);
  float squares = NORM_EPSILON;
  for (int w = h * s.word; w < (h + 1) * s.word; ++w)
    squares += search.keys[w] * wanted.key[w];
  return 1.0f / std::sqrt(squares);
}

inline void find(const Sizes& s, const Wanted<const float>& wanted, const float* memory,
                 Search& search) {
  const float* keys = wanted.key;
  if (wanted.mask) {
    for (int i = 0; i < wanted.heads * s.word; ++i) {
      search.shares[i] = wanted.mask[i] * wanted.mask[i];
      search.keys[i] = wanted.key[i] * search.shares[i];
    }
    masked_norms(s, wanted.heads, memory, search.shares, search.norms);
    keys = search.keys;
  }
  dot_products(memory, keys, wanted.heads, s.word, s.stride, search.cosine);
  for (int h = 0; h < wanted.heads; ++h)
    find_content(s, wanted.mask ? search.norms + h * s.stride : inverse_norms(s, memory),
                 wanted_norm(s, wanted, search, h), wanted.beta[h],
                 search.cosine + h * s.stride, search.content + h * s.stride);
}

inline size_t find_backward_room(const Sizes& s, int heads) {
  return size_t{1} * heads * (s.stride + padded(s.word)) + 2 * s.stride + padded(s.word) +
         size_t{2} * s.word * LANES;
}

// Takes the gradients of the content weightings. Adds to that of the memory and sets those
// of what is wanted.
inline void find_backward(const Sizes& s, const Wanted<const float>& wanted,
                          const float* memory, const Search& search,
                          const float* d_content, const Wanted<float>& d, float* d_memory,
                          float* room) {
  const int heads = wanted.heads, word = s.word, stride = s.stride;
  float* d_dots = room;
  float* d_row_squares = d_dots + heads * stride;
  float* nothing = d_row_squares + stride;
  float* d_keys = nothing + stride;
  float* d_shares = d_keys + heads * padded(word);
  float* sums = d_shares + padded(word);
  std::memset(d_row_squares, 0, 2 * stride * sizeof(float));
  std::memset(d_keys, 0, heads * word * sizeof(float));
  for (int h = 0; h < heads; ++h) {
    const float* norms = wanted.mask ? search.norms + h * stride : inverse_norms(s, memory);
    const float d_key_square = find_content_backward(
        s, norms, wanted_norm(s, wanted, search, h), wanted.beta[h],
        search.cosine + h * stride, search.content + h * stride, d_content + h * stride,
        d.beta + h, d_dots + h * stride, d_row_squares);
    const float* key = wanted.key + h * word;
    if (!wanted.mask) {
      for (int w = 0; w < word; ++w) d.key[h * word + w] = 2.0f * d_key_square * key[w];
      continue;
    }
    const float* shares = search.shares + h * word;
    masked_norms_backward(s, memory, shares, d_row_squares, d_shares, d_memory);
    std::memset(d_row_squares, 0, stride * sizeof(float));
    for (int w = 0; w < word; ++w) {
      d.key[h * word + w] = 2.0f * d_key_square * key[w] * shares[w];
      d.mask[h * word + w] = d_shares[w] + d_key_square * key[w] * key[w];
    }
  }
  if (!wanted.mask)
    return dot_products_backward(s, heads, memory, wanted.key, d_dots, d_row_squares, d.key,
                                 d_memory, sums);
  dot_products_backward(s, heads, memory, search.keys, d_dots, nothing, d_keys, d_memory,
                        sums);
  for (int i = 0; i < heads * word; ++i) {
    d.key[i] += d_keys[i] * search.shares[i];
    d.mask[i] = 2.0f * wanted.mask[i] * (d.mask[i] + d_keys[i] * wanted.key[i]);
  }
}

}  // namespace memnets
