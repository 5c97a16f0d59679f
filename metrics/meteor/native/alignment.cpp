// The alignment searches of METEOR: that of the METEOR 1.5 program, including its errors,
// and in `minimal_search.h` the one for the fewest chunks.
//
// The first does the same as `beam_alignment` in Python, which is used if this file was
// not compiled, and which describes the errors of the program.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

#include "candidates.h"
#include "minimal_search.h"

namespace {

using meteor::Candidates;
using meteor::find_candidates;
using meteor::Match;
using meteor::Text;

// For each word of the reference, whether a definite match starts there: the only
// candidate at its word, and no other candidate covers any of its words.
std::vector<bool> find_definite(const Candidates& candidates, int32_t num_words) {
  std::vector<int32_t> in_reference(candidates.num_words()), in_hypothesis(num_words);
  for (const Match& match : candidates.matches) {
    for (int32_t k = 0; k < match.reference_length; ++k) {
      ++in_reference[match.reference_start + k];
    }
    for (int32_t k = 0; k < match.hypothesis_length; ++k) {
      ++in_hypothesis[match.hypothesis_start + k];
    }
  }
  auto are_one = [](const std::vector<int32_t>& counts, int32_t start, int32_t length) {
    auto first = counts.begin() + start;
    return std::all_of(first, first + length, [](int32_t n) { return n == 1; });
  };
  std::vector<bool> definite(candidates.num_words());
  for (size_t j = 0; j < candidates.num_words(); ++j) {
    const Match* match = candidates.begin(j);
    definite[j] =
        candidates.end(j) - match == 1 &&
        are_one(in_reference, match->reference_start, match->reference_length) &&
        are_one(in_hypothesis, match->hypothesis_start, match->hypothesis_length);
  }
  return definite;
}

// An alignment of the reference up to some word.
struct State {
  int32_t words = 0;   // matched words of both texts
  int32_t chunks = 0;  // without the open chunk
  int64_t distance = 0;
  int32_t last = -1;  // position in the hypothesis after the open chunk, or -1
  int32_t until = 0;  // position in the reference after the last match
  size_t used = 0;    // row in `UsedWords` of the matched words of the hypothesis
  size_t step = 0;    // last recorded step
  const Match* taken = nullptr;  // match that is not recorded in `used` and `step` yet

  bool operator<(const State& other) const {
    return std::tie(other.words, chunks, distance) <
           std::tie(words, other.chunks, other.distance);
  }

  void close() {
    chunks += last >= 0;
    last = -1;
  }

  void take(const Match& match) {
    // Inexact words count half, in integer division: a single word counts nothing.
    int32_t share = match.stage == 0 ? 1 : 2;
    words += match.reference_length / share + match.hypothesis_length / share;
    chunks += last >= 0 && last != match.hypothesis_start;
    last = match.hypothesis_start + match.hypothesis_length;
    until = match.reference_start + match.reference_length;
    taken = &match;
  }
};

// Sets of words of the hypothesis, one a row.
class UsedWords {
 public:
  explicit UsedWords(int32_t num_words) : width_((size_t(num_words) + 63) / 64) {}

  bool has_any(size_t row, const Match& match) const {
    for (int32_t k = 0; k < match.hypothesis_length; ++k) {
      size_t i = match.hypothesis_start + k;
      if (bits_[row * width_ + i / 64] >> (i % 64) & 1) return true;
    }
    return false;
  }

  void add_empty_row() { bits_.resize(bits_.size() + width_); }

  void add_row(const UsedWords& from, size_t row) {
    auto first = from.bits_.begin() + row * width_;
    bits_.insert(bits_.end(), first, first + width_);
  }

  void add_to_last_row(const Match& match) {
    for (int32_t k = 0; k < match.hypothesis_length; ++k) {
      size_t i = match.hypothesis_start + k;
      bits_[bits_.size() - width_ + i / 64] |= uint64_t(1) << (i % 64);
    }
  }

  void clear() { bits_.clear(); }
  void swap(UsedWords& other) { bits_.swap(other.bits_); }

