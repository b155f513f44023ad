// Restricted Hartree-Fock: the integrals once, dealt out by pairs of shells, then cycles of field and orbitals. Ranks
// exchange one sum of matrices before the cycles and one in each; the matrices' algebra every rank does by itself.
#pragma once

#include <cstdio>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "applications/application.hpp"
#include "applications/jacobi.hpp"
#include "applications/orbitals/energies.hpp"
#include "applications/orbitals/integrals.hpp"
#include "applications/orbitals/self_consistent.hpp"
#include "applications/sums.hpp"

namespace assay::applications::orbitals {

struct Case {
  int molecules;
  Basis basis;
  int cycles, turn;
  bool operator==(const Case&) const = default;
};

// Shells of each pair, the greater one first; pair k is rank owner_of(k)'s as bra. Ranks are dealt out to and fro,
// because later pairs have more kets.
inline std::size_t owner_of(std::size_t pair, std::size_t ranks) {
  const std::size_t place = pair % ranks;
  return pair / ranks % 2 == 0 ? place : ranks - 1 - place;
}

template <ranks::Communicator C>
class HartreeFock final : public Charged<C> {
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work, Charged<C>::data;

 public:
  HartreeFock(C& comm, const Case& at, bool carries)
      : Charged<C>(comm, "integrals", carries), at_(at), complex_(water(at.molecules, at.basis, at.turn)) {
    n_ = complex_.functions;
    own_ = counts(complex_, static_cast<std::size_t>(comm.rank()), static_cast<std::size_t>(comm.size()));
    if (!carries) return;
    one_.resize(3 * n_ * n_), room_.resize(3 * n_ * n_), field_.resize(n_ * n_);
  }

  // Flops by convention of all ranks together: integrals, fields, and the matrices' algebra once.
  static double operations(const Case& at) {
    const Complex complex = water(at.molecules, at.basis, at.turn);
    const Counts all = counts(complex, 0, 1);
    const double matrices =
        SelfConsistent::product_flops(complex.functions, complex.pairs_of_electrons) + eigen_flops(complex.functions);
    return all.integrals + at.cycles * (all.field + matrices);
  }

  ranks::Task prepare() override {
    if (!carries_) co_return;
    pairs_.clear(), values_.clear();
    std::fill(one_.begin(), one_.end(), 0.0);
    for (std::size_t one = 0; one < complex_.shells.size(); ++one)
      for (std::size_t other = 0; other <= one; ++other) pairs_.push_back(pair_of(complex_, one, other));
  }

  ranks::Task run() override {
    co_await work(own_.integrals, [this] {
      all_integrals(static_cast<std::size_t>(comm_.rank()), static_cast<std::size_t>(comm_.size()));
    });
    co_await sum_of_all(comm_, data(one_), data(room_), 3 * n_ * n_);
    co_await matrices([this] {
      scf_.emplace(overlap(), n_, complex_.pairs_of_electrons);
      hamiltonian_ = core();
      density_ = scf_->density(hamiltonian_);
    });
    for (int cycle = 0; cycle < at_.cycles; ++cycle) {
      co_await work(own_.field, [this] { own_field(); });
      co_await sum_of_all(comm_, data(field_), data(room_), n_ * n_);
      co_await matrices([this] { new_density(); });
    }
  }

  ranks::Task check(ranks::Verdict& verdict) override {
    const double expected = energies[at_.basis == Basis::sto_3g ? 0 : 1][at_.molecules - 1];
    const Matrix s = overlap();
    const Matrix twice = product(product(density_, s, n_), density_, n_);
    double idempotent = 0;
    for (std::size_t i = 0; i < twice.size(); ++i) idempotent = std::max(idempotent, std::abs(twice[i] - density_[i]));
    const double electrons = 2 * trace(density_, s);
    const double kinetic = 2 * trace(density_, Matrix(one_.begin() + static_cast<std::ptrdiff_t>(n_ * n_),
                                                      one_.begin() + static_cast<std::ptrdiff_t>(2 * n_ * n_)));
    const double error = scf_->error();
    char text[240];
    std::snprintf(text, sizeof text, "energy %.9f Hartree, PySCF's %.9f; %.9f electrons; -E/T %.6f", energy_, expected,
                  electrons, -energy_ / kinetic);
    verdict = {std::abs(energy_ - expected) < 1e-7, text};
    const auto holds = [&](bool law, const char* otherwise, double seen) {
      if (law) return;
      std::snprintf(text, sizeof text, "; %s: %.1e", otherwise, seen);
      verdict.passed = false;
      verdict.detail += text;
    };
    const double lost = std::abs(electrons - 2 * static_cast<double>(complex_.pairs_of_electrons));
    holds(lost < 1e-9, "electrons lost", lost);
    holds(error < 1e-6, "the field is not self-consistent", error);
    holds(idempotent < 1e-10, "the density matrix is not idempotent", idempotent);
    co_return;
  }

