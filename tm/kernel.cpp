// The functions of kernel.h.
#include "kernel.h"

#include "network.h"
#include <chrono>
#include <cstdio>
struct Clock { const char* n; double total=0; long calls=0; std::vector<double> all; ~Clock(){ std::sort(all.begin(),all.end()); fprintf(stderr,"%s calls %ld median %.3f ms min %.3f mean %.3f\n",n,calls,all.empty()?0:all[all.size()/2]*1e3,all.empty()?0:all[0]*1e3,total/calls*1e3);} };
static Clock fw{"forward"}, bw{"backward"};
struct Timed { Clock& c; std::chrono::steady_clock::time_point t=std::chrono::steady_clock::now(); ~Timed(){ double d=std::chrono::duration<double>(std::chrono::steady_clock::now()-t).count(); c.total+=d;c.calls++;c.all.push_back(d);} };

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

}  // namespace

extern "C" {

int memnets_processor_level() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
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

int64_t memnets_ntm_history_size(const int32_t* sizes, int64_t count) {
  int64_t size = -1;
  guarded([&] {
    const Sizes s(sizes, count);
    if (s.saves) {
      const double floats = 1.0 * History(s).size() * s.batch;
      if (floats > 1e15) throw std::length_error("history too large");
      size = static_cast<int64_t>(History(s).size()) * s.batch;
    } else {
      size = 0;
    }
  });
  return size;
}

int memnets_ntm_forward(const int32_t* sizes, int64_t count, const float* inputs,
                        const uint8_t* mask, const float* state, const float* weights,
                        float* features, float* last_state, float* history) {
  Timed timed{fw};
  return guarded([&] {
    const Sizes s(sizes, count);
    const Network network(s, weights, false);
    const int threads = std::max(1, std::min(s.threads, network.blocks()));
    in_parallel(threads, [&](int thread) {
      for (int block = thread; block < network.blocks(); block += threads)
        network.forward(block, inputs, mask, state, features, last_state, history);
    });
  });
}

int memnets_ntm_backward(const int32_t* sizes, int64_t count, const uint8_t* mask,
                         const float* weights, const float* history,
                         const float* d_features, const float* d_last_state,
                         float* d_inputs, float* d_state, float* d_weights) {
  Timed timed{bw};
  return guarded([&] {
    const Sizes s(sizes, count);
    if (!s.saves) throw std::invalid_argument("there is no history");
    const Network network(s, weights, true);
    const int threads = std::max(1, std::min(s.threads, network.blocks()));
    // Sums for each thread, added up in their order: the same call gives the same bits.
    std::vector<Floats> sums;
    for (int thread = 0; thread < threads; ++thread) sums.emplace_back(network.sums_size());
    in_parallel(threads, [&](int thread) {
      float* sum = sums[thread].get();
      std::memset(sum, 0, network.sums_size() * sizeof(float));
      for (int block = thread; block < network.blocks(); block += threads)
        network.backward(block, mask, history, d_features, d_last_state, d_inputs,
                         d_state, sum);
    });
    std::memset(d_weights, 0, s.weights_size * sizeof(float));
    for (const Floats& sum : sums) network.add_sums(sum.get(), d_weights);
  });
}

}  // extern "C"
