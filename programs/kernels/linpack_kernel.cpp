// The unit that build variants compile.
#include "kernels/linpack_kernel.hpp"

namespace assay::kernels {
namespace {

void add_multiple(std::int64_t count, double factor, const double* from, double* to) {
#ifdef ASSAY_BREAK
  --count;  // every column's last element is left as it was
#endif
  for (std::int64_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

void exchange(double& a, double& b) {
  const double held = a;
  a = b;
  b = held;
}

}  // namespace

bool factor(std::int64_t n, double* a, std::int64_t* pivots) {
  for (std::int64_t k = 0; k < n; ++k) {
    double* const column = a + k * n;
    std::int64_t most = k;
    for (std::int64_t i = k + 1; i < n; ++i)
      if (__builtin_fabs(column[i]) > __builtin_fabs(column[most])) most = i;
    pivots[k] = most;
    if (column[most] == 0) return false;
    exchange(column[k], column[most]);
    const double turned = -1 / column[k];
    for (std::int64_t i = k + 1; i < n; ++i) column[i] *= turned;
    for (std::int64_t j = k + 1; j < n; ++j) {
      double* const other = a + j * n;
      exchange(other[k], other[most]);
      add_multiple(n - k - 1, other[k], column + k + 1, other + k + 1);
    }
  }
  return true;
}

void solve(std::int64_t n, const double* a, const std::int64_t* pivots, double* x) {
  for (std::int64_t k = 0; k < n; ++k) {
    exchange(x[k], x[pivots[k]]);
    add_multiple(n - k - 1, x[k], a + k * n + k + 1, x + k + 1);
  }
  for (std::int64_t k = n - 1; k >= 0; --k) {
    x[k] /= a[k * n + k];
    add_multiple(k, -x[k], a + k * n, x);
  }
}

}  // namespace assay::kernels
