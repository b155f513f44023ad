// Molecular dynamics of the suspension on this rank's share: prepared, run for so many steps, and checked.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "applications/colloid/force_sum.hpp"
#include "ranks/session.hpp"

namespace assay::applications::colloid {

template <ranks::Communicator C>
class Simulation final : public ForceSum<C> {
  using ForceSum<C>::comm_, ForceSum<C>::carries_, ForceSum<C>::share, ForceSum<C>::forces_;

 public:
  Simulation(C& comm, const Suspension& suspension, std::int64_t steps, bool carries)
      : ForceSum<C>(comm, carries),
        suspension_(suspension),
        steps_(steps),
        all_(suspension.particles()),
        waves_(suspension.edge(), all_) {
    particles_.edge = suspension.edge();
  }

  ranks::Task prepare() override {
    if (carries_) start(suspension_, share(all_), particles_, motion_);
    greatest_ = 0;
    co_return;
  }

  // Velocity Verlet. Every tenth step, and in the end, rank 0 learns the energy.
  ranks::Task run() override {
    constexpr double step = Suspension::time_step;
    const Share own = share(all_);
    co_await this->force(particles_, all_, waves_);
    co_await this->observe(particles_, waves_, motion_, first_);
    for (std::int64_t taken = 1; taken <= steps_; ++taken) {
      if (carries_) push(motion_, forces_, step / 2), drift(particles_, own, motion_, step);
      co_await everybodys_positions(particles_);
      co_await this->force(particles_, all_, waves_);
      if (carries_) push(motion_, forces_, step / 2);
      if (taken % 10 != 0 && taken != steps_) continue;
      co_await this->observe(particles_, waves_, motion_, last_);
      greatest_ = std::max(greatest_, std::abs(last_.energy - first_.energy));
    }
  }

  ranks::Task check(ranks::Verdict& verdict) override {
    co_await this->force(particles_, all_, waves_);
    State state, larger, smaller;
    co_await this->observe(particles_, waves_, motion_, state);
    const double volume = particles_.edge * particles_.edge * particles_.edge;
    double derivative = 0;
    co_await along_forces(derivative);
    co_await scaled(1 + stretch, larger);
    co_await scaled(1 - stretch, smaller);
    double madelung = 0, pull = 0;
    co_await rock_salt(madelung, pull);
    if (comm_.rank() != 0) co_return;
    // The virial is -3 V dU/dV, and that of Coulomb forces their energy, which goes as 1 / r.
    const double volumes = volume * (std::pow(1 + stretch, 3) - std::pow(1 - stretch, 3));
    const double derived = -3 * volume * (larger.potential - smaller.potential) / volumes;
    // Ewald's sums are cut off at a share of what each particle has with itself.
    const double scale = std::abs(self_energy(particles_, waves_)) + std::abs(state.virial);
    const double virial = std::abs(state.virial - derived) / scale;
    const double coulomb = std::abs(state.coulomb_virial - state.coulomb) / scale;
    const double drift = greatest_ / (state.energy - state.potential), salt = std::abs(madelung / published - 1);
    const bool right = drift <= most_drift && virial <= most_virial && coulomb <= most_virial &&
                       derivative <= most_force && state.momentum <= most_momentum && salt <= most_salt &&
                       pull <= most_salt;
    char text[400];
    std::snprintf(
        text, sizeof text,
        "energy %.12g, temperature %.12g, pressure %.12g, configuration %016llx; energy drifts by %.3g of the "
        "kinetic one, forces off by %.3g of its derivative, virial by %.3g, Coulomb's by %.3g; momentum %.3g; rock "
        "salt %.12g (Madelung %.9f), forces %.3g",
        state.energy, state.temperature, state.pressure, static_cast<unsigned long long>(digest(particles_)), drift,
        derivative, virial, coulomb, state.momentum, madelung, published, pull);
    verdict = {right, text};
  }

 private:
  static constexpr double published = 1.747564594633182;  // of rock salt, by the distance of neighbours
  static constexpr double stretch = 1e-5, shift = 1e-7;
  static constexpr double most_drift = 1e-4, most_force = 1e-4, most_virial = 1e-5, most_momentum = 1e-11,
                          most_salt = 1e-6;