 private:
  struct Counts {
    double integrals = 0, field = 0;
  };
  static constexpr double field_flops = 12;  // of each integral

  // What one of `ranks` has to do. Pairs of like orders and lengths cost alike and are counted together.
  static Counts counts(const Complex& complex, std::size_t rank, std::size_t ranks) {
    std::map<std::tuple<int, std::size_t, std::size_t>, double> before;
    Counts found;
    std::size_t pair = 0;
    for (std::size_t one = 0; one < complex.shells.size(); ++one)
      for (std::size_t other = 0; other <= one; ++other, ++pair) {
        const Shell &a = complex.shells[one], &b = complex.shells[other];
        const auto [order, parts, products] =
            std::tuple{a.l + b.l, a.parts.size() * b.parts.size(), a.functions() * b.functions()};
        before[{order, parts, products}] += 1;
        if (owner_of(pair, ranks) != rank) continue;
        for (const auto& [like, times] : before) {
          const auto [ket_order, ket_parts, ket_products] = like;
          found.integrals += times * quartet_flops(order, parts, ket_order, ket_parts, ket_products);
          found.field += times * field_flops * static_cast<double>(products * ket_products);
        }
      }
    return found;
  }

  template <class Body>
  auto matrices(Body body) {
    const double products = SelfConsistent::product_flops(n_, complex_.pairs_of_electrons);
    return work("eigenvalues", products + eigen_flops(n_), body);
  }

  // Of this rank's pairs as bra, with all kets up to them.
  template <class Each>
  void own_quartets(std::size_t rank, std::size_t ranks, Each each) {
    for (std::size_t bra = 0; bra < pairs_.size(); ++bra)
      if (owner_of(bra, ranks) == rank)
        for (std::size_t ket = 0; ket <= bra; ++ket) each(pairs_[bra], pairs_[ket]);
  }
  void all_integrals(std::size_t rank, std::size_t ranks) {
    const std::size_t square = n_ * n_;
    for (std::size_t pair = 0; pair < pairs_.size(); ++pair)
      if (owner_of(pair, ranks) == rank)
        one_electron(complex_, pairs_[pair], one_.data(), one_.data() + square, one_.data() + 2 * square);
    own_quartets(rank, ranks, [this](const Pair& bra, const Pair& ket) {
      values_.resize(values_.size() + bra.products * ket.products);
      repulsion(bra, ket, values_.data() + values_.size() - bra.products * ket.products);
    });
  }
  void own_field() {
    std::fill(field_.begin(), field_.end(), 0.0);
    const double* next = values_.data();
    own_quartets(static_cast<std::size_t>(comm_.rank()), static_cast<std::size_t>(comm_.size()),
                 [&](const Pair& bra, const Pair& ket) {
                   add_to_field(complex_, bra, ket, next, density_.data(), field_.data());
                   next += bra.products * ket.products;
                 });
  }

  Matrix overlap() const { return Matrix(one_.begin(), one_.begin() + static_cast<std::ptrdiff_t>(n_ * n_)); }
  Matrix core() const {
    Matrix found(n_ * n_);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = one_[n_ * n_ + i] + one_[2 * n_ * n_ + i];
    return found;
  }
  void new_density() {
    Matrix fock = hamiltonian_;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) fock[i * n_ + j] += 0.5 * (field_[i * n_ + j] + field_[j * n_ + i]);
    energy_ = trace(density_, hamiltonian_) + trace(density_, fock) + repulsion_of_nuclei(complex_);
    density_ = scf_->density(scf_->extrapolated(fock, density_));
  }

  Case at_;
  Complex complex_;
  std::size_t n_ = 0;
  Counts own_;
  std::vector<Pair> pairs_;
  std::vector<double> values_;              // integrals of this rank's quartets
  std::vector<double> one_, room_, field_;  // overlap, kinetic, attraction; ...; of the repulsion
  std::optional<SelfConsistent> scf_;
  Matrix hamiltonian_, density_;
  double energy_ = 0;
};

}  // namespace assay::applications::orbitals
