// Candidates: all pairs of words of two texts that METEOR may match.
//
// The same as `Matcher.candidates` in Python, which is used if this was not compiled.

#ifndef METRICS_METEOR_CANDIDATES_H_
#define METRICS_METEOR_CANDIDATES_H_

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace meteor {

// The fields of `alignment.Match`.
struct Match {
  int32_t reference_start;
  int32_t reference_length;
  int32_t hypothesis_start;
  int32_t hypothesis_length;
  int32_t stage;

  bool operator<(const Match& other) const {
    auto fields = [](const Match& m) {
      return std::tie(m.reference_start, m.reference_length, m.hypothesis_start,
                      m.hypothesis_length, m.stage);
    };
    return fields(*this) < fields(other);
  }
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

// Tells whether a word may share an identifier with a word of a text. Few do, and the
// others need not be compared with each word.
class Filter {
 public:
  explicit Filter(const std::vector<Identifiers>& words) {
    for (const Identifiers& word : words) {
      for (int32_t identifier : word) seen_.set(uint32_t(identifier) % seen_.size());
    }
  }

  bool lets_pass(const Identifiers& word) const {
    return std::any_of(word.begin(), word.end(), [this](int32_t identifier) {
      return seen_[uint32_t(identifier) % seen_.size()];
    });
  }

 private:
  std::bitset<1 << 14> seen_;  // heuristic: several times the identifiers of a sentence
};

// What the records of the words of a text say.
struct Text {
  // A record has the size of the word, whether it is a function word, and for each stage
  // the number of identifiers, then the identifiers.
  Text(const int32_t* records, int32_t num_words, int32_t num_stages)
      : stages(num_stages) {
    sizes.reserve(num_words);
    is_light.reserve(num_words);
    for (auto& words : stages) words.reserve(num_words);
    for (int32_t word = 0; word < num_words; ++word) {
      sizes.push_back(*records++);
      is_light.push_back(*records++);
      for (auto& words : stages) {
        words.push_back({records + 1, records + 1 + *records});
        records = words.back().end();
      }
    }
  }

  int32_t num_words() const { return int32_t(sizes.size()); }

  std::vector<std::vector<Identifiers>> stages;  // the words in each stage
  std::vector<int32_t> sizes;
  std::vector<int32_t> is_light;  // 1 for a function word, which counts less, or 0
};

// For each word of the reference: all words that share an identifier of a stage, by stage
// and position, then the phrases, which are ordered by their position in the reference.
inline Candidates find_candidates(const Text& reference, const Text& hypothesis,
                                  const Match* phrases, const Match* end_of_phrases) {
  Candidates found;
  const auto &words = reference.stages[0], &other_words = hypothesis.stages[0];
  std::vector<Filter> filters(hypothesis.stages.begin(), hypothesis.stages.end());
  for (size_t j = 0; j < words.size(); ++j) {
    for (size_t stage = 0; stage < reference.stages.size(); ++stage) {
      const Identifiers& word = reference.stages[stage][j];
      const auto& others = hypothesis.stages[stage];
      if (!filters[stage].lets_pass(word)) continue;
      for (size_t i = 0; i < others.size(); ++i) {
        if (!word.share_one(others[i])) continue;
        // Equal words belong to the first stage only.
        if (stage > 0 && words[j].share_one(other_words[i])) continue;
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

}  // namespace meteor

#endif  // METRICS_METEOR_CANDIDATES_H_
