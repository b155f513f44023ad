// Two-level alltoallv: as the two-level alltoall (level_blocks.hpp), of messages of unlike lengths.
//
// A rank packs its messages without gaps; a binomial tree brings them to the leader. Leaders exchange pairwise what
// their nodes have for one another, and a binomial tree takes to each rank what all have for it, whose length depends
// on the rank. All ranks know all lengths (uneven(), own_collectives.hpp), so that none are exchanged. Source: Traeff
// and Rougier 2014.
#pragma once

#include <bit>
#include <numeric>

#include "ranks/algorithms/blocks.hpp"
#include "ranks/algorithms/levels.hpp"

namespace assay::ranks {

// Lengths of the messages between the ranks of one communicator.
struct Lengths {
  std::size_t block;
  int ranks;
  std::size_t of(int from, int to) const { return uneven(block, from, to, ranks); }
  // What rank 0 sends, and every other.
  std::size_t sent() const {
    std::size_t bytes = 0;
    for (int to = 0; to < ranks; ++to) bytes += of(0, to);
    return bytes;
  }
  std::size_t received(int to) const {
    std::size_t bytes = 0;
    for (int from = 0; from < ranks; ++from) bytes += of(from, to);
    return bytes;
  }
  // What the ranks of each node send to those of `node`, or with `out` receive from them: where it begins, and at the
  // last place where it ends.
  std::vector<std::size_t> by_node(const NodeOrder& order, int node, bool out) const {
    std::vector<std::size_t> begins{0};
    for (int other = 0; other < order.nodes(); ++other) {
      std::size_t bytes = 0;
      for (std::size_t mine = 0; mine < order.held(node, 1); ++mine)
        for (std::size_t theirs = 0; theirs < order.held(other, 1); ++theirs) {
          const int here = order.member(node, mine), there = order.member(other, theirs);
          bytes += out ? of(here, there) : of(there, here);
        }
      begins.push_back(begins.back() + bytes);
    }
    return begins;
  }
};

// What the ranks of a node receive, from seat `first` on.
struct Incoming {
  int first;
  std::vector<std::size_t> begins{0};

