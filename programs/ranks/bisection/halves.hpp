// Random bisections: the nodes dealt at random into two halves of as many nodes, and each rank of one half paired at
// random with one of the other, so that every pair has the network between its ends. Of an odd number of nodes one
// rests, and so do ranks of the half that has more. Where all ranks are on one node they themselves are dealt.
#pragma once

#include <cstdint>
#include <vector>

#include "ranks/algorithms/levels.hpp"
#include "ranks/session.hpp"

namespace assay::ranks {

struct Pairing {
  static constexpr int rests = -1;
  std::vector<int> partner;  // of each rank
  int chosen = 0;            // a rank of the one pair that is also measured alone
};

class Halves {
 public:
  template <Communicator C>
  explicit Halves(const C& comm) : ranks_(comm.size()) {
    const Nodes found = Nodes::of(comm, 0);
    std::vector<int> place(found.leader.size());
    for (int rank = 0; rank < ranks_; ++rank) {
      const int leader = found.leader[static_cast<std::size_t>(rank)];
      if (leader == rank) {
        place[static_cast<std::size_t>(rank)] = static_cast<int>(nodes_.size());
        nodes_.emplace_back();
      }
      nodes_[static_cast<std::size_t>(place[static_cast<std::size_t>(leader)])].push_back(rank);
    }
    one_node_ = nodes_.size() == 1;
    if (!one_node_) return;
    nodes_.clear();
    for (int rank = 0; rank < ranks_; ++rank) nodes_.push_back({rank});
  }
  bool one_node() const { return one_node_; }

  // The same on every rank that gives the same seed.
  Pairing draw(std::uint64_t seed) const {
    std::vector<std::size_t> order(nodes_.size());
    for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
    Session::shuffle(order, seed);
    std::vector<int> sides[2];
    for (std::size_t at = 0; at < order.size() / 2 * 2; ++at) {
      auto& side = sides[at % 2];
      side.insert(side.end(), nodes_[order[at]].begin(), nodes_[order[at]].end());
    }
    for (auto& side : sides) Session::shuffle(side, seed);
    Pairing pairing{std::vector<int>(static_cast<std::size_t>(ranks_), Pairing::rests), sides[0][0]};
    for (std::size_t at = 0; at < std::min(sides[0].size(), sides[1].size()); ++at) {
      pairing.partner[static_cast<std::size_t>(sides[0][at])] = sides[1][at];
      pairing.partner[static_cast<std::size_t>(sides[1][at])] = sides[0][at];
    }
    return pairing;
  }

 private:
  int ranks_;
  std::vector<std::vector<int>> nodes_;
  bool one_node_ = false;
};

}  // namespace assay::ranks
