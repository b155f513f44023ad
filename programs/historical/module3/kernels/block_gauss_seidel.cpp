#include "historical/module3/kernels.hpp"

namespace assay::solvers {

void line_factors(std::int64_t n, double* factors) {
  // Of tridiagonal (-1, 4, -1): factors[j] = 1 / (4 - factors[j - 1]), which tends to 1 / (2 + sqrt 3).
  factors[0] = 0;
  for (std::int64_t j = 1; j < n; ++j) factors[j] = 1 / (4 - factors[j - 1]);
}

void block_gauss_seidel(std::int64_t n, double* u, const double* f, const double* factors, double* line,
                        std::int64_t sweeps) {
  const std::int64_t row = n + 1;
  const double square = 1.0 / static_cast<double>(n * n);
  for (; sweeps > 0; --sweeps) {
#if ASSAY_BREAK == 1
    for (std::int64_t i = 1; i < n - 1; ++i) {  // the last line is left as it was
#else
    for (std::int64_t i = 1; i < n; ++i) {
#endif
      double* const here = u + i * row;
#if ASSAY_BREAK == 2
      const double *const before = here, *const after = here + row;  // not the line before it
#else
      const double *const before = here - row, *const after = here + row;
#endif
      line[0] = here[0];  // the border; as factors[0] is zero, line[j] holds the right side times its factor
      for (std::int64_t j = 1; j < n; ++j)
        line[j] = (square * f[i * row + j] + before[j] + after[j] + line[j - 1]) * factors[j];
      for (std::int64_t j = n - 1; j > 0; --j) here[j] = line[j] + factors[j] * here[j + 1];
    }
  }
}

}  // namespace assay::solvers
