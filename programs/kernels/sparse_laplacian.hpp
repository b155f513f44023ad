// The five-point Laplacian of a grid, as a sparse matrix: 4 on the diagonal, -1 for each neighbour, 0 beyond the rim.
// Its eigenvalues are known: 4 - 2 cos(i pi / (rows + 1)) - 2 cos(j pi / (columns + 1)), their vectors products of
// sines. For checks it stands here a second time, as a stencil in long double.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "kernels/sparse_matrix.hpp"

namespace assay::kernels {

struct LaplacianGrid {
  std::int64_t rows, columns;
  std::int64_t points() const { return rows * columns; }
};

inline SparseMatrix laplacian(const LaplacianGrid& grid) {
  SparseMatrix made;
  made.starts.push_back(0);
  const auto entry = [&](std::int64_t point, double value) {
    made.places.push_back(static_cast<std::int32_t>(point));
    made.values.push_back(value);
  };
  for (std::int64_t r = 0; r < grid.rows; ++r)
    for (std::int64_t c = 0; c < grid.columns; ++c) {
      const std::int64_t point = r * grid.columns + c;
      if (r > 0) entry(point - grid.columns, -1);
      if (c > 0) entry(point - 1, -1);
      entry(point, 4);
      if (c + 1 < grid.columns) entry(point + 1, -1);
      if (r + 1 < grid.rows) entry(point + grid.columns, -1);
      made.starts.push_back(static_cast<std::int32_t>(made.places.size()));
    }
  return made;
}

// The Laplacian of x at every point.
template <class Vector>
std::vector<long double> stencil(const LaplacianGrid& grid, const Vector& x) {
  std::vector<long double> made(static_cast<std::size_t>(grid.points()));
  for (std::int64_t r = 0; r < grid.rows; ++r)
    for (std::int64_t c = 0; c < grid.columns; ++c) {
      const auto at = [&](std::int64_t row, std::int64_t column) -> long double {
        const bool inside = row >= 0 && row < grid.rows && column >= 0 && column < grid.columns;
        return inside ? static_cast<long double>(x[static_cast<std::size_t>(row * grid.columns + column)]) : 0;
      };
      made[static_cast<std::size_t>(r * grid.columns + c)] =
          4 * at(r, c) - at(r - 1, c) - at(r + 1, c) - at(r, c - 1) - at(r, c + 1);
    }
  return made;
}

inline long double laplacian_eigenvalue(const LaplacianGrid& grid, std::int64_t i, std::int64_t j) {
  const auto part = [](std::int64_t k, std::int64_t points) {
    const long double angle =
        std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(points + 1);
    return 4 * std::sin(angle / 2) * std::sin(angle / 2);
  };
  return part(i, grid.rows) + part(j, grid.columns);
}

}  // namespace assay::kernels
