// The one table of collective operations and the algorithms that carry them out.
//
// What is sent and received, with p ranks and a `block` of so many bytes:
//   barrier       nothing; no rank leaves before the last has entered
//   broadcast     the block in the root's `out` into everybody's
//   reduce        the sum of everybody's block of 64-bit words into the root's `out`
//   allreduce     the same into everybody's `out`
//   allgather     everybody's block into everybody's `out`, in order of rank
//   alltoall      block k of `in` to rank k, into its `out` in order of rank
// `in` and `out` of null are simulated without being carried; `in` is not written. Sums are of unsigned 64-bit words,
// so that their order does not matter; bytes beyond the last whole word do not occur (the program refuses them).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "ranks/communicator.hpp"
#include "ranks/own_collectives.hpp"
#include "ranks/task.hpp"

namespace assay::ranks {

enum class Algorithm : std::uint8_t {
  library,
  linear,
  binomial,
  recursive_doubling,
  ring,
  pairwise,
  bruck,
  dissemination,
  scatter_allgather
};
inline constexpr std::array<std::string_view, 9> algorithm_names = {
    "library",  "linear", "binomial",      "recursive-doubling", "ring",
    "pairwise", "bruck",  "dissemination", "scatter-allgather"};

// Whether the table has the algorithm for the operation.
inline constexpr bool in_table(Operation operation, Algorithm algorithm) {
  using enum Algorithm;
  switch (operation) {
    case Operation::barrier:
      return algorithm == library || algorithm == linear || algorithm == binomial || algorithm == recursive_doubling ||
             algorithm == dissemination;
    case Operation::broadcast:
      return algorithm == library || algorithm == linear || algorithm == binomial || algorithm == scatter_allgather;
    case Operation::reduce:
      return algorithm == library || algorithm == linear || algorithm == binomial;
    case Operation::allreduce:
      return algorithm == library || algorithm == binomial || algorithm == recursive_doubling || algorithm == ring;
    case Operation::allgather:
      return algorithm == library || algorithm == linear || algorithm == ring || algorithm == bruck;
    case Operation::alltoall:
      return algorithm == library || algorithm == linear || algorithm == pairwise || algorithm == bruck;
  }
  return false;
}

// What an algorithm works on, on one rank. `spare` is room for twice as much as `out`.
struct Exchange {
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::byte* spare = nullptr;
  std::size_t block = 0;
  int root = 0;
};
inline constexpr int collective_tag = 1;

inline std::byte* at_byte(std::byte* base, std::size_t offset) { return base ? base + offset : nullptr; }
inline const std::byte* at_byte(const std::byte* base, std::size_t offset) { return base ? base + offset : nullptr; }
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (to && from && bytes > 0) std::memcpy(to, from, bytes);
}
inline void add_words(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (!to || !from) return;
  for (std::size_t i = 0; i + 8 <= bytes; i += 8) {
    std::uint64_t mine, theirs;
    std::memcpy(&mine, to + i, 8);
    std::memcpy(&theirs, from + i, 8);
    mine += theirs;
    std::memcpy(to + i, &mine, 8);
  }
}

}  // namespace assay::ranks
