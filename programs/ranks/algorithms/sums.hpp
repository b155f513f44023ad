// Reduce-scatter by pairwise exchange and round a ring, and the scans.
//
// Pairwise: in step k rank r sends block r + k of its own to that rank and adds what it gets from r - k. Ring: the sum
// of block k travels from rank k + 1 round to rank k, each rank adding its own. Scan: in a chain; or by recursive
// doubling, in round k what r has goes to r + 2^k (Hillis and Steele 1986). Source: Thakur, Rabenseifner, Gropp 2005.
#pragma once

#include "ranks/algorithms/table.hpp"
#include "ranks/own_memory.hpp"

namespace assay::ranks {

template <Communicator C>
Task reduce_scatter_pairwise(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  copy_bytes(x.out, at_byte(x.in, static_cast<std::size_t>(me) * x.block), x.block);
  for (int k = 1; k < ranks; ++k) {
    const int to = (me + k) % ranks, from = (me - k + ranks) % ranks;
    co_await comm.sendrecv(at_byte(x.in, static_cast<std::size_t>(to) * x.block), x.block, to, x.spare, x.block, from,
                           collective_tag);
    co_await sum(comm, x.out, x.spare, x.block);
  }
}

template <Communicator C>
Task reduce_scatter_ring(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  const int next = (me + 1) % ranks, previous = (me - 1 + ranks) % ranks;
  const auto own = [&](int block) { return at_byte(x.in, static_cast<std::size_t>(block) * x.block); };
  copy_bytes(x.out, own(previous), x.block);
  for (int step = 1; step < ranks; ++step) {
    co_await comm.sendrecv(x.out, x.block, next, x.spare, x.block, previous, collective_tag);
    copy_bytes(x.out, x.spare, x.block);
    co_await sum(comm, x.out, own((me - 1 - step + 2 * ranks) % ranks), x.block);
  }
}

template <Communicator C>
Task scan_linear(C& comm, Exchange x) {
  const int me = comm.rank();
  copy_bytes(x.out, x.in, x.block);
  if (me > 0) {
    co_await comm.recv(x.spare, x.block, me - 1, collective_tag);
    co_await sum(comm, x.out, x.spare, x.block);
  }
  if (me + 1 < comm.size()) co_await comm.send(x.out, x.block, me + 1, collective_tag);
}

// What ranks have in `in`, or without that in `out`, added up over all up to each, by recursive doubling. `before`:
// also over those before it, behind a block of room in `spare`.
template <Communicator C>
Task add_up(C& comm, Exchange x, bool before) {
  const int me = comm.rank(), ranks = comm.size();
  std::byte* const others = at_byte(x.spare, x.block);
  copy_bytes(x.out, x.in, x.block);
  for (int step = 1; step < ranks; step *= 2) {
    const bool sends = me + step < ranks, receives = me >= step;
    if (sends && receives) {
      co_await comm.sendrecv(x.out, x.block, me + step, x.spare, x.block, me - step, collective_tag);
    } else if (sends) {
      co_await comm.send(x.out, x.block, me + step, collective_tag);
    } else if (receives) {
      co_await comm.recv(x.spare, x.block, me - step, collective_tag);
    }
    if (!receives) continue;
    co_await sum(comm, x.out, x.spare, x.block);
    if (before && step == 1) copy_bytes(others, x.spare, x.block);
    if (before && step > 1) co_await sum(comm, others, x.spare, x.block);
  }
}

template <Communicator C>
Task scan_doubling(C& comm, Exchange x) {
  return add_up(comm, x, false);
}

}  // namespace assay::ranks
