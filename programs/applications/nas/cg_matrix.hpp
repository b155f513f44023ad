// The matrix of CG and its measured loops, compiled apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::applications::nas {

struct CgClass {
  std::int32_t order;  // rows of the matrix
  int nonzeros;        // drawn in each of the vectors that it is the sum of products of
  int iterations;
  double shift, zeta;  // the latter: the official result
};

// Rows and columns that a rank holds, without the ends.
struct Extent {
  std::int32_t row, row_end, column, column_end;
};

// By rows, as positions in the extent's columns.
struct SparseMatrix {
  std::vector<std::int64_t> begins;
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};
SparseMatrix cg_matrix(const CgClass& size, const Extent& own);

// `into` = matrix * vector.
void cg_multiply(const SparseMatrix& matrix, const double* vector, double* into);
double cg_dot(const double* x, const double* y, std::size_t length);
// z += alpha p, r -= alpha q; returns r * r.
double cg_step(double alpha, const double* p, const double* q, double* z, double* r, std::size_t length);

}  // namespace assay::applications::nas
