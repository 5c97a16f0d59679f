// Vectors of floats as wide as the processor's registers, and the functions that the
// equations need. With the vector types of GCC and Clang the same code works on every
// processor.
#pragma once

#include <cstdint>
#include <cstring>

namespace memnets {

#if defined(__AVX512F__)
constexpr int LANES = 16;
#elif defined(__AVX__)
constexpr int LANES = 8;
#else
constexpr int LANES = 4;
#endif

// Small functions of vectors are only fast if they are inlined, also into lambdas.
#define MEMNETS_INLINE inline __attribute__((always_inline))
#define MEMNETS_LAMBDA __attribute__((always_inline))

typedef float vec __attribute__((vector_size(LANES * 4)));
typedef int32_t ivec __attribute__((vector_size(LANES * 4)));
typedef uint32_t uvec __attribute__((vector_size(LANES * 4)));  // wraps around

MEMNETS_INLINE vec fill(float x) { return vec{} + x; }

MEMNETS_INLINE vec load(const float* from) {
  vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

MEMNETS_INLINE void store(float* to, vec v) { std::memcpy(to, &v, sizeof v); }

// The first `count` lanes only; the others are 0 and are not touched.
MEMNETS_INLINE vec load(const float* from, int count) {
  if (count >= LANES) return load(from);
  vec v{};
  std::memcpy(&v, from, count * sizeof(float));
  return v;
}

MEMNETS_INLINE void store(float* to, vec v, int count) {
  if (count >= LANES) return store(to, v);
  std::memcpy(to, &v, count * sizeof(float));
}

// Calls `work(i, lanes)` for all of `count` floats, with complete vectors if there are
// at least LANES. The last vector may overlap the previous one: `work` must not read
// where it writes, unless the result is the same again.
template <class Work>
MEMNETS_INLINE void for_vectors(int count, Work work) {
  int i = 0;
  for (; i + LANES <= count; i += LANES) work(i, LANES);
  if (i < count && count >= LANES)
    work(count - LANES, LANES);
  else if (i < count)
    work(i, count - i);
}

// Calls `work(i, vectors)` for all of `count` floats, a multiple of LANES: four vectors
// at a time, as a constant, then one. Sums of four vectors need not wait for each other.
template <int count>
struct Vectors {
  static constexpr int COUNT = count;
};

template <class Work>
MEMNETS_INLINE void for_tiles(int count, Work work) {
  int i = 0;
  for (; i + 4 * LANES <= count; i += 4 * LANES) work(i, Vectors<4>());
  for (; i < count; i += LANES) work(i, Vectors<1>());
}

MEMNETS_INLINE vec smaller(vec a, vec b) { return b < a ? b : a; }
MEMNETS_INLINE vec larger(vec a, vec b) { return b > a ? b : a; }

// Adds the two halves until a few lanes are left: a short chain of operations.
template <int lanes, class V, class Join>
MEMNETS_INLINE float fold(V v, Join join) {
  if constexpr (lanes == 4) {
    return join(join(v[0], v[1]), join(v[2], v[3]));
  } else {
    typedef float Half __attribute__((vector_size(lanes / 2 * 4)));
    Half low, high;
    std::memcpy(&low, &v, sizeof low);
    std::memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof low, sizeof high);
    return fold<lanes / 2>(join(low, high), join);
  }
}

MEMNETS_INLINE float sum(vec v) {
  return fold<LANES>(v, [](auto a, auto b) MEMNETS_LAMBDA { return a + b; });
}

MEMNETS_INLINE float largest(vec v) {
  return fold<LANES>(v, [](auto a, auto b) MEMNETS_LAMBDA { return b > a ? b : a; });
}

// e^x to 2 units in the last place, clipped to [1.2e-38, 2.4e38]: the result is never
// infinite or a slow subnormal number. NaN stays NaN.
MEMNETS_INLINE vec exp(vec x) {
  x = smaller(larger(x, fill(-87.3f)), fill(88.3f));
  // 2^n e^r with |r| <= ln(2) / 2. Adding 1.5 * 2^23 rounds to the nearest integer.
  const vec rounder = fill(12582912.0f);
  const vec n = (x * 1.44269504f + rounder) - rounder;
  vec r = x - n * 0.693359375f;
  r = r + n * 2.12194440e-4f;
  vec p = fill(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const ivec power = (__builtin_convertvector(n, ivec) + 127) << 23;
  vec scale;
  std::memcpy(&scale, &power, sizeof scale);
  return p * scale;
}

// The natural logarithm of positive normal numbers; NaN where x <= 0 or NaN.
MEMNETS_INLINE vec log(vec x) {
  uvec bits;
  std::memcpy(&bits, &x, sizeof bits);
  // x = 2^n m with m in [sqrt(1/2), sqrt(2)).
  const ivec n = reinterpret_cast<ivec>(bits - 0x3f3504f3u) >> 23;
  const uvec mantissa = bits - (reinterpret_cast<uvec>(n) << 23);
  vec m;
  std::memcpy(&m, &mantissa, sizeof m);
  m -= 1.0f;
  vec p = fill(7.0376836292e-2f);
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  const vec square = m * m;
  const vec exponent = __builtin_convertvector(n, vec);
  vec y = p * m * square + exponent * -2.12194440e-4f - square * 0.5f + m;
  y = y + exponent * 0.693359375f;
  return x > 0.0f ? y : fill(__builtin_nanf(""));
}

MEMNETS_INLINE vec sigmoid(vec x) { return 1.0f / (1.0f + exp(-x)); }

MEMNETS_INLINE vec tanh(vec x) {
  // Near 0 a polynomial: 1 - 2 / (1 + e^2x) would lose all digits there.
  const vec square = x * x;
  vec p = fill(-5.70498872745e-3f);
  p = p * square + 2.06390887954e-2f;
  p = p * square - 5.37397155531e-2f;
  p = p * square + 1.33314422036e-1f;
  p = p * square - 3.33332819422e-1f;
  const vec near = p * square * x + x;
  const vec far = 1.0f - 2.0f / (1.0f + exp(x + x));
  return square < 0.390625f ? near : far;
}

}  // namespace memnets
