// What applications ask of their parameters' values.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string_view>

namespace assay::applications {

// The place of a choice among the names of all.
template <std::size_t N>
std::size_t place_among(const std::string_view (&names)[N], std::string_view name) {
  return static_cast<std::size_t>(std::find(names, names + N, name) - names);
}

inline bool is_power_of_two(int count) { return std::has_single_bit(static_cast<unsigned>(count)); }

}  // namespace assay::applications
