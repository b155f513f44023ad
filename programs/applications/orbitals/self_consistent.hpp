// The matrices of a self-consistent field, whole on every rank: orthogonal functions, Pulay's extrapolation, orbitals.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace assay::applications::orbitals {

using Matrix = std::vector<double>;  // n by n, row after row

Matrix product(const Matrix& a, const Matrix& b, std::size_t n);
double trace(const Matrix& a, const Matrix& b);  // of the product of two symmetric matrices

class SelfConsistent {
 public:
  // `occupied`: orbitals with two electrons each.
  SelfConsistent(const Matrix& overlap, std::size_t n, std::size_t occupied);

  // The density (of one electron per orbital) of the lowest orbitals of a Fock matrix.
  Matrix density(const Matrix& fock) const;
  // The Fock matrix with the least error that combines those given so far (Pulay, J. Comput. Chem. 3, 556, 1982); the
  // error is F D S - S D F.
  Matrix extrapolated(const Matrix& fock, const Matrix& density);
  double error() const { return error_; }  // the greatest element of the last one

  // Flops of one cycle's products: seven of matrices and the density, without the eigenvalue problem.
  static double product_flops(std::size_t n, std::size_t occupied) {
    return (14 * static_cast<double>(n) + 2 * static_cast<double>(occupied)) * static_cast<double>(n * n);
  }

 private:
  std::size_t n_, occupied_;
  Matrix overlap_, orthogonal_;  // the latter: overlap^(-1/2)
  std::deque<Matrix> focks_, errors_;
  double error_ = 0;
};

}  // namespace assay::applications::orbitals
