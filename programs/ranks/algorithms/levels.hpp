// Two-level algorithms: within each node, and between the nodes' leaders, which are their lowest ranks.
//
// Within a node a binomial tree brings data to the leader and back; between leaders a barrier disseminates, a broadcast
// and a reduction take a binomial tree, an allreduce doubles recursively. A root that does not lead its node exchanges
// one message with its leader. Both levels are groups that the communicator is split into. Operations that leave each
// rank's block apart from the others': level_blocks.hpp, level_messages.hpp; reduce-scatter and scan: level_sums.hpp.
// Source: Karonis et al. 2000 (multilevel trees); Traeff 2002 (SMP-aware collectives).
#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>

#include "ranks/algorithms/all.hpp"
#include "ranks/algorithms/barriers.hpp"

namespace assay::ranks {

// Which rank leads each rank's node, and which is the last of its run: the ranks one after the other on one node.
struct Nodes {
  std::vector<int> leader, run;

  // `together` consecutive ranks are a node; 0: those that the machine has placed on one.
  template <Communicator C>
  static Nodes of(const C& comm, int together) {
    Nodes nodes;
    std::vector<int> leaders;
    for (int rank = 0; rank < comm.size(); ++rank) {
      const auto found = std::ranges::find_if(leaders, [&](int each) {
        return together > 0 ? each == rank - rank % together : comm.same_node(each, rank);
      });
      nodes.leader.push_back(found == leaders.end() ? rank : *found);
      if (nodes.leader.back() == rank) leaders.push_back(rank);
    }
    nodes.run = nodes.leader;
    for (std::size_t rank = nodes.run.size(); rank-- > 0;) {
      const bool goes_on = rank + 1 < nodes.run.size() && nodes.leader[rank] == nodes.leader[rank + 1];
      nodes.run[rank] = goes_on ? nodes.run[rank + 1] : static_cast<int>(rank);
    }
    return nodes;
  }
  // Whether the first `among` ranks have two nodes, one of them with two ranks.
  bool differ(int among) const { return differ(leader, among); }
  // Whether they have two runs, one of them of two ranks.
  bool runs_differ(int among) const { return differ(run, among); }

 private:
  static bool differ(const std::vector<int>& part, int among) {
    const std::span first(part.data(), static_cast<std::size_t>(among));
    const bool several =
        first.front() != first.back() || std::ranges::adjacent_find(first, std::not_equal_to{}) != first.end();
    std::vector<int> sorted(first.begin(), first.end());
    std::ranges::sort(sorted);
    return several && std::ranges::adjacent_find(sorted) != sorted.end();
  }
};

// The ranks node by node: `members` in order of rank within each, those of node k from place first[k] on.
struct NodeOrder {
  std::vector<int> members, first;

  static NodeOrder of(const Nodes& nodes, int ranks) {
    NodeOrder order;
    std::vector<int> node(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      const int leads = nodes.leader[at];
      if (leads == rank) order.first.push_back(0);
      node[at] = leads == rank ? static_cast<int>(order.first.size()) - 1 : node[static_cast<std::size_t>(leads)];
      ++order.first[static_cast<std::size_t>(node[at])];
    }
    order.first.push_back(0);
    std::exclusive_scan(order.first.begin(), order.first.end(), order.first.begin(), 0);
    std::vector<int> next = order.first;
    order.members.resize(node.size());
    for (int rank = 0; rank < ranks; ++rank)
      order.members[static_cast<std::size_t>(next[static_cast<std::size_t>(node[static_cast<std::size_t>(rank)])]++)] =
          rank;
    return order;
  }
  int nodes() const { return static_cast<int>(first.size()) - 1; }
  std::size_t ranks() const { return members.size(); }
  // Where node `k` begins.
  std::size_t begins(int k) const { return static_cast<std::size_t>(first[static_cast<std::size_t>(k)]); }
  // How many ranks `count` nodes have from node `from` on, the first following the last.
  std::size_t held(int from, int count) const {
    const int end = from + count, all = nodes();
    return end <= all ? begins(end) - begins(from) : ranks() - begins(from) + begins(end - all);
  }
  // The rank of place `at` behind the beginning of node `from`, round.
  int member(int from, std::size_t at) const { return members[(begins(from) + at) % ranks()]; }
};

// What a rank keeps of both levels from operation to operation.
struct LevelsKept {
  NodeOrder order;              // of a rank that has asked for it
  std::vector<std::byte> room;  // beyond an Exchange's own
};

// What a rank has of the two levels.
template <Communicator C>
struct Levels {
  std::optional<C> node, leaders;  // `leaders` is of use where the rank leads
  const Nodes* nodes = nullptr;
  std::shared_ptr<LevelsKept> kept;
  int root = -1, root_node = 0, root_seat = 0;  // of the root that was asked for last: its node's place, its own there

