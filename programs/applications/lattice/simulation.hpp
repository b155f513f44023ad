// A flow on this rank's block: prepared, run for so many steps, and compared with what is known of it.
#pragma once

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "applications/application.hpp"
#include "applications/lattice/domain.hpp"
#include "applications/lattice/flow.hpp"
#include "applications/lattice/known.hpp"
#include "ranks/collectives.hpp"

namespace assay::applications::lattice {

template <ranks::Communicator C>
class Simulation final : public Charged<C> {
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work;

 public:
  Simulation(C& comm, const Flow& flow, std::int64_t steps, bool carries)
      : Charged<C>(comm, "lattice", carries),
        flow_(flow),
        steps_(steps),
        domain_(comm.rank(), comm.size(), flow.size),
        relaxation_(Relaxation::of(flow.viscosity())) {
    cells_.inner = domain_.own();
    fluid_ = flow.fluid(domain_.first(), domain_.own());
    if (!carries) return;
    cells_.values.resize(populations * cells_.all());
    cells_.next.resize(cells_.values.size());
    find_runs();
  }

  ranks::Task prepare() override {
    impulse_ = {};
    if (!carries_) co_return;
    std::fill(cells_.values.begin(), cells_.values.end(), 0);
    each_fluid([&](std::size_t at, const Extents& point) {
      double density = 0;
      Vector velocity;
      flow_.start(point[0], point[2], density, velocity);
      set_equilibrium(cells_, at, density, velocity);
    });
    start_ = totals_of(cells_);
  }

  ranks::Task run() override {
    const Vector force = flow_.force();
    for (std::int64_t step = 0; step < steps_; ++step) {
      co_await exchange(comm_, domain_, cells_, out_, in_);
      co_await work(update_flops * fluid_, [this, &force] {
        const Vector taken = reflect(cells_);
        for (std::size_t axis = 0; axis < 3; ++axis) impulse_[axis] += taken[axis];
        if (flow_.kind == Kind::sphere) drag_ = taken;
        advance(cells_, relaxation_, force);
      });
    }
  }

  // Mass and momentum are conserved in every flow: what the force gives, the solid takes or the fluid has.
  ranks::Task check(ranks::Verdict& verdict) override {
    const Totals now = totals_of(cells_);
    Sums sums{now.cells, start_.mass, now.mass};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sums.gained[axis] = now.momentum[axis] - start_.momentum[axis];
      sums.taken[axis] = impulse_[axis];
      sums.drag[axis] = drag_[axis];
      sums.flowing[axis] = now.momentum[axis] - 0.5 * flow_.force()[axis] * now.cells;
    }
    if (flow_.kind != Kind::sphere) compare(sums);
    Sums room;
    co_await ranks::reduce(comm_, comm_.size(), &sums.cells, &room.cells, sizeof(Sums) / sizeof(double), Added());
    if (comm_.rank() == 0) verdict = judged(sums);
  }

 private:
  struct Added {
    void operator()(double& mine, double theirs) const { mine += theirs; }
  };
  struct Sums {
    double cells = 0, mass_before = 0, mass = 0;
    double gained[3] = {}, taken[3] = {}, drag[3] = {}, flowing[3] = {};
    double off = 0, all = 0;  // squares of what velocities are off by, and of what they should be
  };
  static constexpr double rounding = 1e-12;  // of sums over all cells, relative to the mass
  // Of velocities: the method is of second order in a cell's size, and the fluid compressible by Ma^2 = 1.2e-3. What the
  // vortex decays by is off by as much again in each further of its times; the plates' first layer is thinner than cells.
  double field_error() const {
    const double allowed = 6 / std::pow(static_cast<double>(flow_.size), 2) + 2e-3, steps = static_cast<double>(steps_);
    if (flow_.kind == Kind::taylor_green)
      return allowed * std::max(1.0, steps / static_cast<double>(flow_.enough_steps()));
    const double layer = std::sqrt(flow_.viscosity() * steps);
    return allowed + 0.6 * std::sqrt(layer / flow_.width()) / (layer * layer);
  }
  // Where a wall lies between cells depends on its direction: some 2% at 12 to 40 cells.
  static constexpr double drag_error = 0.04;

  // Rows of fluid, and the links to solid cells around.
  void find_runs() {
    const Extents first = domain_.first();
    const auto solid = [&](std::size_t x, std::size_t y, std::size_t z) {  // by places of this block, 0: the layer before
      const auto around = [&](std::size_t at, std::size_t axis) {
        return (first[axis] + at + flow_.size - 1) % flow_.size;
      };
      return flow_.solid(around(x, 0), around(y, 1), around(z, 2));
    };
    for (std::size_t z = 1; z <= cells_.inner[2]; ++z) {
      for (std::size_t y = 1; y <= cells_.inner[1]; ++y) {
        bool before = false;
        for (std::size_t x = 1; x <= cells_.inner[0]; ++x) {
          const bool fluid = !solid(x, y, z);
          if (fluid && !before) cells_.runs.push_back({cells_.place(x, y, z), 0});
          if (fluid) ++cells_.runs.back().count;
          before = fluid;
          for (std::size_t q = 1; fluid && q < populations; ++q) {
            const auto from = [&](std::size_t at, std::size_t axis) {
              return at + 1 - static_cast<std::size_t>(velocity(q, axis) + 1);
            };
            const std::size_t at_x = from(x, 0), at_y = from(y, 1), at_z = from(z, 2);
            if (solid(at_x, at_y, at_z)) cells_.links.push_back({cells_.place(at_x, at_y, at_z), cells_.place(x, y, z), q});
          }
        }
      }
    }
  }

