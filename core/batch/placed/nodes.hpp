// The nodes of a machine, what of each is free, and the ways in which a batch system finds nodes for a job.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch/job.hpp"
#include "batch/placed/whole_nodes.hpp"
#include "batch/progress.hpp"

namespace assay::batch {

enum class Sharing : std::uint8_t { shared, own_nodes, own_machine };  // with whom a job runs

/// What a job needs beside its number of processors.
struct Needs {
  std::int32_t per_node = 0;  // at most so many of its processors on a node; 0: as many as there are
  std::int32_t nodes = 0;     // at least so many nodes, though fewer would do
  Sharing sharing = Sharing::shared;
  std::uint64_t ports = 0;           // of each of its nodes, a bit each: two jobs never use one port of one node
  std::vector<std::int32_t> limits;  // what it counts towards while it runs
  double rank = 0;                   // of its queue: a higher one goes first
  std::vector<std::int32_t> list;    // exactly these nodes, in this order; none: any
};

class Nodes {
 public:
  explicit Nodes(const Layout& layout);

  /// Where a job can be now; nothing where there is no place for it.
  std::optional<Placement> find(std::int32_t processors, const Needs& needs) const;

  void take(const Placement& at, const Needs& needs) { change(at, needs, 1); }
  void give(const Placement& at, const Needs& needs) { change(at, needs, -1); }
  /// A node that fails or is reserved has no room for anybody.
  void close(std::int32_t node);
  void open(std::int32_t node);

  /// What is free both here and in another state of the same nodes, taken for the whole of both.
  void worst_of(const Nodes& other);

  /// Whether the job gets nodes only that no other has, so that the set of these says where it can be.
  bool takes_whole(const Needs& needs) const {
    return needs.list.empty() &&
           (wholly(needs) || layout_->allocation == "subcube" || layout_->allocation == "submesh");
  }
  /// Whether there may be a place: not where too little is free anywhere.
  bool may_hold(std::int32_t processors, const Needs& needs) const {
    if (alone_ || (needs.sharing == Sharing::own_machine && running_ > 0)) return false;
    return takes_whole(needs) ? empties_ >= wanted(processors, needs) : free_ >= processors;
  }
  /// What is left of all that such a job looks at, over several states.
  struct Whole {
    NodeSet empty;
    std::int32_t running = 0;
    bool alone = false;
  };
  Whole whole() const { return {empty_, running_, alone_}; }
  void narrow(Whole& to) const {
    to.empty &= empty_;
    to.running = std::max(to.running, running_);
    to.alone = to.alone || alone_;
  }
  /// As `find`, for a job that takes whole nodes.
  std::optional<Placement> find_whole(const Whole& among, std::int32_t processors, const Needs& needs) const;

  /// Processors that no job holds, of nodes that are open.
  std::int64_t free() const { return free_; }
  std::int64_t open_cpus() const { return open_cpus_; }

 private:
  struct Node {
    std::int32_t free = 0, jobs = 0, closed = 0;
    std::uint64_t ports = 0;
  };

  void change(const Placement& at, const Needs& needs, std::int32_t sign);
  std::int32_t room(std::int32_t node, const Needs& needs) const;
  bool wholly(const Needs& needs) const { return layout_->whole_nodes || needs.sharing != Sharing::shared; }
  std::optional<Placement> listed(std::int32_t processors, const Needs& needs) const;
  std::optional<Placement> scattered(std::int32_t processors, const Needs& needs) const;
  std::optional<Placement> adjacent(std::int32_t processors, const Needs& needs, bool best) const;
  std::int32_t wanted(std::int32_t processors, const Needs& needs) const;
  void note(std::int32_t node) {
    const Node& of = state_[static_cast<std::size_t>(node)];
    const bool empty = of.closed == 0 && of.jobs == 0;
    if (empty != empty_.has(node)) empties_ += empty ? 1 : -1;
    empty_.put(node, empty);
  }

  const Layout* layout_;
  std::shared_ptr<const WholeNodes> places_;
  std::vector<Node> state_;
  NodeSet empty_;  // open, and no job there
  std::int64_t open_cpus_, free_;
  std::int32_t empties_;
  std::int32_t running_ = 0;
  bool alone_ = false;
};

}  // namespace assay::batch
