// Integrals over the functions of a complex: of one electron, and of the repulsion of two; and what they cost.
#pragma once

#include <cstddef>
#include <vector>

#include "applications/orbitals/hermite.hpp"

namespace assay::applications::orbitals {

// Adds a pair's overlaps, kinetic energies and attractions by all nuclei to three matrices, both triangles.
void one_electron(const Complex& complex, const Pair& pair, double* overlap, double* kinetic, double* attraction);

// The repulsions of all products of two pairs, [product of bra][product of ket].
void repulsion(const Pair& bra, const Pair& ket, double* integrals);

// Adds what the integrals of a quartet, each once, make of a density to the mean field (Coulomb and half of exchange);
// one triangle's part lies in the other one, so that the sum with its transpose is twice the field.
void add_to_field(const Complex& complex, const Pair& bra, const Pair& ket, const double* integrals,
                  const double* density, double* field);

// Flops of a quartet's integrals by convention: of each four Gaussians 40 for Boys' function, 4 for each integral of
// the recursion, and 2 for each product of one of them with a coefficient.
double quartet_flops(int bra_order, std::size_t bra_parts, int ket_order, std::size_t ket_parts,
                     std::size_t ket_products);

}  // namespace assay::applications::orbitals
