// Complexes of water molecules and the Gaussian functions on their atoms. Lengths in bohr.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::applications::orbitals {

using Point = std::array<double, 3>;

enum class Basis : std::uint8_t { sto_3g, g6_31 };

struct Gaussian {
  double exponent, coefficient;  // the latter with the normalisation of the function
};
// Functions of one centre and one radial part: one of l = 0, three of l = 1.
struct Shell {
  Point centre;
  int l;
  std::vector<Gaussian> parts;
  std::size_t first;  // the place of its first function
  std::size_t functions() const { return l == 0 ? 1 : 3; }
};
struct Atom {
  double charge;
  Point at;
};
struct Complex {
  std::vector<Atom> atoms;
  std::vector<Shell> shells;
  std::size_t functions = 0, pairs_of_electrons = 0;
};

inline constexpr int most_molecules = 8;

// Molecules on the corners of a cube, each turned by a right angle against its neighbours; all turned by `degrees`
// about an axis that is no axis of the complex.
Complex water(int molecules, Basis basis, int degrees);

double repulsion_of_nuclei(const Complex& complex);

}  // namespace assay::applications::orbitals
