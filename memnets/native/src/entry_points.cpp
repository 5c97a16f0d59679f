// The functions of entry_points.h.
#include "entry_points.h"

namespace {

using namespace memnets;

enum Status { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2 };

template <class Work>
int guarded(Work work) {
  try {
    work();
    return OK;
  } catch (const std::bad_alloc&) {
    return OUT_OF_MEMORY;
  } catch (const std::exception&) {
    return INVALID;
  }
}

// Floats of the history of a call.
template <class Net>
size_t history_of(const typename Net::Sizes& s) {
  const size_t of_sequence = Net::history_of_sequence(s);
  if (1.0 * of_sequence * s.batch > 1e15) throw std::length_error("history too large");
  return of_sequence * s.batch;
}

template <class Net>
int64_t history_size(const int32_t* sizes, int64_t count) {
  int64_t size = -1;
  guarded([&] {
    const typename Net::Sizes s(sizes, count);
    size = s.saves ? static_cast<int64_t>(history_of<Net>(s)) : 0;
  });
  return size;
}

template <class Net>
int forward(const int32_t* sizes, int64_t count, const float* inputs, const uint8_t* mask,
            const float* state, const float* weights, float* features, float* last_state,
            int32_t* ticket) {
  return guarded([&] {
    const typename Net::Sizes s(sizes, count);
    const Net net(s, weights);
    int64_t number = 0;
    if (s.saves) {
      Floats history(history_of<Net>(s));
      net.forward(inputs, mask, state, features, last_state, history.get());
      number = Histories::shared().keep(std::move(history));
    } else {
      net.forward(inputs, mask, state, features, last_state, nullptr);
    }
    std::memcpy(ticket, &number, sizeof number);
  });
}

// The history of a ticket; if it is not kept, that of another forward pass.
template <class Net>
Floats history_again(const typename Net::Sizes& s, const Net& net, const int32_t* ticket,
                     const float* inputs, const uint8_t* mask, const float* state) {
  int64_t number;
  std::memcpy(&number, ticket, sizeof number);
  const size_t size = history_of<Net>(s);
  if (auto kept = Histories::shared().take(number); kept && kept->size() == std::max<size_t>(size, 1))
    return std::move(*kept);
  Floats history(size);
  const Floats features(size_t{1} * s.batch * s.steps * Net::features_size(s));
  const Floats last_state(size_t{1} * s.batch * Net::state_size(s));
  net.forward(inputs, mask, state, features.get(), last_state.get(), history.get());
  return history;
}

template <class Net>
int backward(const int32_t* sizes, int64_t count, const float* inputs, const uint8_t* mask,
             const float* state, const float* weights, const int32_t* ticket,
             const float* d_features, const float* d_last_state, float* d_inputs,
             float* d_state, float* d_weights) {
  return guarded([&] {
    typename Net::Sizes s(sizes, count);
    s.saves = true;
    const Net net(s, weights);
    const Floats history = history_again<Net>(s, net, ticket, inputs, mask, state);
    net.backward(inputs, mask, history.get(), d_features, d_last_state, d_inputs, d_state,
                 d_weights);
  });
}

}  // namespace

extern "C" {

int memnets_interface() { return 2; }

int memnets_processor_level() {
#if defined(__x86_64__)
  // The levels of the compiler have more, which a virtual machine may lack.
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2"))
    return 0;
  const bool wide = __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") &&
                    __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
  return wide ? 2 : 1;
#else
  return 0;
#endif
}

int memnets_lanes() { return LANES; }

#define MEMNETS_NAME(kind, Net) #kind " "
const char* memnets_kinds() { return MEMNETS_KINDS(MEMNETS_NAME); }

void memnets_lend_threads(Workers::Team team) { Workers::shared().lend(team); }

const char* memnets_message(int status) {
  switch (status) {
    case OK:
      return "done";
    case OUT_OF_MEMORY:
      return "memnets: out of memory in the compiled kernel; a smaller batch needs less";
    default:
      return "memnets: sizes that the compiled kernel refuses";
  }
}

#define MEMNETS_DEFINE(kind, Net)                                                          \
  int64_t memnets_##kind##_history_size(const int32_t* sizes, int64_t count) {             \
    return history_size<Net>(sizes, count);                                                \
  }                                                                                        \
  int memnets_##kind##_forward(const int32_t* sizes, int64_t count, const float* inputs,   \
                               const uint8_t* mask, const float* state,                    \
                               const float* weights, float* features, float* last_state,   \
                               int32_t* ticket) {                                          \
    return forward<Net>(sizes, count, inputs, mask, state, weights, features, last_state,  \
                        ticket);                                                           \
  }                                                                                        \
  int memnets_##kind##_backward(                                                           \
      const int32_t* sizes, int64_t count, const float* inputs, const uint8_t* mask,       \
      const float* state, const float* weights, const int32_t* ticket,                     \
      const float* d_features, const float* d_last_state, float* d_inputs, float* d_state, \
      float* d_weights) {                                                                  \
    return backward<Net>(sizes, count, inputs, mask, state, weights, ticket, d_features,   \
                         d_last_state, d_inputs, d_state, d_weights);                      \
  }

MEMNETS_KINDS(MEMNETS_DEFINE)

}  // extern "C"
