// Products of few long vectors, and the best vectors of the space that they span: measured loops, compiled apart.
#pragma once

#include <cstddef>
#include <vector>

#include "applications/planewaves/sphere.hpp"

namespace assay::applications::planewaves {

using Vectors = std::vector<const Complex*>;

// Inner products of each with each, <left_i | right_j>, [i][j], of a rank's waves.
void inner_products(const Vectors& left, const Vectors& right, std::size_t waves, Complex* products);

// into_i = (added: into_i +) sum over j of weights[j * count + i] vectors_j, i < count.
void combine(const Vectors& vectors, const Complex* weights, std::size_t count, std::size_t waves, bool added,
             Complex* into);

struct Ritz {
  std::vector<double> values;    // the lowest ones
  std::vector<Complex> weights;  // [vector][value]
};
// Rayleigh and Ritz: the lowest `count` of the space spanned by vectors with these overlaps and matrix elements, in
// which directions that depend on others (a share of 1e-11) are left out.
Ritz lowest(std::vector<Complex> overlaps, const std::vector<Complex>& elements, std::size_t vectors,
            std::size_t count);

}  // namespace assay::applications::planewaves
