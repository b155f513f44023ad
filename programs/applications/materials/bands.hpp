// The same ring by its symmetry: waves that go around it, whose levels are zeros of real numbers. It shares nothing
// with the solution of the zones but the ring itself.
#pragma once

#include <array>
#include <cstddef>

#include "applications/materials/ring.hpp"

namespace assay::applications::materials {

// Atoms A and B, self-consistent: the charge of each, and its part of all levels' energies.
std::array<Local, 2> by_bands(std::size_t atoms);

}  // namespace assay::applications::materials
