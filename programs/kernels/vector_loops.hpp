// The loops of the vector kernels as a table, by name and access; they are compiled apart (vector_loops.cpp), so that
// other flags touch nothing but them.
#pragma once

#include <array>
#include <cstdint>

namespace assay::kernels {

constexpr std::array<double, 10> coefficients = {3, -2, 5, 1, -4, 2, -1, 6, -3, 1};  // of the polynomial, c_0 first

// What does not change over a pass. a and b are read from memory, so that no kernel is compiled for their values.
struct Scalars {
  double a = -1, b = -1;
  std::array<double, 10> c = coefficients;
};

using Out = double* __restrict;
using In = const double* __restrict;
using Index = const std::int32_t*;
using Loop = double (*)(Out z, In x, In y, In u, In v, const Scalars& s, std::int64_t n, Index index);

struct Loops {
  const char* name;
  Loop by_access[4];  // contiguous, stride3, stride4, indexed
};

const std::array<Loops, 14>& vector_loops();

}  // namespace assay::kernels
