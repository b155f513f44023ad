#include "applications/nas/mg_grid.hpp"

namespace assay::applications::nas {
namespace {

// Sums over the four rows that share a face with a row, and over the four that share an edge with it.
struct RowSums {
  std::vector<double> faces, edges;
  explicit RowSums(const Grid& grid) : faces(grid.inner[0] + 2), edges(grid.inner[0] + 2) {}
  void take(const Grid& grid, std::size_t y, std::size_t z) {
    const auto row = [&](std::size_t at_y, std::size_t at_z) { return grid.values.data() + grid.place(0, at_y, at_z); };
    const double *const a = row(y - 1, z), *const b = row(y + 1, z), *const c = row(y, z - 1), *const d = row(y, z + 1);
    const double *const e = row(y - 1, z - 1), *const f = row(y + 1, z - 1), *const g = row(y - 1, z + 1),
                        *const h = row(y + 1, z + 1);
    double* const __restrict to_faces = faces.data(), * const __restrict to_edges = edges.data();
    for (std::size_t x = 0; x < faces.size(); ++x) {
      to_faces[x] = a[x] + b[x] + c[x] + d[x];
      to_edges[x] = e[x] + f[x] + g[x] + h[x];
    }
  }
};

}  // namespace

void mg_residual(const Stencil& a, const Grid& u, const Grid& v, Grid& r) {
  RowSums sums(u);
  for (std::size_t z = 1; z <= u.inner[2]; ++z) {
    for (std::size_t y = 1; y <= u.inner[1]; ++y) {
      sums.take(u, y, z);
      const double *const faces = sums.faces.data(), *const edges = sums.edges.data();
      const std::size_t row = u.place(0, y, z);
      const double *const here = u.values.data() + row, *const right = v.values.data() + row;
      double* const to = r.values.data() + row;
      for (std::size_t x = 1; x <= u.inner[0]; ++x)
        to[x] = right[x] - a[0] * here[x] - a[2] * (edges[x] + faces[x - 1] + faces[x + 1]) -
                a[3] * (edges[x - 1] + edges[x + 1]);
    }
  }
}

void mg_smooth(const Stencil& c, const Grid& r, Grid& u) {
  RowSums sums(r);
  for (std::size_t z = 1; z <= r.inner[2]; ++z) {
    for (std::size_t y = 1; y <= r.inner[1]; ++y) {
      sums.take(r, y, z);
      const double *const faces = sums.faces.data(), *const edges = sums.edges.data();
      const std::size_t row = r.place(0, y, z);
      const double* const here = r.values.data() + row;
      double* const to = u.values.data() + row;
      for (std::size_t x = 1; x <= r.inner[0]; ++x)
        to[x] = to[x] + c[0] * here[x] + c[1] * (here[x - 1] + here[x + 1] + faces[x]) +
                c[2] * (edges[x] + faces[x - 1] + faces[x + 1]);
    }
  }
}

void mg_restrict(const Grid& fine, Grid& coarse) {
  RowSums sums(fine);
  for (std::size_t z = 1; z <= coarse.inner[2]; ++z) {
    for (std::size_t y = 1; y <= coarse.inner[1]; ++y) {
      sums.take(fine, 2 * y, 2 * z);
      const double *const faces = sums.faces.data(), *const edges = sums.edges.data();
      const double* const here = fine.values.data() + fine.place(0, 2 * y, 2 * z);
      double* const to = coarse.values.data() + coarse.place(0, y, z);
      for (std::size_t x = 1; x <= coarse.inner[0]; ++x) {
        const std::size_t at = 2 * x;
        to[x] = 0.5 * here[at] + 0.25 * (here[at - 1] + here[at + 1] + faces[at]) +
                0.125 * (faces[at - 1] + faces[at + 1] + edges[at]) + 0.0625 * (edges[at - 1] + edges[at + 1]);
      }
    }
  }
}

void mg_interpolate(const Grid& coarse, Grid& fine) {
  const std::size_t width = coarse.inner[0] + 2;
  std::vector<double> sums(width);
  // Rows of the fine grid from a row of the coarse one, or from two or four of them that they lie between.
  const auto add = [&](std::size_t y, std::size_t z, double share) {
    double* const to = fine.values.data() + fine.place(0, y, z);
    for (std::size_t x = 0; x + 1 < width; ++x) {
      to[2 * x] += share * sums[x];
      to[2 * x + 1] += share / 2 * (sums[x] + sums[x + 1]);
    }
  };
  for (std::size_t z = 0; z <= coarse.inner[2]; ++z) {
    for (std::size_t y = 0; y <= coarse.inner[1]; ++y) {
      const double *const a = coarse.values.data() + coarse.place(0, y, z), *const b = a + width,
                          *const c = coarse.values.data() + coarse.place(0, y, z + 1), *const d = c + width;
      for (std::size_t x = 0; x < width; ++x) sums[x] = a[x];
      add(2 * y, 2 * z, 1);
      for (std::size_t x = 0; x < width; ++x) sums[x] = a[x] + b[x];
      add(2 * y + 1, 2 * z, 0.5);
      for (std::size_t x = 0; x < width; ++x) sums[x] = a[x] + c[x];
      add(2 * y, 2 * z + 1, 0.5);
      for (std::size_t x = 0; x < width; ++x) sums[x] = (a[x] + b[x]) + (c[x] + d[x]);
      add(2 * y + 1, 2 * z + 1, 0.25);
    }
  }
}

double mg_squares(const Grid& r) {
  double sum = 0;
  for (std::size_t z = 1; z <= r.inner[2]; ++z) {
    for (std::size_t y = 1; y <= r.inner[1]; ++y) {
      const double* const row = r.values.data() + r.place(1, y, z);
      double lanes[4] = {};
      std::size_t x = 0;
      for (; x + 4 <= r.inner[0]; x += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += row[x + lane] * row[x + lane];
      for (; x < r.inner[0]; ++x) lanes[0] += row[x] * row[x];
      sum += (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    }
  }
  return sum;
}

}  // namespace assay::applications::nas
