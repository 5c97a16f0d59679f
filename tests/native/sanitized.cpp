// Runs the kernel on many sizes; tests/test_sanitizers.py compiles it, with the kernel,
// under sanitizers. Every array has exactly the size that entry_points.h and kernel_layout.py
// document, so that one float too far is seen. What is wrong with the results is said
// here, and the exit code is 1. With the argument "threads" it runs only what threads
// share; with "short" an array is one float short, which the sanitizer must see.
#include "cases.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using Numbers = std::vector<float>;
constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();

// Numbers from `low` to `low + 1`, the same in each run.
Numbers draw(size_t size, uint32_t seed, float low = -0.5f) {
  Numbers numbers(size);
  for (float& number : numbers) {
    seed = seed * 1664525u + 1013904223u;
    number = (seed >> 8) / 16777216.0f + low;
  }
  return numbers;
}

struct Arguments {
  explicit Arguments(const Case& c)
      : inputs(draw(c.batch * c.steps * c.network.input, 1)),
        state(draw(c.batch * c.state(), 2, 0.0f)),
        weights(draw(c.weights(), 3)),
        d_features(draw(c.batch * c.steps * c.features(), 4)),
        d_last_state(draw(c.batch * c.state(), 5)),
        mask(c.masked ? c.batch * c.steps : 0) {
    // Weightings are not negative and sum to at most 1, as rows and columns of links do.
    for (float& number : state) number /= c.network.rows;
    for (size_t i = 0; i < mask.size(); ++i) mask[i] = i % 3 != 1;
  }
  Numbers inputs, state, weights, d_features, d_last_state;
  std::vector<uint8_t> mask;  // empty, and so null, without
};

struct Results {
  Numbers features, last_state, d_inputs, d_state, d_weights;
  std::vector<const Numbers*> all() const {
    return {&features, &last_state, &d_inputs, &d_state, &d_weights};
  }
};

bool same_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() &&
         (a.empty() || !std::memcmp(a.data(), b.data(), a.size() * sizeof(float)));
}

// Forward and backward. What is not written remains NaN. With a ticket that is not known,
// the backward pass computes the history again.
Results run(const Case& c, const Arguments& arguments, bool is_known = true,
            size_t missing = 0) {
  const Arguments& a = arguments;
  auto unset = [](size_t size) { return Numbers(size, NOT_A_NUMBER); };
  const std::vector<int32_t> sizes = c.sizes(true);
  if (c.network.kind.history_size(sizes.data(), sizes.size()) < 0) fail(c, "refused");
  std::vector<int32_t> ticket(2);
  Results results{unset(c.batch * c.steps * c.features() - missing),
                  unset(c.batch * c.state()), unset(a.inputs.size()),
                  unset(a.state.size()), unset(a.weights.size())};
  if (c.network.kind.forward(sizes.data(), sizes.size(), a.inputs.data(), a.mask.data(),
                          a.state.data(), a.weights.data(), results.features.data(),
                          results.last_state.data(), ticket.data()))
    fail(c, "forward pass refused");
  if (!is_known) ticket = {-1, -1};
  if (c.network.kind.backward(sizes.data(), sizes.size(), a.inputs.data(), a.mask.data(),
                           a.state.data(), a.weights.data(), ticket.data(),
                           a.d_features.data(), a.d_last_state.data(),
                           results.d_inputs.data(), results.d_state.data(),
                           results.d_weights.data()))
    fail(c, "backward pass refused");
  return results;
}

void check_without_history(const Case& c, const Arguments& a, const Results& expected) {
  const std::vector<int32_t> sizes = c.sizes(false);
  if (c.network.kind.history_size(sizes.data(), sizes.size()) != 0)
    fail(c, "history although nothing is saved");
  Numbers features(expected.features.size(), NOT_A_NUMBER);
  Numbers last_state(expected.last_state.size(), NOT_A_NUMBER);
  std::vector<int32_t> ticket(2);
  if (c.network.kind.forward(sizes.data(), sizes.size(), a.inputs.data(), a.mask.data(),
                          a.state.data(), a.weights.data(), features.data(),
                          last_state.data(), ticket.data()))
    fail(c, "forward pass without history refused");
  if (!same_bits(features, expected.features) ||
      !same_bits(last_state, expected.last_state))
    fail(c, "without history other results");
}

