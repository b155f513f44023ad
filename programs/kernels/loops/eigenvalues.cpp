// The unit that build variants compile. ASSAY_BREAK: a rotation of two vectors leaves their last elements.
#include <math.h>

#include "kernels/eigenvalues_kernel.hpp"

namespace assay::kernels {
namespace {

double inner(std::int64_t n, const double* x, const double* y) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

void rotate(std::int64_t count, double c, double s, double* __restrict low, double* __restrict high) {
#ifdef ASSAY_BREAK
  --count;
#endif
  for (std::int64_t k = 0; k < count; ++k) {
    const double from = high[k];
    high[k] = s * low[k] + c * from;
    low[k] = c * low[k] - s * from;
  }
}

}  // namespace

void reduce_to_tridiagonal(std::int64_t n, double* a, double* q, double* diagonal, double* beside, double* room) {
  double *const tau = room, *const __restrict v = room + n, *const __restrict p = room + 2 * n;
  for (std::int64_t i = 0; i < n; ++i) beside[i] = tau[i] = 0;
  for (std::int64_t k = 0; k < n - 1; ++k) {  // column k, below its diagonal: x to (alpha, 0, ...)
    const std::int64_t m = n - k - 1;
    double* const part = a + (k + 1) * n + k + 1;  // what is right of and below row and column k
    for (std::int64_t i = 0; i < m; ++i) v[i] = part[i * n - 1];
    const double norm = sqrt(inner(m, v, v));
    const double alpha = v[0] > 0 ? -norm : norm;
    diagonal[k] = a[k * n + k];
    beside[k] = m == 1 ? v[0] : alpha;
    if (m == 1 || norm == 0) continue;
    const double first = v[0] - alpha, factor = -first / alpha;  // I - factor v v^T with v[0] = 1
    tau[k] = factor;
    for (std::int64_t i = 1; i < m; ++i) v[i] /= first;
    v[0] = 1;
    for (std::int64_t i = 0; i < m; ++i) p[i] = 0;
    for (std::int64_t i = 0; i < m; ++i) {  // p = part v, each element of the triangle read once
      const double* const row = part + i * n;
      const double vi = v[i];
      double sum = 0;
      for (std::int64_t j = 0; j < i; ++j) {
        sum += row[j] * v[j];
        p[j] += row[j] * vi;
      }
      p[i] += sum + row[i] * vi;
    }
    const double half = factor * inner(m, p, v) / 2;
    for (std::int64_t i = 0; i < m; ++i) p[i] = factor * (p[i] - half * v[i]);
    for (std::int64_t i = 0; i < m; ++i) {
      double* const row = part + i * n;
      const double vi = v[i], pi = p[i];
      for (std::int64_t j = 0; j <= i; ++j) row[j] -= vi * p[j] + pi * v[j];
    }
    for (std::int64_t i = 0; i < m; ++i) part[i * n - 1] = v[i];  // kept where x was
  }
  diagonal[n - 1] = a[n * n - 1];
  for (std::int64_t i = 0; i < n * n; ++i) q[i] = 0;
  for (std::int64_t i = 0; i < n; ++i) q[i * n + i] = 1;
  for (std::int64_t k = n - 3; k >= 0; --k) {  // rows of Q^T times each reflection, the last one first
    const std::int64_t m = n - k - 1;
    for (std::int64_t i = 0; i < m; ++i) v[i] = a[(k + 1 + i) * n + k];
    for (std::int64_t i = 0; i < m; ++i) {
      double* const row = q + (k + 1 + i) * n + k + 1;
      const double factor = tau[k] * inner(m, row, v);
      for (std::int64_t j = 0; j < m; ++j) row[j] -= factor * v[j];
    }
  }
}

bool diagonalise(std::int64_t n, double* d, double* e, double* q, std::int64_t columns) {
  e[n - 1] = 0;
  for (std::int64_t l = 0; l < n; ++l)
    for (int iteration = 0;; ++iteration) {
      std::int64_t m = l;
      while (m + 1 < n && fabs(e[m]) > 0x1p-53 * (fabs(d[m]) + fabs(d[m + 1]))) ++m;
      if (m == l) break;
      if (iteration == 60) return false;
      const double slope = (d[l + 1] - d[l]) / (2 * e[l]);
      double g = d[m] - d[l] + e[l] / (slope + copysign(hypot(slope, 1.0), slope));
      double s = 1, c = 1, p = 0;
      std::int64_t i = m;
      while (i > l) {  // a bulge is chased upwards by rotations of rows i and i + 1
        --i;
        const double f = s * e[i], b = c * e[i], r = hypot(f, g);
        e[i + 1] = r;
        if (r == 0) {  // the matrix falls in two
          d[i + 1] -= p;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        const double t = (d[i] - g) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        if (q) rotate(columns, c, s, q + i * columns, q + (i + 1) * columns);
        if (i == l) {
          d[l] -= p;
          e[l] = g;
        }
      }
      e[m] = 0;
    }
  return true;
}

}  // namespace assay::kernels
