// A quantile of single readings.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::ranks {

// The least of `values` that `share` of them do not exceed, 0 < share <= 1; for a half the mean of the two in the
// middle. 0 of none.
inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto count = static_cast<double>(values.size());
  const double lower = values[static_cast<std::size_t>(std::ceil(share * count)) - 1];
  return share == 0.5 ? (lower + values[values.size() / 2]) / 2 : lower;
}

}  // namespace assay::ranks