// Results are numbers, and the same in scratch memory that was used before, and from a
// history that was dropped.
void check(const Case& c) {
  const Arguments arguments(c);
  const Results results = run(c, arguments), again = run(c, arguments, false);
  for (size_t i = 0; i < results.all().size(); ++i) {
    const Numbers& numbers = *results.all()[i];
    for (float number : numbers)
      if (!std::isfinite(number)) fail(c, "a result is not set, or not a number");
    if (!same_bits(numbers, *again.all()[i])) fail(c, "the same call, other results");
  }
  check_without_history(c, arguments, results);
}

void check_all_sizes(const std::vector<int>& batches, const std::vector<int>& steps,
                     const std::vector<int>& threads) {
  size_t number = 0;
  for (const Network& network : NETWORKS)
    for (bool lstm : {true, false})
      for (int batch : batches)
        for (int count : steps)
          for (bool masked : {false, true})
            check({network, lstm, batch, count, threads[number++ % threads.size()],
                   masked});
}

void check_extreme_inputs() {
  constexpr float LARGEST = std::numeric_limits<float>::max();
  constexpr float INFINITE = std::numeric_limits<float>::infinity();
  for (const Network& network : NETWORKS)
    for (bool lstm : {true, false})
      for (float value : {NOT_A_NUMBER, INFINITE, -INFINITE, LARGEST, 0.0f}) {
        const Case c{network, lstm, 3, 9, 2, false};
        Arguments everywhere(c), once(c);
        std::fill(everywhere.inputs.begin(), everywhere.inputs.end(), value);
        std::fill(everywhere.state.begin(), everywhere.state.end(), value);
        run(c, everywhere);
        if (!once.inputs.empty()) once.inputs[once.inputs.size() / 2] = value;
        run(c, once);
      }
}

// Calls of several threads at the same time, each of which starts more.
void check_calls_at_the_same_time() {
  const Case cases[] = {{NETWORKS[0], true, 19, 9, 2, true},
                        {NETWORKS[4], false, 9, 9, 3, false},
                        {NETWORKS[9], true, 9, 9, 3, true},
                        {NETWORKS[14], true, 9, 9, 3, true},
                        {NETWORKS[16], true, 19, 40, 3, true},
                        {NETWORKS[19], true, 9, 9, 3, false}};
  std::vector<std::thread> threads;
  for (const Case& c : cases)
    threads.emplace_back([&c] {
      for (int i = 0; i < 4; ++i) check(c);
    });
  for (std::thread& thread : threads) thread.join();
}

void expect_refused(const Case& c, const std::vector<int32_t>& sizes) {
  const Kind& kind = c.network.kind;
  const int64_t count = sizes.size();
  if (kind.history_size(sizes.data(), count) != -1 ||
      kind.forward(sizes.data(), count, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                   nullptr) != 1 ||
      kind.backward(sizes.data(), count, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                    nullptr, nullptr, nullptr, nullptr) != 1)
    fail(c, "sizes out of range are taken");
}

// A place among the sizes and a value.
using Changes = std::vector<std::pair<int, int32_t>>;
enum { BATCH, STEPS, THREADS, SAVES, INPUT, ROWS, WORD, READ, WRITE, OPTIONS };
constexpr int32_t HUGE_SIZE = 1 << 30, LARGEST = std::numeric_limits<int32_t>::max();

