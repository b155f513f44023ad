// Derived datatypes from placed blocks of other types.
#pragma once

#include <span>
#include <vector>

#include "mpi_library/types/datatype.hpp"

namespace assay::abi {

// Puts a type together from blocks, in the order of its type map; bounds follow from those of the blocks.
class Assembly {
 public:
  Assembly() : made_(new Datatype) {}
  ~Assembly() {
    if (made_) delete made_;
  }
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  // `length` elements of `type`, the first of them `place` bytes from the type's begin.
  void block(std::int64_t place, std::int64_t length, const Datatype& type);
  // `padded`: the extent is rounded up to the alignment of its elements (structures).
  Datatype& finish(bool padded = false);
  Datatype& made() { return *made_; }

 private:
  Datatype* made_;
  bool any_ = false;
  std::int64_t lower_ = 0, upper_ = 0;
};

struct Block {
  std::int64_t place, length;  // bytes, elements
};
Datatype& blocks_of(Datatype& type, std::span<const Block> blocks);
Datatype& vector_of(Datatype& type, std::int64_t count, std::int64_t length, std::int64_t stride_bytes);
Datatype& structure_of(std::span<const Block> blocks, std::span<Datatype* const> types);
Datatype& resized(Datatype& type, std::int64_t lower, std::int64_t extent);
Datatype& duplicate(Datatype& type);
// Sizes are in elements of `type`; the first dimension is the slowest with `order` MPI_ORDER_C.
Datatype& subarray_of(Datatype& type, std::span<const std::int64_t> sizes, std::span<const std::int64_t> parts,
                      std::span<const std::int64_t> starts, int order);

struct Distribution {
  std::int64_t size;  // of the array in this dimension
  int way;            // MPI_DISTRIBUTE_…
  std::int64_t argument;
  std::int64_t ranks;  // of the grid in this dimension
};
Datatype& distributed_array_of(Datatype& type, int ranks, int rank, std::span<const Distribution> dimensions,
                               int order);

}  // namespace assay::abi
