// One arithmetic step, as a chain or as independent chains, and the affine map that it amounts to (for the check).
//
// A step takes x to x+y, x-y, x*y, y/x, fma(x,y,c) or x*y + c*d + e*f, with y and z in turn, so that floating point
// values stay where they are over any number of steps. Two steps are an affine map x -> A x + B (division: A = z/y up
// to rounding); n steps are its n/2-th power, which the check takes by repeated squaring, in modular integers or in
// long double, and compares.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "timing/opaque.hpp"

namespace assay::historical {

template <class T>
struct Operands {
  T y, z, c, d, e, f;
};

template <class T>
using Unsigned = std::make_unsigned_t<T>;

// Integers wrap: computed unsigned, where overflow is defined; the instructions are the same.
template <class T, class F>
[[gnu::always_inline]] inline T wrap(F formula, auto... values) {
  if constexpr (std::is_integral_v<T>) {
    using Wide =
        std::conditional_t<(sizeof(T) < 4), std::uint32_t, Unsigned<T>>;  // of shorts, no product overflows int
    return static_cast<T>(formula(static_cast<Wide>(values)...));
  } else {
    return static_cast<T>(formula(values...));
  }
}

struct Add {
  static constexpr int operations = 1;
  template <class T>
  [[gnu::always_inline]] static T step(T x, T y, Operands<T>&) {
    return wrap<T>([](auto a, auto b) { return a + b; }, x, y);
  }
  template <class W>
  static std::pair<W, W> pair(const Operands<W>& in) {
    return {W(1), in.y + in.z};
  }
};

struct Subtract {
  static constexpr int operations = 1;
  template <class T>
  [[gnu::always_inline]] static T step(T x, T y, Operands<T>&) {
    return wrap<T>([](auto a, auto b) { return a - b; }, x, y);
  }
  template <class W>
  static std::pair<W, W> pair(const Operands<W>& in) {
    return {W(1), W(0) - in.y - in.z};
  }
};

struct Multiply {
  static constexpr int operations = 1;
  template <class T>
  [[gnu::always_inline]] static T step(T x, T y, Operands<T>&) {
    return wrap<T>([](auto a, auto b) { return a * b; }, x, y);
  }
  template <class W>
  static std::pair<W, W> pair(const Operands<W>& in) {
    return {in.y * in.z, W(0)};
  }
};

struct Divide {
  static constexpr int operations = 1;
  template <class T>
  [[gnu::always_inline]] static T step(T x, T y, Operands<T>&) {
    return static_cast<T>(y / x);
  }
  template <class W>
  static std::pair<W, W> pair(const Operands<W>& in) {
    return {in.z / in.y, W(0)};
  }
};

struct FusedMultiplyAdd {
  static constexpr int operations = 1;
  template <class T>
  [[gnu::always_inline]] static T step(T x, T y, Operands<T>& in) {
    return std::fma(x, y, in.c);
  }
  template <class W>
  static std::pair<W, W> pair(const Operands<W>& in) {
    return {in.y * in.z, in.c * in.z + in.c};
  }
};

struct Compound {  // the sum of three products, five operations
  static constexpr int operations = 5;
  template <class T>
  [[gnu::always_inline]] static T step(T x, T y, Operands<T>& in) {
    timing::opaque(in.c);  // or the products would be taken once, before the loop
    timing::opaque(in.e);
    return wrap<T>([](auto a, auto b, auto c, auto d, auto e, auto f) { return a * b + c * d + e * f; }, x, y, in.c,
                   in.d, in.e, in.f);
  }
  template <class W>
  static std::pair<W, W> pair(const Operands<W>& in) {
    const W sum = in.c * in.d + in.e * in.f;
    return {in.y * in.z, sum * in.z + sum};
  }
};

// The measured loop: `steps` steps of each of `chains` independent values, unrolled, so many times over. Every value
// stays in its register and is opaque after each step: no step can be removed, merged, reordered or made a vector.
template <class T, class Operation, std::size_t chains, std::size_t steps>
[[gnu::noinline]] void kernel(std::array<T, chains>& values, Operands<T> in, std::int64_t iterations) {
  std::array<T, chains> x = values;
  timing::opaque(in.y);
  timing::opaque(in.z);
  for (; iterations > 0; --iterations) {
    [&]<std::size_t... at>(std::index_sequence<at...>) __attribute__((always_inline)) {
      ((x[at % chains] = Operation::template step<T>(x[at % chains], at / chains % 2 ? in.z : in.y, in),
        timing::opaque(x[at % chains])),
       ...);
    }(std::make_index_sequence<chains * steps>());
  }
#ifdef ASSAY_BREAK
  x[0] = static_cast<T>(7);  // no number that could come to divide by zero
#endif
  values = x;
}

// The loop alone, as the paper subtracts it.
[[gnu::noinline]] inline void empty_kernel(std::int64_t iterations) {
  for (; iterations > 0; --iterations) asm volatile("");
}

// x after `count` times x -> A x + B, in W arithmetic.
template <class W>
W affine_power(std::pair<W, W> map, std::uint64_t count, W x) {
  for (; count > 0; count /= 2) {
    if (count % 2) x = map.first * x + map.second;
    map = {map.first * map.first, map.first * map.second + map.second};
  }
  return x;
}

// Integer division digit by digit in base two, of positive numbers.
inline std::int64_t long_division(std::int64_t dividend, std::int64_t divisor) {
  std::int64_t quotient = 0, rest = 0;
  for (int bit = 62; bit >= 0; --bit) {
    rest = 2 * rest + ((dividend >> bit) & 1);
    quotient *= 2;
    if (rest >= divisor) {
      rest -= divisor;
      ++quotient;
    }
  }
  return quotient;
}

}  // namespace assay::historical
