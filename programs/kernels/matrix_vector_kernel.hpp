// y = A x, the matrix's columns one after another as Fortran has them, three ways; compiled apart
// (loops/matrix_vector.cpp), so that other flags touch nothing but it.
#pragma once

#include <cstdint>

namespace assay::kernels {

// An inner product for each row: its elements lie n apart.
void multiply_by_dots(std::int64_t n, const double* a, const double* x, double* y);

// A multiple of each column added to y.
void multiply_by_axpys(std::int64_t n, const double* __restrict a, const double* x, double* __restrict y);

// Multiples of four columns at once, so that y is read and written a quarter as often.
void multiply_by_fours(std::int64_t n, const double* __restrict a, const double* x, double* __restrict y);

}  // namespace assay::kernels
