// Treats numbers below 1e-38 as zero. Sharp attention produces thousands of them. They
// do not change the results, and on many processors they cost a hundred times as much as
// other numbers. TensorFlow and XLA do the same in their threads.
#pragma once

#include <cstdint>

namespace memnets {

// Active during the lifetime of the object, in the thread that created it.
class FlushSubnormals {
#if defined(__SSE__)
 public:
  FlushSubnormals() : before_(__builtin_ia32_stmxcsr()) {
    __builtin_ia32_ldmxcsr(before_ | 0x8040);  // flush results, and operands
  }
  ~FlushSubnormals() { __builtin_ia32_ldmxcsr(before_); }

 private:
  const unsigned before_;
#elif defined(__aarch64__)
 public:
  FlushSubnormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    const uint64_t flushing = before_ | (uint64_t{1} << 24);
    asm volatile("msr fpcr, %0" : : "r"(flushing));
  }
  ~FlushSubnormals() { asm volatile("msr fpcr, %0" : : "r"(before_)); }

 private:
  uint64_t before_;
#else
 public:
  FlushSubnormals() {}
#endif

 public:
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;
};

}  // namespace memnets
