// What is known of the flows without simulating them.
#pragma once

#include <cmath>
#include <numbers>

namespace assay::applications::lattice::known {

// The share of its first velocity that a Taylor-Green vortex with one wave along the edge has left.
inline double vortex_left(double edge, double viscosity, double time) {
  const double k = 2 * std::numbers::pi / edge;
  return std::exp(-2 * viscosity * k * k * time);
}

// Velocity between plates at rest at 0 and `width`, `time` after a force of 1 has set in (Batchelor 1967, section 4.3).
inline double started_channel(double at, double width, double viscosity, double time) {
  double velocity = at * (width - at) / (2 * viscosity);
  for (int n = 1; n < 200; n += 2) {
    const double k = n * std::numbers::pi / width;
    velocity -= 4 / (width * viscosity * k * k * k) * std::sin(k * at) * std::exp(-viscosity * k * k * time);
  }
  return velocity;
}

// The drag on a sphere of a simple cubic array over Stokes' 6 pi mu a U, U the mean velocity over the whole cell, by the
// volume that spheres take (Hasimoto 1959, with the further terms of Sangani and Acrivos 1982).
inline double drag_factor(double share) {
  const double x = std::cbrt(share);
  return 1 / (1 - 1.7601 * x + share - 1.5593 * std::pow(x, 6) + 3.9799 * std::pow(x, 8) - 3.0734 * std::pow(x, 10));
}

}  // namespace assay::applications::lattice::known
