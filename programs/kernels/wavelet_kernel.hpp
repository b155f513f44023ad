// The two-dimensional Haar transform and its inverse in place; compiled apart (loops/wavelet.cpp), so that other flags
// touch nothing but it. Each level halves the rows, then the columns, of the part that holds the sums: sums in front,
// differences behind, each times 1/sqrt 2, so that the transform is orthogonal.
#pragma once

#include <cstdint>

namespace assay::kernels {

struct HaarGrid {
  std::int64_t rows, columns;  // powers of two; a row's elements are neighbours
  double* values;              // rows x columns
  double* spare;               // as many
};

// Until the part that holds the sums has one column (the grid is no wider than it is high).
void haar(const HaarGrid& of);
void inverse_haar(const HaarGrid& of);

}  // namespace assay::kernels
