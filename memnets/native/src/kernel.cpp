// The functions of kernel.h.
#include "kernel.h"

#include "dnc.h"
#include "lrua.h"
#include "network.h"
#include "ntm.h"

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

template <class Memory>
int64_t history_size(const int32_t* sizes, int64_t count) {
  int64_t size = -1;
  guarded([&] {
    const typename Memory::Sizes s(sizes, count);
    if (!s.saves) {
      size = 0;
      return;
    }
    const size_t of_sequence = Network<Memory>::history_of(s).size();
    if (1.0 * of_sequence * s.batch > 1e15) throw std::length_error("history too large");
    size = static_cast<int64_t>(of_sequence) * s.batch;
  });
  return size;
}

template <class Memory>
int forward(const int32_t* sizes, int64_t count, const float* inputs, const uint8_t* mask,
            const float* state, const float* weights, float* features, float* last_state,
            float* history) {
  return guarded([&] {
    const typename Memory::Sizes s(sizes, count);
    const Network<Memory> network(s, weights, false);
    for_blocks(network.blocks(), s.threads, [&](int block) {
      network.forward(block, inputs, mask, state, features, last_state, history);
    });
  });
}

template <class Memory>
int backward(const int32_t* sizes, int64_t count, const float* inputs, const uint8_t* mask,
             const float* weights, const float* history, const float* d_features,
             const float* d_last_state, float* d_inputs, float* d_state,
             float* d_weights) {
  return guarded([&] {
    const typename Memory::Sizes s(sizes, count);
    if (!s.saves) throw std::invalid_argument("there is no history");
    const Network<Memory> network(s, weights, true);
    std::memset(d_weights, 0, s.weights_size * sizeof(float));
    OrderedSum sum(network, d_weights);
    for_blocks(network.blocks(), s.threads, [&](int block) {
      Floats own(network.sums_size());
      network.backward(block, inputs, mask, history, d_features, d_last_state, d_inputs,
                       d_state, own.get());
      sum.add(block, std::move(own));
    });
  });
}

}  // namespace

extern "C" {

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

int memnets_checkpoint_steps() { return CHECKPOINT; }

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

#define MEMNETS_DEFINE(kind, Memory)                                                       \
  int64_t memnets_##kind##_history_size(const int32_t* sizes, int64_t count) {             \
    return history_size<Memory>(sizes, count);                                             \
  }                                                                                        \
  int memnets_##kind##_forward(const int32_t* sizes, int64_t count, const float* inputs,   \
                               const uint8_t* mask, const float* state,                    \
                               const float* weights, float* features, float* last_state,   \
                               float* history) {                                           \
    return forward<Memory>(sizes, count, inputs, mask, state, weights, features,           \
                           last_state, history);                                           \
  }                                                                                        \
  int memnets_##kind##_backward(const int32_t* sizes, int64_t count, const float* inputs,  \
                                const uint8_t* mask, const float* weights,                 \
                                const float* history, const float* d_features,             \
                                const float* d_last_state, float* d_inputs,                \
                                float* d_state, float* d_weights) {                        \
    return backward<Memory>(sizes, count, inputs, mask, weights, history, d_features,      \
                            d_last_state, d_inputs, d_state, d_weights);                   \
  }

MEMNETS_DEFINE(ntm, NTMMemory)
MEMNETS_DEFINE(dnc, DNCMemory)
MEMNETS_DEFINE(lrua, LRUAMemory)

}  // extern "C"
