// I/O nodes that serve one access at a time (io.service): reads of their blocks and writes, in the order in which their
// tails arrive, of one cycle reads in the order of their ids and then writes. An access keeps its node for so many
// cycles; access, disk and start-up follow as the delays that they are without.
//
// Heads are delivered before they arrive, and not in the order in which they do, so that the order is found when time
// has come to the tail of a read: all writes whose tails were in before it are known by then.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace assay::storage {

class NodeService {
 public:
  NodeService(std::size_t nodes, std::uint32_t service) : nodes_(nodes), service_(service) {}

  /// A read whose tail is in now: when its service begins. `waited` is called with the cycles that accesses waited.
  template <class Waited>
  std::uint64_t read(std::uint32_t node, std::uint64_t now, Waited&& waited) {
    Node& at = nodes_[node];
    settle(at, now, waited);
    return begin(at, now, waited);
  }
  /// A write whose tail is in at `tail`, which is not before now.
  template <class Waited>
  void write(std::uint32_t node, std::uint64_t tail, std::uint64_t now, Waited&& waited) {
    Node& at = nodes_[node];
    settle(at, now, waited);
    at.writes.push(tail);
  }

 private:
  struct Node {
    std::uint64_t free = 0;  // from this cycle on
    // Tails of those whose place is not known yet, the first one on top.
    std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> writes;
  };
  template <class Waited>
  void settle(Node& at, std::uint64_t now, Waited&& waited) {
    for (; !at.writes.empty() && at.writes.top() < now; at.writes.pop()) begin(at, at.writes.top(), waited);
  }
  template <class Waited>
  std::uint64_t begin(Node& at, std::uint64_t tail, Waited&& waited) {
    const std::uint64_t start = std::max(at.free, tail);
    at.free = start + service_;
    waited(start - tail);
    return start;
  }

  std::vector<Node> nodes_;
  std::uint32_t service_;
};

}  // namespace assay::storage
