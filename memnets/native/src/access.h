// Reading and writing: eqs. 2 to 4 of Graves, Wayne, Danihelka (2014), as in
// memnets/memory/access.py, forward and backward. For one sequence.
//
// A memory is stored (W + 1, N): the words, the long axis last, then the inverse norms
// of the rows. The next step needs the norms, and writing computes them at no cost.
#pragma once

#include <type_traits>

#include "addressing.h"

namespace memnets {

inline size_t memory_size(const Sizes& s) { return (size_t{1} + s.word) * s.stride; }
inline const float* inverse_norms(const Sizes& s, const float* memory) {
  return memory + size_t{1} * s.word * s.stride;
}

// Rows of `size` floats to rows of `stride` and back.
inline void widen(const float* from, int count, int size, int stride, float* to) {
  for (int i = 0; i < count; ++i) {
    std::memcpy(to + size_t{1} * i * stride, from + size_t{1} * i * size,
                size * sizeof(float));
    set_padding(to + size_t{1} * i * stride, size, stride, 0.0f);
  }
}
inline void narrow(const float* from, int count, int size, int stride, float* to) {
  for (int i = 0; i < count; ++i)
    std::memcpy(to + size_t{1} * i * size, from + size_t{1} * i * stride,
                size * sizeof(float));
}

// Calls `work` with the number of write heads as a constant if it is 1; otherwise 0.
template <class Work>
void with_write_heads(const Sizes& s, Work work) {
  if (s.write_heads == 1)
    work(std::integral_constant<int, 1>());
  else
    work(std::integral_constant<int, 0>());
}

// The weightings and parameters of the write heads. Their number is a constant if it is
// 1, so that the compiler removes the loops over heads; 0 stands for any number.
template <int WRITE>
struct Writer {
  // `weightings` and `parameters` are those of all heads.
  template <class MemorySizes>
  Writer(const MemorySizes& s, const float* parameters, const float* weightings)
      : heads(WRITE ? WRITE : s.write_heads),
        stride(s.stride),
        word(s.word),
        weightings(weightings + s.read_heads * s.stride),
        erase(parameters + s.erase()),
        add(parameters + s.add()) {}

  // The share of the rows at n, component w, that all heads except `skipped` do not
  // erase: the product in eq. 3.
  MEMNETS_INLINE vec kept(int w, int n, int skipped = -1) const {
    vec product = fill(1.0f);
    for (int h = 0; h < (WRITE ? WRITE : heads); ++h)
      if (h != skipped) product *= 1.0f - load(weightings + h * stride + n) * erase[h * word + w];
    return product;
  }

  // The sum of the additions of all heads in eq. 4.
  MEMNETS_INLINE vec added(int w, int n) const {
    vec total{};
    for (int h = 0; h < (WRITE ? WRITE : heads); ++h)
      total += load(weightings + h * stride + n) * add[h * word + w];
    return total;
  }

