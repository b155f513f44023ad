#include "applications/orbitals/self_consistent.hpp"

#include <algorithm>
#include <cmath>

#include "applications/jacobi.hpp"

namespace assay::applications::orbitals {
namespace {

constexpr std::size_t kept = 8;  // Fock matrices

// Gaussian elimination with partial pivoting; the solution lies in `right`.
void solve(std::vector<double>& matrix, std::vector<double>& right) {
  const std::size_t n = right.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(matrix[i * n + k]) > std::abs(matrix[pivot * n + k])) pivot = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(matrix[k * n + j], matrix[pivot * n + j]);
    std::swap(right[k], right[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = matrix[i * n + k] / matrix[k * n + k];
      for (std::size_t j = k; j < n; ++j) matrix[i * n + j] -= factor * matrix[k * n + j];
      right[i] -= factor * right[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) right[k] -= matrix[k * n + j] * right[j];
    right[k] /= matrix[k * n + k];
  }
}

}  // namespace

Matrix product(const Matrix& a, const Matrix& b, std::size_t n) {
  Matrix found(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) {
      const double factor = a[i * n + k];
      for (std::size_t j = 0; j < n; ++j) found[i * n + j] += factor * b[k * n + j];
    }
  return found;
}

double trace(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

SelfConsistent::SelfConsistent(const Matrix& overlap, std::size_t n, std::size_t occupied)
    : n_(n), occupied_(occupied), overlap_(overlap), orthogonal_(n * n) {
  const Eigen<double> found = eigen(overlap, n);
  for (std::size_t k = 0; k < n; ++k) {
    const double* const vector = &found.vectors[k * n];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) orthogonal_[i * n + j] += vector[i] * vector[j] / std::sqrt(found.values[k]);
  }
}

Matrix SelfConsistent::density(const Matrix& fock) const {
  const Eigen<double> found = eigen(product(product(orthogonal_, fock, n_), orthogonal_, n_), n_);
  const Matrix orbitals = product(found.vectors, orthogonal_, n_);  // one a row
  Matrix density(n_ * n_);
  for (std::size_t k = 0; k < occupied_; ++k)
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) density[i * n_ + j] += orbitals[k * n_ + i] * orbitals[k * n_ + j];
  return density;
}

Matrix SelfConsistent::extrapolated(const Matrix& fock, const Matrix& density) {
  const Matrix one = product(product(fock, density, n_), overlap_, n_);
  Matrix error(n_ * n_);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = 0; j < n_; ++j) error[i * n_ + j] = one[i * n_ + j] - one[j * n_ + i];
  error = product(product(orthogonal_, error, n_), orthogonal_, n_);
  error_ = 0;
  for (const double each : error) error_ = std::max(error_, std::abs(each));
  focks_.push_back(fock);
  errors_.push_back(error);
  if (focks_.size() > kept) focks_.pop_front(), errors_.pop_front();
  // Nothing is left to be extrapolated where the errors are rounding alone.
  if (error_ < 1e-11) return fock;
  const std::size_t count = focks_.size(), size = count + 1;
  std::vector<double> matrix(size * size), weights(size);
  const double scale = trace(error, error);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) matrix[i * size + j] = trace(errors_[i], errors_[j]) / scale;
    matrix[i * size + count] = matrix[count * size + i] = 1;
  }
  weights[count] = 1;
  solve(matrix, weights);
  Matrix mixed(n_ * n_);
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] += weights[k] * focks_[k][i];
  return mixed;
}

}  // namespace assay::applications::orbitals
