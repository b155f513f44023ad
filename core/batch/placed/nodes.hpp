// The nodes of a machine, what of each is free, and the ways in which a batch system finds nodes for a job.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch/job.hpp"
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

struct Layout {
  std::int32_t nodes = 1, cpus = 1;
  /// scattered: the lowest nodes with room; contiguous: the lowest adjacent ones; bestfit: adjacent ones of the
  /// shortest gap that does; subcube: aligned 2^k nodes (the buddy strategy of hypercubes); submesh: the lowest free
  /// block of `extents`, of least size, least surface first.
  std::string allocation = "scattered";
  bool whole_nodes = false;           // a job holds its nodes wholly
  std::vector<std::int32_t> extents;  // of a mesh, the fastest first
};

class Nodes {
 public:
  explicit Nodes(const Layout& layout);

  /// Where a job can be now; nothing where there is no place for it.
  std::optional<Placement> find(std::int32_t processors, const Needs& needs) const;

  void take(const Placement& at, const Needs& needs) { change(at, needs, 1); }
  void give(const Placement& at, const Needs& needs) { change(at, needs, -1); }
  /// A node that fails or is reserved has no room for anybody.
  void close(std::int32_t node) { open_cpus_ -= state_[node].closed++ == 0 ? layout_->cpus : 0; }
  void open(std::int32_t node) { open_cpus_ += --state_[node].closed == 0 ? layout_->cpus : 0; }

  /// What is free both here and in another state of the same nodes, taken for the whole of both.
  void worst_of(const Nodes& other);

  /// Processors that no job holds, of nodes that are open.
  std::int64_t free() const;
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
  std::optional<Placement> subcube(std::int32_t processors, const Needs& needs) const;
  std::optional<Placement> submesh(std::int32_t processors, const Needs& needs) const;
  std::int32_t wanted(std::int32_t processors, const Needs& needs) const;
  Placement all_of(const std::vector<std::int32_t>& nodes) const;

  const Layout* layout_;
  std::vector<Node> state_;
  std::int64_t open_cpus_;
  std::int32_t running_ = 0;
  bool alone_ = false;
};

}  // namespace assay::batch
