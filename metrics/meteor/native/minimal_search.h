// The alignment with the most matches and, of those, the fewest chunks.
//
// It does the same as `minimal_alignment.py` and `minimal_search.py`, which explain why,
// and which are used if this was not compiled. Where values are equal, the order decides,
// so the order of states and matches is that of Python.

#ifndef METRICS_METEOR_MINIMAL_SEARCH_H_
#define METRICS_METEOR_MINIMAL_SEARCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "candidates.h"
#include "minimal_bound.h"

namespace meteor {

constexpr int64_t MAX_STEPS = 250'000;
constexpr int64_t FIRST_WIDTH = 64;
constexpr size_t MAX_CHOICES = 16;

template <size_t size>
struct PartialAlignment {
  Positions<size> used;
  int32_t last;   // position in the hypothesis after the last match, or -1
  int32_t until;  // position in the reference after the last match
  int64_t value;
  size_t step;

  bool is_same_state(const PartialAlignment& other) const {
    return last == other.last && until == other.until && used == other.used;
  }
};

// The best ways to the states at a word, in the order in which states were reached.
template <size_t size>
class Reached {
 public:
  using State = PartialAlignment<size>;

  // The state if it is new or better than the one that is known, or null.
  State* offer(const State& state) {
    if (states.size() >= FEW && slots_.empty()) fill();
    if (slots_.empty()) {
      for (State& known : states) {
        if (known.is_same_state(state)) return replaced(known, state);
      }
    } else {
      size_t slot = slot_of(state);
      if (slots_[slot]) return replaced(states[slots_[slot] - 1], state);
      slots_[slot] = uint32_t(states.size() + 1);
    }
    states.push_back(state);
    if (!slots_.empty() && states.size() * 2 > slots_.size()) fill();
    return &states.back();
  }

  std::vector<State> states;

 private:
  static constexpr size_t FEW = 12;  // tuned: looking at all is faster than hashing

  static State* replaced(State& known, const State& state) {
    if (state.value <= known.value) return nullptr;
    known = state;
    return &known;
  }

  size_t slot_of(const State& state) const {
    size_t mixed = state.used.hash() + size_t(state.last + 1) * 0x9e3779b1u +
                   size_t(state.until) * 0x85ebca6bu;
    size_t slot = (mixed ^ mixed >> 15) & (slots_.size() - 1);
    while (slots_[slot] && !states[slots_[slot] - 1].is_same_state(state)) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }

  void fill() {
    size_t wanted = 64;
    while (wanted < states.size() * 4) wanted *= 2;
    slots_.assign(wanted, 0);
    for (size_t k = 0; k < states.size(); ++k) {
      slots_[slot_of(states[k])] = uint32_t(k + 1);
    }
  }

  std::vector<uint32_t> slots_;  // number of a state from 1, or 0
};

struct Found {
  int64_t value;
  std::vector<Match> matches;
  bool is_complete;
};

// The search from left to right over the reference, as `minimal_search.search`.
template <size_t size>
class MinimalSearch {
 public:
  using State = PartialAlignment<size>;

  MinimalSearch(const Candidates& options, const std::vector<bool>& interchangeable)
      : options_(options),
        interchangeable_(interchangeable),
        starts_(options.num_words() + 1),
        later_(options.num_words() + 1) {
    for (size_t j = options.num_words(); j-- > 0;) {
      later_[j] = later_[j + 1];
      for (const Match* m = options.begin(j); m != options.end(j); ++m) {
        starts_[j].add(m->hypothesis_start);
        later_[j].add_range(m->hypothesis_start, m->hypothesis_length);
      }
    }
  }

  Found run(const std::function<Bound<size>&()>& bound, int64_t width,
            std::optional<int64_t> above = {}) {
    std::vector<State> states = {{{}, -1, 0, 0, 0}};
    bool is_complete = true;
    int64_t steps = 0;
    for (size_t j = 0; j < options_.num_words(); ++j) {
      size_t choices = options_.end(j) - options_.begin(j);
      steps += int64_t(states.size() * (1 + choices));
      if (above && steps > MAX_STEPS) return {*above, {}, false};
      Reached<size> reached;
      reached.states.reserve(states.size() * (1 + choices));
      if (choices) list_moves(j);
      for (const State& state : states) advance(state, int32_t(j), reached);
      states = std::move(reached.states);
      if (above || int64_t(states.size()) > width) {
        is_complete &= keep_promising(states, bound(), int32_t(j) + 1, width, above);
      }
    }
    if (states.empty()) return {*above, {}, is_complete};
    auto best = std::max_element(
        states.begin(), states.end(),
        [](const State& a, const State& b) { return a.value < b.value; });
    return {without_distance(best->value), path(best->step), is_complete};
  }

