// Values of alignments, and an upper bound of the value of the rest of a search.
//
// It does the same as `minimal_bound.py`, which explains it.

#ifndef METRICS_METEOR_MINIMAL_BOUND_H_
#define METRICS_METEOR_MINIMAL_BOUND_H_

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "candidates.h"

namespace meteor {

// A set of positions in a text of fewer than 64 `size` words.
template <size_t size>
struct Positions {
  std::array<uint64_t, size> bits{};

  bool has(int32_t i) const { return bits[i / 64] >> (i % 64) & 1; }
  void add(int32_t i) { bits[i / 64] |= uint64_t(1) << (i % 64); }
  void add_range(int32_t i, int32_t length) {
    for (int32_t k = i; k < i + length; ++k) add(k);
  }
  bool meets(const Positions& other) const {
    for (size_t k = 0; k < size; ++k) {
      if (bits[k] & other.bits[k]) return true;
    }
    return false;
  }
  Positions operator|(const Positions& other) const {
    Positions both;
    for (size_t k = 0; k < size; ++k) both.bits[k] = bits[k] | other.bits[k];
    return both;
  }
  Positions operator&(const Positions& other) const {
    Positions both;
    for (size_t k = 0; k < size; ++k) both.bits[k] = bits[k] & other.bits[k];
    return both;
  }
  // The number of positions here that are not in `used`, nor follow one there.
  int32_t count_apart_from(const Positions& used) const {
    int32_t count = 0;
    uint64_t carried = 0;
    for (size_t k = 0; k < size; ++k) {
      uint64_t covered = used.bits[k] | used.bits[k] << 1 | carried;
      carried = used.bits[k] >> 63;
      count += int32_t(std::bitset<64>(bits[k] & ~covered).count());
    }
    return count;
  }
  bool operator==(const Positions& other) const { return bits == other.bits; }
  size_t hash() const {
    uint64_t mixed = 0;
    for (uint64_t part : bits) mixed = (mixed ^ part) * 0x9e3779b97f4a7c15u;
    return size_t(mixed ^ mixed >> 32);
  }
};

constexpr int64_t MATCHED = int64_t(1) << 40;
constexpr int64_t CHUNK = int64_t(1) << 20;
constexpr size_t MAX_EXACT_WORDS = 200;
constexpr size_t MAX_EXACT_MATCHES = 60;
constexpr size_t MAX_EXACT_STATES = 10000;

inline int64_t distance(const Match& match) {
  return std::abs(match.hypothesis_start - match.reference_start);
}

// The value of a match of words that are not interchangeable, without the distance.
inline int64_t full_value(const Match& match) {
  int64_t words = int64_t(match.reference_length) + match.hypothesis_length;
  return (match.stage == 0 ? 2 : 1) * words * MATCHED - CHUNK;
}

template <size_t size>
class ConflictSet {
 public:
  explicit ConflictSet(const std::vector<Match>& matches)
      : is_large_(matches.size() > MAX_EXACT_MATCHES) {
    for (const Match& match : matches) {
      if (starts_.empty() || starts_.back() != match.reference_start) {
        starts_.push_back(match.reference_start);
        own_.emplace_back();
      }
      Positions<size> words;
      words.add_range(match.hypothesis_start, match.hypothesis_length);
      own_.back().push_back({match.reference_length, words, full_value(match)});
      words_ = words_ | words;
    }
    most_.resize(starts_.size() + 1);
    for (size_t k = starts_.size(); k-- > 0;) {
      int64_t largest = 0;
      for (const Move& move : own_[k]) largest = std::max(largest, move.value);
      most_[k] = most_[k + 1] + largest;
    }
  }

  // The most that matches from position `j` of the reference on add.
  int64_t best(int32_t j, const Positions<size>& used) {
    size_t k = std::lower_bound(starts_.begin(), starts_.end(), j) - starts_.begin();
    if (is_large_ || k == starts_.size()) return most_[k];
    auto key = std::make_pair(k, used & words_);
    if (auto known = known_.find(key); known != known_.end()) return known->second;
    if (known_.size() >= MAX_EXACT_STATES) return most_[k];
    int64_t largest = best(starts_[k] + 1, used);
    for (const Move& move : own_[k]) {
      if (used.meets(move.words)) continue;
      int64_t rest = best(starts_[k] + move.length, used | move.words);
      largest = std::max(largest, move.value + rest);
    }
    return known_[key] = largest;
  }

