// Broadcasts and reductions: linear, and by binomial trees.
//
// Trees are over ranks counted from the root: rank v's parent is v without its lowest set bit, and the larger subtrees
// are served first. Source: Thakur, Rabenseifner, Gropp 2005.
#pragma once

#include "ranks/algorithms/table.hpp"
#include "ranks/own_memory.hpp"

namespace assay::ranks {

template <Communicator C>
Task broadcast_linear(C& comm, Exchange x) {
  if (comm.rank() != x.root) {
    co_await comm.recv(x.out, x.block, x.root, collective_tag);
    co_return;
  }
  for (int k = 1; k < comm.size(); ++k) co_await comm.send(x.out, x.block, (x.root + k) % comm.size(), collective_tag);
}

template <Communicator C>
Task broadcast_binomial(C& comm, Exchange x) {
  const int ranks = comm.size(), own = (comm.rank() - x.root + ranks) % ranks;
  int bit = 1;
  while (bit < ranks && (own & bit) == 0) bit *= 2;
  if (own != 0) co_await comm.recv(x.out, x.block, ((own & ~bit) + x.root) % ranks, collective_tag);
  for (bit /= 2; bit > 0; bit /= 2) {
    if (own + bit < ranks) co_await comm.send(x.out, x.block, (own + bit + x.root) % ranks, collective_tag);
  }
}

template <Communicator C>
Task reduce_linear(C& comm, Exchange x) {
  if (comm.rank() != x.root) {
    co_await comm.send(x.in, x.block, x.root, collective_tag);
    co_return;
  }
  copy_bytes(x.out, x.in, x.block);
  for (int k = 1; k < comm.size(); ++k) {
    co_await comm.recv(x.spare, x.block, (x.root + k) % comm.size(), collective_tag);
    co_await sum(comm, x.out, x.spare, x.block);
  }
}

// Every rank adds up its subtree in its own `out`.
template <Communicator C>
Task reduce_binomial(C& comm, Exchange x) {
  const int ranks = comm.size(), own = (comm.rank() - x.root + ranks) % ranks;
  copy_bytes(x.out, x.in, x.block);
  for (int bit = 1; bit < ranks; bit *= 2) {
    if ((own & bit) != 0) {
      co_await comm.send(x.out, x.block, ((own & ~bit) + x.root) % ranks, collective_tag);
      co_return;
    }
    if (own + bit >= ranks) continue;
    co_await comm.recv(x.spare, x.block, (own + bit + x.root) % ranks, collective_tag);
    co_await sum(comm, x.out, x.spare, x.block);
  }
}

}  // namespace assay::ranks