 private:
  struct Move {
    const Match* match;
    Positions<size> words;
    int64_t gain;
  };
  struct Step {
    const Match* match;
    size_t before;
  };

  void list_moves(size_t j) {
    moves_.clear();
    for (const Match* m = options_.begin(j); m != options_.end(j); ++m) {
      Positions<size> words;
      words.add_range(m->hypothesis_start, m->hypothesis_length);
      int64_t gain = (interchangeable_[j] ? 0 : full_value(*m)) - distance(*m);
      moves_.push_back({m, words, gain});
    }
  }

  void advance(const State& state, int32_t j, Reached<size>& reached) {
    const auto &continued = starts_[j + 1], &needed = later_[j + 1];
    State next = state;
    next.used = state.used & needed;
    if (state.until > j) {
      bool is_kept = state.until > j + 1 || (state.last >= 0 && continued.has(state.last));
      if (!is_kept) next.last = -1;
      reached.offer(next);
      return;
    }
    next.last = -1;
    next.until = j + 1;
    reached.offer(next);
    if (options_.begin(j) == options_.end(j)) return;
    for (const Move& move : moves_) {
      if (state.used.meets(move.words)) continue;
      const Match& match = *move.match;
      next.used = (state.used | move.words) & needed;
      next.last = match.hypothesis_start + match.hypothesis_length;
      next.until = j + match.reference_length;
      if (next.until == j + 1 && !continued.has(next.last)) next.last = -1;
      next.value =
          state.value + move.gain + (match.hypothesis_start == state.last ? CHUNK : 0);
      if (State* kept = reached.offer(next)) {
        steps_.push_back({&match, state.step});
        kept->step = steps_.size() - 1;
      }
    }
  }

  // Keeps the states that may become the best. Whether these are all of them.
  static bool keep_promising(std::vector<State>& states, Bound<size>& bound, int32_t j,
                             int64_t width, std::optional<int64_t> above) {
    std::vector<std::pair<int64_t, const State*>> ranked;
    for (const State& state : states) {
      int64_t most =
          state.value + bound(std::max(j, state.until), state.used, state.last);
      if (!above || most > *above) ranked.push_back({most, &state});
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
      return a.first > b.first;
    });
    bool has_all = int64_t(ranked.size()) <= width;
    if (!has_all) ranked.resize(width);
    std::vector<State> kept;
    kept.reserve(ranked.size());
    for (const auto& entry : ranked) kept.push_back(*entry.second);
    states = std::move(kept);
    return has_all;
  }

  // Rounds up to whole chunks.
  static int64_t without_distance(int64_t value) {
    int64_t rest = value % CHUNK;
    return value - rest + (rest > 0 ? CHUNK : 0);
  }

  std::vector<Match> path(size_t step) const {
    std::vector<Match> matches;
    for (; step != 0; step = steps_[step].before) matches.push_back(*steps_[step].match);
    return matches;
  }

  const Candidates& options_;
  const std::vector<bool>& interchangeable_;
  std::vector<Positions<size>> starts_, later_;
  std::vector<Move> moves_;
  std::vector<Step> steps_ = {{nullptr, 0}};
};

// Numbers of the runs of options, match by match, and the length of each run.
inline std::pair<std::vector<size_t>, std::vector<int64_t>> find_runs(
    const Candidates& options) {
  std::vector<size_t> runs;
  std::vector<int64_t> lengths;
  // By position in the reference, the position in the hypothesis and the stage that
  // continue a run.
  std::vector<std::map<std::pair<int32_t, int32_t>, size_t>> open(options.num_words() + 1);
  for (const Match& match : options.matches) {
    const auto& here = open[match.reference_start];
    auto found = here.find({match.hypothesis_start, match.stage});
    size_t run = found == here.end() ? lengths.size() : found->second;
    if (run == lengths.size()) lengths.push_back(0);
    lengths[run] += match.reference_length;
    open[match.reference_start + match.reference_length]
        [{match.hypothesis_start + match.hypothesis_length, match.stage}] = run;
    runs.push_back(run);
  }
  return {runs, lengths};
}

