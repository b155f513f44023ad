// Gauss's elimination with partial pivoting as LINPACK's dgefa and dgesl do it, column by column; compiled apart, so
// that other flags touch nothing but it. Matrices are n x n, columns one after another.
#pragma once

#include <cstdint>

namespace assay::kernels {

// Leaves L below the diagonal with its sign changed, U on and above it. False where the matrix is singular.
bool factor(std::int64_t n, double* a, std::int64_t* pivots);

// Puts the solution where the right side `x` was; `a` and `pivots` as factor() left them.
void solve(std::int64_t n, const double* a, const std::int64_t* pivots, double* x);

}  // namespace assay::kernels
