// The flows: a periodic cube of fluid, what is solid in it, what drives it, and how it begins. Units are the lattice's:
// a cell and a step are 1, the density is about 1.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "applications/lattice/cells.hpp"

namespace assay::applications::lattice {

enum class Kind : std::uint8_t { taylor_green, poiseuille, sphere };

struct Flow {
  Kind kind = Kind::taylor_green;
  std::size_t size = 0;  // cells along each edge
  bool operator==(const Flow&) const = default;

  // Of viscosities that are stable the greater ones reach a steady flow in fewer steps.
  double viscosity() const { return kind == Kind::taylor_green ? 1.0 / 6 : 0.5; }
  // Velocities of some 1e-2 and, around the sphere, a Reynolds number of some 1e-3.
  Vector force() const {
    const double edge = static_cast<double>(size);
    switch (kind) {
      case Kind::poiseuille:
        return {0.04 / (edge * edge), 0, 0.02 / (edge * edge)};
      case Kind::sphere:
        return {1e-2 / (edge * edge * edge), 2e-2 / (edge * edge * edge), 3e-2 / (edge * edge * edge)};
      default:
        return {};
    }
  }

  // The channel between two plates is as wide as the cube less one cell: the plate, which is both.
  double width() const { return static_cast<double>(size - 1); }
  double radius() const { return radius_share * static_cast<double>(size); }
  bool solid(std::size_t x, std::size_t y, std::size_t z) const {
    if (kind == Kind::poiseuille) return y == 0;
    return kind == Kind::sphere && off(x) * off(x) + off(y) * off(y) + off(z) * off(z) < radius() * radius();
  }
  // Whether a whole row along x is fluid.
  bool free_row(std::size_t y, std::size_t z) const {
    if (kind == Kind::poiseuille) return y != 0;
    return kind != Kind::sphere || off(y) * off(y) + off(z) * off(z) >= radius() * radius();
  }
  // Fluid cells of a block.
  double fluid(const Extents& first, const Extents& own) const {
    double count = 0;
    for (std::size_t z = first[2]; z < first[2] + own[2]; ++z) {
      for (std::size_t y = first[1]; y < first[1] + own[1]; ++y) {
        if (free_row(y, z)) {
          count += static_cast<double>(own[0]);
        } else {
          for (std::size_t x = first[0]; x < first[0] + own[0]; ++x) count += !solid(x, y, z);
        }
      }
    }
    return count;
  }

  // A vortex in the plane of x and z, with the pressure that belongs to it; all else begins at rest.
  static constexpr double vortex_speed = 0.02;
  void start(std::size_t x, std::size_t z, double& density, Vector& velocity) const;

  // Until the vortex has lost three quarters of its energy, the channel's flow all but 5% of its deficit, the flow
  // around the sphere all but one part in 10^4 of its own.
  std::int64_t enough_steps() const {
    const double edge = static_cast<double>(size), pi = std::numbers::pi;
    const double slowest = kind == Kind::taylor_green ? edge * edge / (8 * pi * pi * viscosity()) * std::log(2.0)
                           : kind == Kind::poiseuille ? 3 * width() * width() / (pi * pi * viscosity())
                                                      : sphere_times * edge * edge;
    return std::llround(std::ceil(slowest)) + 1;
  }

 private:
  static constexpr double radius_share = 0.31, sphere_times = 0.8;
  double off(std::size_t at) const { return static_cast<double>(at) + 0.5 - static_cast<double>(size) / 2; }
};

}  // namespace assay::applications::lattice
