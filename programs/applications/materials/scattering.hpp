// What one atom adds to charge and energy, by the matrix of the atoms around it (its zone), one solution for each point
// of a circle around all levels. Elimination by columns: of the two operands one, the pivot's column, stays in the
// cache. Compiled apart.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "applications/materials/ring.hpp"

namespace assay::applications::materials {

using Complex = std::complex<double>;

// 8 flops per complex multiplication and addition: the elimination with the right side, and the substitution.
inline double solution_flops(std::size_t size) {
  const auto m = static_cast<double>(size);
  return 8 * (m * m * m / 3 + m * m);
}

class Scattering {
 public:
  // `reach`: neighbours on each side that a zone has; 0: all atoms. `points`: on the upper half of the circle.
  Scattering(std::size_t atoms, std::size_t reach, std::size_t points);

  static std::size_t zone(std::size_t atoms, std::size_t reach) { return reach == 0 ? atoms : 2 * reach + 1; }

  // `strengths`: of all atoms.
  Local local(std::size_t atom, const std::vector<double>& strengths);

 private:
  void fill(std::size_t atom, std::size_t point, const std::vector<double>& strengths);

  std::size_t atoms_, zone_, points_;
  std::vector<Complex> k_, weights_;                // of each point
  std::vector<std::vector<Complex>> waves_, lean_;  // exp(-k R) and that over R by places, of each point
  std::vector<Complex> matrix_;                     // columns of the zone, the atom itself last; the right side
};

// Solves in place: `matrix` has `size` columns of as many rows and the right side, which becomes the solution. Without
// exchanges of rows: everywhere on the circle the diagonal is more than the sum of its row.
void solve(Complex* matrix, std::size_t size);

}  // namespace assay::applications::materials
