// How large a network may be.
#pragma once
#include <cstdint>

namespace assay::network {

inline constexpr unsigned most_dimensions = 22;  // of a hypercube or a grid; levels of a tree
inline constexpr std::uint32_t most_routers = std::uint32_t{1} << most_dimensions;  // as many nodes at most

}  // namespace assay::network
