// A block of a grid with one layer of its neighbours' points around it, and the measured loops of MG over such blocks,
// compiled apart.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace assay::applications::nas {

using Extents = std::array<std::size_t, 3>;  // along x, y, z; x varies fastest

struct Grid {
  Extents inner{};
  std::vector<double> values;

  Grid() = default;
  explicit Grid(const Extents& points) : inner(points), values((points[0] + 2) * (points[1] + 2) * (points[2] + 2)) {}
  // The neighbours' layers are 0 and inner + 1.
  std::size_t place(std::size_t x, std::size_t y, std::size_t z) const {
    return (z * (inner[1] + 2) + y) * (inner[0] + 2) + x;
  }
  std::size_t points() const { return inner[0] * inner[1] * inner[2]; }
};

// Of a stencil the factors of the point itself, and of those that share a face, an edge and a corner with it.
using Stencil = std::array<double, 4>;

// r = v - A u, whose factor of faces is 0; `v` and `r` may be the same grid.
void mg_residual(const Stencil& a, const Grid& u, const Grid& v, Grid& r);
// u += C r, whose factor of corners is 0.
void mg_smooth(const Stencil& c, const Grid& r, Grid& u);
// Onto the grid with half the points: full weighting.
void mg_restrict(const Grid& fine, Grid& coarse);
// Adds the interpolated values of the coarse grid, the neighbours' layers of both included.
void mg_interpolate(const Grid& coarse, Grid& fine);
double mg_squares(const Grid& r);

}  // namespace assay::applications::nas