  static Incoming of(const Nodes& nodes, int leader, const Lengths& lengths, int first, int count) {
    Incoming received{.first = first};
    for (int rank = leader, seat = 0; seat < first + count; ++rank) {
      if (nodes.leader[static_cast<std::size_t>(rank)] != leader) continue;
      if (seat++ >= first) received.begins.push_back(received.begins.back() + lengths.received(rank));
    }
    return received;
  }
  std::size_t bytes(int seat, int count) const {
    const auto at = static_cast<std::size_t>(seat - first);
    return begins[at + static_cast<std::size_t>(count)] - begins[at];
  }
};

// The subtree of a binomial tree from rank 0 that hangs from a rank: how many ranks it has.
inline int subtree(int rank, int ranks) { return rank == 0 ? ranks : std::min(rank & -rank, ranks - rank); }

// Parts of unlike lengths from rank 0 to each; `held` are those of a rank's subtree, its own first.
template <Communicator C>
Task scatter_unlike(C& comm, const Incoming& parts, std::byte* held) {
  const int me = comm.rank(), ranks = comm.size(), below = subtree(me, ranks);
  if (me != 0) co_await comm.recv(held, parts.bytes(me, below), me & (me - 1), collective_tag);
  for (int bit = static_cast<int>(std::bit_ceil(static_cast<unsigned>(below))) / 2; bit > 0; bit /= 2)
    co_await comm.send(at_byte(held, parts.bytes(me, bit)), parts.bytes(me + bit, subtree(me + bit, ranks)), me + bit,
                       collective_tag);
}

// `mine`, what a node's ranks send: of each in turn its messages to all ranks. `packed` gets, for each node in turn and
// each of its ranks, a message from each of ours.
inline void pack_messages(const NodeOrder& order, int node, const Lengths& lengths, std::byte* packed,
                          const std::byte* mine) {
  std::vector<std::size_t> next(order.ranks());
  std::size_t end = 0;
  for (const int to : order.members) {
    next[static_cast<std::size_t>(to)] = end;
    for (std::size_t seat = 0; seat < order.held(node, 1); ++seat) end += lengths.of(order.member(node, seat), to);
  }
  for (std::size_t seat = 0; seat < order.held(node, 1); ++seat)
    for (int to = 0; to < lengths.ranks; ++to) {
      const std::size_t bytes = lengths.of(order.member(node, seat), to);
      copy_bytes(at_byte(packed, next[static_cast<std::size_t>(to)]), mine, bytes);
      next[static_cast<std::size_t>(to)] += bytes;
      mine = at_byte(mine, bytes);
    }
}
// And what came from each node in turn (`next`: from where on), for each of our ranks in turn: in order of the ranks
// that sent it.
inline void unpack_messages(const NodeOrder& order, int node, const Lengths& lengths, std::vector<std::size_t> next,
                            std::byte* mine, const std::byte* packed) {
  std::vector<std::size_t> place(order.ranks());
  for (std::size_t seat = 0; seat < order.held(node, 1); ++seat) {
    const int to = order.member(node, seat);
    std::size_t end = 0;
    for (int from = 0; from < lengths.ranks; ++from) {
      place[static_cast<std::size_t>(from)] = end;
      end += lengths.of(from, to);
    }
    for (int other = 0; other < order.nodes(); ++other)
      for (std::size_t at = 0; at < order.held(other, 1); ++at) {
        const int from = order.member(other, at);
        std::size_t& source = next[static_cast<std::size_t>(other)];
        copy_bytes(at_byte(mine, place[static_cast<std::size_t>(from)]), at_byte(packed, source), lengths.of(from, to));
        source += lengths.of(from, to);
      }
    mine = at_byte(mine, end);
  }
}

template <Communicator C>
Task alltoallv_levels(C& comm, Levels<C>& levels, Exchange x) {
  const int me = comm.rank(), ranks = comm.size(), seat = levels.node->rank(),
            below = subtree(seat, levels.node->size());
  const Lengths lengths{x.block, ranks};
  const std::size_t sent = lengths.sent();
  const int leader = levels.nodes->leader[static_cast<std::size_t>(me)];
  const Incoming received = Incoming::of(*levels.nodes, leader, lengths, seat, below);
  std::byte *first = nullptr, *second = nullptr;
  if (x.in) {
    auto& room = levels.kept->room;
    const std::size_t half = std::max(static_cast<std::size_t>(below) * sent, received.begins.back());
    room.resize(std::max(room.size(), 2 * half));
    first = room.data();
    second = first + half;
    std::size_t next = 0;
    for (int to = 0; to < ranks; next += lengths.of(me, to++))
      copy_bytes(first + next, x.in + 2 * static_cast<std::size_t>(to) * x.block, lengths.of(me, to));
  }
  co_await gather_binomial<C, false>(*levels.node, {first, nullptr, first, sent});
  if (levels.leads()) {
    C& leaders = *levels.leaders;
    const NodeOrder& order = levels.order(ranks);
    const int node = leaders.rank();
    const auto leaving = lengths.by_node(order, node, true), coming = lengths.by_node(order, node, false);
    const auto place = [](std::byte* base, const auto& begins, int at) {
      return at_byte(base, begins[static_cast<std::size_t>(at)]);
    };
    const auto bytes = [](const auto& begins, int at) {
      return begins[static_cast<std::size_t>(at) + 1] - begins[static_cast<std::size_t>(at)];
    };
    if (x.in) pack_messages(order, node, lengths, second, first);
    copy_bytes(place(first, coming, node), place(second, leaving, node), bytes(leaving, node));
    for (int k = 1; k < leaders.size(); ++k) {
      const auto [to, from] = pair_in_step(k, node, leaders.size());
      co_await leaders.sendrecv(place(second, leaving, to), bytes(leaving, to), to, place(first, coming, from),
                                bytes(coming, from), from, collective_tag);
    }
    if (x.in) unpack_messages(order, node, lengths, coming, second, first);
  }
  co_await scatter_unlike(*levels.node, received, second);
  std::size_t next = 0;
  for (int from = 0; from < ranks; next += lengths.of(from++, me))
    copy_bytes(at_byte(x.out, 2 * static_cast<std::size_t>(from) * x.block), at_byte(second, next),
               lengths.of(from, me));
}

}  // namespace assay::ranks
