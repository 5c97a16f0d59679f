// Counts pairs of words and trains GloVe; `cooccurrence.py` and `glove.py` do the same
// with NumPy. C interface, for ctypes.
//
// No sum depends on the width of the processor's registers or on the number of threads,
// and no multiplication is fused with an addition: results are equal to the bit on all
// processors that round as IEEE 754 says.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#ifdef _WIN32
#define EXPORTED extern "C" __declspec(dllexport)
#else
#define EXPORTED extern "C" __attribute__((visibility("default")))
#endif

// Where the loader can choose by processor, one function is compiled for several.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

namespace {

constexpr int LANES = 8;       // `glove.LANES`
constexpr float CLIP = 100;    // `glove.CLIP`
constexpr int64_t AHEAD = 4;   // tuned: cells whose weights are fetched ahead

typedef float Lanes __attribute__((vector_size(LANES * 4)));

// A pair of words that occur together, `tiles.CELL`.
struct Cell {
  int32_t row, column;
  float log_count, weight;
};

// The rows of `glove.first_state`: `width` weights, their accumulators, the bias, its
// accumulator.
struct State {
  float* words;
  float* contexts;
  int64_t width, stride;

  float* word(const Cell& cell) const { return words + cell.row * stride; }
  float* context(const Cell& cell) const { return contexts + cell.column * stride; }

