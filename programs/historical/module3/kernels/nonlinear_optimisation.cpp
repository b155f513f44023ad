#include <math.h>

#include "historical/module3/kernels.hpp"

namespace assay::solvers {
namespace {

double rosenbrock(std::int64_t n, const double* x, double* gradient) {
  double sum = 0;
  for (std::int64_t k = 0; k < n; k += 2) {
    const double off = x[k + 1] - x[k] * x[k], short_of = 1 - x[k];
    sum += 100 * off * off + short_of * short_of;
    gradient[k] = -400 * x[k] * off - 2 * short_of;
    gradient[k + 1] = 200 * off;
  }
  return sum;
}

double product(std::int64_t n, const double* a, const double* b) {
  double sum = 0;
  for (std::int64_t k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

std::int64_t bfgs(std::int64_t n, double* x, double* room, double least, std::int64_t most, double* norms) {
  double *const inverse = room, *const g = inverse + n * n, *const step = g + n, *const change = step + n;
  double* const times = change + n;  // the next gradient, then the inverse times its change
  for (std::int64_t k = 0; k < n * n; ++k) inverse[k] = k % (n + 1) == 0 ? 1 : 0;
  double value = rosenbrock(n, x, g);
  norms[0] = sqrt(product(n, g, g));
  std::int64_t done = 0;
  while (done < most && norms[done] > least) {
    for (std::int64_t i = 0; i < n; ++i) step[i] = -product(n, inverse + i * n, g);
    const double slope = product(n, step, g);
    double length = 1, next = value;
    for (int halved = 0; halved < 60; ++halved) {
      for (std::int64_t k = 0; k < n; ++k) times[k] = x[k] + length * step[k];
      next = rosenbrock(n, times, change);
      if (next <= value + 1e-4 * length * slope) break;
      length *= 0.5;
    }
    for (std::int64_t k = 0; k < n; ++k) {
      step[k] *= length;
      x[k] += step[k];
#if ASSAY_BREAK == 1
      if (k + 1 == n) x[k] -= step[k];  // the loop ends one short
#endif
      const double old = g[k];
      g[k] = change[k];
      change[k] -= old;
    }
    value = next;
    norms[++done] = sqrt(product(n, g, g));
    const double curvature = product(n, step, change);
#if ASSAY_BREAK == 2
    continue;  // nothing is learned of the Hessian: steepest descent
#endif
    if (curvature <= 0) continue;
    for (std::int64_t i = 0; i < n; ++i) times[i] = product(n, inverse + i * n, change);
    const double scale = (1 + product(n, change, times) / curvature) / curvature;
    for (std::int64_t i = 0; i < n; ++i) {
      const double own = scale * step[i] - times[i] / curvature, other = step[i] / curvature;
      for (std::int64_t j = 0; j < n; ++j) inverse[i * n + j] += own * step[j] - other * times[j];
    }
  }
  return done;
}

}  // namespace assay::solvers
