// Who is a victim and who an aggressor: the nodes in an order drawn by seed, the node of rank 0 first, the ranks of
// each in order of rank; every second rank of that sequence is a victim, the others are aggressors. A node with two
// ranks has both; where nodes have one rank each, they are dealt at random, as in GPCNeT.
#pragma once

#include <numeric>

#include "ranks/algorithms/levels.hpp"
#include "ranks/session.hpp"

namespace assay::ranks {

struct VictimsAndAggressors {
  std::vector<int> order;  // rank at each place: even places are victims, odd ones aggressors
  std::vector<int> place;  // of each rank
  bool one_node = true;

  bool attacks(int rank) const { return place[static_cast<std::size_t>(rank)] % 2 == 1; }
  int head() const { return order[1]; }  // the first aggressor; the first victim is rank 0

  template <Communicator C>
  static VictimsAndAggressors of(const C& comm, std::uint64_t seed) {
    const Nodes nodes = Nodes::of(comm, 0);
    std::vector<int> leaders;
    for (int rank = 0; rank < comm.size(); ++rank)
      if (nodes.leader[static_cast<std::size_t>(rank)] == rank) leaders.push_back(rank);
    for (std::size_t left = leaders.size(); left > 2; --left)
      std::swap(leaders[left - 1], leaders[1 + Session::random(seed) % (left - 1)]);
    std::vector<int> turn(nodes.leader.size());
    for (std::size_t at = 0; at < leaders.size(); ++at)
      turn[static_cast<std::size_t>(leaders[at])] = static_cast<int>(at);
    const auto turn_of = [&](int rank) {
      return turn[static_cast<std::size_t>(nodes.leader[static_cast<std::size_t>(rank)])];
    };
    VictimsAndAggressors sides;
    sides.one_node = leaders.size() == 1;
    sides.order.resize(nodes.leader.size());
    std::iota(sides.order.begin(), sides.order.end(), 0);
    std::ranges::stable_sort(sides.order, {}, turn_of);
    sides.place.resize(sides.order.size());
    for (std::size_t at = 0; at < sides.order.size(); ++at)
      sides.place[static_cast<std::size_t>(sides.order[at])] = static_cast<int>(at);
    return sides;
  }
};

}  // namespace assay::ranks
