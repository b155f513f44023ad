// Reductions of packed elements, which the simulator carries out between the steps of collective calls, and ranks.
//
// An element of a MINLOC type is its value and its index, one right after the other. Which operation is for which type
// is MPI's table (section 6.9.2 of MPI 4.1), and MPI_CHAR is taken as a number, as MPICH takes it.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace assay::abi {

// What an element of a predefined type is.
enum class Basic : std::uint8_t {
  none,  // of a derived type
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64,
  float80,
  complex64,
  complex128,
  complex160,
  logical8,
  logical16,
  logical32,
  logical64,
  boolean,
  byte,
  character,
  float_int,
  double_int,
  long_int,
  two_int,
  short_int,
  long_double_int,
  two_float,
  two_double
};
enum class Reduction : std::uint8_t {
  none,  // the program's own
  sum,
  min,
  max,
  prod,
  band,
  bor,
  bxor,
  land,
  lor,
  lxor,
  minloc,
  maxloc,
  replace,
  no_op
};

namespace reducing {

template <class Value, class Index>
struct Located {
  using IsLocated = void;
  static constexpr std::size_t bytes = sizeof(Value) + sizeof(Index);
  Value value;
  Index index;
};
template <class T>
concept HasPlace = requires { typename T::IsLocated; };
template <class T>
concept Complex = requires(T x) { x.imag(); };
struct Bits {  // MPI_BYTE
  unsigned char value;
};
template <class T>
struct Logical {  // Fortran's: .TRUE. is 1
  using IsLogical = void;
  T value;
};
template <class T>
concept HasTruth = requires { typename T::IsLogical; };

template <class T>
T load(const std::byte* from) {
  T value;
  if constexpr (HasPlace<T>) {
    std::memcpy(&value.value, from, sizeof value.value);
    std::memcpy(&value.index, from + sizeof value.value, sizeof value.index);
  } else {
    std::memcpy(&value, from, sizeof value);
  }
  return value;
}
template <class T>
void store(std::byte* to, const T& value) {
  if constexpr (HasPlace<T>) {
    std::memcpy(to, &value.value, sizeof value.value);
    std::memcpy(to + sizeof value.value, &value.index, sizeof value.index);
  } else {
    std::memcpy(to, &value, sizeof value);
  }
}
template <class T>
constexpr std::size_t packed_bytes() {
  if constexpr (HasPlace<T>)
    return T::bytes;
  else
    return sizeof(T);
}

// inout[i] = in[i] with inout[i].
template <class T, class Function>
bool each(const std::byte* in, std::byte* inout, std::uint64_t count, Function function) {
  for (std::uint64_t i = 0; i < count; ++i, in += packed_bytes<T>(), inout += packed_bytes<T>())
    store<T>(inout, static_cast<T>(function(load<T>(in), load<T>(inout))));
  return true;
}

template <class T>
bool fold(Reduction does, const std::byte* in, std::byte* inout, std::uint64_t count) {
  const auto by = [&](auto function) { return each<T>(in, inout, count, function); };
  if constexpr (HasPlace<T>) {
    const auto choose = [](const T& a, const T& b, bool first) {
      return a.value == b.value ? (a.index < b.index ? a : b) : first ? a : b;
    };
    if (does == Reduction::minloc) return by([&](T a, T b) { return choose(a, b, a.value < b.value); });
    if (does == Reduction::maxloc) return by([&](T a, T b) { return choose(a, b, a.value > b.value); });
    return false;
  } else if constexpr (HasTruth<T>) {
    if (does == Reduction::land) return by([](T a, T b) { return T{a.value && b.value}; });
    if (does == Reduction::lor) return by([](T a, T b) { return T{a.value || b.value}; });
    if (does == Reduction::lxor) return by([](T a, T b) { return T{!a.value != !b.value}; });
    return false;
  } else if constexpr (std::is_same_v<T, Bits>) {
    using Byte = unsigned char;
    if (does == Reduction::band) return by([](T a, T b) { return T{static_cast<Byte>(a.value & b.value)}; });
    if (does == Reduction::bor) return by([](T a, T b) { return T{static_cast<Byte>(a.value | b.value)}; });
    if (does == Reduction::bxor) return by([](T a, T b) { return T{static_cast<Byte>(a.value ^ b.value)}; });
    return false;
  } else if constexpr (Complex<T>) {
    if (does == Reduction::sum) return by([](T a, T b) { return a + b; });
    // Without the rules for infinities, as MPI libraries multiply.
    if (does == Reduction::prod)
      return by([](T a, T b) {
        return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
      });
    return false;
  } else {
    // Sums of integers wrap around.
    using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
    switch (does) {
      case Reduction::sum:
        return by([](T a, T b) { return static_cast<Wide>(a) + static_cast<Wide>(b); });
      case Reduction::prod:
        return by([](T a, T b) { return static_cast<Wide>(a) * static_cast<Wide>(b); });
      case Reduction::min:
        return by([](T a, T b) { return a < b ? a : b; });
      case Reduction::max:
        return by([](T a, T b) { return a > b ? a : b; });
      default:
        break;
    }
    if constexpr (std::is_integral_v<T>) {
      switch (does) {
        case Reduction::land:
          return by([](T a, T b) { return a && b; });
        case Reduction::lor:
          return by([](T a, T b) { return a || b; });
        case Reduction::lxor:
          return by([](T a, T b) { return !a != !b; });
        case Reduction::band:
          return by([](T a, T b) { return a & b; });
        case Reduction::bor:
          return by([](T a, T b) { return a | b; });
        case Reduction::bxor:
          return by([](T a, T b) { return a ^ b; });
        default:
          break;
      }
    }
    return false;
  }
}

}  // namespace reducing

