// Which I/O node keeps a unit, where all of them work and where one does not.
//
// A unit belongs to an I/O node, by striping. With two copies the next one keeps it, too (chained declustering: Hsiao
// and DeWitt 1990). A neighbour stands in for what failed:
//
//   failed       an I/O node with its disks: the next one keeps its units, or has their copies
//   failed_link  an I/O node's way to the network: the next one does its work on its disks, or on the copies
//   failed_disk  requests for it reach its I/O node, which passes them on to the next one
//
// Without an I/O node the units of all are read in equal parts from those that are left, where there are copies: the
// k-th one after it reads k / (n - 1) of its own units itself, by runs of them, and the next one the others.
#pragma once

#include <cstdint>
#include <optional>

#include "storage/storage_parameters.hpp"

namespace assay::storage {

struct Keeper {
  std::uint32_t target, keeps;  // I/O nodes: who is sent the request, and who keeps the unit
  bool neighbours;              // it is kept for, or as a copy of, the one before
};

class Keepers {
 public:
  static constexpr std::uint64_t run = 4;  // units

  explicit Keepers(const StorageParameters& storage)
      : nodes_(storage.io_nodes),
        disks_(storage.disks),
        copies_(storage.copies > 1),
        linked_(storage.failed_link.has_value()),
        gone_(storage.failed ? storage.failed : storage.failed_link),
        disk_(storage.failed_disk) {}

  // Whether an I/O node has the disks of the one before it beside its own.
  bool adopts(std::uint32_t node) const { return linked_ && !copies_ && next(*gone_) == node; }

  Keeper reads(std::uint32_t node, std::uint64_t unit) const {
    if (gone_ == node) return {next(node), next(node), true};
    if (dead(node, unit)) return {node, next(node), true};
    if (copies_ && gone_ && next(node) != *gone_) {
      const std::uint64_t after = (node + nodes_ - *gone_) % nodes_, left = nodes_ - 1;
      if (unit / run % left >= after) return {next(node), next(node), true};
    }
    return {node, node, false};
  }
  // Calls with every keeper that a written unit goes to.
  template <class Each>
  void writes(std::uint32_t node, std::uint64_t unit, Each&& each) const {
    const std::uint32_t other = next(node);
    const bool kept = gone_ != node && !dead(node, unit);
    if (kept) each(Keeper{node, node, false});
    if (copies_) {
      if (gone_ != other && !dead(other, unit)) each(Keeper{other, other, true});
    } else if (!kept) {
      each(Keeper{gone_ == node ? other : node, other, true});
    }
  }

 private:
  std::uint32_t next(std::uint32_t node) const { return (node + 1) % nodes_; }
  bool dead(std::uint32_t node, std::uint64_t unit) const {
    return disk_ && disk_->first == node && disk_->second == unit % disks_;
  }

  std::uint32_t nodes_, disks_;
  bool copies_, linked_;
  std::optional<std::uint32_t> gone_;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> disk_;
};

}  // namespace assay::storage
