// Where functions are measured and judged: stated ranges of arguments.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

namespace assay::kernels {

enum class Spacing { even, by_exponent, every_pattern };

struct Range {  // of one type
  Spacing spacing = Spacing::even;
  double low = 0, high = 0;                // of the first argument
  double second_low = 0, second_high = 0;  // of the second, evenly spaced
};

// The range of this name ("usual", "near", "large", "subnormal", "all") for a function and a type; none where it means
// nothing there.
std::optional<Range> range_of(std::string_view function, std::string_view name, bool single);

inline std::uint64_t scattered(std::uint64_t number) {  // splitmix64's last steps
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Argument `i` of `count`, the same on every machine. Patterns and exponents: one from each of `count` equal strides.
template <class T>
T argument(const Range& range, std::int64_t i, std::int64_t count) {
  if (range.spacing == Spacing::even) {
    const std::uint64_t turned = static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15;  // golden ratio: no cluster
    return static_cast<T>(range.low + (range.high - range.low) * (static_cast<double>(turned >> 11) * 0x1p-53));
  }
  const bool every = range.spacing == Spacing::every_pattern;
  const Bits<T> first = every ? 0 : std::bit_cast<Bits<T>>(static_cast<T>(range.low));
  const Bits<T> last = every ? static_cast<Bits<T>>(-1) : std::bit_cast<Bits<T>>(static_cast<T>(range.high));
  const auto span = static_cast<unsigned __int128>(last - first) + 1;
  const auto from = span * static_cast<unsigned __int128>(i) / static_cast<unsigned __int128>(count);
  const auto next = span * static_cast<unsigned __int128>(i + 1) / static_cast<unsigned __int128>(count);
  const std::uint64_t stride = static_cast<std::uint64_t>(next > from ? next - from : 1);
  const std::uint64_t within = stride <= 1 ? 0 : scattered(static_cast<std::uint64_t>(i) + 1) % stride;
  return std::bit_cast<T>(static_cast<Bits<T>>(first + static_cast<Bits<T>>(from) + static_cast<Bits<T>>(within)));
}

// Whether `count` arguments are every pattern of the type, each once: argument `i` is then that of bits `i`.
template <class T>
bool every_one(const Range& range, std::int64_t count) {
  return sizeof(T) == 4 && range.spacing == Spacing::every_pattern && count == std::int64_t{1} << 32;
}

template <class T>
T second_argument(const Range& range, std::int64_t i, std::int64_t) {
  if (range.spacing == Spacing::every_pattern)
    return std::bit_cast<T>(static_cast<Bits<T>>(scattered(0x5851f42d4c957f2d + static_cast<std::uint64_t>(i))));
  const std::uint64_t turned = static_cast<std::uint64_t>(i + 1) * 0xc13fa9a902a6328f;  // Roberts' second direction
  const double part = static_cast<double>(turned >> 11) * 0x1p-53;
  return static_cast<T>(range.second_low + (range.second_high - range.second_low) * part);
}

// Whether an argument that a search came to is still in the range.
inline bool inside(const Range& range, double x, double y) {
  if (range.spacing == Spacing::every_pattern) return true;
  return x >= range.low && x <= range.high && y >= range.second_low && y <= range.second_high;
}

}  // namespace assay::kernels
