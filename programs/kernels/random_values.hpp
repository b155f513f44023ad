// Real numbers from -1 to 1 that matrices and vectors of the numerical kernels are filled with, the same for a seed on
// every machine.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/line_aligned.hpp"
#include "timing/program.hpp"

namespace assay::kernels {

inline double random_value(std::uint64_t& state) {
  return std::ldexp(static_cast<double>(timing::random_bits(state) >> 11), -52) - 1;
}

inline LineAlignedArray<double> random_values(std::int64_t count, std::uint64_t seed) {
  LineAlignedArray<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = random_value(seed);
  return values;
}

}  // namespace assay::kernels
