// A ring of atoms, A and B in turn, each a scatterer of zero range: a bound electron decays as exp(-k r) / r from each,
// and its waves meet the condition of every atom where the matrix
//     M_ij(k) = (k - strength_i) for i = j, -exp(-k R_ij) / R_ij otherwise
// is singular. The charge of an atom changes its strength. Energies are -k^2 (in hbar^2 / 2m), lengths such that the
// atoms' own k are near 1. Source: Demkov and Ostrovskii, Zero-Range Potentials, 1988.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>

namespace assay::applications::materials {

inline constexpr double spacing = 2.0;               // of neighbours, along the chord
inline constexpr double bare[2] = {1.2, 1.0};        // strengths of A and B with a charge of 1
inline constexpr double repulsion = 0.3;             // by how much a charge lowers the strength
inline constexpr double middle = 1.1, radius = 0.6;  // of the circle of k around all levels

// Between atoms so many places from each other.
inline double distance(std::size_t atoms, std::size_t places) {
  const double angle = std::numbers::pi / static_cast<double>(atoms);
  return spacing * std::sin(angle * static_cast<double>(places)) / std::sin(angle);
}
inline double strength(std::size_t atom, double charge) { return bare[atom % 2] + repulsion * (1 - charge); }

// Of one atom: electrons, and their energy.
struct Local {
  double charge = 0, energy = 0;
};

}  // namespace assay::applications::materials
