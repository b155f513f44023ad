// All eigenvalues and eigenvectors of a symmetric matrix: Householder's reduction to tridiagonal form, then the
// implicit QL iteration (Martin and Wilkinson 1968; Golub and Van Loan, Matrix Computations, section 8.3); compiled
// apart (loops/eigenvalues.cpp), so that other flags touch nothing but it. Rows are read and written one after another:
// only the lower triangle is used, and the vectors are kept as rows.
#pragma once

#include <cstdint>

namespace assay::kernels {

// a (n x n, its lower triangle; overwritten) to tridiagonal form: its diagonal, and beside it element i between rows i
// and i + 1 (n places each). Row i of `q` becomes column i of the orthogonal matrix Q with A = Q T Q^T. `room` has 3 n
// places.
void reduce_to_tridiagonal(std::int64_t n, double* a, double* q, double* diagonal, double* beside, double* room);

// Implicit QL with Wilkinson's shifts: the eigenvalues come to stand in the diagonal, in no order. `q`, where it is not
// null, has its rows rotated with them, `columns` elements of each. False where 60 iterations do not end one.
bool diagonalise(std::int64_t n, double* diagonal, double* beside, double* q, std::int64_t columns);

}  // namespace assay::kernels
