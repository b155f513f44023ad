// Errors in units in the last place of a format T (float, double), by Goldberg's definition as Muller et al. extend it
// ("Handbook of Floating-Point Arithmetic", 2.3): for a reference y with 2^e <= |y| < 2^(e+1) one ulp is 2^(e-p+1), p
// digits, where e is at least that of the least normal number (subnormals and zero: the least subnormal) and at most
// that of the greatest finite one.
//
// Infinity: right where y rounds to it; where y does not, infinity counts as the first power of two beyond the format,
// and a finite result where y rounds to infinity by its distance from y. NaN is right where the reference is NaN.
// A result of another kind (NaN for a number, the wrong infinity, a number for NaN) has no right digit: 2^p ulp, which
// is also the most that any error counts. The sign of zero is not judged.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace assay::kernels {

struct Error {
  double ulp = 0;
  bool other_kind = false;  // NaN or infinity where the reference is none, or the reverse
};

template <class T>
struct Format {
  static constexpr int digits = std::numeric_limits<T>::digits;                // p
  static constexpr int least = std::numeric_limits<T>::min_exponent - 1;       // e of the least normal number
  static constexpr int greatest = std::numeric_limits<T>::max_exponent - 1;    // e of the greatest number
  static constexpr double most = 1.0 / std::numeric_limits<T>::epsilon() * 2;  // 2^p

  static int exponent_of_ulp(int exponent) { return std::clamp(exponent, least, greatest) - digits + 1; }
};

// A power of two that is a normal double.
inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

template <class T, class Wide>
Error error_by_cases(T made, Wide y) {
  using F = Format<T>;
  const Error none{0, false}, other{F::most, true};
  if (std::isnan(y)) return std::isnan(made) ? none : other;
  if (std::isnan(made)) return other;
  if (std::isinf(y)) return static_cast<Wide>(made) == y ? none : other;
  const bool beyond = std::isinf(static_cast<T>(y));
  Wide value = made;
  if (std::isinf(made)) {
    if (std::signbit(made) != std::signbit(y)) return other;
    if (beyond) return none;
    value = std::copysign(std::ldexp(Wide{1}, F::greatest + 1), y);
  }
  const int exponent = y == 0 ? F::least : std::ilogb(y);
  const Wide ulp = std::ldexp(std::abs(value - y), -F::exponent_of_ulp(exponent));
  return {std::min(static_cast<double>(ulp), F::most), false};
}

// `y`: the exact value, or one in a wider format; with an error far below an ulp of T.
template <class T, class Wide>
[[gnu::always_inline]] inline Error error_of(T made, Wide y) {
  if constexpr (sizeof(T) == 4 && sizeof(Wide) == 8) {  // nearly all, as by cases: all 2^32 are judged
    using F = Format<T>;
    const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(y) >> 52 & 0x7ff) - 1023;
    if (exponent >= F::least && exponent <= F::greatest && std::abs(made) <= std::numeric_limits<T>::max()) [[likely]]
      return {std::min(std::abs(made - y) * power_of_two(F::digits - 1 - exponent), F::most), false};
  }
  return error_by_cases(made, y);
}

}  // namespace assay::kernels
