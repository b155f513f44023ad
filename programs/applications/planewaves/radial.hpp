// The levels of a problem by its radial equation on a line, which share nothing with plane waves but the potential.
#pragma once

#include <cstddef>
#include <vector>

#include "applications/planewaves/problem.hpp"

namespace assay::applications::planewaves {

// The lowest `count` levels, each as often as it is degenerate; of a field made by closed shells of so many bands.
std::vector<double> radial_levels(Problem problem, std::size_t count);

}  // namespace assay::applications::planewaves
