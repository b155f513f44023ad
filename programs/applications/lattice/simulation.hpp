// A flow on this rank's block: prepared, run for so many steps, and compared with what is known of it.
#pragma once

#include <algorithm>
#include <cstdio>
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
    each_fluid(cells_, domain_.first(), [&](std::size_t at, const Extents& point) {
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

  ranks::Task check(ranks::Verdict& verdict) override {
    const Totals now = totals_of(cells_);
    Sums sums = sums_of(flow_, steps_, start_, now, impulse_, drag_), room;
    compare(cells_, flow_, steps_, domain_.first(), sums);
    co_await ranks::reduce(comm_, comm_.size(), &sums.cells, &room.cells, sizeof(Sums) / sizeof(double), Added());
    std::uint64_t bits = digest(cells_, domain_.first(), flow_.size), other = 0;
    co_await ranks::reduce(comm_, comm_.size(), &bits, &other, 1, Added());
    if (comm_.rank() != 0) co_return;
    const Judgement found = judged(flow_, steps_, sums);
    char state[40];
    std::snprintf(state, sizeof state, "; populations %016llx", static_cast<unsigned long long>(bits));
    verdict = {found.right, found.words + state};
  }

 private:
  struct Added {
    template <class Value>
    void operator()(Value& mine, const Value& theirs) const {
      mine += theirs;
    }
  };

  // Rows of fluid, and the links to solid cells around.
  void find_runs() {
    const Extents first = domain_.first();
    const auto solid = [&](std::size_t x, std::size_t y,
                           std::size_t z) {  // by places of this block, 0: the layer before
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
            if (solid(at_x, at_y, at_z))
              cells_.links.push_back({cells_.place(at_x, at_y, at_z), cells_.place(x, y, z), q});
          }
        }
      }
    }
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
