// Independent parts of a computation, on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "flush.h"
#include "workers.h"

namespace memnets {

// Runs `work(block)` for all blocks, on at most as many threads as blocks. An exception
// in one of them is thrown again here.
template <class Work>
void for_blocks(int blocks, int threads, Work work) {
  std::atomic<int> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  auto take_blocks = [&] {
    try {
      const FlushSubnormals flush;
      for (int block = next++; block < blocks; block = next++) work(block);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  Workers::shared().run(std::min(threads, blocks) - 1, take_blocks);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace memnets
