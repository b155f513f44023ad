// The pseudo-random numbers of the NAS benchmarks: x[k+1] = 5^13 x[k] modulo 2^46, as numbers from 0 to 1.
// Source: Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, section 2.3.
#pragma once

#include <cstdint>

namespace assay::applications::nas {

inline constexpr std::uint64_t multiplier = 1220703125, modulo_mask = (std::uint64_t{1} << 46) - 1;
inline constexpr double unit = 1.0 / static_cast<double>(std::uint64_t{1} << 46);

// The lower 46 bits of a product need no more than its lower 64.
inline constexpr std::uint64_t times(std::uint64_t a, std::uint64_t x) { return (a * x) & modulo_mask; }

// The multiplier of so many steps at once.
inline constexpr std::uint64_t steps(std::uint64_t count, std::uint64_t a = multiplier) {
  std::uint64_t all = 1;
  for (; count > 0; count /= 2, a = times(a, a))
    if (count % 2 == 1) all = times(all, a);
  return all;
}

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}
  constexpr double next() {
    state_ = times(multiplier, state_);
    return static_cast<double>(state_) * unit;
  }
  constexpr void skip(std::uint64_t count) { state_ = times(steps(count), state_); }
  constexpr std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

}  // namespace assay::applications::nas
