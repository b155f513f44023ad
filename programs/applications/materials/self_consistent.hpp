// Cycles of charges and strengths: each rank finds the charges of its atoms, then all ranks exchange them. The rank's
// own work grows with the third power of the zone, the message with the number of atoms.
#pragma once

#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "applications/application.hpp"
#include "applications/materials/bands.hpp"
#include "applications/materials/scattering.hpp"
#include "applications/sums.hpp"

namespace assay::applications::materials {

struct Case {
  int atoms, reach, points, cycles;
  bool operator==(const Case&) const = default;
};

template <ranks::Communicator C>
class SelfConsistent final : public Charged<C> {
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work, Charged<C>::data;

 public:
  static constexpr std::string_view kernel = "scattering";

  SelfConsistent(C& comm, const Case& at, bool carries)
      : Charged<C>(comm, kernel, carries), at_(at), atoms_(static_cast<std::size_t>(at.atoms)) {
    ranks::needs(comm.size() <= at.atoms, "at most as many ranks as atoms", comm.size());
    const auto ranks = static_cast<std::size_t>(comm.size()), me = static_cast<std::size_t>(comm.rank());
    first_ = atoms_ * me / ranks, end_ = atoms_ * (me + 1) / ranks;
    if (!carries) return;
    scattering_.emplace(atoms_, static_cast<std::size_t>(at.reach), static_cast<std::size_t>(at.points));
    found_.resize(2 * atoms_), room_.resize(2 * atoms_);
  }

  static double operations(const Case& at) {
    const std::size_t zone = Scattering::zone(static_cast<std::size_t>(at.atoms), static_cast<std::size_t>(at.reach));
    return solution_flops(zone) * at.points * at.atoms * at.cycles;
  }

  ranks::Task prepare() override {
    charges_.assign(carries_ ? atoms_ : 0, 1.0);
    co_return;
  }

  ranks::Task run() override {
    const double share = static_cast<double>(end_ - first_) / static_cast<double>(atoms_);
    for (int cycle = 0; cycle < at_.cycles; ++cycle) {
      co_await work(operations(at_) / at_.cycles * share, [this] { charge_own(); });
      co_await sum_of_all(comm_, data(found_), data(room_), 2 * atoms_);
      if (carries_) take();
    }
  }

  // Charges and energies of A and of B beside those of the ring's waves, and as many electrons as atoms.
  ranks::Task check(ranks::Verdict& verdict) override {
    if (comm_.rank() != 0) co_return;
    const auto known = by_bands(atoms_);
    double worst = 0, energy = 0, electrons = 0;
    const auto differs = [&worst](double a, double b) { worst = std::isnan(a) ? a : std::max(worst, std::abs(a - b)); };
    for (std::size_t atom = 0; atom < atoms_; ++atom) {
      differs(found_[2 * atom], known[atom % 2].charge);
      differs(found_[2 * atom + 1], known[atom % 2].energy);
      electrons += found_[2 * atom], energy += found_[2 * atom + 1];
    }
    char text[200];
    std::snprintf(text, sizeof text,
                  "%.9f electrons on %d atoms, energy %.15g; charge or energy of an atom differs from the ring's waves "
                  "by %.1e of at most %.1e; change in the last cycle %.1e",
                  electrons, at_.atoms, energy, worst, tolerance(), change_);
    verdict = {worst <= tolerance() && change_ <= tolerance(), text};
  }

 private:
  void charge_own() {
    std::vector<double> strengths(atoms_);
    for (std::size_t atom = 0; atom < atoms_; ++atom) strengths[atom] = strength(atom, charges_[atom]);
    found_.assign(found_.size(), 0.0);
    for (std::size_t atom = first_; atom < end_; ++atom) {
      const Local local = scattering_->local(atom, strengths);
      found_[2 * atom] = local.charge, found_[2 * atom + 1] = local.energy;
    }
  }
  void take() {
    change_ = 0;
    for (std::size_t atom = 0; atom < atoms_; ++atom) {
      change_ = std::max(change_, std::abs(found_[2 * atom] - charges_[atom]));
      charges_[atom] = found_[2 * atom];
    }
  }
  // What a zone leaves out: waves to its end and back.
  double tolerance() const {
    if (at_.reach == 0) return 1e-6;
    const double far = distance(atoms_, static_cast<std::size_t>(at_.reach) + 1);
    return 1e-6 + std::exp(-2 * (middle - radius / 2) * far);
  }

  Case at_;
  std::size_t atoms_, first_ = 0, end_ = 0;
  std::optional<Scattering> scattering_;
  std::vector<double> charges_, found_, room_;  // found: charge and energy of each atom
  double change_ = 0;
};

}  // namespace assay::applications::materials
