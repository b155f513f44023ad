// Eigenvalues and eigenvectors of a Hermitian matrix by cyclic Jacobi rotations (Golub and Van Loan, section 8.5):
// short, accurate, and the same digits on every machine. For the small matrices that every rank of a program has whole.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numeric>
#include <vector>

namespace assay::applications {

// What is charged for it: the flops of the symmetric QR algorithm with vectors, 9 n^3 (Golub and Van Loan,
// section 8.3).
inline double eigen_flops(std::size_t n) { return 9 * std::pow(static_cast<double>(n), 3); }

template <class Number>
struct Eigen {
  std::vector<double> values;   // ascending
  std::vector<Number> vectors;  // row k: the vector of value k
};

// `matrix` is n by n, row after row.
template <class Number>
Eigen<Number> eigen(std::vector<Number> matrix, std::size_t n) {
  const auto conjugate = [](Number value) {
    if constexpr (std::is_same_v<Number, double>)
      return value;
    else
      return std::conj(value);
  };
  std::vector<Number> vectors(n * n);
  for (std::size_t i = 0; i < n; ++i) vectors[i * n + i] = 1;
  // x' = c x - f y, y' = s x + g y, element by element
  const auto turn = [n](Number* x, Number* y, std::size_t stride, double c, double s, Number f, Number g) {
    for (std::size_t k = 0; k < n * stride; k += stride) {
      const Number one = x[k], other = y[k];
      x[k] = c * one - f * other;
      y[k] = s * one + g * other;
    }
  };
  constexpr int most_sweeps = 40;
  constexpr double small = 1e-30;  // of the squares
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double off = 0, all = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) (i == j ? all : off) += std::norm(matrix[i * n + j]);
    if (off <= small * (all + off)) break;
    for (std::size_t p = 0; p + 1 < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        const double size = std::abs(matrix[p * n + q]);
        if (size * size <= small * small * (all + off)) continue;
        const Number phase = conjugate(matrix[p * n + q] / size);
        const double theta = (std::real(matrix[q * n + q]) - std::real(matrix[p * n + p])) / (2 * size);
        const double t = std::copysign(1 / (std::abs(theta) + std::sqrt(theta * theta + 1)), theta);
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        turn(&matrix[p], &matrix[q], n, c, s, s * phase, c * phase);  // columns, then rows
        turn(&matrix[p * n], &matrix[q * n], 1, c, s, s * conjugate(phase), c * conjugate(phase));
        turn(&vectors[p * n], &vectors[q * n], 1, c, s, s * phase, c * phase);
      }
    }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return std::real(matrix[a * n + a]) < std::real(matrix[b * n + b]); });
  Eigen<Number> found{std::vector<double>(n), std::vector<Number>(n * n)};
  for (std::size_t k = 0; k < n; ++k) {
    found.values[k] = std::real(matrix[order[k] * n + order[k]]);
    std::copy_n(&vectors[order[k] * n], n, &found.vectors[k * n]);
  }
  return found;
}

}  // namespace assay::applications