  // Each rank's share of the positions around a ring of ranks.
  ranks::Task everybodys_positions(Particles& particles) {
    const int ranks = comm_.size(), me = comm_.rank(), next = (me + 1) % ranks, before = (me + ranks - 1) % ranks;
    for (int turn = 0; turn < ranks - 1; ++turn) {
      const Share mine = share(all_, (me + ranks - turn) % ranks),
                  theirs = share(all_, (before + ranks - turn) % ranks);
      std::size_t i = 0;
      if (carries_) {
        out_.resize(3 * mine.size()), in_.resize(3 * theirs.size());
        for (const std::vector<double>& axis : particles.position)
          for (std::size_t at = mine.first; at < mine.last; ++at) out_[i++] = axis[at];
      }
      co_await comm_.sendrecv(this->data(out_), 3 * mine.size() * sizeof(double), next, this->data(in_),
                              3 * theirs.size() * sizeof(double), before, ring_tag);
      i = 0;
      if (!carries_) continue;
      for (std::vector<double>& axis : particles.position)
        for (std::size_t at = theirs.first; at < theirs.last; ++at) axis[at] = in_[i++];
    }
  }

  // By what the energy's change along the forces is not that which they do as work, as a share of it.
  ranks::Task along_forces(double& off) {
    const Share own = share(all_);
    const Forces forces = forces_;
    double work = work_of(forces), room = 0;
    co_await ranks::reduce(comm_, comm_.size(), &work, &room, 1, Added());
    State moved[2];
    for (const int side : {0, 1}) {
      Particles other = particles_;
      displace(other, own, forces, side == 0 ? shift : -shift);
      co_await everybodys_positions(other);
      co_await this->force(other, all_, waves_);
      co_await this->observe(other, waves_, Motion(), moved[side]);
    }
    off = std::abs((moved[1].potential - moved[0].potential) / (2 * shift * work) - 1);
  }

  // The potential energy where the cube and all in it is larger by a factor.
  ranks::Task scaled(double factor, State& state) {
    Particles other = particles_;
    other.edge *= factor;
    for (std::vector<double>& axis : other.position)
      for (double& each : axis) each *= factor;
    const Waves waves(other.edge, all_);
    co_await this->force(other, all_, waves);
    co_await this->observe(other, waves, Motion(), state);
  }

  // By the same forces: rock salt's energy per pair of ions at distance 1, and the greatest force on an ion, which is
  // 0.
  ranks::Task rock_salt(double& madelung, double& pull) {
    constexpr std::size_t across = 6, ions = across * across * across;
    Particles salt;
    salt.edge = across;
    for (std::size_t at = 0; at < ions; ++at) {
      const std::size_t by_axis[3] = {at % across, at / across % across, at / across / across};
      for (std::size_t axis = 0; axis < 3; ++axis)
        salt.position[axis].push_back(0.25 + static_cast<double>(by_axis[axis]));
      salt.charge.push_back((by_axis[0] + by_axis[1] + by_axis[2]) % 2 == 0 ? 1 : -1);
      salt.diameter.push_back(0.5);
    }
    const Waves waves(salt.edge, ions);
    co_await this->force(salt, ions, waves);
    State state;
    co_await this->observe(salt, waves, Motion(), state);
    madelung = -state.potential / (static_cast<double>(ions) / 2);
    double mine = 0, room = 0;
    for (const std::vector<double>& axis : forces_.on)
      for (const double each : axis) mine = std::max(mine, std::abs(each));
    co_await ranks::reduce(comm_, comm_.size(), &mine, &room, 1, Greater());
    pull = mine;
  }
  struct Greater {
    void operator()(double& mine, double theirs) const { mine = std::max(mine, theirs); }
  };

  static constexpr int ring_tag = 17;
  Suspension suspension_;
  std::int64_t steps_;
  std::size_t all_;
  Waves waves_;
  Particles particles_;
  Motion motion_;
  State first_, last_;
  double greatest_ = 0;  // change of the energy
  std::vector<double> out_, in_;
};

}  // namespace assay::applications::colloid
