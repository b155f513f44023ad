// What the calls of an MPI program took, by function, length and peer, and what its regions took: how often, in all, at
// least and at most, and a regular subset of the times in the order of their ends.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "ranks/message_model.hpp"

namespace assay::mpirun {

struct Times {
  static constexpr std::size_t most_kept = 512;
  std::uint64_t count = 0, every = 1;  // every so many-th is kept
  described::Time sum = 0, least = described::never, most = 0;
  std::vector<described::Time> kept;

  void add(described::Time took) {
    sum += took;
    least = std::min(least, took);
    most = std::max(most, took);
    if (count++ % every != 0) return;
    if (kept.size() == most_kept) {
      for (std::size_t i = 0; i < most_kept / 2; ++i) kept[i] = kept[2 * i];
      kept.resize(most_kept / 2);
      every *= 2;
      if ((count - 1) % every != 0) return;
    }
    kept.push_back(took);
  }
};

class Calls {
 public:
  static constexpr std::size_t most_kinds = 20'000;
  struct Kind {
    std::uint16_t function = 0;
    std::uint64_t bytes = 0;
    int peer = -1;  // -1: none, or any where there are more than most_kinds
    auto operator<=>(const Kind&) const = default;
  };

  void add(Kind kind, described::Time took) {
    if (kinds_.size() >= most_kinds && !kinds_.contains(kind)) kind.peer = -1;
    kinds_[kind].add(took);
  }
  const std::map<Kind, Times>& kinds() const { return kinds_; }

 private:
  std::map<Kind, Times> kinds_;
};

}  // namespace assay::mpirun
