// What the five NAS kernels have in common: problem classes, and comparison with official results.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "applications/application.hpp"
#include "applications/choices.hpp"
#include "applications/sums.hpp"
#include "ranks/session.hpp"

namespace assay::applications::nas {

enum class Class : std::uint8_t { S, W, A, B, C };
inline constexpr std::size_t classes = 5;
inline constexpr std::size_t place(Class size) { return static_cast<std::size_t>(size); }

// Whether a result is the official one within a relative error, in words.
inline bool agrees(std::string& detail, const char* name, double found, double official, double epsilon) {
  const double error = std::abs((found - official) / official);
  char text[120];
  std::snprintf(text, sizeof text, "%s%s %.13e, official %.13e", detail.empty() ? "" : "; ", name, found, official);
  detail += text;
  return error <= epsilon;  // not of NaN
}

}  // namespace assay::applications::nas
