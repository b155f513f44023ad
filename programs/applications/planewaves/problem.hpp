// What the electrons move in: a potential in a periodic box, centred on it, in atomic units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "applications/planewaves/sphere.hpp"

namespace assay::applications::planewaves {

enum class Problem : std::uint8_t { harmonic, hydrogen, field };
inline constexpr std::string_view problems[] = {"harmonic", "hydrogen", "field"};

// harmonic: r^2 / 2. hydrogen: -2 erf(r) / r, a nucleus of charge 2 smoothed over 1 bohr. field: the harmonic one, and
// `coupling` times the density of two electrons in each band.
double external(Problem problem, double r);
inline double coupling(Problem problem) { return problem == Problem::field ? 1 : 0; }
inline double box(Problem problem) { return problem == Problem::hydrogen ? 14 : problem == Problem::field ? 11 : 10; }

// Of the points of a rank's planes, [plane][y][x].
std::vector<double> external(Problem problem, const Sphere& sphere, std::size_t rank);

}  // namespace assay::applications::planewaves