// Changes of one of the sizes, or of their count, that must be refused, and touch
// nothing: there is nothing to touch.
void check_refusals(const Network& network, Changes changes) {
  const Case good{network, true, 2, 3, 1, false};
  const int clip = OPTIONS + static_cast<int>(network.options().size()) + 1, layers = clip + 1;
  const Changes of_all_kinds{
      {BATCH, -1},      {STEPS, -1},           {INPUT, -1},       {INPUT, LARGEST},
      {ROWS, 0},        {ROWS, HUGE_SIZE},     {ROWS, LARGEST},   {WORD, 0},
      {WORD, LARGEST},  {READ, 0},             {READ, LARGEST},   {WRITE, 0},
      {WRITE, LARGEST}, {clip, 0},             {clip, -1},        {THREADS, 0},
      {layers, 0},      {layers, 2},           {layers, LARGEST}, {layers, -1},
      {layers + 1, 0},  {layers + 1, LARGEST}, {layers + 1, -5}};
  changes.insert(changes.end(), of_all_kinds.begin(), of_all_kinds.end());
  const std::vector<int32_t> sizes = good.sizes(true);
  for (const auto& [place, value] : changes) {
    std::vector<int32_t> changed = sizes;
    changed[place] = value;
    expect_refused(good, changed);
  }
  for (size_t count = 0; count < sizes.size(); ++count)
    expect_refused(good, std::vector<int32_t>(sizes.begin(), sizes.begin() + count));
}

void check_refusals() {
  const int SHIFT = OPTIONS;
  check_refusals({"NTM", NTM, 9, 16, 6, 1, 1, 1, {12}},
                 {{ROWS, 2}, {SHIFT, -1}, {SHIFT, 8}, {SHIFT, HUGE_SIZE}, {SHIFT, LARGEST}});
  const int MASK_MIN = OPTIONS + 3;  // and links must not be off where they are sharpened
  check_refusals({"DNC", DNC, 9, 16, 6, 1, 1, LINKS | SHARPEN_LINKS, {12}},
                 {{OPTIONS, 0}, {MASK_MIN, bits_of(-0.1f)}, {MASK_MIN, bits_of(1.0f)},
                  {MASK_MIN, bits_of(NOT_A_NUMBER)}});
  const int DECAY = OPTIONS + 2;  // and each head reads and writes, a row of its own
  check_refusals({"LRUA", LRUA, 9, 16, 6, 2, 2, STRENGTHS, {12}},
                 {{ROWS, 1}, {READ, 1}, {WRITE, 3}, {DECAY, bits_of(-0.1f)},
                  {DECAY, bits_of(1.0f)}, {DECAY, bits_of(NOT_A_NUMBER)}});
}

void check_refusals_without_memory() {
  enum { UNITS = INPUT + 1, CLIP };
  for (const Network& network : {NETWORKS[16], NETWORKS[19]}) {
    const Case good{network, true, 2, 3, 1, false};
    const std::vector<int32_t> sizes = good.sizes(true);
    for (const auto& [place, value] :
         Changes{{BATCH, -1}, {STEPS, -1}, {INPUT, -1}, {INPUT, LARGEST}, {UNITS, 0},
                 {UNITS, LARGEST}, {CLIP, 0}, {CLIP, -1}, {THREADS, 0}}) {
      std::vector<int32_t> changed = sizes;
      changed[place] = value;
      expect_refused(good, changed);
    }
    for (size_t count = 0; count < sizes.size(); ++count)
      expect_refused(good, std::vector<int32_t>(sizes.begin(), sizes.begin() + count));
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "short") {
    const Case c{NETWORKS[0], true, 1, 1, 1, false};
    run(c, Arguments(c), true, 1);
  } else if (what == "threads") {
    check_all_sizes({9}, {9}, {2, 3});
    check_calls_at_the_same_time();
  } else {
    check_refusals();
    check_refusals_without_memory();
    // Blocks and stretches of steps that are whole, begun, or not there at all.
    check_all_sizes({0, 1, 11}, {0, 1, 9, 18}, {1, 2, 3});
    check_extreme_inputs();
    check_calls_at_the_same_time();
  }
  std::puts("done");
}
