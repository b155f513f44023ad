#include "applications/lattice/flow.hpp"

#include <cmath>
#include <numbers>

namespace assay::applications::lattice {

void Flow::start(std::size_t x, std::size_t z, double& density, Vector& velocity) const {
  density = 1;
  velocity = {};
  if (kind != Kind::taylor_green) return;
  const double k = 2 * std::numbers::pi / static_cast<double>(size);
  const double at_x = k * (static_cast<double>(x) + 0.5), at_z = k * (static_cast<double>(z) + 0.5);
  velocity[0] = vortex_speed * std::cos(at_x) * std::sin(at_z);
  velocity[2] = -vortex_speed * std::sin(at_x) * std::cos(at_z);
  density -= 0.75 * vortex_speed * vortex_speed * (std::cos(2 * at_x) + std::cos(2 * at_z));
}

}  // namespace assay::applications::lattice
