// The unit that build variants compile. ASSAY_BREAK: every row's last entry is left out.
#include "kernels/sparse_kernel.hpp"

namespace assay::kernels {

void multiply_sparse(std::int64_t rows, const std::int32_t* starts, const std::int32_t* columns, const double* values,
                     const double* x, double* y) {
#ifdef ASSAY_BREAK
  constexpr std::int32_t left_out = 1;
#else
  constexpr std::int32_t left_out = 0;
#endif
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int32_t k = starts[i]; k < starts[i + 1] - left_out; ++k) sum += values[k] * x[columns[k]];
    y[i] = sum;
  }
}

double dot(std::int64_t n, const double* x, const double* y) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

void add(std::int64_t n, double factor, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

void add_to_multiple(std::int64_t n, double factor, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] + factor * y[i];
}

void divide(std::int64_t n, double by, double* x) {
  for (std::int64_t i = 0; i < n; ++i) x[i] /= by;
}

void project_onto(std::int64_t n, std::int64_t count, const double* q, const double* w, double* h) {
  for (std::int64_t i = 0; i < count; ++i) h[i] = dot(n, q + i * n, w);
}

void project_off(std::int64_t n, std::int64_t count, const double* q, const double* h, double* w) {
  for (std::int64_t i = 0; i < count; ++i) add(n, -h[i], q + i * n, w);
}

}  // namespace assay::kernels
