#include "applications/orbitals/integrals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay::applications::orbitals {
namespace {

// Overlaps x_A^i x_B^j of two Gaussians along one axis, j up to l + 2, by the recursion of Obara and Saika.
struct Overlaps {
  double of[2][4];
  Overlaps(double a, double b, double distance) {
    const double p = a + b, to_a = -b / p * distance, to_b = a / p * distance, half = 1 / (2 * p);
    of[0][0] = std::sqrt(std::numbers::pi / p) * std::exp(-a * b / p * distance * distance);
    for (std::size_t j = 0; j < 4; ++j) {
      const auto count = static_cast<double>(j);
      if (j > 0) of[0][j] = to_b * of[0][j - 1] + (j > 1 ? half * (count - 1) * of[0][j - 2] : 0);
      of[1][j] = to_a * of[0][j] + (j > 0 ? half * count * of[0][j - 1] : 0);
    }
  }
  // -1/2 of the second derivative
  double kinetic(std::size_t i, std::size_t j, double b) const {
    const auto count = static_cast<double>(j);
    return -2 * b * b * of[i][j + 2] + b * (2 * count + 1) * of[i][j] -
           (j > 1 ? 0.5 * count * (count - 1) * of[i][j - 2] : 0);
  }
};

}  // namespace

void one_electron(const Complex& complex, const Pair& pair, double* overlap, double* kinetic, double* attraction) {
  const Shell &a = complex.shells[pair.one], &b = complex.shells[pair.other];
  const std::size_t count = hermites(pair.order), n = complex.functions;
  double found[3][9] = {}, integrals[hermites(2)];
  const PairPart* part = pair.parts.data();
  for (const Gaussian& x : a.parts) {
    for (const Gaussian& y : b.parts) {
      const double coefficient = x.coefficient * y.coefficient;
      std::vector<Overlaps> axes;
      for (std::size_t i = 0; i < 3; ++i) axes.emplace_back(x.exponent, y.exponent, a.centre[i] - b.centre[i]);
      for (std::size_t product = 0; product < pair.products; ++product) {
        double one[3], energy[3];
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const std::size_t i = a.l == 1 && product / b.functions() == axis;
          const std::size_t j = b.l == 1 && product % b.functions() == axis;
          one[axis] = axes[axis].of[i][j];
          energy[axis] = axes[axis].kinetic(i, j, y.exponent);
        }
        found[0][product] += coefficient * one[0] * one[1] * one[2];
        found[1][product] +=
            coefficient * (energy[0] * one[1] * one[2] + one[0] * energy[1] * one[2] + one[0] * one[1] * energy[2]);
      }
      for (const Atom& atom : complex.atoms) {
        Point distance;
        for (std::size_t i = 0; i < 3; ++i) distance[i] = part->centre[i] - atom.at[i];
        coulomb(pair.order, part->exponent, distance, integrals);
        const double factor = -atom.charge * 2 * std::numbers::pi / part->exponent;
        for (std::size_t product = 0; product < pair.products; ++product)
          for (std::size_t k = 0; k < count; ++k)
            found[2][product] += factor * part->coefficients[product * count + k] * integrals[k];
      }
      ++part;
    }
  }
  double* const into[] = {overlap, kinetic, attraction};
  for (std::size_t kind = 0; kind < 3; ++kind)
    for (std::size_t i = 0; i < a.functions(); ++i)
      for (std::size_t j = 0; j < b.functions(); ++j) {
        const std::size_t row = a.first + i, column = b.first + j;
        into[kind][row * n + column] = into[kind][column * n + row] = found[kind][i * b.functions() + j];
      }
}

void repulsion(const Pair& bra, const Pair& ket, double* integrals) {
  const std::size_t rows = hermites(bra.order), columns = hermites(ket.order);
  std::fill_n(integrals, bra.products * ket.products, 0.0);
  double coulombs[hermites(highest)];
  for (const PairPart& one : bra.parts) {
    double halfway[hermites_of_pair][9] = {};  // [Hermite of bra][product of ket]
    for (const PairPart& other : ket.parts) {
      const double p = one.exponent, q = other.exponent;
      Point distance;
      for (std::size_t i = 0; i < 3; ++i) distance[i] = one.centre[i] - other.centre[i];
      coulomb(bra.order + ket.order, p * q / (p + q), distance, coulombs);
      constexpr double all_angles = 34.986836655249725;  // 2 pi^(5/2)
      const double factor = all_angles / (p * q * std::sqrt(p + q));
      for (std::size_t row = 0; row < rows; ++row) {
        double line[hermites_of_pair];
        for (std::size_t k = 0; k < columns; ++k) {
          const double sign = k == 0 || k > 3 ? factor : -factor;  // (-1)^(t + u + v)
          line[k] = sign * coulombs[place_of_sum(row, k)];
        }
        for (std::size_t product = 0; product < ket.products; ++product) {
          double sum = 0;
          for (std::size_t k = 0; k < columns; ++k) sum += other.coefficients[product * columns + k] * line[k];
          halfway[row][product] += sum;
        }
      }
    }
    for (std::size_t product = 0; product < bra.products; ++product)
      for (std::size_t row = 0; row < rows; ++row) {
        const double coefficient = one.coefficients[product * rows + row];
        for (std::size_t other = 0; other < ket.products; ++other)
          integrals[product * ket.products + other] += coefficient * halfway[row][other];
      }
  }
}

void add_to_field(const Complex& complex, const Pair& bra, const Pair& ket, const double* integrals,
                  const double* density, double* field) {
  const Shell &one = complex.shells[bra.one], &two = complex.shells[bra.other];
  const Shell &three = complex.shells[ket.one], &four = complex.shells[ket.other];
  const std::size_t n = complex.functions;
  const bool same = bra.one == ket.one && bra.other == ket.other;
  const double times = (bra.one == bra.other ? 1 : 2) * (ket.one == ket.other ? 1 : 2) * (same ? 1 : 2);
  for (std::size_t a = one.first; a < one.first + one.functions(); ++a)
    for (std::size_t b = two.first; b < two.first + two.functions(); ++b)
      for (std::size_t c = three.first; c < three.first + three.functions(); ++c)
        for (std::size_t d = four.first; d < four.first + four.functions(); ++d) {
          const double value = times * *integrals++, quarter = 0.25 * value;
          field[a * n + b] += density[c * n + d] * value;
          field[c * n + d] += density[a * n + b] * value;
          field[a * n + c] -= density[b * n + d] * quarter;
          field[b * n + d] -= density[a * n + c] * quarter;
          field[a * n + d] -= density[b * n + c] * quarter;
          field[b * n + c] -= density[a * n + d] * quarter;
        }
}

double quartet_flops(int bra_order, std::size_t bra_parts, int ket_order, std::size_t ket_parts,
                     std::size_t ket_products) {
  const int order = bra_order + ket_order;
  const double recursion = (order + 1) * (order + 2) * (order + 3) * (order + 4) / 24.0;
  const auto products = static_cast<double>(hermites(bra_order) * hermites(ket_order) * ket_products);
  return static_cast<double>(bra_parts * ket_parts) * (40 + 4 * recursion + 2 * products);
}

}  // namespace assay::applications::orbitals
