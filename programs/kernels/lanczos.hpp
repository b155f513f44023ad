// Lanczos' method with full reorthogonalisation (Lanczos 1950; Parlett, The Symmetric Eigenvalue Problem, chapter 13):
// each new vector is made orthogonal to all before it twice, by classical Gram and Schmidt. The projections are a
// parameter: our loops (sparse_kernel.hpp), or a library's.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/sparse_matrix.hpp"

namespace assay::kernels {

struct PlainProjections {
  static void onto(std::int64_t n, std::int64_t count, const double* q, const double* w, double* h) {
    project_onto(n, count, q, w, h);
  }
  static void subtract(std::int64_t n, std::int64_t count, const double* q, const double* h, double* w) {
    project_off(n, count, q, h, w);
  }
};

struct Lanczos {
  std::vector<double> q;                 // steps + 1 vectors, one after another; the first is given, of length 1
  std::vector<double> diagonal, beside;  // of Q^T A Q; the last beside it is the length of what was left
};

template <class Projections>
void lanczos(const SparseMatrix& a, std::int64_t steps, Lanczos& of) {
  const std::int64_t n = a.rows();
  of.diagonal.assign(static_cast<std::size_t>(steps), 0);
  of.beside.assign(static_cast<std::size_t>(steps), 0);
  std::vector<double> h(static_cast<std::size_t>(steps));
  for (std::int64_t j = 0; j < steps; ++j) {
    double* const w = &of.q[static_cast<std::size_t>((j + 1) * n)];
    a.multiply(w - n, w);
    for (int pass = 0; pass < 2; ++pass) {
      Projections::onto(n, j + 1, of.q.data(), w, h.data());
      Projections::subtract(n, j + 1, of.q.data(), h.data(), w);
      of.diagonal[static_cast<std::size_t>(j)] += h[static_cast<std::size_t>(j)];
    }
    const double length = std::sqrt(dot(n, w, w));
    of.beside[static_cast<std::size_t>(j)] = length;
    divide(n, length, w);
  }
}

}  // namespace assay::kernels