 private:
  struct Move {
    int32_t length;
    Positions<size> words;
    int64_t value;
  };
  using Key = std::pair<size_t, Positions<size>>;
  struct Hash {
    size_t operator()(const Key& key) const { return key.second.hash() + key.first; }
  };

  bool is_large_;
  Positions<size> words_;
  std::vector<int32_t> starts_;
  std::vector<std::vector<Move>> own_;
  std::vector<int64_t> most_;
  std::unordered_map<Key, int64_t, Hash> known_;
};

// Sets of matches that share words, directly or through others of the set.
template <size_t size>
std::vector<ConflictSet<size>> find_conflicts(
    const Candidates& options, const std::vector<bool>& interchangeable,
    int32_t num_words) {
  int32_t num_own = int32_t(options.num_words());
  std::vector<int32_t> parents(num_own + num_words);
  std::iota(parents.begin(), parents.end(), 0);
  auto root = [&](int32_t word) {
    while (parents[word] != word) word = parents[word] = parents[parents[word]];
    return word;
  };
  std::map<int32_t, std::vector<Match>> sets;
  auto each_match = [&](auto visit) {
    for (int32_t j = 0; j < num_own; ++j) {
      if (interchangeable[j]) continue;
      std::for_each(options.begin(j), options.end(j), visit);
    }
  };
  each_match([&](const Match& match) {
    for (int32_t k = 1; k < match.reference_length; ++k) {
      parents[root(match.reference_start + k)] = root(match.reference_start);
    }
    for (int32_t k = 0; k < match.hypothesis_length; ++k) {
      int32_t word = num_own + match.hypothesis_start + k;
      parents[root(word)] = root(match.reference_start);
    }
  });
  each_match([&](const Match& match) {
    sets[root(match.reference_start)].push_back(match);
  });
  std::vector<ConflictSet<size>> found;
  for (const auto& entry : sets) found.emplace_back(entry.second);
  return found;
}

template <size_t size>
class Bound {
 public:
  Bound(const Candidates& options, const std::vector<bool>& interchangeable,
        const std::vector<Positions<size>>& ends, int32_t num_words)
      : continuing_(options.num_words() + 2),
        conflicts_(find_conflicts<size>(options, interchangeable, num_words)) {
    positions_.resize(options.num_words());
    for (size_t j = options.num_words(); j-- > 0;) {
      continuing_[j] = continuing_[j + 1];
      for (const Match* m = options.begin(j); m != options.end(j); ++m) {
        if (!ends[j].has(m->hypothesis_start)) continue;
        continuing_[j].add(m->hypothesis_start);
        positions_[j].push_back(m->hypothesis_start);
      }
    }
    find_matchings(num_words);
  }

  int64_t operator()(int32_t j, const Positions<size>& used, int32_t last) {
    int32_t free = continuing_[j + 1].count_apart_from(used) + (last >= 0);
    int64_t matched = 0;
    for (auto& conflict : conflicts_) matched += conflict.best(j, used);
    return std::min(matchings_[j], free) * CHUNK + matched;
  }

 private:
  void find_matchings(int32_t num_words) {
    matchings_.resize(positions_.size() + 1);
    std::vector<int32_t> taken(num_words, -1);
    for (size_t k = positions_.size(); k-- > 0;) {
      Positions<size> tried;
      bool is_larger = positions_.size() > MAX_EXACT_WORDS
                           ? !positions_[k].empty()
                           : take(int32_t(k), tried, taken);
      matchings_[k] = matchings_[k + 1] + is_larger;
    }
  }

  bool take(int32_t k, Positions<size>& tried, std::vector<int32_t>& taken) const {
    for (int32_t i : positions_[k]) {
      if (tried.has(i)) continue;
      tried.add(i);
      if (taken[i] < 0 || take(taken[i], tried, taken)) {
        taken[i] = k;
        return true;
      }
    }
    return false;
  }

  std::vector<Positions<size>> continuing_;
  std::vector<std::vector<int32_t>> positions_;
  std::vector<int32_t> matchings_;
  std::vector<ConflictSet<size>> conflicts_;
};

}  // namespace meteor

#endif  // METRICS_METEOR_MINIMAL_BOUND_H_
