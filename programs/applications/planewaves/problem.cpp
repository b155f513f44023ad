#include "applications/planewaves/problem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay::applications::planewaves {

double external(Problem problem, double r) {
  if (problem != Problem::hydrogen) return 0.5 * r * r;
  constexpr double charge = 2;
  return r < 1e-8 ? -charge * 2 * std::numbers::inv_sqrtpi : -charge * std::erf(r) / r;
}

std::vector<double> external(Problem problem, const Sphere& sphere, std::size_t rank) {
  const std::size_t n = sphere.points();
  const double step = box(problem) / static_cast<double>(n);
  const auto from_centre = [&](std::size_t place) {
    return step * std::abs(static_cast<double>(place) - static_cast<double>(n / 2));
  };
  std::vector<double> found;
  for (std::size_t z = sphere.first_plane(rank); z < sphere.first_plane(rank) + sphere.planes(rank); ++z)
    for (std::size_t y = 0; y < n; ++y)
      for (std::size_t x = 0; x < n; ++x)
        found.push_back(external(problem, std::hypot(from_centre(x), from_centre(y), from_centre(z))));
  return found;
}

}  // namespace assay::applications::planewaves
