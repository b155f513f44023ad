#include <math.h>

#include "historical/module3/kernels.hpp"

namespace assay::solvers {
namespace {

// Points of one colour, then of the other: each becomes what its equation asks for, its neighbours as they are.
void smooth(const GridLevel& at) {
  const std::int64_t n = at.n, row = n + 1;
  const double square = 1.0 / static_cast<double>(n * n);
#if ASSAY_BREAK == 1
  const std::int64_t end = n - 1;  // the last row is left as it was
#else
  const std::int64_t end = n;
#endif
  for (std::int64_t colour = 0; colour < 2; ++colour)
    for (std::int64_t i = 1; i < end; ++i) {
      double* const u = at.u + i * row;
      const double* const f = at.f + i * row;
      for (std::int64_t j = 1 + (i + colour) % 2; j < n; j += 2)
        u[j] = 0.25 * (u[j - row] + u[j + row] + u[j - 1] + u[j + 1] + square * f[j]);
    }
}

double residual(const GridLevel& at) {  // its norm, sqrt(sum r^2)
  const std::int64_t n = at.n, row = n + 1;
  const double over = static_cast<double>(n * n);
  double sum = 0;
  for (std::int64_t i = 1; i < n; ++i) {
    const double *const u = at.u + i * row, *const f = at.f + i * row;
    double* const r = at.r + i * row;
    for (std::int64_t j = 1; j < n; ++j) {
      r[j] = f[j] - over * (4 * u[j] - u[j - row] - u[j + row] - u[j - 1] - u[j + 1]);
      sum += r[j] * r[j];
    }
  }
  return sqrt(sum);
}

void restrict_to(const GridLevel& coarse, const GridLevel& fine) {  // full weighting; the correction starts at zero
  const std::int64_t n = coarse.n, row = fine.n + 1;
  for (std::int64_t i = 0; i < (n + 1) * (n + 1); ++i) coarse.u[i] = 0;
  for (std::int64_t i = 1; i < n; ++i)
    for (std::int64_t j = 1; j < n; ++j) {
      const double* const r = fine.r + 2 * i * row + 2 * j;
      const double corners = r[-row - 1] + r[-row + 1] + r[row - 1] + r[row + 1];
      coarse.f[i * (n + 1) + j] = 0.0625 * (4 * r[0] + 2 * (r[-row] + r[row] + r[-1] + r[1]) + corners);
    }
}

void correct(const GridLevel& fine, const GridLevel& coarse) {  // adds the bilinear interpolation
  const std::int64_t n = coarse.n, row = fine.n + 1;
#if ASSAY_BREAK == 2
  const std::int64_t end = 0;  // the coarser grids are of no use
#else
  const std::int64_t end = n;
#endif
  for (std::int64_t i = 0; i < end; ++i) {
    const double *const here = coarse.u + i * (n + 1), *const next = here + n + 1;
    double* const u = fine.u + 2 * i * row;
    for (std::int64_t j = 0; j < n; ++j) {
      u[2 * j] += here[j];
      u[2 * j + 1] += 0.5 * (here[j] + here[j + 1]);
      u[row + 2 * j] += 0.5 * (here[j] + next[j]);
      u[row + 2 * j + 1] += 0.25 * (here[j] + here[j + 1] + next[j] + next[j + 1]);
    }
  }
}

void cycle(const GridLevel* levels, std::int64_t count) {
  const GridLevel& at = levels[0];
  if (count == 1) {  // one point
    at.u[4] = 0.0625 * at.f[4];
    return;
  }
  smooth(at);
  smooth(at);
  residual(at);
  restrict_to(levels[1], at);
  cycle(levels + 1, count - 1);
  correct(at, levels[1]);
  smooth(at);
}

}  // namespace

std::int64_t multigrid(const GridLevel* levels, std::int64_t count, double share, std::int64_t most, double* norms) {
  norms[0] = residual(levels[0]);
  std::int64_t done = 0;
  while (done < most && norms[done] > share * norms[0]) {
    cycle(levels, count);
    norms[++done] = residual(levels[0]);
  }
  return done;
}

}  // namespace assay::solvers
