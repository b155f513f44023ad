// Recursive halving: reduce-scatter, and Rabenseifner's reduce and allreduce, which are made of it.
//
// In each step a rank gives its partner half of what it still adds up and keeps the other half, so that after log2 p
// steps each has the sum of a p-th. Allreduce takes the same steps back (recursive doubling of the parts), reduce
// gathers the parts up to the root. Beyond a power of two surplus ranks hand what they have to a partner before; that
// partner sends them their result after. Source: Rabenseifner 2004; Thakur, Rabenseifner, Gropp 2005.
#pragma once

#include <bit>

#include "ranks/algorithms/all.hpp"

namespace assay::ranks {

inline int cube_below(int ranks) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks))); }

// Parts first … first + count - 1 of a block that is divided among `cube` ranks.
struct Parts {
  std::size_t block;
  int cube;
  std::size_t from(int first) const { return first == cube ? block : part_begins(block, first, cube); }
  std::size_t bytes(int first, int count) const { return from(first + count) - from(first); }
};

// Among places 0 … cube - 1 counted from the root: part v of the sum into v's `out`, which holds what v gives.
template <Communicator C>
Task parts_added(C& comm, Exchange x, int cube) {
  const int ranks = comm.size(), own = place_of(comm.rank(), x.root, ranks);
  const Parts parts{x.block, cube};
  for (int step = cube / 2; step > 0; step /= 2) {
    const int keeps = own & ~(step - 1), gives = keeps ^ step, other = rank_at(own ^ step, x.root, ranks);
    const std::size_t bytes = parts.bytes(keeps, step);
    co_await comm.sendrecv(at_byte(x.out, parts.from(gives)), parts.bytes(gives, step), other, x.spare, bytes, other,
                           collective_tag);
    co_await sum(comm, at_byte(x.out, parts.from(keeps)), x.spare, bytes);
  }
}

// `x.out` holds what the rank gives, and then, with what it was handed, what its place below the cube gives.
template <Communicator C>
Task surplus_in(C& comm, Exchange x, int cube) {
  const int ranks = comm.size(), own = place_of(comm.rank(), x.root, ranks);
  if (own >= cube) {
    co_await comm.send(x.out, x.block, rank_at(own - cube, x.root, ranks), collective_tag);
  } else if (own + cube < ranks) {
    co_await comm.recv(x.spare, x.block, rank_at(own + cube, x.root, ranks), collective_tag);
    co_await sum(comm, x.out, x.spare, x.block);
  }
}

template <Communicator C>
Task allreduce_rabenseifner(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size(), cube = cube_below(ranks);
  const Parts parts{x.block, cube};
  x.root = 0;
  copy_bytes(x.out, x.in, x.block);
  co_await surplus_in(comm, x, cube);
  if (me >= cube) {
    co_await comm.recv(x.out, x.block, me - cube, collective_tag);
    co_return;
  }
  co_await parts_added(comm, x, cube);
  for (int step = 1; step < cube; step *= 2) {
    const int has = me & ~(step - 1), gets = has ^ step;
    co_await comm.sendrecv(at_byte(x.out, parts.from(has)), parts.bytes(has, step), me ^ step,
                           at_byte(x.out, parts.from(gets)), parts.bytes(gets, step), me ^ step, collective_tag);
  }
  if (me + cube < ranks) co_await comm.send(x.out, x.block, me + cube, collective_tag);
}

// A rank that is not the root uses its `out` for its parts.
template <Communicator C>
Task reduce_rabenseifner(C& comm, Exchange x) {
  const int ranks = comm.size(), own = place_of(comm.rank(), x.root, ranks), cube = cube_below(ranks);
  const Parts parts{x.block, cube};
  copy_bytes(x.out, x.in, x.block);
  co_await surplus_in(comm, x, cube);
  if (own >= cube) co_return;
  co_await parts_added(comm, x, cube);
  for (int step = 1; step < cube; step *= 2) {
    const int lower = own & ~step, other = rank_at(own ^ step, x.root, ranks);
    const int upper_parts = lower | step;
    std::byte* const there = at_byte(x.out, parts.from(upper_parts));
    if (own != lower) {
      co_await comm.send(there, parts.bytes(upper_parts, step), other, collective_tag);
      co_return;
    }
    co_await comm.recv(there, parts.bytes(upper_parts, step), other, collective_tag);
  }
}

// Beyond a power of two the first ranks pair up, so that what a rank below the cube stands for are blocks that lie side
// by side.
template <Communicator C>
Task reduce_scatter_halving(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size(), cube = cube_below(ranks), pairs = ranks - cube;
  const auto first = [&](int v) { return static_cast<std::size_t>(v < pairs ? 2 * v : v + pairs) * x.block; };
  const auto rank_of = [&](int v) { return v < pairs ? 2 * v : v + pairs; };
  const std::size_t all = static_cast<std::size_t>(ranks) * x.block;
  std::byte *const sums = x.spare, *const room = at_byte(x.spare, all);
  if (me < 2 * pairs && me % 2 == 1) {
    co_await comm.send(x.in, all, me - 1, collective_tag);
    co_await comm.recv(x.out, x.block, me - 1, collective_tag);
    co_return;
  }
  copy_bytes(sums, x.in, all);
  if (me < 2 * pairs) {
    co_await comm.recv(room, all, me + 1, collective_tag);
    co_await sum(comm, sums, room, all);
  }
  const int own = me < 2 * pairs ? me / 2 : me - pairs;
  for (int step = cube / 2; step > 0; step /= 2) {
    const int keeps = own & ~(step - 1), gives = keeps ^ step, other = rank_of(own ^ step);
    const std::size_t kept = first(keeps + step) - first(keeps), given = first(gives + step) - first(gives);
    co_await comm.sendrecv(at_byte(sums, first(gives)), given, other, room, kept, other, collective_tag);
    co_await sum(comm, at_byte(sums, first(keeps)), room, kept);
  }
  copy_bytes(x.out, at_byte(sums, first(own)), x.block);
  if (me < 2 * pairs) co_await comm.send(at_byte(sums, first(own) + x.block), x.block, me + 1, collective_tag);
}

}  // namespace assay::ranks
