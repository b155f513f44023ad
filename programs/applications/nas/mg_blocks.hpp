// The grid of ranks of MG, and what they exchange of their blocks: the layers around them, along one axis after the
// other.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "applications/nas/mg_grid.hpp"
#include "ranks/communicator.hpp"

namespace assay::applications::nas {

class Blocks {
 public:
  // Twice as many along z, then y, then x, as long as there are ranks.
  Blocks(int rank, int ranks) {
    for (std::size_t axis = 2; across_[0] * across_[1] * across_[2] < ranks; axis = (axis + 2) % 3) across_[axis] *= 2;
    for (std::size_t axis = 0; axis < 3; rank /= across_[axis], ++axis) at_[axis] = rank % across_[axis];
  }
  int across(std::size_t axis) const { return across_[axis]; }
  int greatest() const { return std::max({across_[0], across_[1], across_[2]}); }
  // Of a cube with so many points along each edge.
  Extents own(std::size_t edge) const {
    Extents extents;
    for (std::size_t axis = 0; axis < 3; ++axis) extents[axis] = edge / static_cast<std::size_t>(across_[axis]);
    return extents;
  }
  Extents first(std::size_t edge) const { return first_of(rank_of(at_), edge); }
  Extents first_of(int rank, std::size_t edge) const {
    Extents first = own(edge);
    for (std::size_t axis = 0; axis < 3; rank /= across_[axis], ++axis)
      first[axis] *= static_cast<std::size_t>(rank % across_[axis]);
    return first;
  }
  // The next rank along an axis, or the one before; around the end.
  int neighbour(std::size_t axis, int step) const {
    std::array<int, 3> at = at_;
    at[axis] = (at[axis] + step + across_[axis]) % across_[axis];
    return rank_of(at);
  }

 private:
  int rank_of(const std::array<int, 3>& at) const { return (at[2] * across_[1] + at[1]) * across_[0] + at[0]; }
  std::array<int, 3> across_{1, 1, 1}, at_{};
};

// A layer across an axis, its edges included, as one row of values.
template <class Each>
void over_layer(const Grid& grid, std::size_t axis, std::size_t layer, Each each) {
  Extents from{0, 0, 0}, to{grid.inner[0] + 2, grid.inner[1] + 2, grid.inner[2] + 2};
  from[axis] = layer, to[axis] = layer + 1;
  for (std::size_t z = from[2]; z < to[2]; ++z)
    for (std::size_t y = from[1]; y < to[1]; ++y)
      for (std::size_t x = from[0]; x < to[0]; ++x) each(grid.place(x, y, z));
}

// The layers across an axis along which one rank has the whole grid.
inline void wrap(Grid& grid, std::size_t axis) {
  const std::size_t last = grid.inner[axis];
  std::size_t apart = axis == 0 ? 1 : axis == 1 ? grid.inner[0] + 2 : (grid.inner[0] + 2) * (grid.inner[1] + 2);
  apart *= last;
  double* const values = grid.values.data();
  over_layer(grid, axis, 0, [&](std::size_t at) { values[at] = values[at + apart]; });
  over_layer(grid, axis, last + 1, [&](std::size_t at) { values[at] = values[at - apart]; });
}
inline void wrap(Grid& grid) {
  for (std::size_t axis = 0; axis < 3; ++axis) wrap(grid, axis);
}

inline constexpr int layer_tag = 14;

// The layers around this rank's block, from its neighbours. Without data `grid` has no values.
template <ranks::Communicator C>
ranks::Task exchange(C& comm, const Blocks& blocks, Grid& grid) {
  const bool carries = !grid.values.empty();
  std::vector<double> out, in;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (blocks.across(axis) == 1) {
      if (carries) wrap(grid, axis);
      continue;
    }
    const std::size_t last = grid.inner[axis];
    std::size_t count = 1;
    for (std::size_t other = 0; other < 3; ++other) count *= other == axis ? 1 : grid.inner[other] + 2;
    if (carries) out.resize(count), in.resize(count);
    double* const values = grid.values.data();
    for (const int step : {-1, 1}) {  // my first layer to the one before, my last one to the next
      const std::size_t mine = step < 0 ? 1 : last, theirs = step < 0 ? last + 1 : 0;
      std::size_t i = 0;
      if (carries) over_layer(grid, axis, mine, [&](std::size_t at) { out[i++] = values[at]; });
      co_await comm.sendrecv(carries ? out.data() : nullptr, count * sizeof(double), blocks.neighbour(axis, step),
                             carries ? in.data() : nullptr, count * sizeof(double), blocks.neighbour(axis, -step),
                             layer_tag);
      i = 0;
      if (carries) over_layer(grid, axis, theirs, [&](std::size_t at) { values[at] = in[i++]; });
    }
  }
}

}  // namespace assay::applications::nas
