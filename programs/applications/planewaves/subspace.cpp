#include "applications/planewaves/subspace.hpp"

#include <algorithm>
#include <cmath>

#include "applications/jacobi.hpp"

namespace assay::applications::planewaves {
namespace {

constexpr std::size_t block = 64;  // waves at a time

// The block's waves of all vectors, [wave][vector], real and imaginary parts apart.
struct Packed {
  std::vector<double> real, imaginary;
  void fill(const Vectors& vectors, std::size_t from, std::size_t count) {
    const std::size_t many = vectors.size();
    real.resize(block * many), imaginary.resize(block * many);
    for (std::size_t j = 0; j < many; ++j)
      for (std::size_t w = 0; w < count; ++w) {
        real[w * many + j] = vectors[j][from + w].real();
        imaginary[w * many + j] = vectors[j][from + w].imag();
      }
  }
};

void add_row(double a, double b, const double* __restrict real, const double* __restrict imaginary,
             double* __restrict sum_real, double* __restrict sum_imaginary, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) {
    sum_real[j] += a * real[j] + b * imaginary[j];
    sum_imaginary[j] += a * imaginary[j] - b * real[j];
  }
}

void add_multiple(double a, double b, const double* __restrict x, double* __restrict y, std::size_t count) {
  for (std::size_t i = 0; i < 2 * count; i += 2) {
    y[i] += a * x[i] - b * x[i + 1];
    y[i + 1] += a * x[i + 1] + b * x[i];
  }
}

}  // namespace

void inner_products(const Vectors& left, const Vectors& right, std::size_t waves, Complex* products) {
  const std::size_t rows = left.size(), columns = right.size();
  std::vector<double> real(rows * columns), imaginary(rows * columns);
  Packed ours, theirs;
  for (std::size_t from = 0; from < waves; from += block) {
    const std::size_t count = std::min(block, waves - from);
    ours.fill(left, from, count);
    theirs.fill(right, from, count);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t w = 0; w < count; ++w)
        add_row(ours.real[w * rows + i], ours.imaginary[w * rows + i], &theirs.real[w * columns],
                &theirs.imaginary[w * columns], &real[i * columns], &imaginary[i * columns], columns);
  }
  for (std::size_t k = 0; k < rows * columns; ++k) products[k] = {real[k], imaginary[k]};
}

void combine(const Vectors& vectors, const Complex* weights, std::size_t count, std::size_t waves, bool added,
             Complex* into) {
  if (!added) std::fill_n(into, count * waves, Complex());
  for (std::size_t from = 0; from < waves; from += block) {
    const std::size_t held = std::min(block, waves - from);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < vectors.size(); ++j) {
        const Complex weight = weights[j * count + i];
        add_multiple(weight.real(), weight.imag(), reinterpret_cast<const double*>(vectors[j] + from),
                     reinterpret_cast<double*>(into + i * waves + from), held);
      }
  }
}

Ritz lowest(std::vector<Complex> overlaps, const std::vector<Complex>& elements, std::size_t vectors,
            std::size_t count) {
  constexpr double dependent = 1e-11;
  std::vector<double> scale(vectors);
  for (std::size_t i = 0; i < vectors; ++i) {
    const double norm = overlaps[i * vectors + i].real();
    scale[i] = norm > 0 ? 1 / std::sqrt(norm) : 0;
  }
  for (std::size_t i = 0; i < vectors; ++i)
    for (std::size_t j = 0; j < vectors; ++j) overlaps[i * vectors + j] *= scale[i] * scale[j];
  const Eigen<Complex> found = eigen(overlaps, vectors);
  std::vector<Complex> basis;  // [independent direction][vector]
  for (std::size_t k = 0; k < vectors; ++k)
    if (found.values[k] > dependent)
      for (std::size_t i = 0; i < vectors; ++i)
        basis.push_back(found.vectors[k * vectors + i] * scale[i] / std::sqrt(found.values[k]));
  const std::size_t size = basis.size() / vectors;
  std::vector<Complex> half(size * vectors), small(size * size);
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < vectors; ++i) {
      const Complex factor = std::conj(basis[k * vectors + i]);
      for (std::size_t j = 0; j < vectors; ++j) half[k * vectors + j] += factor * elements[i * vectors + j];
    }
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t l = 0; l < size; ++l)
      for (std::size_t j = 0; j < vectors; ++j) small[k * size + l] += half[k * vectors + j] * basis[l * vectors + j];
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t l = 0; l < k; ++l)
      small[k * size + l] =
          std::conj(small[l * size + k] = 0.5 * (small[l * size + k] + std::conj(small[k * size + l])));
  const Eigen<Complex> best = eigen(small, size);
  Ritz ritz{{best.values.begin(), best.values.begin() + static_cast<std::ptrdiff_t>(count)},
            std::vector<Complex>(vectors * count)};
  for (std::size_t value = 0; value < count; ++value)
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t i = 0; i < vectors; ++i)
        ritz.weights[i * count + value] += best.vectors[value * size + k] * basis[k * vectors + i];
  return ritz;
}

}  // namespace assay::applications::planewaves
