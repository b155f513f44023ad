#include "applications/lattice/known.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace assay::applications::lattice {
namespace known {

double vortex_left(double edge, double viscosity, double time) {
  const double k = 2 * std::numbers::pi / edge;
  return std::exp(-2 * viscosity * k * k * time);
}

double started_channel(double at, double width, double viscosity, double time) {
  double velocity = at * (width - at) / (2 * viscosity);
  for (int n = 1; n < 200; n += 2) {
    const double k = n * std::numbers::pi / width;
    velocity -= 4 / (width * viscosity * k * k * k) * std::sin(k * at) * std::exp(-viscosity * k * k * time);
  }
  return velocity;
}

double drag_factor(double share) {
  const double x = std::cbrt(share);
  return 1 / (1 - 1.7601 * x + share - 1.5593 * std::pow(x, 6) + 3.9799 * std::pow(x, 8) - 3.0734 * std::pow(x, 10));
}

}  // namespace known

namespace {

constexpr double rounding = 1e-12;  // of sums over all cells, relative to the mass
// Where a wall lies between cells depends on its direction: some 2% at 12 to 40 cells.
constexpr double drag_error = 0.04;

// Of velocities: the method is of second order in a cell's size, and the fluid compressible by Ma^2 = 1.2e-3. What the
// vortex decays by is off by as much again in each further of its times; the plates' first layer is thinner than cells.
double field_error(const Flow& flow, double steps) {
  const double allowed = 6 / std::pow(static_cast<double>(flow.size), 2) + 2e-3;
  if (flow.kind == Kind::taylor_green) return allowed * std::max(1.0, steps / static_cast<double>(flow.enough_steps()));
  const double layer = std::sqrt(flow.viscosity() * steps);
  return allowed + 0.6 * std::sqrt(layer / flow.width()) / (layer * layer);
}

double volume_of(const Flow& flow) { return std::pow(static_cast<double>(flow.size), 3); }

// What the fluid exerts on the sphere, and as a mean pressure's gradient the force within it, over Stokes' drag at the
// mean velocity over the whole cell; and what of the velocity is not along the force. The sphere is as large as its
// cells.
void drag_of(const Flow& flow, const Sums& sums, double& factor, double& aside) {
  const Vector force = flow.force();
  const double volume = volume_of(flow), solid = volume - sums.cells;
  double on_sphere = 0, along = 0, all = 0, size = 0;
  for (const double each : force) size += each * each;
  size = std::sqrt(size);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    on_sphere += (sums.drag[axis] + force[axis] * solid) * force[axis] / size;
    along += sums.flowing[axis] / volume * force[axis] / size;
    all += sums.flowing[axis] * sums.flowing[axis] / (volume * volume);
  }
  const double radius = std::cbrt(solid * 3 / (4 * std::numbers::pi));
  factor = on_sphere / (6 * std::numbers::pi * flow.viscosity() * radius * along);
  aside = std::sqrt(std::max(0.0, all / (along * along) - 1));
}

}  // namespace

Sums sums_of(const Flow& flow, std::int64_t steps, const Totals& before, const Totals& now, const Vector& impulse,
             const Vector& drag) {
  const Vector force = flow.force();
  Sums sums{now.cells, before.mass, now.mass};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double given = force[axis] * now.cells * static_cast<double>(steps);
    sums.lacking[axis] = given - (now.momentum[axis] - before.momentum[axis]) - impulse[axis];
    sums.drag[axis] = drag[axis];
    sums.flowing[axis] = now.momentum[axis] - 0.5 * force[axis] * now.cells;
  }
  return sums;
}

void compare(const Cells& cells, const Flow& flow, std::int64_t steps, const Extents& first, Sums& sums) {
  if (flow.kind == Kind::sphere) return;
  const Vector force = flow.force();
  const double edge = static_cast<double>(flow.size), time = static_cast<double>(steps);
  each_fluid(cells, first, [&](std::size_t at, const Extents& point) {
    double density = 0, unused = 0;
    Vector momentum, right;
    moments(cells, at, density, momentum);
    if (flow.kind == Kind::taylor_green) {
      flow.start(point[0], point[2], unused, right);
      for (double& each : right) each *= known::vortex_left(edge, flow.viscosity(), time);
    } else {
      const double height = static_cast<double>(point[1]) - 0.5;
      const double of_one = known::started_channel(height, flow.width(), flow.viscosity(), time - 0.5);
      for (std::size_t axis = 0; axis < 3; ++axis) right[axis] = force[axis] * of_one;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double found = (momentum[axis] - 0.5 * force[axis]) / density;
      sums.off += (found - right[axis]) * (found - right[axis]);
      sums.all += right[axis] * right[axis];
    }
  });
}

Judgement judged(const Flow& flow, std::int64_t steps, const Sums& sums) {
  const double mass = std::abs(sums.mass / sums.mass_before - 1);
  double momentum = 0;
  for (const double each : sums.lacking) momentum = std::max(momentum, std::abs(each) / sums.mass_before);
  bool right = mass <= rounding && momentum <= rounding;
  char text[240];
  if (flow.kind == Kind::sphere) {
    double factor = 0, aside = 0;
    drag_of(flow, sums, factor, aside);
    const double published = known::drag_factor(1 - sums.cells / volume_of(flow));
    const bool steady = steps >= flow.enough_steps();
    if (steady) right &= std::abs(factor / published - 1) <= drag_error && aside <= drag_error;
    std::snprintf(text, sizeof text, "drag %.12g of Stokes', %s %.6g", factor,
                  steady ? "published" : "not yet steady; published", published);
  } else {
    const double off = std::sqrt(sums.off / sums.all), allowed = field_error(flow, static_cast<double>(steps));
    right &= off <= allowed;  // not of NaN
    std::snprintf(text, sizeof text, "velocities off by %.12g of the closed form (within %.3g)", off, allowed);
  }
  char balance[80];
  std::snprintf(balance, sizeof balance, "; mass by %.3g, momentum by %.3g", mass, momentum);
  return {right, std::string(text) + balance};
}

}  // namespace assay::applications::lattice
