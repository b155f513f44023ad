// Two-level algorithms of operations that leave each rank's block apart: gather, scatter, allgather and alltoall.
//
// Within a node a binomial tree brings the blocks to the leader or from it; between leaders those of a node travel
// together: up or down a binomial tree of the nodes counted from the root's (gather, scatter), by Bruck's rounds
// (allgather), by pairwise exchange (alltoall, whose leader first has all that its node sends). Nodes may have unlike
// numbers of ranks. A root that does not lead its node exchanges one message of all blocks with its leader. Source:
// Karonis et al. 2000; Traeff 2002; Traeff and Rougier 2014 (hierarchical gather, scatter, allgather and all-to-all).
#pragma once

#include "ranks/algorithms/blocks.hpp"
#include "ranks/algorithms/levels.hpp"

namespace assay::ranks {

// Blocks that lie node by node from node `from` on, into order of rank.
inline void into_order(const NodeOrder& order, int from, std::byte* to, const std::byte* blocks, std::size_t block) {
  for (std::size_t at = 0; at < order.ranks(); ++at)
    copy_bytes(at_byte(to, static_cast<std::size_t>(order.member(from, at)) * block), at_byte(blocks, at * block),
               block);
}

// Among leaders, each with its node's blocks in `spare`: all of them in the root's, its own node's first.
template <Communicator C>
Task gather_nodes(C& leaders, const NodeOrder& order, Exchange x) {
  const int me = leaders.rank(), nodes = leaders.size(), own = place_of(me, x.root, nodes);
  int bit = 1;
  for (; bit < nodes && (own & bit) == 0; bit *= 2) {
    if (own + bit >= nodes) continue;
    const int from = rank_at(own + bit, x.root, nodes);
    const std::size_t bytes = order.held(from, std::min(bit, nodes - own - bit)) * x.block;
    co_await leaders.recv(at_byte(x.spare, order.held(me, bit) * x.block), bytes, from, collective_tag);
    co_await gathered(leaders, bytes);
  }
  if (own != 0)
    co_await leaders.send(x.spare, order.held(me, std::min(bit, nodes - own)) * x.block,
                          rank_at(own & ~bit, x.root, nodes), collective_tag);
}

// The other way: all blocks in the root's `spare`, its own node's first, become each node's in its leader's.
template <Communicator C>
Task scatter_nodes(C& leaders, const NodeOrder& order, Exchange x) {
  const int me = leaders.rank(), nodes = leaders.size(), own = place_of(me, x.root, nodes);
  int bit = 1;
  while (bit < nodes && (own & bit) == 0) bit *= 2;
  if (own != 0)
    co_await leaders.recv(x.spare, order.held(me, std::min(bit, nodes - own)) * x.block,
                          rank_at(own & ~bit, x.root, nodes), collective_tag);
  for (bit /= 2; bit > 0; bit /= 2) {
    if (own + bit >= nodes) continue;
    const int to = rank_at(own + bit, x.root, nodes);
    co_await leaders.send(at_byte(x.spare, order.held(me, bit) * x.block),
                          order.held(to, std::min(bit, nodes - own - bit)) * x.block, to, collective_tag);
  }
}

template <Communicator C>
Task gather_levels(C& comm, Levels<C>& levels, Exchange x) {
  levels.find(x.root);
  const int root = x.root, me = comm.rank(), leader = levels.nodes->leader[static_cast<std::size_t>(root)];
  const std::size_t whole = static_cast<std::size_t>(comm.size()) * x.block;
  co_await gather_binomial(*levels.node, {x.in, nullptr, x.spare, x.block});
  x.root = levels.root_node;
  if (levels.leads()) co_await gather_nodes(*levels.leaders, levels.order(comm.size()), x);
  if (me == leader) into_order(levels.order(comm.size()), x.root, x.out, x.spare, x.block);
  if (leader == root) co_return;
  if (me == leader) co_await comm.send(x.out, whole, root, collective_tag);
  if (me != root) co_return;
  co_await comm.recv(x.out, whole, leader, collective_tag);
  co_await gathered(comm, whole);
}

template <Communicator C>
Task scatter_levels(C& comm, Levels<C>& levels, Exchange x) {
  levels.find(x.root);
  const int root = x.root, me = comm.rank(), leader = levels.nodes->leader[static_cast<std::size_t>(root)];
  const std::size_t whole = static_cast<std::size_t>(comm.size()) * x.block;
  if (leader != root) {
    if (me == root) co_await comm.send(x.in, whole, leader, collective_tag);
    if (me == leader) co_await comm.recv(x.out, whole, root, collective_tag);
  }
  x.root = levels.root_node;
  if (me == leader) {
    const NodeOrder& order = levels.order(comm.size());
    const std::byte* const from = leader == root ? x.in : x.out;
    for (std::size_t at = 0; at < order.ranks(); ++at)
      copy_bytes(at_byte(x.spare, at * x.block),
                 at_byte(from, static_cast<std::size_t>(order.member(x.root, at)) * x.block), x.block);
  }
  if (levels.leads()) co_await scatter_nodes(*levels.leaders, levels.order(comm.size()), x);
  co_await scatter_binomial(*levels.node, {x.spare, x.out, at_byte(x.spare, whole), x.block});
}

template <Communicator C>
Task allgather_levels(C& comm, Levels<C>& levels, Exchange x) {
  co_await gather_binomial<C, false>(*levels.node, {x.in, nullptr, x.spare, x.block});
  if (levels.leads()) {
    C& leaders = *levels.leaders;
    const NodeOrder& order = levels.order(comm.size());
    const int me = leaders.rank(), nodes = leaders.size();
    for (int have = 1; have < nodes; have *= 2) {
      const int count = std::min(have, nodes - have), from = (me + have) % nodes;
      co_await leaders.sendrecv(x.spare, order.held(me, count) * x.block, (me - have + nodes) % nodes,
                                at_byte(x.spare, order.held(me, have) * x.block), order.held(from, count) * x.block,
                                from, collective_tag);
    }
    into_order(order, me, x.out, x.spare, x.block);
  }
  co_await broadcast_binomial(*levels.node, {nullptr, x.out, nullptr, static_cast<std::size_t>(comm.size()) * x.block});
}

// `mine`, what the node's ranks send: of each in turn a block to every rank. `packed` gets the same for each node in
// turn: of each of its ranks, a block from each of ours.
inline void pack_for_nodes(const NodeOrder& order, std::size_t here, std::byte* packed, const std::byte* mine,
                           std::size_t block) {
  std::size_t next = 0;
  for (const int to : order.members)
    for (std::size_t from = 0; from < here; ++from)
      copy_bytes(at_byte(packed, next++ * block),
                 at_byte(mine, (from * order.ranks() + static_cast<std::size_t>(to)) * block), block);
}
// And what came from each node in turn, for each of our ranks in turn: in order of the ranks that sent it.
inline void unpack_of_nodes(const NodeOrder& order, std::size_t here, std::byte* mine, const std::byte* packed,
                            std::size_t block) {
  std::size_t next = 0;
  for (int node = 0; node < order.nodes(); ++node)
    for (std::size_t to = 0; to < here; ++to)
      for (std::size_t at = 0; at < order.held(node, 1); ++at)
        copy_bytes(at_byte(mine, (to * order.ranks() + static_cast<std::size_t>(order.member(node, at))) * block),
                   at_byte(packed, next++ * block), block);
}

template <Communicator C>
Task alltoall_levels(C& comm, Levels<C>& levels, Exchange x) {
  const std::size_t whole = static_cast<std::size_t>(comm.size()) * x.block,
                    here = static_cast<std::size_t>(levels.node->size());
  std::byte *first = nullptr, *second = nullptr;
  if (x.in) {
    auto& room = levels.kept->room;
    const auto own = static_cast<std::size_t>(levels.node->rank());
    const std::size_t below = own == 0 ? 2 * here : std::min(own & -own, here - own);  // twice all, or of its subtree
    room.resize(std::max(room.size(), below * whole));
    first = room.data();
    if (own == 0) second = first + here * whole;
  }
  co_await gather_binomial<C, false>(*levels.node, {x.in, nullptr, first, whole});
  if (levels.leads()) {
    C& leaders = *levels.leaders;
    const NodeOrder& order = levels.order(comm.size());
    const int me = leaders.rank(), nodes = leaders.size();
    const auto place = [&](int node) { return order.begins(node) * here * x.block; };
    const auto bytes = [&](int node) { return order.held(node, 1) * here * x.block; };
    pack_for_nodes(order, here, second, first, x.block);
    copy_bytes(at_byte(first, place(me)), at_byte(second, place(me)), bytes(me));
    for (int k = 1; k < nodes; ++k) {
      const auto [to, from] = pair_in_step(k, me, nodes);
      co_await leaders.sendrecv(at_byte(second, place(to)), bytes(to), to, at_byte(first, place(from)), bytes(from),
                                from, collective_tag);
    }
    unpack_of_nodes(order, here, second, first, x.block);
  }
  co_await scatter_binomial(*levels.node, {second, x.out, first, whole});
}

}  // namespace assay::ranks