  bool leads() const { return node->rank() == 0; }
  const NodeOrder& order(int ranks) {
    if (kept->order.members.empty()) kept->order = NodeOrder::of(*nodes, ranks);
    return kept->order;
  }
  void find(int wanted) {
    if (root == wanted) return;
    root = wanted;
    root_node = root_seat = 0;
    const int leads = nodes->leader[static_cast<std::size_t>(wanted)];
    for (int rank = 0; rank < wanted; ++rank) {
      const int its = nodes->leader[static_cast<std::size_t>(rank)];
      root_seat += its == leads;
      root_node += its == rank && rank < leads;
    }
  }
};

// Every rank of `comm` calls it. `runs`: of the runs, led by their last ranks, instead of the nodes.
template <Grouped C>
Task make_levels(C& comm, const Nodes& nodes, bool runs, Levels<C>& levels) {
  const int me = comm.rank(), leader = runs ? std::min(nodes.run[static_cast<std::size_t>(me)], comm.size() - 1)
                                            : nodes.leader[static_cast<std::size_t>(me)];
  levels.nodes = &nodes;
  levels.kept = std::make_shared<LevelsKept>();
  levels.node.emplace(co_await comm.split(leader, me));
  levels.leaders.emplace(co_await comm.split(leader == me ? 0 : 1, me));
}
// Whether an operation's two levels are of the runs: what depends on the order of ranks.
inline constexpr bool by_runs(Operation operation) { return operation == Operation::scan; }

// Both kinds of two levels, of the ranks of one communicator; each is made when it is first asked for.
template <Communicator C>
struct BothLevels {
  Levels<C> of_nodes, of_runs;

  Levels<C>& of(Operation operation) { return by_runs(operation) ? of_runs : of_nodes; }
  // Every rank of `comm` calls both.
  Task make(C& comm, const Nodes& nodes, Operation operation) {
    if (!of(operation).node) co_await make_levels(comm, nodes, by_runs(operation), of(operation));
  }
  Task release(C& comm) {
    for (Levels<C>* levels : {&of_nodes, &of_runs}) {
      if (!levels->node) continue;
      co_await comm.release(*levels->leaders);
      co_await comm.release(*levels->node);
    }
  }
};

template <Communicator C>
Task barrier_levels(C&, Levels<C>& levels, Exchange) {
  co_await reduce_binomial(*levels.node, {});
  if (levels.leads()) co_await barrier_dissemination(*levels.leaders, {.among = levels.leaders->size()});
  co_await broadcast_binomial(*levels.node, {});
}

template <Communicator C>
Task broadcast_levels(C& comm, Levels<C>& levels, Exchange x) {
  levels.find(x.root);
  const int leader = levels.nodes->leader[static_cast<std::size_t>(x.root)], me = comm.rank();
  if (leader != x.root) {
    if (me == x.root) co_await comm.send(x.out, x.block, leader, collective_tag);
    if (me == leader) co_await comm.recv(x.out, x.block, x.root, collective_tag);
  }
  x.root = levels.root_node;
  if (levels.leads()) co_await broadcast_binomial(*levels.leaders, x);
  x.root = 0;
  co_await broadcast_binomial(*levels.node, x);
}

template <Communicator C>
Task reduce_levels(C& comm, Levels<C>& levels, Exchange x) {
  levels.find(x.root);
  const int root = x.root, leader = levels.nodes->leader[static_cast<std::size_t>(root)], me = comm.rank();
  x.root = 0;
  co_await reduce_binomial(*levels.node, x);
  x.root = levels.root_node;
  x.in = x.out;
  if (levels.leads()) co_await reduce_binomial(*levels.leaders, x);
  if (leader == root) co_return;
  if (me == leader) co_await comm.send(x.out, x.block, root, collective_tag);
  if (me == root) co_await comm.recv(x.out, x.block, leader, collective_tag);
}

template <Communicator C>
Task allreduce_levels(C&, Levels<C>& levels, Exchange x) {
  x.root = 0;
  co_await reduce_binomial(*levels.node, x);
  x.in = x.out;
  if (levels.leads()) co_await allreduce_doubling(*levels.leaders, x);
  co_await broadcast_binomial(*levels.node, x);
}

}  // namespace assay::ranks
