// A ring over any number of ranks whose neighbours differ in one bit of their hypercube address wherever that can be.
//
// Path: a walk over 0 … q-1, every step flipping one bit. With 2^k < q <= 2^(k+1): first a path over the upper part
// (addresses 2^k + r, r < q - 2^k, by the same rule), which ends at 2^k + u; then the step to u; then the whole lower
// k-cube in Gray order from u: u ^ gray(0), u ^ gray(1), …
// Even p: the addresses are a ladder, pairs (2r, 2r + 1). Walk the path over r on the even side and back on the odd
// side: a cycle of one-bit steps; for a power of two it is a Gray code. Odd p: a cycle of odd length has an odd number
// of parity-keeping steps, so one step at least is of two hops. Take the cycle for p - 1 and put p - 1 after a
// neighbour a of its own: a to p - 1 flips one bit, p - 1 to a's old successor two.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

namespace assay::ranks {

inline std::vector<int> one_bit_path(int count) {
  std::vector<int> path;
  int base = 0;  // the bits that the parts so far left fixed
  while (count > 1) {
    const int cube = static_cast<int>(std::bit_ceil(static_cast<unsigned>(count)) / 2);
    path.push_back(cube);  // a mark: this cube's walk comes after everything above it
    base += cube;
    count -= cube;
  }
  const std::vector<int> cubes(path);
  path.assign(1, base);
  for (auto cube = cubes.rbegin(); cube != cubes.rend(); ++cube) {
    const int start = path.back() - *cube;
    for (int i = 0; i < *cube; ++i) path.push_back(start ^ (i ^ (i >> 1)));
  }
  return path;
}

// The ranks 0 … ranks-1 in the order in which the ring visits them, beginning at rank 0.
inline std::vector<int> gray_ring(int ranks) {
  if (ranks < 2) return std::vector<int>(ranks > 0 ? 1 : 0, 0);
  const std::vector<int> path = one_bit_path(ranks / 2);
  std::vector<int> ring;
  for (auto r = path.begin(); r != path.end(); ++r) ring.push_back(2 * *r);
  for (auto r = path.rbegin(); r != path.rend(); ++r) ring.push_back(2 * *r + 1);
  if (ranks % 2 == 1) {
    const int last = ranks - 1;
    const auto neighbour = std::ranges::find(ring, last & (last - 1));  // the lowest set bit cleared
    ring.insert(neighbour + 1, last);
  }
  std::ranges::rotate(ring, std::ranges::find(ring, 0));
  return ring;
}

}  // namespace assay::ranks