// The best options at each word, or nothing if no word has more than `MAX_CHOICES`.
inline std::optional<Candidates> in_longest_runs(const Candidates& options) {
  bool has_few = true;
  for (size_t j = 0; j < options.num_words(); ++j) {
    has_few &= size_t(options.end(j) - options.begin(j)) <= MAX_CHOICES;
  }
  if (has_few) return {};
  auto [runs, lengths] = find_runs(options);
  Candidates kept;
  for (size_t j = 0; j < options.num_words(); ++j) {
    std::vector<std::tuple<int32_t, int64_t, int64_t, const Match*>> ranked;
    for (const Match* m = options.begin(j); m != options.end(j); ++m) {
      int64_t length = lengths[runs[m - options.matches.data()]];
      ranked.push_back({m->stage, -length, distance(*m), m});  // equal ones in order
    }
    std::sort(ranked.begin(), ranked.end());
    if (ranked.size() > MAX_CHOICES) ranked.resize(MAX_CHOICES);
    size_t first = kept.matches.size();
    for (const auto& entry : ranked) kept.matches.push_back(*std::get<3>(entry));
    std::sort(kept.matches.begin() + first, kept.matches.end());
    kept.starts.push_back(kept.matches.size());
  }
  return kept;
}

// The alignment of the candidates of two texts.
template <size_t size>
class MinimalAlignment {
 public:
  MinimalAlignment(const Candidates& candidates, int32_t num_words)
      : candidates_(candidates),
        num_words_(num_words),
        starts_(candidates.num_words() + 1),
        ends_(candidates.num_words() + 1) {
    for (const Match& match : candidates.matches) {
      starts_[match.reference_start].add(match.hypothesis_start);
      ends_[match.reference_start + match.reference_length].add(
          match.hypothesis_start + match.hypothesis_length);
    }
    find_interchangeable();
  }

  // The matches by their position in the reference, and whether they are minimal.
  std::pair<std::vector<Match>, bool> run(int64_t width) const {
    Candidates options;
    options.matches.reserve(candidates_.matches.size());
    for (size_t j = 0; j < candidates_.num_words(); ++j) {
      for (const Match* m = candidates_.begin(j); m != candidates_.end(j); ++m) {
        int32_t i = m->hypothesis_start;
        // An interchangeable word is decided only where it may continue a chunk.
        if (!interchangeable_[j] || ends_[j].has(i) || starts_[j + 1].has(i + 1)) {
          options.matches.push_back(*m);
        }
      }
      options.starts.push_back(options.matches.size());
    }
    auto [matches, is_minimal] = search_twice(options, width);
    complete(matches);
    return {std::move(matches), is_minimal};
  }

 private:
  std::pair<std::vector<Match>, bool> search_twice(const Candidates& options,
                                                   int64_t width) const {
    std::optional<Candidates> selected = in_longest_runs(options);
    const Candidates& few = selected ? *selected : options;
    std::optional<Bound<size>> bound;
    const Candidates* bounded = &few;
    auto get_bound = [&]() -> Bound<size>& {
      if (!bound) bound.emplace(*bounded, interchangeable_, ends_, num_words_);
      return *bound;
    };
    int64_t choices = int64_t(few.num_words() + few.matches.size() + 1);
    int64_t first_width =
        std::max(int64_t(4), std::min(FIRST_WIDTH, MAX_STEPS / choices));
    Found found = MinimalSearch<size>(few, interchangeable_).run(get_bound, first_width);
    if (selected) {
      found.is_complete = false;
      bound.reset();
      bounded = &options;
    }
    if (found.is_complete || options.num_words() > MAX_EXACT_WORDS) {
      return {std::move(found.matches), found.is_complete};
    }
    if (found.value >= get_bound()(0, {}, -1)) return {std::move(found.matches), true};
    Found better = MinimalSearch<size>(options, interchangeable_)
                       .run(get_bound, width, found.value);
    auto& matches = better.value > found.value ? better.matches : found.matches;
    return {std::move(matches), better.is_complete};
  }

