// Where a file's bytes lie: units of equal size, round robin over I/O nodes, from a first one that is the file's own.
#pragma once

#include <algorithm>
#include <cstdint>

namespace assay::storage {

struct Piece {
  std::uint32_t node;           // of those that the file is spread over
  std::uint64_t unit;           // the file's own number of the unit on that I/O node
  std::uint64_t offset, bytes;  // of the file
};

class Striping {
 public:
  Striping(std::uint64_t unit, std::uint32_t nodes, std::uint32_t first = 0)
      : unit_(unit), nodes_(nodes), first_(first % nodes) {}
  std::uint64_t unit() const { return unit_; }
  std::uint32_t nodes() const { return nodes_; }

  // The part of [offset, offset + bytes) that lies in the unit of its first byte.
  Piece piece(std::uint64_t offset, std::uint64_t bytes) const {
    const std::uint64_t index = offset / unit_;
    return {static_cast<std::uint32_t>((index + first_) % nodes_), index / nodes_, offset,
            std::min(bytes, unit_ - offset % unit_)};
  }
  // How many units a file of so many bytes has on an I/O node.
  std::uint64_t units_on(std::uint32_t node, std::uint64_t bytes) const {
    const std::uint64_t all = (bytes + unit_ - 1) / unit_, place = (node + nodes_ - first_) % nodes_;
    return all / nodes_ + (place < all % nodes_);
  }

 private:
  std::uint64_t unit_;
  std::uint32_t nodes_, first_;
};

}  // namespace assay::storage
