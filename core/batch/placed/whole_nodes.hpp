// The ways in which a batch system finds nodes for a job that holds them wholly, among those that are free.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batch/placed/node_set.hpp"

namespace assay::batch {

struct Layout {
  std::int32_t nodes = 1, cpus = 1;
  /// scattered: the lowest nodes with room; contiguous: the lowest adjacent ones; bestfit: adjacent ones of the
  /// shortest gap that does; subcube: aligned 2^k nodes (the buddy strategy of hypercubes); submesh: the lowest free
  /// block of `extents`, of least size, least surface first.
  std::string allocation = "scattered";
  bool whole_nodes = false;           // a job holds its nodes wholly
  std::vector<std::int32_t> extents;  // of a mesh, the fastest first
};

class WholeNodes {
 public:
  explicit WholeNodes(const Layout& layout) : layout_(&layout) {}

  /// The nodes, `wanted` of them or as many more as the allocation's form takes; nothing where there is no such place.
  std::optional<std::vector<std::int32_t>> find(const NodeSet& free, std::int32_t wanted) const;

 private:
  struct Block {
    std::int32_t x, y, z;
    NodeSet corners;  // at which one lies within the mesh
  };
  std::vector<std::int32_t> adjacent(const NodeSet& free, std::int32_t wanted, bool best) const;
  std::vector<std::int32_t> subcube(const NodeSet& free, std::int32_t wanted) const;
  std::vector<std::int32_t> submesh(const NodeSet& free, std::int32_t wanted) const;
  const std::vector<Block>& blocks(std::int32_t wanted) const;

  const Layout* layout_;
  mutable std::map<std::int32_t, std::vector<Block>> blocks_;  // by how many nodes are wanted: the smallest that do
};

}  // namespace assay::batch
