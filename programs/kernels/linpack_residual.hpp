// LINPACK's residual of a solution, |A x - b| / (eps n |A| |x|), largest rows' sums, in long double; the benchmark
// accepts what is below 16.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace assay::kernels {

inline constexpr double residual_limit = 16;

// `column(j)` gives the n elements of column j of A by index; `right` is b.
template <class Column>
double linpack_residual(std::int64_t n, const Column& column, const double* x, const double* right) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<long double> off(size), rows(size, 0);
  long double most = 0, left = 0, norm = 0;
  for (std::size_t i = 0; i < size; ++i) off[i] = -static_cast<long double>(right[i]);
  for (std::size_t j = 0; j < size; ++j) {
    most = std::max(most, std::abs(static_cast<long double>(x[j])));
    const auto& elements = column(static_cast<std::int64_t>(j));
    for (std::size_t i = 0; i < size; ++i) {
      const long double value = elements[i];
      off[i] += value * x[j];
      rows[i] += std::abs(value);
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (!(std::abs(off[i]) <= left)) left = std::abs(off[i]);  // a NaN stays
    norm = std::max(norm, rows[i]);
  }
  return static_cast<double>(left /
                             (std::numeric_limits<double>::epsilon() * static_cast<long double>(n) * norm * most));
}

}  // namespace assay::kernels
