#include "batch/placed/whole_nodes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace assay::batch {
namespace {

std::vector<std::int32_t> from(std::int32_t first, std::int32_t count) {
  std::vector<std::int32_t> made(static_cast<std::size_t>(count));
  std::iota(made.begin(), made.end(), first);
  return made;
}

std::array<std::int32_t, 3> extents_of(const Layout& layout) {
  std::array<std::int32_t, 3> made{1, 1, 1};
  std::copy(layout.extents.begin(), layout.extents.end(), made.begin());
  return made;
}

}  // namespace

std::optional<std::vector<std::int32_t>> WholeNodes::find(const NodeSet& free, std::int32_t wanted) const {
  const std::string& how = layout_->allocation;
  if (free.count() < wanted) return std::nullopt;
  std::vector<std::int32_t> made;
  if (how == "scattered")
    for (std::int32_t at = free.next(0, true); static_cast<std::int32_t>(made.size()) < wanted;
         at = free.next(at + 1, true))
      made.push_back(at);
  else if (how == "contiguous" || how == "bestfit")
    made = adjacent(free, wanted, how == "bestfit");
  else if (how == "subcube")
    made = subcube(free, wanted);
  else if (how == "submesh")
    made = submesh(free, wanted);
  else
    throw std::invalid_argument("there is no allocation " + how);
  if (made.empty()) return std::nullopt;
  return made;
}

std::vector<std::int32_t> WholeNodes::adjacent(const NodeSet& free, std::int32_t wanted, bool best) const {
  std::int32_t first = NodeSet::none, shortest = 0;
  for (std::int32_t at = free.next(0, true); at < layout_->nodes;) {
    const std::int32_t end = free.next(at, false), gap = end - at;
    if (gap >= wanted && (first == NodeSet::none || gap < shortest)) {
      first = at;
      shortest = gap;
      if (!best) break;
    }
    at = free.next(end, true);
  }
  return first == NodeSet::none ? std::vector<std::int32_t>{} : from(first, wanted);
}

std::vector<std::int32_t> WholeNodes::subcube(const NodeSet& free, std::int32_t wanted) const {
  const auto size = static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(wanted)));
  for (std::int32_t first = 0; first + size <= layout_->nodes;) {
    const std::int32_t taken = free.next(first, false);
    if (taken >= first + size) return from(first, size);
    first = taken / size * size + size;
  }
  return {};
}

const std::vector<WholeNodes::Block>& WholeNodes::blocks(std::int32_t wanted) const {
  const auto known = blocks_.find(wanted);
  if (known != blocks_.end()) return known->second;
  const auto [x, y, z] = extents_of(*layout_);
  using Shape = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t>;
  std::vector<Shape> shapes;  // size, surface, extents
  for (std::int32_t a = 1; a <= x; ++a)
    for (std::int32_t b = 1; b <= y; ++b) {
      const std::int32_t c = (wanted + a * b - 1) / (a * b);
      if (c <= z) shapes.emplace_back(a * b * c, a * b + b * c + c * a, a, b, c);
    }
  std::sort(shapes.begin(), shapes.end());
  std::vector<Block> made;
  for (const auto& [size, surface, a, b, c] : shapes) {
    if (size > std::get<0>(shapes.front())) break;
    NodeSet corners(layout_->nodes);
    for (std::int32_t k = 0; k + c <= z; ++k)
      for (std::int32_t j = 0; j + b <= y; ++j)
        for (std::int32_t i = 0; i + a <= x; ++i) corners.put(i + x * (j + y * k), true);
    made.push_back({a, b, c, std::move(corners)});
  }
  return blocks_.emplace(wanted, std::move(made)).first->second;
}

std::vector<std::int32_t> WholeNodes::submesh(const NodeSet& free, std::int32_t wanted) const {
  const auto [x, y, z] = extents_of(*layout_);
  for (const Block& block : blocks(wanted)) {
    NodeSet corners = free.runs(block.x, 1).runs(block.y, x).runs(block.z, x * y);
    corners &= block.corners;
    const std::int32_t corner = corners.next(0, true);
    if (corner >= layout_->nodes) continue;
    std::vector<std::int32_t> made;
    for (std::int32_t at = 0; at < block.x * block.y * block.z; ++at)
      made.push_back(corner + at % block.x + x * (at / block.x % block.y) + x * y * (at / block.x / block.y));
    return made;
  }
  return {};
}

}  // namespace assay::batch