// `count` packed elements at `inout` become those at `in` with them; false where MPI has no such reduction. With no
// elements it only says whether there is one.
inline bool reduce(Basic type, Reduction does, const std::byte* in, std::byte* inout, std::uint64_t count) {
  using namespace reducing;
#define ASSAY_FOLD(basic, ...) \
  case Basic::basic:           \
    return fold<__VA_ARGS__>(does, in, inout, count);
  switch (type) {
    ASSAY_FOLD(int8, std::int8_t)
    ASSAY_FOLD(uint8, std::uint8_t)
    ASSAY_FOLD(int16, std::int16_t)
    ASSAY_FOLD(uint16, std::uint16_t)
    ASSAY_FOLD(int32, std::int32_t)
    ASSAY_FOLD(uint32, std::uint32_t)
    ASSAY_FOLD(int64, std::int64_t)
    ASSAY_FOLD(uint64, std::uint64_t)
    ASSAY_FOLD(float32, float)
    ASSAY_FOLD(float64, double)
    ASSAY_FOLD(float80, long double)
    ASSAY_FOLD(complex64, std::complex<float>)
    ASSAY_FOLD(complex128, std::complex<double>)
    ASSAY_FOLD(complex160, std::complex<long double>)
    ASSAY_FOLD(logical8, Logical<std::int8_t>)
    ASSAY_FOLD(logical16, Logical<std::int16_t>)
    ASSAY_FOLD(logical32, Logical<std::int32_t>)
    ASSAY_FOLD(logical64, Logical<std::int64_t>)
    ASSAY_FOLD(boolean, Logical<bool>)
    ASSAY_FOLD(byte, Bits)
    ASSAY_FOLD(float_int, Located<float, int>)
    ASSAY_FOLD(double_int, Located<double, int>)
    ASSAY_FOLD(long_int, Located<long, int>)
    ASSAY_FOLD(two_int, Located<int, int>)
    ASSAY_FOLD(short_int, Located<short, int>)
    ASSAY_FOLD(long_double_int, Located<long double, int>)
    ASSAY_FOLD(two_float, Located<float, float>)
    ASSAY_FOLD(two_double, Located<double, double>)
    default:
      return false;
  }
#undef ASSAY_FOLD
}

}  // namespace assay::abi
