#include "applications/materials/scattering.hpp"

#include <algorithm>

namespace assay::applications::materials {

namespace {

// to -= factor * from, complex numbers as pairs.
void subtract(std::size_t count, Complex factor, const Complex* from, Complex* to) {
  const double a = factor.real(), b = factor.imag();
  const auto* const x = reinterpret_cast<const double*>(from);
  auto* const y = reinterpret_cast<double*>(to);
#pragma GCC ivdep
  for (std::size_t i = 0; i < 2 * count; i += 2) {
    const double real = a * x[i] - b * x[i + 1], imaginary = a * x[i + 1] + b * x[i];
    y[i] -= real;
    y[i + 1] -= imaginary;
  }
}

}  // namespace

void solve(Complex* matrix, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) {
    Complex* const pivots = matrix + k * size;
    const Complex scale = 1.0 / pivots[k];
    for (std::size_t i = k + 1; i < size; ++i) pivots[i] *= scale;
    for (std::size_t j = k + 1; j <= size; ++j) {
      Complex* const column = matrix + j * size;
      subtract(size - k - 1, column[k], pivots + k + 1, column + k + 1);
    }
  }
  Complex* const solution = matrix + size * size;
  for (std::size_t k = size; k-- > 0;) {
    solution[k] /= matrix[k * size + k];
    subtract(k, solution[k], matrix + k * size, solution);
  }
}

Scattering::Scattering(std::size_t atoms, std::size_t reach, std::size_t points)
    : atoms_(atoms), zone_(zone(atoms, reach)), points_(points), matrix_(zone_ * (zone_ + 1)) {
  for (std::size_t point = 0; point < points; ++point) {
    const double angle = std::numbers::pi * (static_cast<double>(point) + 0.5) / static_cast<double>(points);
    const Complex step = std::polar(radius, angle), k = middle + step;
    k_.push_back(k);
    weights_.push_back(step / static_cast<double>(points));  // dk / (2 pi i), both halves by the real part
    waves_.emplace_back(atoms), lean_.emplace_back(atoms);
    for (std::size_t places = 1; places < atoms; ++places) {
      const double far = distance(atoms, places);
      waves_.back()[places] = std::exp(-k * far);
      lean_.back()[places] = waves_.back()[places] / far;
    }
  }
}

// The zone's atoms in order around the ring, but the atom itself last.
void Scattering::fill(std::size_t atom, std::size_t point, const std::vector<double>& strengths) {
  const std::size_t first = zone_ == atoms_ ? atom + 1 : atom + atoms_ - zone_ / 2, others = zone_ - 1;
  const auto member = [&](std::size_t i) {
    if (i == others) return atom;
    return (first + i + (zone_ != atoms_ && i >= zone_ / 2 ? 1 : 0)) % atoms_;
  };
  for (std::size_t j = 0; j < zone_; ++j) {
    const std::size_t one = member(j);
    for (std::size_t i = 0; i < zone_; ++i) {
      const std::size_t other = member(i);
      matrix_[j * zone_ + i] = i == j ? k_[point] - strengths[one] : -lean_[point][(one + atoms_ - other) % atoms_];
    }
  }
  std::fill_n(matrix_.begin() + static_cast<std::ptrdiff_t>(zone_ * zone_), zone_, Complex{});
  matrix_.back() = 1;
}

Local Scattering::local(std::size_t atom, const std::vector<double>& strengths) {
  Local found;
  for (std::size_t point = 0; point < points_; ++point) {
    fill(atom, point, strengths);
    solve(matrix_.data(), zone_);
    const Complex* const column = matrix_.data() + zone_ * zone_;
    // The derivative of the atom's row of the matrix by k, times its column of the inverse.
    Complex states = column[zone_ - 1];
    const std::size_t first = zone_ == atoms_ ? 1 : atoms_ - zone_ / 2;
    for (std::size_t i = 0; i + 1 < zone_; ++i) {
      const std::size_t skips = zone_ != atoms_ && i >= zone_ / 2 ? 1 : 0;
      states += waves_[point][(first + i + skips) % atoms_] * column[i];
    }
    found.charge += std::real(states * weights_[point]);
    found.energy -= std::real(states * weights_[point] * k_[point] * k_[point]);
  }
  return found;
}

}  // namespace assay::applications::materials
