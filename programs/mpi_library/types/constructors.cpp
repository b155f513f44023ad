#include "mpi_library/types/constructors.hpp"

#include <algorithm>
#include <utility>

#include "mpi_library/calls/call.hpp"

namespace assay::abi {
namespace {

void append(std::vector<Elements>& to, Elements run) {
  if (!to.empty() && to.back().bytes == run.bytes)
    to.back().count += run.count;
  else
    to.push_back(run);
}

// The rows of an array's part: `each` is called with the place of each row's first element, in elements.
template <class Each>
void rows_of(std::span<const std::vector<std::int64_t>> indices, std::span<const std::int64_t> strides,
             std::size_t dimension, std::int64_t place, Each&& each) {
  if (dimension == indices.size()) return each(place);
  for (const std::int64_t index : indices[dimension])
    rows_of(indices, strides, dimension + 1, place + index * strides[dimension], each);
}

Datatype& part_of_array(Datatype& type, std::span<const std::int64_t> sizes,
                        std::vector<std::vector<std::int64_t>> indices, int order) {
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t all = 1;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const std::size_t dimension = order == MPI_ORDER_C ? sizes.size() - 1 - k : k;
    strides[dimension] = all;
    all *= sizes[dimension];
  }
  if (order != MPI_ORDER_C) {  // the slowest first
    std::ranges::reverse(indices);
    std::ranges::reverse(strides);
  }
  Assembly assembly;
  rows_of(indices, strides, 0, 0, [&](std::int64_t place) { assembly.block(place * type.extent, 1, type); });
  Datatype& made = assembly.finish();
  made.lower = 0;
  made.extent = all * type.extent;
  return made;
}

// The indices of one dimension that belong to place `at` of the grid.
std::vector<std::int64_t> share(const Distribution& d, std::int64_t at) {
  std::int64_t width = d.size;
  if (d.way == MPI_DISTRIBUTE_BLOCK)
    width = d.argument == MPI_DISTRIBUTE_DFLT_DARG ? (d.size + d.ranks - 1) / d.ranks : d.argument;
  else if (d.way == MPI_DISTRIBUTE_CYCLIC)
    width = d.argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : d.argument;
  else if (d.way != MPI_DISTRIBUTE_NONE)
    fail(MPI_ERR_ARG, "unknown distribution " + std::to_string(d.way));
  check_argument(width > 0, "a distribution's argument below one");
  check_argument(d.way != MPI_DISTRIBUTE_BLOCK || width * d.ranks >= d.size, "blocks too short for the array");
  std::vector<std::int64_t> indices;
  for (std::int64_t first = at * width; first < d.size; first += width * d.ranks)
    for (std::int64_t index = first; index < std::min(first + width, d.size); ++index) indices.push_back(index);
  return indices;
}

}  // namespace

void Assembly::block(std::int64_t place, std::int64_t length, const Datatype& type) {
  if (length == 0) return;
  made_->alignment = std::max(made_->alignment, type.alignment);
  const std::int64_t last = place + (length - 1) * type.extent;
  const std::int64_t lower = std::min(place, last) + type.lower, upper = std::max(place, last) + type.upper();
  lower_ = any_ ? std::min(lower_, lower) : lower;
  upper_ = any_ ? std::max(upper_, upper) : upper;
  any_ = true;
  if (type.size == 0) return;
  made_->size += length * type.size;
  if (type.elements.size() == 1)
    append(made_->elements, {type.elements[0].bytes, type.elements[0].count * length});
  else
    for (std::int64_t i = 0; i < length; ++i)
      for (const Elements& run : type.elements) append(made_->elements, run);
  const auto put = [&](std::int64_t offset, std::int64_t bytes) {
    auto& pieces = made_->pieces;
    if (!pieces.empty() && pieces.back().offset + pieces.back().bytes == offset)
      pieces.back().bytes += bytes;
    else
      pieces.push_back({offset, bytes});
  };
  if (type.dense()) return put(place, length * type.size);
  for (std::int64_t i = 0; i < length; ++i)
    for (const Piece& piece : type.pieces) put(place + i * type.extent + piece.offset, piece.bytes);
}

Datatype& Assembly::finish(bool padded) {
  Datatype& made = *std::exchange(made_, nullptr);
  made.lower = lower_;
  made.extent = upper_ - lower_;
  if (padded && made.extent % made.alignment != 0) made.extent += made.alignment - made.extent % made.alignment;
  if (!made.pieces.empty()) {
    std::int64_t lower = made.pieces[0].offset, upper = lower;
    for (const Piece& piece : made.pieces) {
      lower = std::min(lower, piece.offset);
      upper = std::max(upper, piece.offset + piece.bytes);
    }
    made.true_lower = lower;
    made.true_extent = upper - lower;
  }
  return made;
}

Datatype& blocks_of(Datatype& type, std::span<const Block> blocks) {
  Assembly assembly;
  for (const Block& each : blocks) assembly.block(each.place, each.length, type);
  return assembly.finish();
}

Datatype& vector_of(Datatype& type, std::int64_t count, std::int64_t length, std::int64_t stride_bytes) {
  Assembly assembly;
  assembly.made().pieces.reserve(static_cast<std::size_t>(type.dense() ? count : 0));
  for (std::int64_t i = 0; i < count; ++i) assembly.block(i * stride_bytes, length, type);
  return assembly.finish();
}

Datatype& structure_of(std::span<const Block> blocks, std::span<Datatype* const> types) {
  Assembly assembly;
  for (std::size_t i = 0; i < blocks.size(); ++i) assembly.block(blocks[i].place, blocks[i].length, *types[i]);
  return assembly.finish(true);
}

Datatype& duplicate(Datatype& type) {
  auto& made = *new Datatype;
  made.size = type.size;
  made.lower = type.lower;
  made.extent = type.extent;
  made.true_lower = type.true_lower;
  made.true_extent = type.true_extent;
  made.alignment = type.alignment;
  made.committed = type.committed;
  made.basic = type.basic;
  made.pieces = type.pieces;
  made.elements = type.elements;
  return made;
}

Datatype& resized(Datatype& type, std::int64_t lower, std::int64_t extent) {
  Datatype& made = duplicate(type);
  made.lower = lower;
  made.extent = extent;
  made.committed = false;
  made.basic = Basic::none;
  return made;
}

Datatype& subarray_of(Datatype& type, std::span<const std::int64_t> sizes, std::span<const std::int64_t> parts,
                      std::span<const std::int64_t> starts, int order) {
  std::vector<std::vector<std::int64_t>> indices(sizes.size());
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    check_argument(sizes[k] > 0 && parts[k] > 0 && starts[k] >= 0 && starts[k] + parts[k] <= sizes[k],
                   "a part that lies outside of its array");
    for (std::int64_t index = starts[k]; index < starts[k] + parts[k]; ++index) indices[k].push_back(index);
  }
  return part_of_array(type, sizes, std::move(indices), order);
}

Datatype& distributed_array_of(Datatype& type, int ranks, int rank, std::span<const Distribution> dimensions,
                               int order) {
  std::vector<std::int64_t> sizes;
  std::vector<std::vector<std::int64_t>> indices;
  std::int64_t among = ranks, left = rank;  // the grid is in order of C, whatever the array is
  for (const Distribution& each : dimensions) {
    check_argument(each.ranks > 0 && among % each.ranks == 0, "a grid that is not of so many ranks");
    among /= each.ranks;
    sizes.push_back(each.size);
    indices.push_back(share(each, left / among));
    left %= among;
  }
  return part_of_array(type, sizes, std::move(indices), order);
}

}  // namespace assay::abi
