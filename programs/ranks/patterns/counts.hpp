// The eleven patterns of EuroBen's mod1h: who talks to whom, and what each rate counts.
//
// The paper prints bandwidths and does not say what they count. What can be inferred from Tables 6.2, 6.5, 6.8 and 6.9
// beside the ping-pong of the same tables, with m bytes, p ranks and T for one operation:
//   ping-pong, strided     2 m / T, T a round trip: one way
//   broadcast              ceil(log2 p) m / T: as many messages as follow one another in a binomial tree
//   collect                (p - 1) m / T: what the root receives
//   reduction              2 ceil(log2 p) m / T: a factor of 2 that we cannot explain
//   transposition          M / T, M bytes of matrix per rank: the block that stays counts as well
//   bisection              2 m / T, T a round trip of all pairs at once: each pair's own rate
//   nearest neighbour      2 d m / T in d dimensions, T all directions in turn; a direction in which a rank is its own
//                          neighbour (3-D on 4 and 6 ranks) counts as well
// Source: van der Steen, section 4.1.1, Tables 6.2, 6.5, 6.8 and 6.9.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ranks/session.hpp"

namespace assay::ranks {

enum class Pattern : std::uint8_t {
  pingpong,
  strided,
  broadcast,
  collect,
  reduction,
  transposition,
  bisection_regular,
  bisection_random,
  neighbour_1d,
  neighbour_2d,
  neighbour_3d
};
inline constexpr std::array<std::string_view, 11> pattern_names = {
    "pingpong",          "pingpong-strided", "broadcast",    "collect",      "reduction",   "transposition",
    "bisection-regular", "bisection-random", "neighbour-1d", "neighbour-2d", "neighbour-3d"};

// Throws InputFault for a name that the record's choices do not have.
inline Pattern pattern_of(std::string_view name) {
  const auto found = std::ranges::find(pattern_names, name);
  if (found == pattern_names.end()) throw timing::InputFault("no such pattern: " + std::string(name));
  return static_cast<Pattern>(found - pattern_names.begin());
}
// Dimensions of a nearest-neighbour pattern; 0 for the others.
inline int dimensions(Pattern pattern) {
  return pattern < Pattern::neighbour_1d ? 0 : 1 + static_cast<int>(pattern) - static_cast<int>(Pattern::neighbour_1d);
}

// Extents of a torus of `ranks`, as even as whole numbers allow, the longest first: 8 in three are 2 x 2 x 2, 6 are
// 3 x 2 x 1.
inline std::array<int, 3> torus(int ranks, int dimensions) {
  if (dimensions == 1) return {ranks, 1, 1};
  for (int longest = 1;; ++longest) {
    if (ranks % longest != 0 || std::pow(longest, dimensions) < ranks - 0.5) continue;
    const auto rest = torus(ranks / longest, dimensions - 1);
    if (rest[0] <= longest) return {longest, rest[0], rest[1]};
  }
}
// The rank `step` further along a dimension of the torus, the last dimension's ranks being consecutive.
inline int neighbour(const std::array<int, 3>& extents, int rank, int dimension, int step) {
  int below = 1;  // ranks from one to the next along this dimension
  for (int each = dimension + 1; each < 3; ++each) below *= extents[static_cast<std::size_t>(each)];
  const int extent = extents[static_cast<std::size_t>(dimension)], place = rank / below % extent;
  return rank + ((place + step + extent) % extent - place) * below;
}

// Partners of a bisection: rank r of the lower half and some rank of the upper half; of an odd number the last is idle
// (its own partner). `shuffled`: drawn from `seed`, else r + p / 2.
inline std::vector<int> halves(int ranks, bool shuffled, std::uint64_t seed) {
  const int half = ranks / 2;
  std::vector<int> partners(static_cast<std::size_t>(ranks)), upper;
  for (int rank = half; rank < 2 * half; ++rank) upper.push_back(rank);
  if (shuffled) Session::shuffle(upper, seed);
  partners.back() = ranks - 1;
  for (int rank = 0; rank < half; ++rank) {
    const int other = upper[static_cast<std::size_t>(rank)];
    partners[static_cast<std::size_t>(rank)] = other;
    partners[static_cast<std::size_t>(other)] = rank;
  }
  return partners;
}

// Rows that each rank holds of the square matrix of doubles that is transposed: p r columns, 8 p r^2 bytes per rank, of
// which `bytes` is the most; at least one row.
inline std::size_t rows(std::size_t bytes, int ranks) {
  auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(bytes) / 8 / ranks));
  while (8 * static_cast<std::size_t>(ranks) * (side + 1) * (side + 1) <= bytes) ++side;
  return std::max<std::size_t>(side, 1);
}

// Bytes of that matrix that each rank holds.
inline std::size_t matrix(std::size_t bytes, int ranks) {
  return 8 * static_cast<std::size_t>(ranks) * rows(bytes, ranks) * rows(bytes, ranks);
}
// Directions of a nearest-neighbour pattern in which a rank's neighbour is another rank.
inline int crossed(Pattern pattern, int ranks) {
  int directions = 0;
  for (const int extent : torus(ranks, dimensions(pattern))) directions += extent > 1 ? 2 : 0;
  return directions;
}

}  // namespace assay::ranks
