// Two-level reduce-scatter and scan.
//
// Reduce-scatter: each node's leader adds up all that its ranks give, by a binomial tree; leaders exchange pairwise the
// sums of one another's ranks; each scatters its own by a binomial tree. Scan: ranks one after the other on one node
// are a run; within it the sums double recursively, between the runs' last ranks as well, and what comes before a run
// is broadcast within it from its last rank and added. Where a node has several runs they count as nodes, as what a
// rank adds up depends on the order of ranks. Source: Traeff 2002; Thakur, Rabenseifner, Gropp 2005.
#pragma once

#include "ranks/algorithms/blocks.hpp"
#include "ranks/algorithms/levels.hpp"
#include "ranks/algorithms/sums.hpp"

namespace assay::ranks {

template <Communicator C>
Task reduce_scatter_levels(C& comm, Levels<C>& levels, Exchange x) {
  const std::size_t whole = static_cast<std::size_t>(comm.size()) * x.block;
  std::byte *const sums = x.spare, *const by_node = at_byte(x.spare, whole), *own = nullptr;
  co_await reduce_binomial(*levels.node, {x.in, sums, by_node, whole});
  if (levels.leads()) {
    C& leaders = *levels.leaders;
    const NodeOrder& order = levels.order(comm.size());
    const int me = leaders.rank();
    const auto part = [&](int node) { return at_byte(by_node, order.begins(node) * x.block); };
    const auto bytes = [&](int node) { return order.held(node, 1) * x.block; };
    for (std::size_t at = 0; at < order.ranks(); ++at)
      copy_bytes(at_byte(by_node, at * x.block), at_byte(sums, static_cast<std::size_t>(order.member(0, at)) * x.block),
                 x.block);
    own = part(me);
    for (int k = 1; k < leaders.size(); ++k) {
      const auto [to, from] = pair_in_step(k, me, leaders.size());
      co_await leaders.sendrecv(part(to), bytes(to), to, sums, bytes(me), from, collective_tag);
      co_await sum(comm, own, sums, bytes(me));
    }
  }
  co_await scatter_binomial(*levels.node, {own, x.out, sums, x.block});
}

template <Communicator C>
Task scan_levels(C& comm, Levels<C>& runs, Exchange x) {
  C& run = *runs.node;
  const int last = run.size() - 1, first = comm.rank() - run.rank();
  co_await scan_doubling(run, x);
  if (run.rank() == last) co_await add_up(*runs.leaders, {nullptr, x.out, x.spare, x.block}, true);  // of runs
  if (first == 0 || last == 0) co_return;
  std::byte* const before = at_byte(x.spare, x.block);
  co_await broadcast_binomial(run, {nullptr, before, nullptr, x.block, last});
  if (run.rank() != last) co_await sum(comm, x.out, before, x.block);
}

}  // namespace assay::ranks
