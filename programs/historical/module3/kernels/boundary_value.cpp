#include <math.h>

#include "historical/module3/kernels.hpp"

namespace assay::solvers {

// Numerov: y[j-1] - 2 y[j] + y[j+1] = h^2/12 (g[j-1] + 10 g[j] + g[j+1]), g = 3/2 y^2. Newton's equations are
// tridiagonal and solved by elimination without pivoting, which their diagonal allows.
std::int64_t numerov_newton(std::int64_t n, double* y, double* room, double least, std::int64_t most) {
  double *const g = room, *const slope = g + n + 1, *const upper = slope + n + 1, *const right = upper + n + 1;
#if ASSAY_BREAK == 1
  const double weight = 1 / (12.0 * static_cast<double>(n * n)), middle = 12, outer = 0;  // of second order only
#else
  const double weight = 1 / (12.0 * static_cast<double>(n * n)), middle = 10, outer = 1;
#endif
#if ASSAY_BREAK == 2
  const std::int64_t last = n - 1;  // the loop ends one short
#else
  const std::int64_t last = n;
#endif
  for (std::int64_t done = 1; done <= most; ++done) {
    for (std::int64_t j = 0; j <= n; ++j) {
      g[j] = weight * 1.5 * y[j] * y[j];
      slope[j] = weight * 3 * y[j];
    }
    upper[0] = right[0] = 0;
    for (std::int64_t j = 1; j < last; ++j) {
      const double below = 1 - outer * slope[j - 1];
      const double off = y[j - 1] - 2 * y[j] + y[j + 1] - (outer * (g[j - 1] + g[j + 1]) + middle * g[j]);
      const double pivot = 1 / (-2 - middle * slope[j] - below * upper[j - 1]);
      upper[j] = (1 - outer * slope[j + 1]) * pivot;
      right[j] = (-off - below * right[j - 1]) * pivot;
    }
    double next = 0, worst = 0;
    for (std::int64_t j = last - 1; j > 0; --j) {
      next = right[j] - upper[j] * next;
      y[j] += next;
      worst = fmax(worst, fabs(next));
    }
    if (worst <= least) return done;
  }
  return most;
}

}  // namespace assay::solvers
