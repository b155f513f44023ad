// The unit that build variants compile. ASSAY_BREAK: each product leaves out its last column.
#include "kernels/matrix_vector_kernel.hpp"

namespace assay::kernels {
namespace {

#ifdef ASSAY_BREAK
constexpr std::int64_t columns_left_out = 1;
#else
constexpr std::int64_t columns_left_out = 0;
#endif

}  // namespace

void multiply_by_dots(std::int64_t n, const double* a, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < n - columns_left_out; ++j) sum += a[i + j * n] * x[j];
    y[i] = sum;
  }
}

void multiply_by_axpys(std::int64_t n, const double* __restrict a, const double* x, double* __restrict y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = 0;
  for (std::int64_t j = 0; j < n - columns_left_out; ++j)
    for (std::int64_t i = 0; i < n; ++i) y[i] += x[j] * a[i + j * n];
}

void multiply_by_fours(std::int64_t n, const double* __restrict a, const double* x, double* __restrict y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = 0;
  const std::int64_t columns = n - columns_left_out;
  std::int64_t j = 0;
  for (; j + 4 <= columns; j += 4) {
    const double *const c0 = a + j * n, *const c1 = c0 + n, *const c2 = c1 + n, *const c3 = c2 + n;
    for (std::int64_t i = 0; i < n; ++i) y[i] += x[j] * c0[i] + x[j + 1] * c1[i] + x[j + 2] * c2[i] + x[j + 3] * c3[i];
  }
  for (; j < columns; ++j)
    for (std::int64_t i = 0; i < n; ++i) y[i] += x[j] * a[i + j * n];
}

}  // namespace assay::kernels
