#include "applications/orbitals/basis.hpp"

#include <cmath>
#include <numbers>

namespace assay::applications::orbitals {
namespace {

struct Radial {
  int l;
  std::vector<Gaussian> parts;
};

// Exponents and coefficients as published: STO-3G by Hehre, Stewart and Pople (J. Chem. Phys. 51, 2657, 1969), 6-31G by
// Hehre, Ditchfield and Pople (J. Chem. Phys. 56, 2257, 1972), as the Basis Set Exchange has them.
std::vector<Radial> radials(Basis basis, bool oxygen) {
  if (basis == Basis::sto_3g) {
    if (!oxygen) return {{0, {{3.42525091, 0.15432897}, {0.62391373, 0.53532814}, {0.1688554, 0.44463454}}}};
    return {{0, {{130.70932, 0.15432897}, {23.808861, 0.53532814}, {6.4436083, 0.44463454}}},
            {0, {{5.0331513, -0.09996723}, {1.1695961, 0.39951283}, {0.380389, 0.70011547}}},
            {1, {{5.0331513, 0.15591627}, {1.1695961, 0.60768372}, {0.380389, 0.39195739}}}};
  }
  if (!oxygen)
    return {{0, {{18.731137, 0.0334946}, {2.8253937, 0.23472695}, {0.6401217, 0.81375733}}}, {0, {{0.1612778, 1}}}};
  return {{0,
           {{5484.6717, 0.0018311},
            {825.23495, 0.0139501},
            {188.04696, 0.0684451},
            {52.9645, 0.2327143},
            {16.89757, 0.470193},
            {5.7996353, 0.3585209}}},
          {0, {{15.539616, -0.1107775}, {3.5999336, -0.1480263}, {1.0137618, 1.130767}}},
          {0, {{0.2700058, 1}}},
          {1, {{15.539616, 0.0708743}, {3.5999336, 0.3397528}, {1.0137618, 0.7271586}}},
          {1, {{0.2700058, 1}}}};
}

// Coefficients such that the function's norm is 1: first of each Gaussian, then of their sum.
std::vector<Gaussian> normalised(const Radial& radial) {
  const auto overlap = [&](double p) {
    const double s = std::pow(std::numbers::pi / p, 1.5);
    return radial.l == 0 ? s : s / (2 * p);
  };
  std::vector<Gaussian> parts = radial.parts;
  for (Gaussian& each : parts) each.coefficient /= std::sqrt(overlap(2 * each.exponent));
  double norm = 0;
  for (const Gaussian& a : parts)
    for (const Gaussian& b : parts) norm += a.coefficient * b.coefficient * overlap(a.exponent + b.exponent);
  for (Gaussian& each : parts) each.coefficient /= std::sqrt(norm);
  return parts;
}

// The molecule of the Crawford group's programming projects (oxygen first), whose energy is published.
constexpr Point molecule[] = {
    {0, -0.143225816552, 0}, {1.638036840407, 1.136548822547, 0}, {-1.638036840407, 1.136548822547, 0}};
constexpr double apart = 6;  // between neighbouring molecules

// By Rodrigues' formula, about (1, 2, 3).
Point turned(const Point& at, double angle) {
  const double norm = std::sqrt(14.0), c = std::cos(angle), s = std::sin(angle);
  const Point axis = {1 / norm, 2 / norm, 3 / norm};
  const Point cross = {axis[1] * at[2] - axis[2] * at[1], axis[2] * at[0] - axis[0] * at[2],
                       axis[0] * at[1] - axis[1] * at[0]};
  const double along = axis[0] * at[0] + axis[1] * at[1] + axis[2] * at[2];
  Point found;
  for (std::size_t i = 0; i < 3; ++i) found[i] = c * at[i] + s * cross[i] + (1 - c) * along * axis[i];
  return found;
}

}  // namespace

Complex water(int molecules, Basis basis, int degrees) {
  Complex complex;
  for (int each = 0; each < molecules; ++each) {
    const int corner[] = {each & 1, (each >> 1) & 1, (each >> 2) & 1};
    const bool other = ((corner[0] + corner[1] + corner[2]) & 1) != 0;
    for (std::size_t atom = 0; atom < 3; ++atom) {
      Point at = molecule[atom];
      if (other) at = {at[2], at[1], at[0]};
      for (std::size_t i = 0; i < 3; ++i) at[i] += apart * corner[i];
      if (degrees != 0) at = turned(at, degrees * std::numbers::pi / 180);
      complex.atoms.push_back({atom == 0 ? 8.0 : 1.0, at});
      for (const Radial& radial : radials(basis, atom == 0)) {
        complex.shells.push_back({at, radial.l, normalised(radial), complex.functions});
        complex.functions += complex.shells.back().functions();
      }
    }
    complex.pairs_of_electrons += 5;
  }
  return complex;
}

double repulsion_of_nuclei(const Complex& complex) {
  double sum = 0;
  for (std::size_t i = 0; i < complex.atoms.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Atom &a = complex.atoms[i], &b = complex.atoms[j];
      sum += a.charge * b.charge / std::hypot(a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]);
    }
  return sum;
}

}  // namespace assay::applications::orbitals
