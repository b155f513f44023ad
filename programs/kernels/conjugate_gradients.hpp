// The method of conjugate gradients (Hestenes and Stiefel 1952) for a sparse matrix. Its operations on vectors are a
// parameter: our loops (sparse_kernel.hpp), or a library's.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sparse_matrix.hpp"

namespace assay::kernels {

struct PlainVectors {
  static double dot(std::int64_t n, const double* x, const double* y) { return kernels::dot(n, x, y); }
  static void add(std::int64_t n, double factor, const double* x, double* y) { kernels::add(n, factor, x, y); }
  static void add_to_multiple(std::int64_t n, double factor, const double* x, double* y) {
    kernels::add_to_multiple(n, factor, x, y);
  }
};

struct ConjugateGradients {
  std::vector<double> x, r, p, q;
  double square = 0;    // |r|^2
  double decrease = 0;  // of the error's square in the norm of the matrix, since the start, in exact arithmetic
};

template <class Vectors>
void start_at_zero(const std::vector<double>& right, ConjugateGradients& of) {
  of.x.assign(right.size(), 0);
  of.r = of.p = right;
  of.q.resize(right.size());
  of.square = Vectors::dot(static_cast<std::int64_t>(right.size()), of.r.data(), of.r.data());
  of.decrease = 0;
}

template <class Vectors>
void iterate(const SparseMatrix& a, ConjugateGradients& of) {
  const std::int64_t n = a.rows();
  a.multiply(of.p.data(), of.q.data());
  const double length = of.square / Vectors::dot(n, of.p.data(), of.q.data());
  Vectors::add(n, length, of.p.data(), of.x.data());
  Vectors::add(n, -length, of.q.data(), of.r.data());
  of.decrease += length * of.square;
  const double before = of.square;
  of.square = Vectors::dot(n, of.r.data(), of.r.data());
  Vectors::add_to_multiple(n, of.square / before, of.r.data(), of.p.data());
}

}  // namespace assay::kernels
