// The D3Q19 lattice: 19 velocities in opposite pairs. Population 0 is at rest; 1 + 2 p and 2 + 2 p move along pair p
// and against it.
#pragma once

#include <array>
#include <cstddef>

namespace assay::applications::lattice {

inline constexpr std::size_t pairs = 9, populations = 1 + 2 * pairs, crossing = 5;  // crossing: a face, outwards
inline constexpr int velocities[pairs][3] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0}, {1, -1, 0},
                                             {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}};
inline constexpr double rest_weight = 1.0 / 3, axis_weight = 1.0 / 18, diagonal_weight = 1.0 / 36;
inline constexpr double weight(std::size_t pair) { return pair < 3 ? axis_weight : diagonal_weight; }

inline constexpr int velocity(std::size_t population, std::size_t axis) {
  if (population == 0) return 0;
  const int along = velocities[(population - 1) / 2][axis];
  return population % 2 == 1 ? along : -along;
}
inline constexpr std::size_t opposite(std::size_t population) {
  return population == 0 ? 0 : population % 2 == 1 ? population + 1 : population - 1;
}

// The five populations that leave through a face: those that move by `step` along the axis.
inline std::array<std::size_t, crossing> leaving(std::size_t axis, int step) {
  std::array<std::size_t, crossing> found{};
  std::size_t count = 0;
  for (std::size_t q = 1; q < populations; ++q)
    if (velocity(q, axis) == step) found[count++] = q;
  return found;
}

}  // namespace assay::applications::lattice
