// A random cycle through lines of memory, and eight places of it, evenly spaced: a walk alone waits for each load,
// walks from all eight at once do not. Source: Sattolo 1986.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "timing/program.hpp"

namespace assay::memory {

// The lines in the order of the cycle; the last leads to the first again.
inline std::vector<std::uint32_t> random_cycle(std::size_t lines, std::uint64_t seed) {
  std::vector<std::uint32_t> order(lines);
  for (std::size_t i = 0; i < lines; ++i) order[i] = static_cast<std::uint32_t>(i);
  std::uint64_t state = seed + lines;
  for (std::size_t left = lines; left > 1; --left)
    std::swap(order[left - 1], order[timing::random_bits(state) % (left - 1)]);
  return order;
}

struct Stages {
  static constexpr std::size_t count = 8;
  std::size_t lines;

  // How many lines before the k-th place, and from it to the next.
  std::size_t begin(std::size_t k) const { return lines * k / count; }
  std::size_t length(std::size_t k) const { return begin(k + 1) - begin(k); }

  // Walks from every place in `at` to the next one, all at once; `step(here)` gives the line that follows.
  template <class Place, class Step>
  void walk(Place* at, Step step) const {
    for (std::size_t turn = 0; turn < lines / count + 1; ++turn)
      for (std::size_t k = 0; k < count; ++k)
        if (turn < length(k)) at[k] = step(at[k]);
  }
};

}  // namespace assay::memory
