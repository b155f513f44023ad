// The loops of stream, once as a person writes them (the compiler chooses the vectors) and once over vectors of a
// stated width. A part of an array is whole chunks of 64 doubles, so that no loop has a remainder. The destination is
// always `a`; `b` and `c` are never written, so that every result has a closed form whatever ran before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "timing/opaque.hpp"

namespace assay::memory {

inline constexpr std::int64_t chunk = 64;  // doubles
inline constexpr double scalar = 3.0;

struct Part {
  double* a;
  const double* b;
  const double* c;
  std::int64_t count;  // of doubles, a multiple of `chunk`
  std::int64_t sum;    // what read found, of the bits as integers
};

using Loop = void (*)(Part&);

// --- as a person writes them
// ------------------------------------------------------------------------------------------

using Bits [[gnu::may_alias]] = std::uint64_t;  // unsigned: the sum may wrap

[[gnu::noinline]] inline void compiled_read(Part& part) {
  const Bits* b = reinterpret_cast<const Bits*>(part.b);
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < part.count; ++i) sum += b[i];
  part.sum = static_cast<std::int64_t>(sum);
}
[[gnu::noinline]] inline void compiled_write(Part& part) {
  double* a = part.a;
  double value = scalar;
  timing::opaque(value);
  for (std::int64_t i = 0; i < part.count; ++i) a[i] = value;
}
[[gnu::noinline]] inline void compiled_copy(Part& part) {
  double* __restrict a = part.a;
  const double* __restrict b = part.b;
  for (std::int64_t i = 0; i < part.count; ++i) a[i] = b[i];
}
[[gnu::noinline]] inline void compiled_scale(Part& part) {
  double* __restrict a = part.a;
  const double* __restrict b = part.b;
  for (std::int64_t i = 0; i < part.count; ++i) a[i] = scalar * b[i];
}
[[gnu::noinline]] inline void compiled_add(Part& part) {
  double* __restrict a = part.a;
  const double* __restrict b = part.b, * __restrict c = part.c;
  for (std::int64_t i = 0; i < part.count; ++i) a[i] = b[i] + c[i];
}
[[gnu::noinline]] inline void compiled_triad(Part& part) {
  double* __restrict a = part.a;
  const double* __restrict b = part.b, * __restrict c = part.c;
  for (std::int64_t i = 0; i < part.count; ++i) a[i] = b[i] + scalar * c[i];
}

// --- over vectors of a stated width
// -----------------------------------------------------------------------------------

template <std::size_t Bytes>
struct Vector {
  using type [[gnu::vector_size(Bytes), gnu::may_alias]] = double;
  using bits [[gnu::vector_size(Bytes), gnu::may_alias]] = std::uint64_t;
};

enum class Kernel { read, write, copy, scale, add, triad };

// Past the caches, straight to memory; a CPU without such stores of this width has none.
template <std::size_t Bytes>
inline constexpr bool streams =
#if defined(__AVX512F__)
    Bytes == 16 || Bytes == 32 || Bytes == 64;
#elif defined(__AVX__)
    Bytes == 16 || Bytes == 32;
#elif defined(__x86_64__)
    Bytes == 16;
#else
    false;
#endif

template <std::size_t Bytes>
[[gnu::always_inline]] inline void store_streaming(double* to, typename Vector<Bytes>::type value) {
#if defined(__x86_64__)
  if constexpr (Bytes == 16) _mm_stream_pd(to, (__m128d)value);
#if defined(__AVX__)
  if constexpr (Bytes == 32) _mm256_stream_pd(to, (__m256d)value);
#endif
#if defined(__AVX512F__)
  if constexpr (Bytes == 64) _mm512_stream_pd(to, (__m512d)value);
#endif
#else
  (void)to;
  (void)value;
#endif
}

