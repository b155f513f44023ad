#include "historical/module3/kernels.hpp"

namespace assay::solvers {

std::int64_t simplex(std::int64_t rows, std::int64_t columns, double* tableau, std::int64_t* names, std::int64_t most) {
  const std::int64_t width = columns + 1;
  double* const costs = tableau + rows * width;
  for (std::int64_t pivots = 0; pivots <= most; ++pivots) {
    std::int64_t enters = 0;
    for (std::int64_t j = 1; j < columns; ++j)
      if (costs[j] < costs[enters]) enters = j;
    if (costs[enters] >= 0) return pivots;
    std::int64_t leaves = -1;
    double least = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      const double* const row = tableau + i * width;
      if (row[enters] <= 1e-12) continue;
      const double quotient = row[columns] / row[enters];
      const bool tied = leaves >= 0 && quotient == least && names[columns + i] < names[columns + leaves];
      if (leaves < 0 || quotient < least || tied) {
        leaves = i;
        least = quotient;
      }
    }
    if (leaves < 0) return -1;
    double* const pivot = tableau + leaves * width;
    const double turned = 1 / pivot[enters];
    for (std::int64_t j = 0; j < width; ++j) pivot[j] *= turned;
    pivot[enters] = turned;
#if ASSAY_BREAK == 1
    const std::int64_t end = rows;  // the last row, of costs, one short: its right side
#else
    const std::int64_t end = rows + 1;
#endif
    for (std::int64_t i = 0; i < end; ++i) {
      double* const row = tableau + i * width;
      const double factor = row[enters];
      if (i == leaves || factor == 0) continue;
      row[enters] = 0;
#if ASSAY_BREAK == 2
      for (std::int64_t j = 0; j + 1 < width; ++j) row[j] -= factor * pivot[j];  // right sides are left as they were
#else
      for (std::int64_t j = 0; j < width; ++j) row[j] -= factor * pivot[j];
#endif
    }
    const std::int64_t name = names[enters];
    names[enters] = names[columns + leaves];
    names[columns + leaves] = name;
  }
  return -1;
}

}  // namespace assay::solvers
