#include <math.h>

#include "historical/module3/kernels.hpp"

namespace assay::solvers {
namespace {

// q = A p on the inner points (p zero on the border), A times h^2; returns p q.
double apply(const EllipticProblem& of, const double* p, double* q) {
  const std::int64_t n = of.n, row = n + 1;
  const double square = 1.0 / static_cast<double>(n * n);
  double sum = 0;
#if ASSAY_BREAK == 1
  const std::int64_t last = n - 1;  // the operator ends a row short
#else
  const std::int64_t last = n;
#endif
  for (std::int64_t i = 1; i < last; ++i)
    for (std::int64_t j = 1; j < n; ++j) {
      const std::int64_t k = i * row + j;
      const double along = of.a[k] * (p[k] - p[k + row]) + of.a[k - row] * (p[k] - p[k - row]);
      const double across = of.b[k] * (p[k] - p[k + 1]) + of.b[k - 1] * (p[k] - p[k - 1]);
      q[k] = along + across + square * of.c[k] * p[k];
      sum += p[k] * q[k];
    }
  return sum;
}

}  // namespace

std::int64_t conjugate_gradients(const EllipticProblem& of, double* u, double* room, double share, std::int64_t most) {
  const std::int64_t n = of.n, row = n + 1, points = row * row;
  const double square = 1.0 / static_cast<double>(n * n);
  double *const r = room, *const p = r + points, *const q = p + points, *const inverse = q + points;
  for (std::int64_t k = 0; k < points; ++k) u[k] = r[k] = p[k] = q[k] = inverse[k] = 0;
  double rho = 0;
  for (std::int64_t i = 1; i < n; ++i)
    for (std::int64_t j = 1; j < n; ++j) {
      const std::int64_t k = i * row + j;
      inverse[k] = 1 / (of.a[k] + of.a[k - row] + of.b[k] + of.b[k - 1] + square * of.c[k]);
      r[k] = square * of.f[k];
      p[k] = inverse[k] * r[k];
      rho += r[k] * p[k];
    }
  const double least = share * share * rho;
  std::int64_t done = 0;
  while (done < most && rho > least) {
    const double alpha = rho / apply(of, p, q);
    double next = 0;
    for (std::int64_t k = row; k < n * row; ++k) {
      u[k] += alpha * p[k];
      r[k] -= alpha * q[k];
      next += inverse[k] * r[k] * r[k];
    }
#if ASSAY_BREAK == 2
    const double beta = 0;  // steepest descent: right in the end, but not in so many iterations
#else
    const double beta = next / rho;
#endif
    rho = next;
    for (std::int64_t k = row; k < n * row; ++k) p[k] = inverse[k] * r[k] + beta * p[k];
    ++done;
  }
  return done;
}

}  // namespace assay::solvers
