// Gather and scatter: by the root in turn, and down or up a binomial tree of the ranks counted from the root.
//
// In the tree the blocks of a subtree lie in consecutive places, so that one message carries them; the root, where they
// are in order of place, turns them. In a gather, and not where another operation's algorithm begins with one, each
// rank is charged for every byte that it receives what the description states for "gather", root or not. Source:
// Thakur, Rabenseifner, Gropp 2005.
#pragma once

#include "ranks/algorithms/table.hpp"
#include "ranks/own_memory.hpp"

namespace assay::ranks {

// What a rank of a gather has received.
template <class C>
auto gathered(C& comm, std::size_t bytes) {
  return own_memory(comm, "gather", bytes, nullptr, [] {});
}

template <Communicator C>
Task gather_linear(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  if (me != x.root) {
    co_await comm.send(x.in, x.block, x.root, collective_tag);
    co_return;
  }
  copy_bytes(at_byte(x.out, static_cast<std::size_t>(me) * x.block), x.in, x.block);
  for (int place = 1; place < ranks; ++place) {
    const int from = rank_at(place, x.root, ranks);
    co_await comm.recv(at_byte(x.out, static_cast<std::size_t>(from) * x.block), x.block, from, collective_tag);
    co_await gathered(comm, x.block);
  }
}

// Every rank holds its subtree's blocks in `spare`. `charged`: of a gather.
template <Communicator C, bool charged = true>
Task gather_binomial(C& comm, Exchange x) {
  const int ranks = comm.size(), own = place_of(comm.rank(), x.root, ranks);
  copy_bytes(x.spare, x.in, x.block);
  int bit = 1;
  for (; bit < ranks && (own & bit) == 0; bit *= 2) {
    if (own + bit >= ranks) continue;
    const auto blocks = static_cast<std::size_t>(std::min(bit, ranks - own - bit));
    co_await comm.recv(at_byte(x.spare, static_cast<std::size_t>(bit) * x.block), blocks * x.block,
                       rank_at(own + bit, x.root, ranks), collective_tag);
    if constexpr (charged) co_await gathered(comm, blocks * x.block);
  }
  if (own != 0) {
    const auto blocks = static_cast<std::size_t>(std::min(bit, ranks - own));
    co_await comm.send(x.spare, blocks * x.block, rank_at(own & ~bit, x.root, ranks), collective_tag);
    co_return;
  }
  for (int place = 0; place < ranks; ++place)
    copy_bytes(at_byte(x.out, static_cast<std::size_t>(rank_at(place, x.root, ranks)) * x.block),
               at_byte(x.spare, static_cast<std::size_t>(place) * x.block), x.block);
}

template <Communicator C>
Task scatter_linear(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  if (me != x.root) {
    co_await comm.recv(x.out, x.block, x.root, collective_tag);
    co_return;
  }
  copy_bytes(x.out, at_byte(x.in, static_cast<std::size_t>(me) * x.block), x.block);
  for (int place = 1; place < ranks; ++place) {
    const int to = rank_at(place, x.root, ranks);
    co_await comm.send(at_byte(x.in, static_cast<std::size_t>(to) * x.block), x.block, to, collective_tag);
  }
}

template <Communicator C>
Task scatter_binomial(C& comm, Exchange x) {
  const int ranks = comm.size(), own = place_of(comm.rank(), x.root, ranks);
  int bit = 1;
  while (bit < ranks && (own & bit) == 0) bit *= 2;
  if (own != 0) {
    const auto blocks = static_cast<std::size_t>(std::min(bit, ranks - own));
    co_await comm.recv(x.spare, blocks * x.block, rank_at(own & ~bit, x.root, ranks), collective_tag);
  } else {
    for (int place = 0; place < ranks; ++place)
      copy_bytes(at_byte(x.spare, static_cast<std::size_t>(place) * x.block),
                 at_byte(x.in, static_cast<std::size_t>(rank_at(place, x.root, ranks)) * x.block), x.block);
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    if (own + bit >= ranks) continue;
    const auto blocks = static_cast<std::size_t>(std::min(bit, ranks - own - bit));
    co_await comm.send(at_byte(x.spare, static_cast<std::size_t>(bit) * x.block), blocks * x.block,
                       rank_at(own + bit, x.root, ranks), collective_tag);
  }
  copy_bytes(x.out, x.spare, x.block);
}

}  // namespace assay::ranks
