// Products of two Gaussian shells as sums of Hermite Gaussians, and the Coulomb integrals of these, by the recursions
// of McMurchie and Davidson (J. Comput. Phys. 26, 218, 1978).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "applications/orbitals/basis.hpp"

namespace assay::applications::orbitals {

inline constexpr int highest = 4;                    // of four p functions
inline constexpr std::size_t hermites_of_pair = 10;  // t + u + v <= 2

// Hermite Gaussians of t + u + v <= order: (order + 3 over 3), ordered by t + u + v.
constexpr std::size_t hermites(int order) {
  return static_cast<std::size_t>((order + 1) * (order + 2) * (order + 3) / 6);
}
// The place of t + t', u + u', v + v', of two places.
std::size_t place_of_sum(std::size_t one, std::size_t other);

// What two Gaussians of a pair of shells give: exponent, centre, and the coefficients of each product of functions,
// [product][Hermite].
struct PairPart {
  double exponent;
  Point centre;
  std::array<double, 9 * hermites_of_pair> coefficients;
};
struct Pair {
  std::size_t one, other;  // shells, one >= other
  int order;               // the sum of both l
  std::size_t products;    // of their functions
  std::vector<PairPart> parts;
};
Pair pair_of(const Complex& complex, std::size_t one, std::size_t other);

// The integrals R_tuv (t + u + v <= order) of two charges at a distance: derivatives of Boys' functions of
// `exponent` times its square.
void coulomb(int order, double exponent, const Point& distance, double* integrals);

}  // namespace assay::applications::orbitals
