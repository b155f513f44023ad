// What a copy within memory takes, in blocks as long as the file's: all that goes through the page cache is copied once
// at least, so that no storage behind it can be faster, and a rate near it is the copy's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "timing/clock.hpp"
#include "timing/opaque.hpp"

namespace assay::files {

class CopyCeiling {
 public:
  // s/B of copying a region much longer than most caches, block by block, into one block.
  double from_memory(std::int64_t bytes) { return read(bytes, region); }
  // s/B of copies whose bytes lie in a near cache, where nothing is faster: the least of some readings, made once.
  double least(std::int64_t bytes) {
    const std::int64_t block = std::min(bytes, near);
    auto [found, anew] = least_.try_emplace(block, 1.0);
    for (int reading = 0; anew && reading < 10; ++reading) found->second = std::min(found->second, read(block, near));
    return found->second;
  }

 private:
  double read(std::int64_t bytes, std::int64_t within) {
    if (from_.size() < static_cast<std::size_t>(within)) from_.assign(static_cast<std::size_t>(within), 'a');
    const auto block = static_cast<std::size_t>(std::min(bytes, within));
    if (into_.size() < block) into_.resize(block);
    const std::size_t blocks = static_cast<std::size_t>(within) / block;
    const std::int64_t begun = timing::now_ns();
    for (std::size_t at = 0; at < blocks; ++at) {
      std::memcpy(into_.data(), from_.data() + at * block, block);
      timing::touched();
    }
    return 1e-9 * static_cast<double>(timing::now_ns() - begun) / static_cast<double>(blocks * block);
  }

  static constexpr std::int64_t region = 64 << 20, near = 128 << 10;
  std::vector<char> from_, into_;
  std::map<std::int64_t, double> least_;
};

}  // namespace assay::files
