// The measured loops of roofs.cpp, compiled once for each width of vectors: ASSAY_WIDTH names it, ASSAY_BYTES is a
// vector's bytes. Nothing else is compiled with these flags, and the loops run only where the processor has their
// instructions: no inline function of another header may stand here, or its copy with them could be linked for all.
#include "memory/roofs/width.hpp"
#include "timing/opaque.hpp"

#ifndef ASSAY_BREAK  // for tests: 1, every round ends a vector short; 2, nothing is done
#define ASSAY_BREAK 0
#endif

namespace assay::memory::roofs::ASSAY_WIDTH {

namespace {

constexpr std::int64_t bytes = ASSAY_BYTES;

// Rounds of 4 KiB at most, of as few instructions as the wide vectors allow. Golden Cove loads 1.99 vectors of 512 bits
// per cycle where every load of the loop finds the line that it found the round before, and 1.80 from a set of several
// rounds; of narrower ones 2.98 and 2.6 to 2.9.
constexpr std::int64_t vectors = bytes == 64 ? 64 : 128;

#if ASSAY_BYTES == 8
using Words [[gnu::may_alias]] = std::uint64_t;
using Reals [[gnu::may_alias]] = double;
constexpr bool compiled = true;
#else
using Words [[gnu::vector_size(ASSAY_BYTES), gnu::may_alias]] = std::uint64_t;
using Reals [[gnu::vector_size(ASSAY_BYTES), gnu::may_alias]] = double;
#if defined(__x86_64__)
#if defined(__AVX512F__)
constexpr std::int64_t widest = 64;
#elif defined(__AVX2__)
constexpr std::int64_t widest = 32;
#else
constexpr std::int64_t widest = 16;
#endif
#elif defined(__ARM_NEON) || defined(__VSX__)
constexpr std::int64_t widest = 16;
#else
constexpr std::int64_t widest = 8;
#endif
constexpr bool compiled = bytes <= widest;
#endif

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__VSX__)
constexpr bool fused = true;
#else
constexpr bool fused = false;
#endif

bool here() {
#if defined(__x86_64__)
#if defined(__FMA__)
  if (!__builtin_cpu_supports("fma")) return false;
#endif
  if (bytes == 64) return __builtin_cpu_supports("avx512f");
  if (bytes == 32) return __builtin_cpu_supports("avx2");
#endif
  return true;
}

#if ASSAY_BYTES == 8
[[gnu::always_inline]] inline std::uint64_t sum_of(Words words) { return words; }
#else
[[gnu::always_inline]] inline std::uint64_t sum_of(Words words) {
  std::uint64_t sum = 0;
  for (std::int64_t lane = 0; lane < bytes / 8; ++lane) sum += words[lane];
  return sum;
}
#endif

// A register takes the next vector: alone, as it is measured, or added to what it holds, to verify the loop.
template <bool adds>
[[gnu::always_inline]] inline void take(Words& held, const char* from) {
  const Words& next = *reinterpret_cast<const Words*>(from);
  held = adds ? held + next : next;
  timing::opaque(held);  // or the compiler would leave out loads, or add up in another order
}

// Loads alone: an addition of each vector costs a third of the rate where a core adds no more of them than it loads
// (Golden Cove: 2.1 instead of 2.7 vectors of 256 bits per cycle). Returns the sum of what the eight registers hold.
template <bool adds>
[[gnu::always_inline]] inline std::uint64_t loads(const char* from, std::int64_t wrap, std::int64_t rounds) {
#if ASSAY_BREAK == 2
  rounds = 0;
#endif
  Words a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{};
  for (std::int64_t at = 0; rounds > 0; --rounds, at = (at + vectors * bytes) & wrap) {
    const char* round = from + at;
    timing::opaque(round);  // one address a round: with one for each eight loads Golden Cove makes 2.7 instead of 2.98
#pragma GCC unroll 16
    for (std::int64_t k = 0; k < vectors; k += 8) {
      const char* const next = round + k * bytes;
      take<adds>(a, next);
      take<adds>(b, next + bytes);
      take<adds>(c, next + 2 * bytes);
      take<adds>(d, next + 3 * bytes);
      take<adds>(e, next + 4 * bytes);
      take<adds>(f, next + 5 * bytes);
      take<adds>(g, next + 6 * bytes);
#if ASSAY_BREAK != 1
      take<adds>(h, next + 7 * bytes);
#endif
    }
  }
  return sum_of(a + b + c + d + e + f + g + h);
}

std::uint64_t load(const char* from, std::int64_t wrap, std::int64_t rounds) {
  return loads<false>(from, wrap, rounds);
}

std::uint64_t add(const char* from, std::int64_t wrap, std::int64_t rounds) { return loads<true>(from, wrap, rounds); }

void store(char* to, std::int64_t wrap, std::int64_t rounds, std::uint64_t word) {
#if ASSAY_BREAK == 2
  rounds = 0;
#endif
  timing::opaque(word);
  const Words value = word - Words{};
  for (std::int64_t at = 0; rounds > 0; --rounds, at = (at + vectors * bytes) & wrap) {
#pragma GCC unroll 128
    for (std::int64_t k = 0; k < vectors - (ASSAY_BREAK == 1); ++k)
      *reinterpret_cast<Words*>(to + at + k * bytes) = value;
    timing::touched();  // or stores of the round before would be dead
  }
}

void copy(char* to, const char* from, std::int64_t wrap, std::int64_t rounds) {
#if ASSAY_BREAK == 2
  rounds = 0;
#endif
  for (std::int64_t at = 0; rounds > 0; --rounds, at = (at + vectors * bytes) & wrap) {
#pragma GCC unroll 128
    for (std::int64_t k = 0; k < vectors - (ASSAY_BREAK == 1); ++k) {
      *reinterpret_cast<Words*>(to + at + k * bytes) = *reinterpret_cast<const Words*>(from + at + k * bytes);
      timing::touched();  // in this order: else vectors go through memory in groups as large as there are registers
    }
  }
}

// More chains than two units hold in flight (2 x 5 cycles), and as many as registers allow: four units of 4 cycles.
#if (defined(__AVX512F__) && ASSAY_BYTES == 64) || defined(__aarch64__)
constexpr std::int64_t chains = 24;
#else
constexpr std::int64_t chains = 12;
#endif

void multiply_add(double* sums, double factor, double term, std::int64_t times) {
#if ASSAY_BREAK == 2
  times = 0;
#endif
  const Reals by = factor - Reals{}, plus = term - Reals{};
  Reals held[chains];
  for (std::int64_t k = 0; k < chains; ++k) held[k] = *reinterpret_cast<const Reals*>(sums + k * (bytes / 8));
  for (; times > 0; --times)
#pragma GCC unroll 24
    for (std::int64_t k = ASSAY_BREAK == 1; k < chains; ++k) held[k] = held[k] * by + plus;
  for (std::int64_t k = 0; k < chains; ++k) *reinterpret_cast<Reals*>(sums + k * (bytes / 8)) = held[k];
}

}  // namespace

const Width width = {compiled ? bytes : 0, vectors, fused, chains, here, load, add, store, copy, multiply_add};

}  // namespace assay::memory::roofs::ASSAY_WIDTH
