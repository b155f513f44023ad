// Collective operations: what each gives, and what an algorithm works on. Which algorithm carries out which operation
// is one table, in rows.hpp.
//
// What is sent and received, with p ranks and a `block` of so many bytes:
//   barrier         nothing; no rank leaves before the last has entered
//   broadcast       the block in the root's `out` into everybody's
//   reduce          the sum of everybody's block of 64-bit words into the root's `out`
//   allreduce       the same into everybody's `out`
//   gather          everybody's block into the root's `out`, in order of rank
//   scatter         block k of the root's `in` into rank k's `out`
//   allgather       everybody's block into everybody's `out`, in order of rank
//   reduce-scatter  the sum of everybody's p blocks; block k of it into rank k's `out`
//   alltoall        block k of `in` to rank k, into its `out` in order of rank
//   alltoallv       the same with messages of unlike lengths, a block in the mean: uneven(), own_collectives.hpp
//   scan            the sum of the blocks of ranks 0 to r into rank r's `out`
// `in` and `out` of null are simulated without being carried; `in` is not written. Sums are of unsigned 64-bit words,
// so that their order does not matter; bytes beyond the last whole word do not occur (the program refuses them).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
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
  recursive_halving,
  rabenseifner,
  ring,
  pairwise,
  bruck,
  dissemination,
  dimension_exchange,
  scatter_allgather,
  two_level
};
inline constexpr std::array<std::string_view, 13> algorithm_names = {
    "library",  "linear", "binomial",      "recursive-doubling", "recursive-halving", "rabenseifner", "ring",
    "pairwise", "bruck",  "dissemination", "dimension-exchange", "scatter-allgather", "two-level"};

// The value of that name; the names are those of an enumeration's values, in order.
template <class Value>
Value named(const auto& names, std::string_view name) {
  return static_cast<Value>(std::ranges::find(names, name) - names.begin());
}

inline constexpr bool reduces(Operation operation) {
  return operation == Operation::reduce || operation == Operation::allreduce ||
         operation == Operation::reduce_scatter || operation == Operation::scan;
}
inline constexpr bool rooted(Operation operation) {
  return operation == Operation::broadcast || operation == Operation::reduce || operation == Operation::gather ||
         operation == Operation::scatter;
}
// How many blocks a rank's `in` and `out` have room for.
inline constexpr std::size_t blocks(Operation operation, int ranks) {
  using enum Operation;
  const auto all = static_cast<std::size_t>(ranks);
  if (operation == alltoallv) return 2 * all;
  return operation == gather || operation == scatter || operation == allgather || operation == reduce_scatter ||
                 operation == alltoall
             ? all
             : 1;
}

// What an algorithm works on, on one rank. `spare` is room for twice as much as `out`.
struct Exchange {
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::byte* spare = nullptr;
  std::size_t block = 0;
  int root = 0;
  bool copies_own = true;  // an alltoall's: whether a rank's block to itself is copied, too (Bruck's rounds always do)
};
inline constexpr int collective_tag = 1;
// Where a rank stands counted from the root, and which rank stands there.
inline int place_of(int rank, int root, int ranks) { return rank < root ? rank - root + ranks : rank - root; }
inline int rank_at(int place, int root, int ranks) {
  return place + root < ranks ? place + root : place + root - ranks;
}

// Step k of a pairwise exchange: whom a rank sends to and receives from. Of a power of two of ranks they are one.
struct Pair {
  int to, from;
};
inline Pair pair_in_step(int k, int rank, int ranks) {
  if (std::has_single_bit(static_cast<unsigned>(ranks))) return {rank ^ k, rank ^ k};
  return {(rank + k) % ranks, (rank - k + ranks) % ranks};
}

inline std::byte* at_byte(std::byte* base, std::size_t offset) { return base ? base + offset : nullptr; }
inline const std::byte* at_byte(const std::byte* base, std::size_t offset) { return base ? base + offset : nullptr; }
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (to && from && to != from && bytes > 0) std::memcpy(to, from, bytes);
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
