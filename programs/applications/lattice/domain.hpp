// The cube divided among ranks: a block each, of as little surface as their number allows; and what blocks exchange: of
// each face the five populations that cross it, along one axis after the other, so that edges arrive with them.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "applications/lattice/cells.hpp"
#include "ranks/communicator.hpp"

namespace assay::applications::lattice {

class Domain {
 public:
  Domain(int rank, int ranks, std::size_t size) : size_(size), across_(divided(ranks, size)) {
    std::size_t left = static_cast<std::size_t>(rank);
    for (std::size_t axis = 0; axis < 3; left /= across_[axis], ++axis) at_[axis] = left % across_[axis];
  }
  // Whether each of so many ranks has a cell at least.
  static bool divides(int ranks, std::size_t size) { return divided(ranks, size)[0] > 0; }

  std::size_t across(std::size_t axis) const { return across_[axis]; }
  Extents first() const { return {begin(0, at_[0]), begin(1, at_[1]), begin(2, at_[2])}; }
  Extents own() const {
    Extents extents;
    for (std::size_t axis = 0; axis < 3; ++axis) extents[axis] = begin(axis, at_[axis] + 1) - begin(axis, at_[axis]);
    return extents;
  }
  // The next rank along an axis, or the one before; around the end.
  int neighbour(std::size_t axis, int step) const {
    Extents at = at_;
    at[axis] = (at[axis] + across_[axis] + static_cast<std::size_t>(step + 1) - 1) % across_[axis];
    return static_cast<int>((at[2] * across_[1] + at[1]) * across_[0] + at[0]);
  }

 private:
  // Of all ways the one that sends the least; of several such the one with the fewest messages, and rows along x whole.
  static Extents divided(int ranks, std::size_t size) {
    const std::size_t count = static_cast<std::size_t>(ranks);
    const auto face = [](std::size_t along, std::size_t one, std::size_t other) {  // as a share of the cube's
      return along > 1 ? 1 / static_cast<double>(one * other) : 0;
    };
    Extents best{};
    double least = 0;
    for (std::size_t x = 1; x <= count; ++x) {
      for (std::size_t y = 1; x * y <= count; ++y) {
        const std::size_t z = count / (x * y);
        if (x * y * z != count || x > size || y > size || z > size) continue;
        const double sent = face(x, y, z) + face(y, x, z) + face(z, x, y);
        if (best[0] == 0 || sent < least) best = {x, y, z}, least = sent;
      }
    }
    return best;
  }
  std::size_t begin(std::size_t axis, std::size_t block) const { return size_ * block / across_[axis]; }

  std::size_t size_;
  Extents across_, at_{};
};

// A layer across an axis as one row: inside of the block along axes that come later, with the neighbours' layers along
// those before.
template <class Each>
void over_layer(const Cells& cells, std::size_t axis, std::size_t layer, Each each) {
  Extents from{}, to{};
  for (std::size_t other = 0; other < 3; ++other) {
    from[other] = other < axis ? 0 : 1;
    to[other] = cells.inner[other] + (other < axis ? 2 : 1);
  }
  from[axis] = layer, to[axis] = layer + 1;
  for (std::size_t z = from[2]; z < to[2]; ++z)
    for (std::size_t y = from[1]; y < to[1]; ++y)
      for (std::size_t x = from[0]; x < to[0]; ++x) each(cells.place(x, y, z));
}
inline std::size_t layer_size(const Cells& cells, std::size_t axis) {
  std::size_t count = 1;
  for (std::size_t other = 0; other < 3; ++other)
    count *= other == axis ? 1 : cells.inner[other] + (other < axis ? 2 : 0);
  return count;
}

inline constexpr int layer_tag = 16;

// What crosses this block's faces, to its neighbours and from them. `out` and `in` are room, empty without data.
template <ranks::Communicator C>
ranks::Task exchange(C& comm, const Domain& domain, Cells& cells, std::vector<double>& out, std::vector<double>& in) {
  const bool carries = !cells.values.empty();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t count = crossing * layer_size(cells, axis);
    const bool alone = domain.across(axis) == 1;
    if (carries && out.size() < count) out.resize(count), in.resize(count);
    for (const int step : {-1, 1}) {
      const std::size_t last = cells.inner[axis], mine = step < 0 ? 1 : last, theirs = step < 0 ? last + 1 : 0;
      const auto moved = leaving(axis, step);
      std::size_t i = 0;
      if (carries)
        for (const std::size_t q : moved)
          over_layer(cells, axis, mine, [&, from = cells.of(q)](std::size_t at) { out[i++] = from[at]; });
      if (!alone)
        co_await comm.sendrecv(carries ? out.data() : nullptr, count * sizeof(double), domain.neighbour(axis, step),
                               carries ? in.data() : nullptr, count * sizeof(double), domain.neighbour(axis, -step),
                               layer_tag);
      i = 0;
      const std::vector<double>& came = alone ? out : in;
      if (carries)
        for (const std::size_t q : moved)
          over_layer(cells, axis, theirs, [&, to = cells.of(q)](std::size_t at) { to[at] = came[i++]; });
    }
  }
}

}  // namespace assay::applications::lattice
