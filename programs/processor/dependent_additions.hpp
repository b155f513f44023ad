// A chain of integer additions, register to register, each of which waits for the one before: one cycle an addition on
// every processor model that this runs on (McVoy and Staelin 1996, lmbench mhz). Timed, it gives the length of a cycle.
#pragma once

#include <cstdint>

#include "timing/opaque.hpp"

namespace assay::processor {

constexpr std::int64_t additions_at_once = 64;  // additions come in multiples of this

[[gnu::noinline]] inline std::uint64_t add_up(std::uint64_t sum, std::uint64_t step, std::int64_t additions) {
  for (; additions > 0; additions -= additions_at_once) {
#pragma GCC unroll 64
    for (int k = 0; k < additions_at_once; ++k) {
      sum += step;
      timing::opaque(sum);
    }
  }
  return sum;
}

}  // namespace assay::processor
