// Matrix products of the shapes that a recurrent network needs: a few rows (the
// sequences of a block) times a large matrix that does not change, and sums of outer
// products over many steps (the gradient of that matrix). Row-major throughout.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "storage.h"
#include "vector.h"

namespace memnets {

// Accumulators that stay in registers: 4 x 4 of the 32 registers of AVX-512, 4 x 3 of
// the 16 of AVX2, whose other four hold the columns and a factor; 4 x 2 without fused
// operations, which need one more. Four rows, for a block has no more sequences.
constexpr int TILE_ROWS = 4;
constexpr int TILE_VECTORS = LANES == 16 ? 4 : LANES == 8 ? 3 : 2;
constexpr int TILE_COLUMNS = TILE_VECTORS * LANES;

// Columns of a matrix to which products are added, rounded up to complete vectors.
inline int tiled(int columns) { return (columns + LANES - 1) / LANES * LANES; }

// out[m][n] += sum over k of a[m * a_row + k * a_column] * b[k * b_row + n], for `ROWS`
// rows and VECS * LANES columns.
template <int ROWS, int VECS>
void multiply_tile(const float* a, size_t a_row, size_t a_column, const float* b,
                   size_t b_row, int depth, float* out, size_t out_row) {
  vec sums[ROWS][VECS];
  for (int m = 0; m < ROWS; ++m)
    for (int v = 0; v < VECS; ++v) sums[m][v] = load(out + m * out_row + v * LANES);
  for (int k = 0; k < depth; ++k) {
    vec columns[VECS];
    for (int v = 0; v < VECS; ++v) columns[v] = load(b + k * b_row + v * LANES);
    for (int m = 0; m < ROWS; ++m) {
      const float factor = a[m * a_row + k * a_column];
      for (int v = 0; v < VECS; ++v) sums[m][v] += factor * columns[v];
    }
  }
  for (int m = 0; m < ROWS; ++m)
    for (int v = 0; v < VECS; ++v) store(out + m * out_row + v * LANES, sums[m][v]);
}

// The same for any number of rows and vectors up to those of a tile.
template <int ROWS = TILE_ROWS, int VECS = TILE_VECTORS>
void multiply_part(int rows, int vectors, const float* a, size_t a_row, size_t a_column,
                   const float* b, size_t b_row, int depth, float* out,
                   size_t out_row) {
  if (rows == ROWS && vectors == VECS)
    multiply_tile<ROWS, VECS>(a, a_row, a_column, b, b_row, depth, out, out_row);
  else if (vectors < VECS) {
    if constexpr (VECS > 1)
      multiply_part<ROWS, VECS - 1>(rows, vectors, a, a_row, a_column, b, b_row, depth, out,
                                    out_row);
  } else if constexpr (ROWS > 1)
    multiply_part<ROWS - 1, VECS>(rows, vectors, a, a_row, a_column, b, b_row, depth, out,
                                  out_row);
}

// A matrix cut into panels of TILE_COLUMNS columns, each contiguous; the last is padded
// with zeros to a multiple of LANES.
class Packed {
 public:
  // Packs `matrix` (depth x columns), or its transpose if it is stored (columns x
  // depth).
  Packed(const float* matrix, int depth, int columns, bool transposed = false)
      : Packed(matrix, depth, columns, transposed ? 1 : columns, transposed ? depth : 1) {}

  // Packs matrix[k * row + n * column] for k < depth, n < columns.
  Packed(const float* matrix, int depth, int columns, size_t row, size_t column)
      : depth_(depth),
        columns_(columns),
        panels_(static_cast<size_t>(depth) * tiled(columns)) {
    // Few streams at a time: the rows of a matrix whose width is a power of 2 compete
    // for the same lines of the cache.
    constexpr int STREAMS = 8;
    for (int start = 0; start < columns; start += TILE_COLUMNS) {
      float* panel = panels_.get() + static_cast<size_t>(start) * depth;
      const int width = panel_width(start);
      const int used = std::min(width, columns - start);
      if (used < width) std::memset(panel, 0, sizeof(float) * depth * width);
      if (column == 1) {
        for (int k = 0; k < depth; ++k)
          std::memcpy(panel + k * width, matrix + k * row + start, used * sizeof(float));
        continue;
      }
      for (int first = 0; first < used; first += STREAMS) {
        const int last = std::min(first + STREAMS, used);
        for (int k = 0; k < depth; ++k)
          for (int n = first; n < last; ++n)
            panel[k * width + n] = matrix[k * row + (start + n) * column];
      }
    }
  }

  // out (rows x columns) += a (rows x depth) times the matrix, for
  // a[m * a_row + k * a_column]. Rows of `out` have room for `tiled(columns)`.
  void multiply_add(const float* a, size_t a_row, int rows, float* out, size_t out_row,
                    size_t a_column = 1) const {
    for (int start = 0; start < columns_; start += TILE_COLUMNS) {
      const float* panel = panels_.get() + static_cast<size_t>(start) * depth_;
      const int width = panel_width(start);
      for (int m = 0; m < rows; m += TILE_ROWS) {
        const int some = std::min(TILE_ROWS, rows - m);
        multiply_part(some, width / LANES, a + m * a_row, a_row, a_column, panel, width,
                      depth_, out + m * out_row + start, out_row);
      }
    }
  }

 private:
  int panel_width(int start) const {
    return std::min(TILE_COLUMNS, tiled(columns_ - start));
  }

  int depth_, columns_;
  Floats panels_;
};

// out (rows x columns) += a^T b, for a (steps x rows) and b (steps x columns): the
// gradient of a matrix from its inputs and the gradients of its outputs. Rows of `b` and
// `out` have room for `tiled(columns)`.
inline void add_outer_products(const float* a, size_t a_row, int rows, const float* b,
                               size_t b_row, int columns, int steps, float* out,
                               size_t out_row) {
  for (int start = 0; start < columns; start += TILE_COLUMNS)
    for (int m = 0; m < rows; m += TILE_ROWS) {
      const int some = std::min(TILE_ROWS, rows - m);
      const int vectors = std::min(TILE_COLUMNS, tiled(columns - start)) / LANES;
      multiply_part(some, vectors, a + m, 1, a_row, b + start, b_row, steps,
                    out + m * out_row + start, out_row);
    }
}

}  // namespace memnets
