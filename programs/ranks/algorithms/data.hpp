// The data by which a collective is verified: what a rank gives, and how many bytes or words it gets that are wrong.
#pragma once

#include "ranks/algorithms/table.hpp"
#include "ranks/buffers.hpp"

namespace assay::ranks {

inline bool reduces(Operation operation) { return operation == Operation::reduce || operation == Operation::allreduce; }
inline bool rooted(Operation operation) { return operation == Operation::broadcast || operation == Operation::reduce; }

inline std::uint64_t between(int from, int to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<unsigned>(to);
}
// Word `i` of what `rank` gives to a sum; sums wrap round, which is as good a check.
inline std::uint64_t summand(int rank, std::size_t i) {
  std::uint64_t state = between(rank, static_cast<int>(i));
  return Session::random(state);
}

// `in` is where x.in points.
inline void put_data(Operation operation, const Exchange& x, std::byte* in, int rank, int ranks) {
  const bool many = operation >= Operation::allgather;
  poison(x.out, many ? static_cast<std::size_t>(ranks) * x.block : x.block);
  if (reduces(operation)) {
    for (std::size_t i = 0; i < x.block / 8; ++i) {
      const std::uint64_t word = summand(rank, i);
      std::memcpy(in + 8 * i, &word, 8);
    }
#ifdef ASSAY_BREAK  // the tests' saboteur, where write_pattern() does not serve
    if (rank == 0) in[0] ^= std::byte{1};
#endif
  } else if (operation == Operation::broadcast) {
    if (rank == x.root) write_pattern(x.out, x.block, between(rank, 0), true);
  } else if (operation == Operation::allgather) {
    write_pattern(in, x.block, between(rank, 0), true);
  } else if (operation == Operation::alltoall) {
    for (int to = 0; to < ranks; ++to)
      write_pattern(in + static_cast<std::size_t>(to) * x.block, x.block, between(rank, to), true);
  }
}

inline std::int64_t wrong_data(Operation operation, const Exchange& x, int rank, int ranks) {
  if (operation == Operation::broadcast) return wrong_bytes(x.out, x.block, between(x.root, 0), true);
  std::int64_t wrong = 0;
  if (reduces(operation)) {
    for (std::size_t i = 0; (operation == Operation::allreduce || rank == x.root) && i < x.block / 8; ++i) {
      std::uint64_t sum = 0, found;
      for (int each = 0; each < ranks; ++each) sum += summand(each, i);
      std::memcpy(&found, x.out + 8 * i, 8);
      wrong += found != sum;
    }
    return wrong;
  }
  for (int from = 0; from < ranks; ++from) {
    const std::uint64_t salt = between(from, operation == Operation::alltoall ? rank : 0);
    wrong += wrong_bytes(x.out + static_cast<std::size_t>(from) * x.block, x.block, salt, true);
  }
  return wrong;
}

}  // namespace assay::ranks
