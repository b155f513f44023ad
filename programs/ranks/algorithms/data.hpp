// The data by which a collective is verified: what a rank gives, and how many bytes or words it gets that are wrong.
#pragma once

#include "ranks/algorithms/table.hpp"
#include "ranks/buffers.hpp"

namespace assay::ranks {

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
  const std::size_t room = blocks(operation, ranks);
  poison(x.out, room * x.block);
  if (reduces(operation)) {
    for (std::size_t i = 0; i < room * x.block / 8; ++i) {
      const std::uint64_t word = summand(rank, i);
      std::memcpy(in + 8 * i, &word, 8);
    }
#ifdef ASSAY_BREAK  // the tests' saboteur, where write_pattern() does not serve
    if (rank == 0) in[0] ^= std::byte{1};
#endif
  } else if (operation == Operation::broadcast) {
    if (rank == x.root) write_pattern(x.out, x.block, between(rank, 0), true);
  } else if (operation == Operation::gather || operation == Operation::allgather) {
    write_pattern(in, x.block, between(rank, 0), true);
  } else if (operation == Operation::alltoall || (operation == Operation::scatter && rank == x.root)) {
    for (int to = 0; to < ranks; ++to)
      write_pattern(in + static_cast<std::size_t>(to) * x.block, x.block, between(rank, to), true);
  } else if (operation == Operation::alltoallv) {
    for (int to = 0; to < ranks; ++to)
      write_pattern(in + static_cast<std::size_t>(to) * 2 * x.block, uneven(x.block, rank, to, ranks),
                    between(rank, to), true);
  }
}

// Words of `out` that are not the sums over the ranks 0 … last of the words from `first` on.
inline std::int64_t wrong_sums(const Exchange& x, int last, std::size_t first) {
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < x.block / 8; ++i) {
    std::uint64_t sum = 0, found;
    for (int each = 0; each <= last; ++each) sum += summand(each, first + i);
    std::memcpy(&found, x.out + 8 * i, 8);
    wrong += found != sum;
  }
  return wrong;
}

inline std::int64_t wrong_data(Operation operation, const Exchange& x, int rank, int ranks) {
  using enum Operation;
  if (rank != x.root && (operation == reduce || operation == gather)) return 0;
  if (operation == broadcast) return wrong_bytes(x.out, x.block, between(x.root, 0), true);
  if (operation == scatter) return wrong_bytes(x.out, x.block, between(x.root, rank), true);
  if (operation == reduce_scatter) return wrong_sums(x, ranks - 1, static_cast<std::size_t>(rank) * x.block / 8);
  if (reduces(operation)) return wrong_sums(x, operation == scan ? rank : ranks - 1, 0);
  std::int64_t wrong = 0;
  for (int from = 0; from < ranks; ++from) {
    const std::uint64_t salt = between(from, operation == alltoall || operation == alltoallv ? rank : 0);
    const auto place = static_cast<std::size_t>(from) * x.block;
    if (operation == alltoallv) {
      const std::size_t bytes = uneven(x.block, from, rank, ranks);
      wrong += wrong_bytes(x.out + 2 * place, bytes, salt, true);
      for (std::size_t i = bytes; i < 2 * x.block; ++i) wrong += x.out[2 * place + i] != std::byte{0xa5};  // left alone
    } else {
      wrong += wrong_bytes(x.out + place, x.block, salt, true);
    }
  }
  return wrong;
}

}  // namespace assay::ranks
