// The files of [io.files] on the I/O nodes of a hypercube (io_nodes.hpp): which file is asked for, where its blocks
// lie, and how long an I/O node takes until a block is in one of its buffers.
//
// Files begin at an I/O node, equally many at each; the k-th of them is asked for in proportion to 1 / k^skew. Their
// blocks lie in turn on `declustering` I/O nodes, the first on that one. Those of a node lie one behind the other on
// its drive, over which files are spread evenly. A cache keeps the blocks that were used last; a block that is asked
// for while it is on its way arrives once. A drive serves in order of arrival: seek, rotation and transfer by
// storage/disk.hpp, whose sectors are blocks here.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "events/random.hpp"
#include "network/settings.hpp"
#include "storage/block_cache.hpp"
#include "storage/disk.hpp"

namespace assay::storage {

class BlockFiles {
 public:
  struct File {
    std::uint32_t first, number;  // I/O address at which it begins; which of the files there
  };
  struct Found {
    std::uint64_t cycle;           // when the block is in a buffer
    bool hit;                      // it was, or was on its way
    std::uint64_t waited, served;  // cycles: of a drive's queue; of the access itself
  };
  /// ParameterError where the files do not fit: their lengths, their I/O nodes, their drives.
  BlockFiles(const network::InputOutput& io, std::uint32_t nodes);

  /// One of the files that begin at an I/O node, by its share of the requests.
  [[nodiscard]] std::uint32_t draw(events::Random& random) const;
  [[nodiscard]] std::uint32_t blocks(File file) const;
  [[nodiscard]] std::uint32_t spread(File file) const;  // I/O nodes that it has blocks on
  /// Of requests for files that begin there: blocks on average; the share with blocks on the k-th I/O node after it.
  [[nodiscard]] double mean_blocks(std::uint32_t first) const;
  [[nodiscard]] double reach(std::uint32_t first, std::uint32_t k) const;
  /// `keeper` has the buffers, `place` the drive: another one where an I/O node has failed. Calls come in the
  /// order in which the drives serve them.
  Found find(std::uint32_t keeper, std::uint32_t place, File file, std::uint32_t block, std::uint64_t cycle,
             events::Random& random);

 private:
  struct Node {
    BlockCache cache;
    std::unordered_map<BlockCache::Block, std::uint64_t> ready;  // of buffers whose block was still on its way
    Disk drive;
    std::uint64_t free = 0;  // when the drive is
  };
  [[nodiscard]] double share(std::uint32_t number) const;  // of the requests for files of one I/O node
  [[nodiscard]] std::uint64_t address(std::uint32_t place, File file, std::uint32_t block) const;

  network::InputOutput io_;
  network::BlockFiles files_;
  std::uint32_t nodes_, on_node_ = 1;  // on_node_: blocks of the longest file on one I/O node
  std::uint64_t apart_ = 1;            // blocks between the beginnings of two files on a drive
  std::vector<double> up_to_;          // share of the requests for files up to each
  std::vector<Node> node_;
};

}  // namespace assay::storage
