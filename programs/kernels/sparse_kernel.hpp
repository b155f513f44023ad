// What conjugate gradients and Lanczos' method are made of: the product of a sparse matrix, by rows (CSR), with a
// vector, and operations on vectors; compiled apart (loops/sparse.cpp), so that other flags touch nothing but it. The
// compiler keeps the order of an inner product's sums, as the standard demands, unless its flags say otherwise.
#pragma once

#include <cstdint>

namespace assay::kernels {

// y = A x; of row i the entries starts[i] to starts[i + 1], each with its column.
void multiply_sparse(std::int64_t rows, const std::int32_t* starts, const std::int32_t* columns, const double* values,
                     const double* x, double* y);

double dot(std::int64_t n, const double* x, const double* y);
void add(std::int64_t n, double factor, const double* x, double* y);              // y += factor x
void add_to_multiple(std::int64_t n, double factor, const double* x, double* y);  // y = x + factor y
void divide(std::int64_t n, double by, double* x);

// Of `count` vectors of n elements that stand one after another in q: h = Q^T w, and w -= Q h.
void project_onto(std::int64_t n, std::int64_t count, const double* q, const double* w, double* h);
void project_off(std::int64_t n, std::int64_t count, const double* q, const double* h, double* w);

}  // namespace assay::kernels