 private:
  size_t width_;
  std::vector<uint64_t> bits_;
};

// A beam search from left to right over the reference.
class Search {
 public:
  Search(const Candidates& candidates, int32_t num_words, int64_t beam)
      : candidates_(candidates),
        definite_(find_definite(candidates, num_words)),
        beam_(beam),
        used_(num_words),
        used_next_(num_words) {
    used_.add_empty_row();
  }

  // The chosen matches, ordered by their position in the reference.
  std::vector<Match> run() {
    for (size_t j = 0; j < candidates_.num_words(); ++j) {
      bool has_choice = false;
      if (definite_[j]) {
        // No other candidate covers its words, so no state is inside a match here.
        for (State& state : states_) state.take(*candidates_.begin(j));
      } else if (candidates_.begin(j) == candidates_.end(j)) {
        for (State& state : states_) {
          if (int32_t(j) >= state.until) state.close();
        }
      } else {
        branch(j);
        has_choice = true;
      }
      keep_best();
      if (has_choice) record();
    }
    // As in the program, the last chunk is closed only after the states were sorted.
    for (State& state : states_) state.close();
    return path(*std::min_element(states_.begin(), states_.end()));
  }

 private:
  // A taken match, and the step before it.
  struct Step {
    const Match* match;
    size_t before;
  };

  // Replaces each state by itself with each candidate that is free, then without any.
  void branch(size_t j) {
    branches_.clear();
    for (State state : states_) {
      state.taken = nullptr;
      if (int32_t(j) < state.until) {
        branches_.push_back(state);
        continue;
      }
      for (const Match* match = candidates_.begin(j); match != candidates_.end(j);
           ++match) {
        if (used_.has_any(state.used, *match)) continue;
        branches_.push_back(state);
        branches_.back().take(*match);
        // The program adds the distance to the old state: later candidates and the branch
        // without a match pay for it.
        state.distance += std::abs(match->reference_start - match->hypothesis_start);
      }
      state.close();
      branches_.push_back(state);
    }
    states_.swap(branches_);
  }

  void keep_best() {
    if (!std::is_sorted(states_.begin(), states_.end())) {
      // A stable sort, because the order of equal states decides which of them are kept.
      std::stable_sort(states_.begin(), states_.end());
    }
    if (int64_t(states_.size()) > beam_) states_.resize(beam_);
  }

  // Records the taken matches. This happens after most branches were removed.
  void record() {
    used_next_.clear();
    for (size_t row = 0; row < states_.size(); ++row) {
      State& state = states_[row];
      used_next_.add_row(used_, state.used);
      state.used = row;
      if (!state.taken) continue;
      used_next_.add_to_last_row(*state.taken);
      steps_.push_back({state.taken, state.step});
      state.step = steps_.size() - 1;
    }
    used_.swap(used_next_);
  }

  // The matches that led to a state, and the definite matches, which all states share.
  std::vector<Match> path(const State& state) const {
    std::vector<Match> matches;
    for (size_t j = 0; j < definite_.size(); ++j) {
      if (definite_[j]) matches.push_back(*candidates_.begin(j));
    }
    for (size_t step = state.step; step != 0; step = steps_[step].before) {
      matches.push_back(*steps_[step].match);
    }
    std::sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
      return a.reference_start < b.reference_start;
    });
    return matches;
  }

  const Candidates& candidates_;
  const std::vector<bool> definite_;
  const int64_t beam_;
  std::vector<State> states_ = std::vector<State>(1);
  std::vector<State> branches_;
  UsedWords used_, used_next_;
  std::vector<Step> steps_ = {{nullptr, 0}};
};

// Statistics of an alignment, which Python's `Formula.statistics` counts too.
constexpr int32_t NUM_STAGES = 4;
constexpr int32_t NUM_COUNTS = 4 + 4 * NUM_STAGES + 3;