template <Kernel kernel, std::size_t Bytes, bool streaming>
[[gnu::noinline]] void wide(Part& part) {
  using V = typename Vector<Bytes>::type;
  constexpr std::int64_t lanes = Bytes / sizeof(double), unroll = 8 / (Bytes / 8) > 0 ? 8 : 4;
  double* a = part.a;
  const double *b = part.b, *c = part.c;
  if constexpr (kernel == Kernel::read) {
    using U = typename Vector<Bytes>::bits;
    U sums[unroll] = {};
    for (std::int64_t i = 0; i < part.count; i += lanes * unroll)
#pragma GCC unroll 8
      for (std::int64_t k = 0; k < unroll; ++k) sums[k] += *reinterpret_cast<const U*>(b + i + k * lanes);
    std::uint64_t sum = 0;
    for (const U& each : sums)
      for (std::int64_t lane = 0; lane < lanes; ++lane) sum += each[lane];
    part.sum = static_cast<std::int64_t>(sum);
    return;
  }
  double held = scalar;
  timing::opaque(held);
  const V value = held - V{};
  for (std::int64_t i = 0; i < part.count; i += lanes * unroll)
#pragma GCC unroll 8
    for (std::int64_t k = 0; k < unroll; ++k) {
      const std::int64_t at = i + k * lanes;
      V result = value;
      if constexpr (kernel != Kernel::write) {
        const V x = *reinterpret_cast<const V*>(b + at);
        if constexpr (kernel == Kernel::copy) result = x;
        if constexpr (kernel == Kernel::scale) result = value * x;
        if constexpr (kernel == Kernel::add) result = x + *reinterpret_cast<const V*>(c + at);
        if constexpr (kernel == Kernel::triad) result = x + value * *reinterpret_cast<const V*>(c + at);
      }
      if constexpr (streaming) {
        store_streaming<Bytes>(a + at, result);
      } else {
        *reinterpret_cast<V*>(a + at) = result;
        asm volatile("" : : "r"(a + at) : "memory");  // or a plain copy would become a call of memcpy
      }
    }
#if defined(__x86_64__)
  if constexpr (streaming) _mm_sfence();
#endif
}

// --- by name
// ----------------------------------------------------------------------------------------------------------

template <std::size_t Bytes, bool streaming>
Loop wide_loop(Kernel kernel) {
  switch (kernel) {
    case Kernel::read:
      return streaming ? nullptr : &wide<Kernel::read, Bytes, false>;
    case Kernel::write:
      return &wide<Kernel::write, Bytes, streaming>;
    case Kernel::copy:
      return &wide<Kernel::copy, Bytes, streaming>;
    case Kernel::scale:
      return &wide<Kernel::scale, Bytes, streaming>;
    case Kernel::add:
      return &wide<Kernel::add, Bytes, streaming>;
    case Kernel::triad:
      return &wide<Kernel::triad, Bytes, streaming>;
  }
  return nullptr;
}

template <std::size_t Bytes>
Loop loop_of_width(Kernel kernel, bool streaming) {
  if (!streaming) return wide_loop<Bytes, false>(kernel);
  if constexpr (streams<Bytes>) return wide_loop<Bytes, true>(kernel);
  return nullptr;
}

inline constexpr std::size_t native_bytes =
#if defined(__AVX512F__)
    64;
#elif defined(__AVX__)
    32;
#else
    16;
#endif

// Null where this CPU has no such vectors or stores. `bits` 0: as compiled.
inline Loop find_loop(Kernel kernel, bool streaming, std::int64_t bits) {
  constexpr Loop compiled[] = {compiled_read,  compiled_write, compiled_copy,
                               compiled_scale, compiled_add,   compiled_triad};
  if (bits == 0 && !streaming) return compiled[static_cast<int>(kernel)];
  const std::size_t bytes = bits == 0 ? native_bytes : static_cast<std::size_t>(bits) / 8;
  if (bytes > native_bytes) return nullptr;
  switch (bytes) {
    case 8:
      return loop_of_width<8>(kernel, streaming);
    case 16:
      return loop_of_width<16>(kernel, streaming);
#if defined(__AVX__)
    case 32:
      return loop_of_width<32>(kernel, streaming);
#endif
#if defined(__AVX512F__)
    case 64:
      return loop_of_width<64>(kernel, streaming);
#endif
    default:
      return nullptr;
  }
}

}  // namespace assay::memory
