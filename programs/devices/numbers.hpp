// Numbers of a device's types as the host has them: written into memory and read back as float64.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "devices/device.hpp"

namespace assay::devices {

inline Element element_of(std::string_view name) {
  return name == "float64"    ? Element::float64
         : name == "float32"  ? Element::float32
         : name == "float16"  ? Element::float16
         : name == "bfloat16" ? Element::bfloat16
         : name == "tf32"     ? Element::tf32
         : name == "float8"   ? Element::float8
         : name == "int8"     ? Element::int8
                              : Element::int32;
}

inline std::int64_t bytes_of(Element type) {
  switch (type) {
    case Element::float64:
      return 8;
    case Element::float32:
    case Element::tf32:
    case Element::int32:
      return 4;
    case Element::int8:
    case Element::float8:
      return 1;
    default:
      return 2;
  }
}

// Half of the distance between 1 and the next number: what rounding may be off by, relative.
inline double unit_roundoff(Element type) {
  return type == Element::float64                            ? 0x1p-53
         : type == Element::float32                          ? 0x1p-24
         : type == Element::float16 || type == Element::tf32 ? 0x1p-11
         : type == Element::bfloat16                         ? 0x1p-8
         : type == Element::float8                           ? 0x1p-4
                                                             : 0;
}

// IEEE binary16 of a number that it can hold: rounded to nearest, ties to even; below its least normal number to zero.
inline std::uint16_t half_of(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  value = std::abs(value);
  if (value < 0x1p-14) return sign;
  if (value >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  int power = std::ilogb(value);
  auto digits = static_cast<int>(std::nearbyint(std::ldexp(value, 10 - power)));
  if (digits == 2048) digits = 1024, ++power;
  return static_cast<std::uint16_t>(sign | ((power + 15) << 10) | (digits - 1024));
}
inline double of_half(std::uint16_t bits) {
  const int power = (bits >> 10) & 31, digits = bits & 1023;
  const double size = power == 0    ? std::ldexp(digits, -24)
                      : power == 31 ? (digits != 0 ? NAN : INFINITY)
                                    : std::ldexp(1024 + digits, power - 25);
  return bits & 0x8000 ? -size : size;
}

// E4M3 (Micikevicius et al. 2022, FP8 formats for deep learning): four bits of exponent, three of the number, no
// infinity. Rounded to nearest, ties to even; beyond 448, the greatest, to that.
inline std::uint8_t e4m3_of(double value) {
  const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
  value = std::min(std::abs(value), 448.0);
  int power = value < 0x1p-6 ? -6 : std::ilogb(value);
  auto digits = static_cast<int>(std::nearbyint(std::ldexp(value, 3 - power)));
  if (digits == 16) digits = 8, ++power;
  return static_cast<std::uint8_t>(sign | (digits < 8 ? digits : ((power + 7) << 3) + digits - 8));
}
inline double of_e4m3(std::uint8_t bits) {
  const int power = (bits >> 3) & 15, digits = bits & 7;
  const double size = (bits & 0x7f) == 0x7f ? NAN
                      : power == 0          ? std::ldexp(digits, -9)
                                            : std::ldexp(8 + digits, power - 10);
  return bits & 0x80 ? -size : size;
}

// Writes `value`, rounded to the type, at place `at`; returns what it became.
inline double put(std::vector<char>& to, Element type, std::size_t at, double value) {
  const auto write = [&](auto number) {
    std::memcpy(to.data() + at * sizeof number, &number, sizeof number);
    return static_cast<double>(number);
  };
  if (type == Element::float64) return write(value);
  if (type == Element::float32 || type == Element::tf32) return write(static_cast<float>(value));
  if (type == Element::int8) return write(static_cast<std::int8_t>(value));
  if (type == Element::int32) return write(static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
  if (type == Element::float16) {
    const std::uint16_t bits = half_of(value);
    write(bits);
    return of_half(bits);
  }
  if (type == Element::float8) {
    const std::uint8_t bits = e4m3_of(value);
    write(bits);
    return of_e4m3(bits);
  }
  const auto single = static_cast<float>(value);  // bfloat16: the upper half of a float32, rounded to nearest
  std::uint32_t bits = 0;
  std::memcpy(&bits, &single, sizeof bits);
  const auto upper = static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
  write(upper);
  bits = std::uint32_t{upper} << 16;
  float back = 0;
  std::memcpy(&back, &bits, sizeof back);
  return back;
}

inline double get(const std::vector<char>& from, Element type, std::size_t at) {
  const auto read = [&](auto number) {
    std::memcpy(&number, from.data() + at * sizeof number, sizeof number);
    return number;
  };
  if (type == Element::float64) return read(0.0);
  if (type == Element::float32 || type == Element::tf32) return static_cast<double>(read(0.0F));
  if (type == Element::int8) return static_cast<double>(read(std::int8_t{}));
  if (type == Element::int32) return static_cast<double>(read(std::int32_t{}));
  if (type == Element::float16) return of_half(read(std::uint16_t{}));
  if (type == Element::float8) return of_e4m3(read(std::uint8_t{}));
  const std::uint32_t bits = std::uint32_t{read(std::uint16_t{})} << 16;
  float single = 0;
  std::memcpy(&single, &bits, sizeof single);
  return static_cast<double>(single);
}

}  // namespace assay::devices
