// The alignment search of the METEOR 1.5 program, including its errors.
//
// It does the same as `Matcher.candidates` and `beam_alignment` in Python, which are used
// if this file was not compiled, and which describe the errors of the program.

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <tuple>
#include <vector>

namespace {

// The fields of `alignment.Match`.
struct Match {
  int32_t reference_start;
  int32_t reference_length;
  int32_t hypothesis_start;
  int32_t hypothesis_length;
  int32_t stage;
};

// The candidates, ordered by the word of the reference where they start.
struct Candidates {
  std::vector<Match> matches;
  std::vector<size_t> starts = {0};  // first match of each word, then the end

  size_t num_words() const { return starts.size() - 1; }
  const Match* begin(size_t j) const { return matches.data() + starts[j]; }
  const Match* end(size_t j) const { return matches.data() + starts[j + 1]; }
};

// The sorted identifiers of a word in a stage.
struct Identifiers {
  const int32_t* first;
  const int32_t* last;

  const int32_t* begin() const { return first; }
  const int32_t* end() const { return last; }

  bool share_one(const Identifiers& other) const {
    const int32_t *left = begin(), *right = other.begin();
    while (left != end() && right != other.end()) {
      if (*left == *right) return true;
      ++(*left < *right ? left : right);
    }
    return false;
  }
};

// The words of a text in a stage.
class Words {
 public:
  void add(const Identifiers& word) {
    words_.push_back(word);
    for (int32_t identifier : word) seen_.set(uint32_t(identifier) % seen_.size());
  }

  size_t size() const { return words_.size(); }
  const Identifiers& operator[](size_t index) const { return words_[index]; }

  // Whether a word may share an identifier with a word of another text. Few do, and the
  // others need not be compared with each word.
  bool may_match(const Identifiers& other) const {
    return std::any_of(other.begin(), other.end(), [this](int32_t identifier) {
      return seen_[uint32_t(identifier) % seen_.size()];
    });
  }

 private:
  std::vector<Identifiers> words_;
  std::bitset<1 << 14> seen_;  // heuristic: several times the identifiers of a sentence
};

// Reads the records of all words in sequence, for each word one record a stage. A record
// is the number of identifiers, then the identifiers. Returns the words for each stage.
std::vector<Words> read_text(const int32_t* records, int32_t num_words,
                             int32_t num_stages) {
  std::vector<Words> text(num_stages);
  for (int32_t word = 0; word < num_words; ++word) {
    for (Words& words : text) {
      Identifiers identifiers = {records + 1, records + 1 + *records};
      words.add(identifiers);
      records = identifiers.end();
    }
  }
  return text;
}

// For each word of the reference: all words that share an identifier of a stage, by stage
// and position, then the phrases, which are ordered by their position in the reference.
Candidates find_candidates(const std::vector<Words>& reference,
                           const std::vector<Words>& hypothesis, const Match* phrases,
                           const Match* end_of_phrases) {
  Candidates found;
  for (size_t j = 0; j < reference[0].size(); ++j) {
    for (size_t stage = 0; stage < reference.size(); ++stage) {
      const Identifiers& word = reference[stage][j];
      const Words& others = hypothesis[stage];
      if (!others.may_match(word)) continue;
      for (size_t i = 0; i < others.size(); ++i) {
        if (!word.share_one(others[i])) continue;
        // Equal words belong to the first stage only.
        if (stage > 0 && reference[0][j].share_one(hypothesis[0][i])) continue;
        found.matches.push_back({int32_t(j), 1, int32_t(i), 1, int32_t(stage)});
      }
    }
    for (; phrases != end_of_phrases && phrases->reference_start == int32_t(j);
         ++phrases) {
      found.matches.push_back(*phrases);
    }
    found.starts.push_back(found.matches.size());
  }
  return found;
}

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

}  // namespace

#ifdef _WIN32
#define EXPORTED extern "C" __declspec(dllexport)
#else
#define EXPORTED extern "C"
#endif

// Aligns two texts of `num_..._words` words. The texts are arguments of `read_text`, the
// phrases are an argument of `find_candidates`. Writes at most one match for each word of
// the reference to `matches`.
// Returns the number of matches, or -1 if there is not enough memory.
EXPORTED int32_t memnets_align(const int32_t* reference, int32_t num_reference_words,
                               const int32_t* hypothesis, int32_t num_hypothesis_words,
                               int32_t num_stages, const Match* phrases,
                               int32_t num_phrases, int64_t beam, Match* matches) {
  try {
    auto candidates =
        find_candidates(read_text(reference, num_reference_words, num_stages),
                        read_text(hypothesis, num_hypothesis_words, num_stages), phrases,
                        phrases + num_phrases);
    auto chosen = Search(candidates, num_hypothesis_words, beam).run();
    std::copy(chosen.begin(), chosen.end(), matches);
    return int32_t(chosen.size());
  } catch (const std::exception&) {  // of a lack of memory
    return -1;
  }
}
