// The matrices of the program `dense`, given by formula element by element, and how rows or columns are dealt out.
#pragma once

#include <algorithm>
#include <cstdint>

namespace assay::applications::dense {

using Index = std::int64_t;

// Uniform in [-0.5, 0.5), 24 bits, so that it is the same in float and double: the hash of a counter (splitmix64).
inline double element(Index row, Index column) {
  auto word = static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint64_t>(column);
  word = (word + 1) * 0x9e3779b97f4a7c15U;
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9U;
  word = (word ^ word >> 27) * 0x94d049bb133111ebU;
  word ^= word >> 31;
  return static_cast<double>(word >> 40) / 16777216.0 - 0.5;
}
// Of a symmetric matrix that is positive definite, as its diagonal is more than the sum of its rows.
inline double symmetric_element(Index size, Index row, Index column) {
  return element(std::max(row, column), std::min(row, column)) + (row == column ? static_cast<double>(size) : 0);
}

// Blocks of so many indices, dealt out in turn to so many parts.
struct Cyclic {
  Index block = 1, parts = 1;
  Index owner(Index at) const { return at / block % parts; }
  // How many of the indices below `at` a part has, which is where `at` is or would be among its own.
  Index before(Index part, Index at) const {
    const Index turn = block * parts;
    return at / turn * block + std::clamp(at % turn - part * block, Index{0}, block);
  }
  Index global(Index part, Index local) const { return (local / block * parts + part) * block + local % block; }
};

}  // namespace assay::applications::dense