  // Every fluid cell's place, and its point of the cube.
  template <class Each>
  void each_fluid(Each each) const {
    const Extents first = domain_.first();
    const std::size_t row = cells_.inner[0] + 2, layer = row * (cells_.inner[1] + 2);
    for (const Run& run : cells_.runs)
      for (std::size_t at = run.first; at < run.first + run.count; ++at)
        each(at, Extents{first[0] + at % row - 1, first[1] + at % layer / row - 1, first[2] + at / layer - 1});
  }

  void compare(Sums& sums) const {
    const Vector force = flow_.force();
    const double edge = static_cast<double>(flow_.size), steps = static_cast<double>(steps_);
    each_fluid([&](std::size_t at, const Extents& point) {
      double density = 0, unused = 0;
      Vector momentum, right;
      moments(cells_, at, density, momentum);
      if (flow_.kind == Kind::taylor_green) {
        flow_.start(point[0], point[2], unused, right);
        for (double& each : right) each *= known::vortex_left(edge, flow_.viscosity(), steps);
      } else {
        const double of_one = known::started_channel(static_cast<double>(point[1]) - 0.5, flow_.width(),
                                                     flow_.viscosity(), steps - 0.5);
        for (std::size_t axis = 0; axis < 3; ++axis) right[axis] = force[axis] * of_one;
      }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double found = (momentum[axis] - 0.5 * force[axis]) / density;
        sums.off += (found - right[axis]) * (found - right[axis]);
        sums.all += right[axis] * right[axis];
      }
    });
  }

  ranks::Verdict judged(const Sums& sums) const {
    const Vector force = flow_.force();
    const double mass = std::abs(sums.mass / sums.mass_before - 1);
    double momentum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double given = force[axis] * sums.cells * static_cast<double>(steps_);
      momentum = std::max(momentum, std::abs(given - sums.gained[axis] - sums.taken[axis]) / sums.mass_before);
    }
    char text[240];
    bool right = mass <= rounding && momentum <= rounding;
    if (flow_.kind == Kind::sphere) {
      double factor = 0, aside = 0;
      drag(sums, factor, aside);
      const double published = known::drag_factor(1 - sums.cells / std::pow(static_cast<double>(flow_.size), 3));
      const bool steady = steps_ >= flow_.enough_steps();
      if (steady) right &= std::abs(factor / published - 1) <= drag_error && aside <= drag_error;
      std::snprintf(text, sizeof text,
                    steady ? "drag %.12g of Stokes', published %.6g; mass off by %.3g, momentum by %.3g"
                           : "drag %.12g of Stokes', not yet steady (%.6g then); mass off by %.3g, momentum by %.3g",
                    factor, published, mass, momentum);
    } else {
      const double off = std::sqrt(sums.off / sums.all);
      right &= off <= field_error();  // not of NaN
      std::snprintf(text, sizeof text, "velocities off by %.12g of the closed form (within %.3g); mass by %.3g, momentum by %.3g",
                    off, field_error(), mass, momentum);
    }
    return {right, text};
  }

  // What the fluid exerts on the sphere, and as a mean pressure's gradient the force within it, over Stokes' drag at the
  // mean velocity over the whole cell; and what of the velocity is not along the force. The sphere is as large as its
  // cells.
  void drag(const Sums& sums, double& factor, double& aside) const {
    const Vector force = flow_.force();
    const double volume = std::pow(static_cast<double>(flow_.size), 3);
    double on_sphere = 0, along = 0, all = 0, size = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) size += force[axis] * force[axis];
    size = std::sqrt(size);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      on_sphere += (sums.drag[axis] + force[axis] * (volume - sums.cells)) * force[axis] / size;
      along += sums.flowing[axis] / volume * force[axis] / size;
      all += sums.flowing[axis] * sums.flowing[axis] / (volume * volume);
    }
    const double radius = std::cbrt((volume - sums.cells) * 3 / (4 * std::numbers::pi));
    factor = on_sphere / (6 * std::numbers::pi * flow_.viscosity() * radius * along);
    aside = std::sqrt(std::max(0.0, all / (along * along) - 1));
  }

  Flow flow_;
  std::int64_t steps_;
  Domain domain_;
  Relaxation relaxation_;
  Cells cells_;
  double fluid_ = 0;
  Totals start_;
  Vector impulse_{}, drag_{};
  std::vector<double> out_, in_;
};

}  // namespace assay::applications::lattice