  const int heads, stride, word;
  const float *weightings, *erase, *add;
};

// Erases, then adds; eqs. 3 and 4. The padding of a memory stays 0, because the padding
// of a weighting is 0.
template <int WRITE>
void write(Writer<WRITE> writer, const Sizes& s, const float* from, float* to) {
  const int stride = s.stride, word = s.word;
  for_tiles(stride, [=](int n, auto tile) MEMNETS_LAMBDA {
    vec shares[tile.COUNT], squares[tile.COUNT];
    for (int v = 0; v < tile.COUNT; ++v) {
      shares[v] = load(writer.weightings + n + v * LANES);
      squares[v] = fill(NORM_EPSILON);
    }
    for (int w = 0; w < word; ++w)
      for (int v = 0; v < tile.COUNT; ++v) {
        const int row = n + v * LANES;
        const size_t i = size_t{1} * w * stride + row;
        vec m = load(from + i);
        if constexpr (WRITE == 1)  // the shares stay in registers
          m = m * (1.0f - shares[v] * writer.erase[w]) + shares[v] * writer.add[w];
        else
          m = m * writer.kept(w, row) + writer.added(w, row);
        squares[v] += m * m;
        store(to + i, m);
      }
    for (int v = 0; v < tile.COUNT; ++v)
      store(to + size_t{1} * word * stride + n + v * LANES, squares[v]);
  });
  inverse_roots(to + size_t{1} * word * stride, stride);
}

// Sets the inverse norms of a memory that did not come from `write`.
inline void set_inverse_norms(const Sizes& s, float* memory) {
  const int stride = s.stride, word = s.word;
  float* norms = memory + size_t{1} * word * stride;
  for (int n = 0; n < stride; n += LANES) {
    vec squares = fill(NORM_EPSILON);
    for (int w = 0; w < word; ++w) {
      const vec m = load(memory + size_t{1} * w * stride + n);
      squares += m * m;
    }
    store(norms + n, squares);
  }
  inverse_roots(norms, stride);
}

// Multiplies each row by its factor: what is freed is erased.
inline void scale_rows(const Sizes& s, const float* from, const float* factors, float* to) {
  for (int w = 0; w < s.word; ++w)
    for (int n = 0; n < s.stride; n += LANES) {
      const size_t i = size_t{1} * w * s.stride + n;
      store(to + i, load(from + i) * load(factors + n));
    }
}

// Turns the gradient of the scaled rows into that of the rows; adds to that of the factors.
inline void scale_rows_backward(const Sizes& s, const float* from, const float* factors,
                                float* d_factors, float* d_rows) {
  for (int n = 0; n < s.stride; n += LANES) {
    const vec factor = load(factors + n);
    vec total = load(d_factors + n);
    for (int w = 0; w < s.word; ++w) {
      const size_t i = size_t{1} * w * s.stride + n;
      const vec d = load(d_rows + i);
      total += d * load(from + i);
      store(d_rows + i, d * factor);
    }
    store(d_factors + n, total);
  }
}

// sums[w] = sum over n of memory[w][n] * factors[n].
inline void combine_rows(const Sizes& s, const float* memory, const float* factors,
                         float* sums) {
  const int stride = s.stride, word = s.word;
  constexpr int TILE = 4;
  int w = 0;
  for (; w + TILE <= word; w += TILE) {
    const float* rows = memory + size_t{1} * w * stride;
    vec totals[TILE]{};
    for (int n = 0; n < stride; n += LANES)
      for (int i = 0; i < TILE; ++i)
        totals[i] += load(factors + n) * load(rows + size_t{1} * i * stride + n);
    for (int i = 0; i < TILE; ++i) sums[w + i] = sum(totals[i]);
  }
  for (; w < word; ++w) {
    vec total{};
    for (int n = 0; n < stride; n += LANES)
      total += load(factors + n) * load(memory + size_t{1} * w * stride + n);
    sums[w] = sum(total);
  }
}

// Gradients of eq. 2 for one head: adds to those of its weighting and of the memory.
inline void read_backward(const Sizes& s, const float* memory, const float* weighting,
                          const float* d_read, float* d_weighting, float* d_memory) {
  const int stride = s.stride, word = s.word;
  for_tiles(stride, [=](int n, auto tile) MEMNETS_LAMBDA {
    vec shares[tile.COUNT], totals[tile.COUNT];
    for (int v = 0; v < tile.COUNT; ++v) {
      shares[v] = load(weighting + n + v * LANES);
      totals[v] = load(d_weighting + n + v * LANES);
    }
    for (int w = 0; w < word; ++w)
      for (int v = 0; v < tile.COUNT; ++v) {
        const size_t i = size_t{1} * w * stride + n + v * LANES;
        totals[v] += d_read[w] * load(memory + i);
        store(d_memory + i, load(d_memory + i) + d_read[w] * shares[v]);
      }
    for (int v = 0; v < tile.COUNT; ++v) store(d_weighting + n + v * LANES, totals[v]);
  });
}

// Gradients of eqs. 3 and 4 for any number of heads: adds to those of the write heads'
// weightings, turns that of the memory into that of the memory before, sets those of
// erase and add. `room` holds 2 W vectors.
template <int WRITE>
void write_backward(Writer<WRITE> writer, const Sizes& s, const float* before,
                    float* d_weightings, float* d_memory, float* d_erase, float* d_add,
                    float* room) {
  const int stride = s.stride, word = s.word;
  float *adds = room, *erases = room + word * LANES;
  for (int h = 0; h < (WRITE ? WRITE : writer.heads); ++h) {
    std::memset(room, 0, sizeof(float) * 2 * word * LANES);
    const float *e = writer.erase + h * word, *a = writer.add + h * word;
    const float* weighting = writer.weightings + h * stride;
    float* d_weighting = d_weightings + h * stride;
    for_tiles(stride, [=](int n, auto tile) MEMNETS_LAMBDA {
      vec shares[tile.COUNT], totals[tile.COUNT];
      for (int v = 0; v < tile.COUNT; ++v) {
        shares[v] = load(weighting + n + v * LANES);
        totals[v] = load(d_weighting + n + v * LANES);
      }
      for (int w = 0; w < word; ++w) {
        vec added = load(adds + w * LANES), erased = load(erases + w * LANES);
        for (int v = 0; v < tile.COUNT; ++v) {
          const int row = n + v * LANES;
          const size_t i = size_t{1} * w * stride + row;
          const vec d = load(d_memory + i);
          const vec d_kept = d * load(before + i) * writer.kept(w, row, h);
          totals[v] += d * a[w] - d_kept * e[w];
          added += d * shares[v];
          erased += d_kept * shares[v];
        }
        store(adds + w * LANES, added);
        store(erases + w * LANES, erased);
      }
      for (int v = 0; v < tile.COUNT; ++v)
        store(d_weighting + n + v * LANES, totals[v]);
    });
    for (int w = 0; w < word; ++w) {
      d_add[h * word + w] = sum(load(adds + w * LANES));
      d_erase[h * word + w] = -sum(load(erases + w * LANES));
    }
  }
  for (int n = 0; n < stride; n += LANES)
    for (int w = 0; w < word; ++w) {
      const size_t i = size_t{1} * w * stride + n;
      store(d_memory + i, load(d_memory + i) * writer.kept(w, n));
    }
}

// The same for one write head, and in the same pass over the memory the gradients of eq.
// 2 for one read head. The new memory is computed again from the old one, so that only
// one memory must be loaded.
inline void one_of_each_backward(Writer<1> writer, const Sizes& s, const float* before,
                                 const float* weighting, const float* d_read,
                                 float* d_weighting, float* d_write_weighting,
                                 float* d_memory, float* d_erase, float* d_add,
                                 float* room) {
  const int stride = s.stride, word = s.word;
  float *adds = room, *erases = room + word * LANES;
  std::memset(room, 0, sizeof(float) * 2 * word * LANES);
  for_tiles(stride, [=](int n, auto tile) MEMNETS_LAMBDA {
    vec writes[tile.COUNT], reads[tile.COUNT], d_writes[tile.COUNT], d_reads[tile.COUNT];
    for (int v = 0; v < tile.COUNT; ++v) {
      const int row = n + v * LANES;
      writes[v] = load(writer.weightings + row);
      reads[v] = load(weighting + row);
      d_writes[v] = load(d_write_weighting + row);
      d_reads[v] = load(d_weighting + row);
    }
    for (int w = 0; w < word; ++w) {
      const float e = writer.erase[w], a = writer.add[w];
      vec added = load(adds + w * LANES), erased = load(erases + w * LANES);
      for (int v = 0; v < tile.COUNT; ++v) {
        const size_t i = size_t{1} * w * stride + n + v * LANES;
        const vec m = load(before + i), kept = 1.0f - writes[v] * e;
        d_reads[v] += d_read[w] * (m * kept + writes[v] * a);
        const vec d = load(d_memory + i) + d_read[w] * reads[v], d_kept = d * m;
        d_writes[v] += d * a - d_kept * e;
        added += d * writes[v];
        erased += d_kept * writes[v];
        store(d_memory + i, d * kept);
      }
      store(adds + w * LANES, added);
      store(erases + w * LANES, erased);
    }
    for (int v = 0; v < tile.COUNT; ++v) {
      store(d_write_weighting + n + v * LANES, d_writes[v]);
      store(d_weighting + n + v * LANES, d_reads[v]);
    }
  });
  for (int w = 0; w < word; ++w) {
    d_add[w] = sum(load(adds + w * LANES));
    d_erase[w] = -sum(load(erases + w * LANES));
  }
}

// Gradients of `dot_products`: adds to those of keys and memory; and those of the rows'
// squared norms. `room` holds 2 W vectors.
inline void dot_products_backward(const Sizes& s, int heads, const float* memory,
                                  const float* keys, const float* d_dots,
                                  const float* d_row_squares, float* d_keys,
                                  float* d_memory, float* room) {
  const int stride = s.stride, word = s.word;
  for_head_pairs(heads, [=](int first, auto pair) MEMNETS_LAMBDA {
    const float* key = keys + first * word;
    std::memset(room, 0, sizeof(float) * pair.COUNT * word * LANES);
    for_tiles(stride, [=](int n, auto tile) MEMNETS_LAMBDA {
      vec dots[pair.COUNT][tile.COUNT], squares[tile.COUNT]{};
      for (int v = 0; v < tile.COUNT; ++v) {
        for (int h = 0; h < pair.COUNT; ++h)
          dots[h][v] = load(d_dots + (first + h) * stride + n + v * LANES);
        if (first == 0) squares[v] = 2.0f * load(d_row_squares + n + v * LANES);
      }
      for (int w = 0; w < word; ++w) {
        float* sums = room + pair.COUNT * w * LANES;
        vec totals[pair.COUNT];
        for (int h = 0; h < pair.COUNT; ++h) totals[h] = load(sums + h * LANES);
        for (int v = 0; v < tile.COUNT; ++v) {
          const size_t i = size_t{1} * w * stride + n + v * LANES;
          const vec m = load(memory + i);
          vec d = load(d_memory + i) + m * squares[v];
          for (int h = 0; h < pair.COUNT; ++h) {
            d += key[h * word + w] * dots[h][v];
            totals[h] += m * dots[h][v];
          }
          store(d_memory + i, d);
        }
        for (int h = 0; h < pair.COUNT; ++h) store(sums + h * LANES, totals[h]);
      }
    });
    for (int w = 0; w < word; ++w)
      for (int h = 0; h < pair.COUNT; ++h)
        d_keys[(first + h) * word + w] += sum(load(room + (pair.COUNT * w + h) * LANES));
  });
}

}  // namespace memnets
