// The measured loop of EP, compiled apart.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::applications::nas {

inline constexpr int ep_log_block = 16;
inline constexpr std::int64_t ep_block = std::int64_t{1} << ep_log_block;  // pairs
struct EpSums {
  double sum_x = 0, sum_y = 0;
  double counts[10] = {};  // pairs whose greater absolute value lies between l and l + 1
};
inline constexpr std::size_t ep_sums = sizeof(EpSums) / sizeof(double);

// Adds the pairs of blocks `from` to `to` (without the latter).
void ep_pairs(std::int64_t from, std::int64_t to, EpSums& sums);
// The same by so many threads, each of which has as many blocks as the others, give or take one. Their sums are added
// up in order.
void ep_pairs(std::int64_t from, std::int64_t to, int threads, EpSums& sums);

}  // namespace assay::applications::nas