  // Finds words of the reference whose candidates are all pairs of one set of words with
  // another set.
  void find_interchangeable() {
    size_t num_own = candidates_.num_words();
    interchangeable_.resize(num_own);
    std::vector<int32_t> takers(num_words_), kinds(num_own, -1);
    std::vector<bool> is_in_phrase(num_own);
    std::vector<std::vector<size_t>> words;  // of each kind
    for (size_t j = 0; j < num_own; ++j) {
      bool are_words = note_takers(j, takers, is_in_phrase);
      if (!are_words || candidates_.begin(j) == candidates_.end(j)) continue;
      size_t kind = 0;
      while (kind < words.size() && !has_same_partners(words[kind][0], j)) ++kind;
      if (kind == words.size()) words.emplace_back();
      words[kind].push_back(j);
    }
    for (const auto& own : words) {
      auto *first = candidates_.begin(own[0]), *last = candidates_.end(own[0]);
      bool is_closed =
          std::all_of(first, last,
                      [&](const Match& m) {
                        return size_t(takers[m.hypothesis_start]) == own.size();
                      }) &&
          std::none_of(own.begin(), own.end(), [&](size_t j) { return is_in_phrase[j]; });
      for (size_t j : own) interchangeable_[j] = is_closed;
    }
  }

  // Counts the candidates at `j`. Whether these are different words and of one stage.
  bool note_takers(size_t j, std::vector<int32_t>& takers,
                   std::vector<bool>& is_in_phrase) const {
    bool are_words = true;
    Positions<size> seen;
    for (const Match* m = candidates_.begin(j); m != candidates_.end(j); ++m) {
      are_words &= m->reference_length == 1 && m->hypothesis_length == 1 &&
                   m->stage == candidates_.begin(j)->stage &&
                   !seen.has(m->hypothesis_start);
      seen.add(m->hypothesis_start);
      for (int32_t k = 1; k < m->reference_length; ++k) is_in_phrase[j + k] = true;
      for (int32_t k = 0; k < m->hypothesis_length; ++k) ++takers[m->hypothesis_start + k];
    }
    return are_words;
  }

  bool has_same_partners(size_t other, size_t j) const {
    return std::equal(candidates_.begin(other), candidates_.end(other),
                      candidates_.begin(j), candidates_.end(j),
                      [](const Match& a, const Match& b) {
                        return a.hypothesis_start == b.hypothesis_start &&
                               a.stage == b.stage;
                      });
  }

  // Adds for each word that is still free the nearest free match of the first stage that
  // has one.
  void complete(std::vector<Match>& matches) const {
    Positions<size> used;
    std::vector<bool> reference_used(candidates_.num_words());
    auto take = [&](const Match& match) {
      used.add_range(match.hypothesis_start, match.hypothesis_length);
      auto first = reference_used.begin() + match.reference_start;
      std::fill(first, first + match.reference_length, true);
    };
    auto is_free = [&](const Match& match) {
      for (int32_t k = 0; k < match.hypothesis_length; ++k) {
        if (used.has(match.hypothesis_start + k)) return false;
      }
      auto first = reference_used.begin() + match.reference_start;
      return std::find(first, first + match.reference_length, true) ==
             first + match.reference_length;
    };
    std::for_each(matches.begin(), matches.end(), take);
    for (size_t j = 0; j < candidates_.num_words(); ++j) {
      const Match* nearest = nullptr;
      for (const Match* m = candidates_.begin(j); m != candidates_.end(j); ++m) {
        if (!is_free(*m)) continue;
        if (!nearest || std::make_pair(m->stage, distance(*m)) <
                            std::make_pair(nearest->stage, distance(*nearest))) {
          nearest = m;
        }
      }
      if (!nearest) continue;
      take(*nearest);
      matches.push_back(*nearest);
    }
    std::sort(matches.begin(), matches.end());
  }

  const Candidates& candidates_;
  const int32_t num_words_;
  std::vector<Positions<size>> starts_, ends_;
  std::vector<bool> interchangeable_;
};

// The longest texts that `minimal_alignment` takes, in words.
constexpr int32_t MAX_WORDS = 64 * 64 - 1;

inline std::pair<std::vector<Match>, bool> minimal_alignment(const Candidates& candidates,
                                                             int32_t num_words,
                                                             int64_t width) {
  // Short sets are quick to compare and to copy. A position after the last word is kept.
  if (num_words < 64) return MinimalAlignment<1>(candidates, num_words).run(width);
  if (num_words < 256) return MinimalAlignment<4>(candidates, num_words).run(width);
  return MinimalAlignment<64>(candidates, num_words).run(width);
}

}  // namespace meteor

#endif  // METRICS_METEOR_MINIMAL_SEARCH_H_
