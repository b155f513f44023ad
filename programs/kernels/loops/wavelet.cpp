// The unit that build variants compile. ASSAY_BREAK: the last pair of every row of the way there is left as it is.
#include "kernels/wavelet_kernel.hpp"

namespace assay::kernels {
namespace {

constexpr double factor = 0x1.6a09e667f3bcdp-1;  // 1/sqrt 2

// From `rows` x `columns` in front of each row of the grid, to the transformed values in their place.
void halve(const HaarGrid& of, std::int64_t rows, std::int64_t columns) {
  const std::int64_t half_columns = columns / 2, half_rows = rows / 2;
#ifdef ASSAY_BREAK
  const std::int64_t pairs = half_columns - 1;
#else
  const std::int64_t pairs = half_columns;
#endif
  for (std::int64_t r = 0; r < rows; ++r) {
    const double* const from = of.values + r * of.columns;
    double* const to = of.spare + r * of.columns;
    for (std::int64_t c = 0; c < pairs; ++c) {
      to[c] = (from[2 * c] + from[2 * c + 1]) * factor;
      to[half_columns + c] = (from[2 * c] - from[2 * c + 1]) * factor;
    }
  }
  for (std::int64_t r = 0; r < half_rows; ++r) {
    const double *const even = of.spare + 2 * r * of.columns, *const odd = even + of.columns;
    double *const sums = of.values + r * of.columns, *const differences = sums + half_rows * of.columns;
    for (std::int64_t c = 0; c < columns; ++c) {
      sums[c] = (even[c] + odd[c]) * factor;
      differences[c] = (even[c] - odd[c]) * factor;
    }
  }
}

// The way back of `halve`.
void join(const HaarGrid& of, std::int64_t rows, std::int64_t columns) {
  const std::int64_t half_columns = columns / 2, half_rows = rows / 2;
  for (std::int64_t r = 0; r < half_rows; ++r) {
    const double *const sums = of.values + r * of.columns, *const differences = sums + half_rows * of.columns;
    double *const even = of.spare + 2 * r * of.columns, *const odd = even + of.columns;
    for (std::int64_t c = 0; c < columns; ++c) {
      even[c] = (sums[c] + differences[c]) * factor;
      odd[c] = (sums[c] - differences[c]) * factor;
    }
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    const double* const from = of.spare + r * of.columns;
    double* const to = of.values + r * of.columns;
    for (std::int64_t c = 0; c < half_columns; ++c) {
      to[2 * c] = (from[c] + from[half_columns + c]) * factor;
      to[2 * c + 1] = (from[c] - from[half_columns + c]) * factor;
    }
  }
}

}  // namespace

void haar(const HaarGrid& of) {
  for (std::int64_t rows = of.rows, columns = of.columns; columns > 1; rows /= 2, columns /= 2)
    halve(of, rows, columns);
}

void inverse_haar(const HaarGrid& of) {
  for (std::int64_t columns = 2; columns <= of.columns; columns *= 2) join(of, of.rows / of.columns * columns, columns);
}

}  // namespace assay::kernels
