// Forces on all particles, each rank those on its share: every rank has all positions, and the sums over waves are
// added up over the ranks in one order.
#pragma once

#include <numbers>

#include "applications/application.hpp"
#include "applications/colloid/motion.hpp"
#include "ranks/collectives.hpp"

namespace assay::applications::colloid {

struct Added {
  void operator()(double& mine, double theirs) const { mine += theirs; }
};

template <ranks::Communicator C>
class ForceSum : public Charged<C> {
 protected:
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work;

  ForceSum(C& comm, bool carries) : Charged<C>(comm, "colloid", carries) {}

  Share share(std::size_t all, int rank) const {
    return Share::of(all, static_cast<std::size_t>(rank), static_cast<std::size_t>(comm_.size()));
  }
  Share share(std::size_t all) const { return share(all, comm_.rank()); }

  // The forces on this rank's share of `all` particles; a described machine is charged the mean number of pairs.
  ranks::Task force(const Particles& particles, std::size_t all, const Waves& waves) {
    const Share own = share(all);
    const double reach = waves.cut_off / particles.edge, near = 4 * std::numbers::pi / 3 * reach * reach * reach;
    const double mine = static_cast<double>(own.size()), wave = mine * static_cast<double>(waves.count);
    co_await work(mine * static_cast<double>(all) * (look_flops + near * pair_flops),
                  [this, &particles, &waves, own] { pair_forces(particles, waves, own, forces_); });
    co_await work(wave * sum_flops, [this, &particles, &waves, own] { structure(particles, waves, own, waves_sums_); });
    const std::size_t count = 2 * waves.count;
    if (carries_) room_.resize(count);
    co_await ranks::reduce(comm_, comm_.size(), this->data(waves_sums_), this->data(room_), count, Added());
    co_await ranks::broadcast(comm_, this->data(waves_sums_), count * sizeof(double));
    co_await work(wave * (wave_flops - sum_flops), [this, &particles, &waves, own] {
      wave_forces(particles, waves, own, waves_sums_, forces_, wave_energy_, wave_virial_);
    });
  }

  // What rank 0 knows of all particles after force().
  ranks::Task observe(const Particles& particles, const Waves& waves, const Motion& motion, State& state) {
    Sums sums = sums_of(motion, forces_), room;
    co_await ranks::reduce(comm_, comm_.size(), &sums.pairs, &room.pairs, sizeof(Sums) / sizeof(double), Added());
    if (comm_.rank() == 0 && carries_) state = state_of(particles, waves, sums, wave_energy_, wave_virial_);
  }

  Forces forces_;
  double wave_energy_ = 0, wave_virial_ = 0;

 private:
  std::vector<double> waves_sums_, room_;
};

}  // namespace assay::applications::colloid
