// The order of blocks: one after the other, or at random with each block once: a bijection of 0 .. n-1 without a table,
// by four Feistel rounds on the least even number of bits that hold n, followed until the number is below n (cycle
// walking; Black and Rogaway 2002).
#pragma once

#include <bit>
#include <cstdint>

#include "files/pattern.hpp"

namespace assay::files {

class BlockOrder {
 public:
  BlockOrder(std::int64_t blocks, bool random, std::uint64_t seed) : blocks_(blocks), random_(random), seed_(seed) {
    const int bits = std::bit_width(static_cast<std::uint64_t>(blocks > 1 ? blocks - 1 : 1));
    half_ = (bits + 1) / 2;
  }
  std::int64_t operator()(std::int64_t turn) const {
    if (!random_ || blocks_ < 2) return turn;
    auto at = static_cast<std::uint64_t>(turn);
    do at = scrambled(at);
    while (at >= static_cast<std::uint64_t>(blocks_));
    return static_cast<std::int64_t>(at);
  }

 private:
  std::uint64_t scrambled(std::uint64_t at) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
    std::uint64_t left = at >> half_, right = at & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (mixed(right + (seed_ + round) * 0x9e3779b97f4a7c15) & mask);
      left = right;
      right = next;
    }
    return left << half_ | right;
  }
  std::int64_t blocks_;
  bool random_;
  std::uint64_t seed_;
  int half_ = 1;
};

}  // namespace assay::files