  void fetch(const Cell& cell) const {
    const char* word_row = reinterpret_cast<const char*>(word(cell));
    const char* context_row = reinterpret_cast<const char*>(context(cell));
    for (int64_t byte = 0; byte < stride * 4; byte += 64) {
      __builtin_prefetch(word_row + byte, 1);
      __builtin_prefetch(context_row + byte, 1);
    }
  }
};

struct Cost {
  double sum = 0;
  int64_t skipped = 0;
};

// Takes one AdaGrad step for each of the cells, one after another.
FOR_EACH_PROCESSOR
Cost train_tile(State state, const Cell* cells, int64_t count, float rate) {
  Cost cost;
  const int64_t width = state.width;
  for (int64_t n = 0; n < count; ++n) {
    if (n + AHEAD < count) state.fetch(cells[n + AHEAD]);
    const Cell cell = cells[n];
    float* __restrict word = state.word(cell);
    float* __restrict context = state.context(cell);
    Lanes products{};
    for (int64_t k = 0; k < width; k += LANES) {
      Lanes a, b;
      std::memcpy(&a, word + k, sizeof a);
      std::memcpy(&b, context + k, sizeof b);
      products += a * b;
    }
    float lanes[LANES];
    std::memcpy(lanes, &products, sizeof lanes);
    for (int half = LANES / 2; half > 0; half /= 2) {
      for (int lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
    }
    float* __restrict word_bias = word + 2 * width;
    float* __restrict context_bias = context + 2 * width;
    const float difference = lanes[0] + word_bias[0] + context_bias[0] - cell.log_count;
    const float slope = cell.weight * difference;
    if (!std::isfinite(slope)) {
      ++cost.skipped;
      continue;
    }
    cost.sum += 0.5 * double(slope) * double(difference);
    float* __restrict word_squares = word + width;
    float* __restrict context_squares = context + width;
    for (int64_t k = 0; k < width; ++k) {
      float of_word = slope * context[k], of_context = slope * word[k];
      of_word = of_word > CLIP ? CLIP : of_word;
      of_word = of_word < -CLIP ? -CLIP : of_word;
      of_context = of_context > CLIP ? CLIP : of_context;
      of_context = of_context < -CLIP ? -CLIP : of_context;
      of_word *= rate;
      of_context *= rate;
      word[k] -= of_word / std::sqrt(word_squares[k]);
      context[k] -= of_context / std::sqrt(context_squares[k]);
      word_squares[k] += of_word * of_word;
      context_squares[k] += of_context * of_context;
    }
    word_bias[0] -= slope / std::sqrt(word_bias[1]);
    context_bias[0] -= slope / std::sqrt(context_bias[1]);
    word_bias[1] += slope * slope;
    context_bias[1] += slope * slope;
  }
  return cost;
}

// Adds the weights of the pairs of one word to `sums` and lists the other words.
class RowSums {
 public:
  RowSums(double* sums, int32_t* found) : sums_(sums), found_(found) {}

  void add(int32_t word, double weight) {
    if (sums_[word] == 0) found_[size_++] = word;
    sums_[word] += weight;
  }

  // Writes the sums in the order of the words and forgets them.
  int64_t write(int32_t* columns, float* values) {
    std::sort(found_, found_ + size_);
    for (int64_t n = 0; n < size_; ++n) {
      columns[n] = found_[n];
      values[n] = float(sums_[found_[n]]);
      sums_[found_[n]] = 0;
    }
    int64_t size = size_;
    size_ = 0;
    return size;
  }

 private:
  double* sums_;
  int32_t* found_;
  int64_t size_ = 0;
};

}  // namespace

// Trains on tiles that share no row and no column, in several threads. Tile n has the
// cells `firsts[n]` to `lasts[n]`; writes the cost of each tile to `costs`.
// Returns the number of cells that were skipped because their cost was not finite.
EXPORTED int64_t memnets_glove_round(float* words, float* contexts, int64_t width,
                                     int64_t stride, const Cell* cells,
                                     const int64_t* firsts, const int64_t* lasts,
                                     int64_t num_tiles, float rate, int64_t num_threads,
                                     double* costs) {
  const State state{words, contexts, width, stride};
  std::atomic<int64_t> next{0}, skipped{0};
  auto work = [&] {
    for (int64_t n; (n = next++) < num_tiles;) {
      Cost cost = train_tile(state, cells + firsts[n], lasts[n] - firsts[n], rate);
      costs[n] = cost.sum;
      skipped += cost.skipped;
    }
  };
  std::vector<std::thread> others;
  try {
    for (int64_t n = 1; n < std::min(num_threads, num_tiles); ++n) {
      others.emplace_back(work);
    }
  } catch (...) {  // the system gives no more threads: those there are do the work
  }
  work();
  for (std::thread& other : others) other.join();
  return skipped;
}

// Orders the places of a text by their word: those of word w are `starts[w]` to
// `starts[w + 1]` of `places`. Negative words are left out.
EXPORTED void memnets_order_places(const int32_t* words, int64_t num_words,
                                   int64_t vocabulary_size, int64_t* starts,
                                   int32_t* places) {
  std::fill(starts, starts + vocabulary_size + 1, 0);
  for (int64_t n = 0; n < num_words; ++n) {
    if (words[n] >= 0) ++starts[words[n] + 1];
  }
  for (int64_t w = 0; w < vocabulary_size; ++w) starts[w + 1] += starts[w];
  for (int64_t n = 0; n < num_words; ++n) {
    if (words[n] >= 0) places[starts[words[n]]++] = int32_t(n);
  }
  for (int64_t w = vocabulary_size; w > 0; --w) starts[w] = starts[w - 1];
  starts[0] = 0;
}

// Counts the pairs of the words from `first_row` on, as many rows as surely fit into
// `capacity` pairs. Of the pairs, only those whose later word is at `begin` or after it.
// `sums` are `vocabulary_size` zeros before and after; `found` is as long.
// Returns the number of rows; `sizes` are their numbers of pairs.
EXPORTED int64_t memnets_count_rows(const int32_t* words, int64_t num_words,
                                    int64_t begin, int64_t vocabulary_size,
                                    const int64_t* starts, const int32_t* places,
                                    int64_t window, int32_t symmetric,
                                    int64_t first_row, int64_t capacity, double* sums,
                                    int32_t* found, int32_t* columns, float* values,
                                    int64_t* sizes) {
  RowSums row(sums, found);
  window = std::min(window, num_words);  // a larger one would overflow below
  int64_t written = 0, w = first_row;
  for (; w < vocabulary_size; ++w) {
    int64_t most = 2 * window * (starts[w + 1] - starts[w]);
    if (written + std::min(most, vocabulary_size) > capacity) break;
    for (int64_t n = starts[w]; n < starts[w + 1]; ++n) {
      const int64_t place = places[n];
      if (place >= begin) {
        for (int64_t k = 1; k <= std::min(window, place); ++k) {
          const int32_t other = words[place - k];
          if (other < 0) break;  // the end of a line
          row.add(other, 1.0 / double(k));
        }
      }
      if (!symmetric) continue;
      const int64_t most_right = std::min(window, num_words - 1 - place);
      for (int64_t k = 1; k <= most_right; ++k) {
        const int32_t other = words[place + k];
        if (other < 0) break;
        if (place + k >= begin) row.add(other, 1.0 / double(k));
      }
    }
    sizes[w - first_row] = row.write(columns + written, values + written);
    written += sizes[w - first_row];
  }
  return w - first_row;
}