// Writes lengths and function words of hypothesis and reference, four numbers for each
// stage (content and function words of both), chunks, matched words of both.
void count(const std::vector<Match>& matches, const Text& reference,
           const Text& hypothesis, int64_t* counts) {
  const Text* texts[] = {&hypothesis, &reference};
  std::fill(counts, counts + NUM_COUNTS, 0);
  for (int32_t side = 0; side < 2; ++side) {
    for (int32_t k = 0; k < texts[side]->num_words(); ++k) {
      counts[side] += texts[side]->sizes[k];
      counts[2 + side] += texts[side]->sizes[k] * texts[side]->is_light[k];
    }
  }
  int32_t reference_end = -1, end = -1;
  for (const Match& match : matches) {
    int32_t starts[] = {match.hypothesis_start, match.reference_start};
    int32_t lengths[] = {match.hypothesis_length, match.reference_length};
    int64_t* of_stage = counts + 4 + 4 * match.stage;
    for (int32_t side = 0; side < 2; ++side) {
      for (int32_t k = starts[side]; k < starts[side] + lengths[side]; ++k) {
        of_stage[side + 2 * texts[side]->is_light[k]] += texts[side]->sizes[k];
      }
      counts[NUM_COUNTS - 2 + side] += lengths[side];
    }
    counts[NUM_COUNTS - 3] += starts[1] != reference_end || starts[0] != end;
    reference_end = starts[1] + lengths[1];
    end = starts[0] + lengths[0];
  }
}

// Two texts, as the arguments of both functions below.
struct Texts {
  const int32_t* reference;
  int32_t num_reference_words;
  const int32_t* hypothesis;
  int32_t num_hypothesis_words;
  int32_t num_stages;
  const Match* phrases;
  int32_t num_phrases;
};

// Aligns texts by a function of candidates and number of words of the hypothesis. Returns
// the number of matches, or -1 if there is not enough memory.
template <typename Align>
int32_t align_texts(const Texts& texts, Align align, Match* matches, int64_t* counts) {
  try {
    Text reference(texts.reference, texts.num_reference_words, texts.num_stages);
    Text hypothesis(texts.hypothesis, texts.num_hypothesis_words, texts.num_stages);
    Candidates candidates = find_candidates(reference, hypothesis, texts.phrases,
                                            texts.phrases + texts.num_phrases);
    auto [chosen, is_minimal] = align(candidates, hypothesis.num_words());
    if (matches) std::copy(chosen.begin(), chosen.end(), matches);
    count(chosen, reference, hypothesis, counts);
    counts[NUM_COUNTS] = is_minimal;
    return int32_t(chosen.size());
  } catch (const std::exception&) {  // of a lack of memory
    return -1;
  }
}

}  // namespace

#ifdef _WIN32
#define EXPORTED extern "C" __declspec(dllexport)
#else
#define EXPORTED extern "C"
#endif

// Both functions align two texts of `num_..._words` words. The texts are arguments of
// `Text`, the phrases are an argument of `find_candidates`. They write at most one match
// for each word of the reference to `matches`, which may be null, and to `counts` the
// numbers of `count`, and whether the alignment is proven to be minimal.
// Both return the number of matches, or -1 if there is not enough memory.

// The alignment of the METEOR 1.5 program.
EXPORTED int32_t memnets_align(const int32_t* reference, int32_t num_reference_words,
                               const int32_t* hypothesis, int32_t num_hypothesis_words,
                               int32_t num_stages, const Match* phrases,
                               int32_t num_phrases, int64_t beam, Match* matches,
                               int64_t* counts) {
  auto align = [beam](const Candidates& candidates, int32_t num_words) {
    return std::make_pair(Search(candidates, num_words, beam).run(), false);
  };
  Texts texts = {reference,  num_reference_words, hypothesis, num_hypothesis_words,
                 num_stages, phrases,             num_phrases};
  return align_texts(texts, align, matches, counts);
}

// The alignment with the fewest chunks, with at most `width` states at a word. No text
// may have more than `MAX_WORDS` words.
EXPORTED int32_t memnets_align_minimal(const int32_t* reference,
                                       int32_t num_reference_words,
                                       const int32_t* hypothesis,
                                       int32_t num_hypothesis_words, int32_t num_stages,
                                       const Match* phrases, int32_t num_phrases,
                                       int64_t width, Match* matches, int64_t* counts) {
  auto align = [width](const Candidates& candidates, int32_t num_words) {
    return meteor::minimal_alignment(candidates, num_words, width);
  };
  Texts texts = {reference,  num_reference_words, hypothesis, num_hypothesis_words,
                 num_stages, phrases,             num_phrases};
  return align_texts(texts, align, matches, counts);
}
