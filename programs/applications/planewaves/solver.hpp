// The lowest bands of a Hamiltonian in plane waves, by block conjugate gradients (Knyazev's LOBPCG, SIAM J. Sci.
// Comput. 23, 517, 2001) in cycles: the field of the density of the cycles before, then steps. Each step applies the
// Hamiltonian to a direction per band by two transforms, that is two exchanges of all with all, and sums one set of
// inner products over all ranks, whose small eigenvalue problem every rank solves by itself.
#pragma once

#include <cstdio>
#include <optional>
#include <vector>

#include "applications/all_to_all.hpp"
#include "applications/application.hpp"
#include "applications/jacobi.hpp"
#include "applications/planewaves/radial.hpp"
#include "applications/planewaves/subspace.hpp"
#include "applications/planewaves/transform.hpp"
#include "applications/sums.hpp"

namespace assay::applications::planewaves {

struct Case {
  Problem problem;
  int points, radius, bands, cycles, steps;
  bool operator==(const Case&) const = default;
  int reach() const { return radius == 0 ? points / 4 : radius; }
};

// What a solution is, beyond the potential: flops by convention, of a rank or of all.
struct Counts {
  double lines = 0, planes = 0;  // of one transform of all bands
  double waves = 0;
  double products(double bands, double vectors) const { return 16 * vectors * (vectors + bands) * waves; }
};
inline double small_flops(std::size_t vectors) { return 8 * eigen_flops(vectors); }  // twice, complex

template <ranks::Communicator C>
class Solver final : public Charged<C> {
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work, Charged<C>::data;

 public:
  Solver(C& comm, const Case& at, bool carries)
      : Charged<C>(comm, "fft", carries),
        at_(at),
        bands_(static_cast<std::size_t>(at.bands)),
        me_(static_cast<std::size_t>(comm.rank())),
        sphere_(static_cast<std::size_t>(at.points), at.reach(), static_cast<std::size_t>(comm.size())) {
    ranks::needs(comm.size() <= at.points, "at most as many ranks as points along an edge", comm.size());
    own_ = counts(sphere_, me_, bands_);
    std::size_t out = 0, in = 0;
    for (std::size_t rank = 0; rank < sphere_.ranks(); ++rank) {
      const std::size_t sent = bands_ * sphere_.lines(me_).size() * sphere_.planes(rank);
      const std::size_t received = bands_ * sphere_.lines(rank).size() * sphere_.planes(me_);
      of_lines_.push_back({out, sent}), of_planes_.push_back({in, received});
      out += sent, in += received;
    }
    products_.resize(carries ? 18 * bands_ * bands_ : 0);
    room_.resize(products_.size());
    if (!carries) return;
    waves_ = sphere_.waves(me_);
    transform_.emplace(sphere_, me_, bands_);
    kinetic_ = kinetic(sphere_, me_, box(at.problem));
    external_ = external(at.problem, sphere_, me_);
    at_lines_.resize(out), at_planes_.resize(in);
    for (auto* vectors : {&x_, &hx_, &w_, &hw_, &p_, &hp_, &next_}) vectors->resize(bands_ * waves_);
  }

  static double operations(const Case& at) {
    const Sphere all(static_cast<std::size_t>(at.points), at.reach(), 1);
    const auto bands = static_cast<std::size_t>(at.bands);
    const Counts whole = counts(all, 0, bands);
    const double transform = whole.lines + whole.planes, b = at.bands;
    double cycle =
        (coupling(at.problem) > 0 ? transform : 0) + 2 * transform + whole.products(b, b) + small_flops(bands);
    for (int step = 0; step < at.steps; ++step) {
      const std::size_t vectors = step == 0 ? 2 : 3;
      cycle += 2 * transform + whole.products(b, static_cast<double>(vectors) * b) + small_flops(vectors * bands);
    }
    return at.cycles * cycle;
  }

  ranks::Task prepare() override {
    if (!carries_) co_return;
    begin(sphere_, me_, bands_, kinetic_.data(), x_.data());
    density_.assign(external_.size(), 0.0);
  }

  ranks::Task run() override {
    for (int cycle = 0; cycle < at_.cycles; ++cycle) {
      if (coupling(at_.problem) > 0 && cycle > 0) co_await mix();
      potential_ = external_;
      for (std::size_t i = 0; i < potential_.size(); ++i) potential_[i] += coupling(at_.problem) * density_[i];
      co_await apply(x_, hx_);
      co_await improve(1);
      for (int step = 0; step < at_.steps; ++step) {
        co_await work("gemm", 0, [this] { directions(); });
        co_await apply(w_, hw_);
        if (step == 0)
          co_await improve(2);
        else
          co_await improve(3);
      }
    }
  }

  ranks::Task check(ranks::Verdict& verdict) override {
    const std::vector<double> before = density_;
    co_await fill_density();
    // energies: kinetic, of the potential, of the field; change of density
    double sums[4] = {}, room[4];
    const double volume = std::pow(box(at_.problem), 3);
    const double point = volume / std::pow(static_cast<double>(at_.points), 3);
    for (std::size_t i = 0; i < bands_ * waves_; ++i) sums[0] += 2 * kinetic_[i % waves_] * std::norm(x_[i]);
    for (std::size_t i = 0; i < density_.size(); ++i) {
      sums[1] += point * density_[i] * external_[i];
      sums[2] += point * 0.5 * coupling(at_.problem) * density_[i] * density_[i];
      sums[3] += point * std::abs(density_[i] - before[i]);
    }
    co_await sum_of_all(comm_, sums, room, 4);
    if (comm_.rank() == 0) judge(verdict, sums[0], sums[1], sums[2], sums[3]);
  }

 private:
  static constexpr double part_of_new = 0.5;  // of the density, in a cycle

  static Counts counts(const Sphere& sphere, std::size_t rank, std::size_t bands) {
    const auto n = static_cast<double>(sphere.points());
    const double line = static_cast<double>(bands) * 5 * n * std::log2(n);
    return {static_cast<double>(sphere.lines(rank).size()) * line,
            static_cast<double>(sphere.planes(rank)) * (2 * sphere.radius() + 1 + n) * line,
            static_cast<double>(sphere.waves(rank))};
  }

  ranks::Work transforms(double flops) const {
    return {this->kernel_, flops, nas::FtLines::memory(static_cast<std::size_t>(at_.points))};
  }

  // The Hamiltonian's product with each band.
  ranks::Task apply(std::vector<Complex>& vectors, std::vector<Complex>& into) {
    const Complex* const from = data(vectors);
    co_await to_points(from);
    co_await work(transforms(2 * own_.planes), [this] { transform_->times(potential_.data(), at_planes_.data()); });
    co_await all_to_all<C, Complex>(comm_, data(at_planes_), of_planes_, data(at_lines_), of_lines_);
    Complex* const to = data(into);
    co_await work(transforms(own_.lines),
                  [this, from, to] { transform_->from_lines(at_lines_.data(), kinetic_.data(), from, to); });
  }
  ranks::Task to_points(const Complex* from) {
    co_await work(transforms(own_.lines), [this, from] { transform_->to_lines(from, at_lines_.data()); });
    co_await all_to_all<C, Complex>(comm_, data(at_lines_), of_lines_, data(at_planes_), of_planes_);
  }
  ranks::Task fill_density() {
    co_await to_points(data(x_));
    co_await work(transforms(own_.planes), [this] {
      density_.assign(external_.size(), 0.0);
      transform_->add_density(2 / std::pow(box(at_.problem), 3), at_planes_.data(), density_.data());
    });
  }
  ranks::Task mix() {
    std::vector<double> before = density_;
    co_await fill_density();
    for (std::size_t i = 0; i < density_.size(); ++i)
      density_[i] = part_of_new * density_[i] + (1 - part_of_new) * before[i];
  }

  // The gradient of each band, smoothed: short waves, of which kinetic energy is nearly all, are divided by it.
  void directions() {
    constexpr double softness = 1;
    for (std::size_t band = 0; band < bands_; ++band)
      for (std::size_t i = band * waves_; i < (band + 1) * waves_; ++i)
        w_[i] = (hx_[i] - values_[band] * x_[i]) / (kinetic_[i - band * waves_] + softness);
  }

  // The best bands of the space of bands, directions, and (of `kinds` 3) directions of the step before.
  ranks::Task improve(std::size_t kinds) {
    const std::size_t size = kinds * bands_;
    const std::size_t square = size * size;
    const auto vectors = static_cast<double>(size);
    co_await work("gemm", own_.products(at_.bands, vectors) / 2, [this, size, square, kinds] {
      inner_products(all(kinds, false), all(kinds, false), waves_, products_.data());
      inner_products(all(kinds, false), all(kinds, true), waves_, products_.data() + square);
    });
    co_await sum_of_all(comm_, reinterpret_cast<double*>(data(products_)), reinterpret_cast<double*>(data(room_)),
                        4 * square);
    Ritz ritz;
    co_await work("eigenvalues", small_flops(size), [this, size, square, &ritz] {
      const auto middle = products_.begin() + static_cast<std::ptrdiff_t>(square);
      ritz = lowest({products_.begin(), middle}, {middle, middle + static_cast<std::ptrdiff_t>(square)}, size, bands_);
    });
    co_await work("gemm", own_.products(at_.bands, vectors) / 2, [this, kinds, &ritz] {
      values_ = ritz.values;
      rotate(x_, w_, p_, kinds, ritz);
      rotate(hx_, hw_, hp_, kinds, ritz);
    });
  }
  Vectors all(std::size_t kinds, bool applied) const {
    const std::vector<Complex>* const of[] = {applied ? &hx_ : &x_, applied ? &hw_ : &w_, applied ? &hp_ : &p_};
    Vectors found;
    for (std::size_t kind = 0; kind < kinds; ++kind)
      for (std::size_t band = 0; band < bands_; ++band) found.push_back(of[kind]->data() + band * waves_);
    return found;
  }
  // p = w and p by their weights, x = x by its weights + p.
  void rotate(std::vector<Complex>& x, std::vector<Complex>& w, std::vector<Complex>& p, std::size_t kinds,
              const Ritz& ritz) {
    Vectors bands, others;
    for (std::size_t band = 0; band < bands_; ++band) bands.push_back(x.data() + band * waves_);
    for (std::size_t kind = 1; kind < kinds; ++kind)
      for (std::size_t band = 0; band < bands_; ++band) others.push_back((kind == 1 ? w : p).data() + band * waves_);
    combine(others, ritz.weights.data() + bands_ * bands_, bands_, waves_, false, next_.data());
    p.swap(next_);
    combine(bands, ritz.weights.data(), bands_, waves_, false, next_.data());
    for (std::size_t i = 0; kinds > 1 && i < next_.size(); ++i) next_[i] += p[i];
    x.swap(next_);
  }

  // Levels by the radial equation, and of harmonic potentials the virial theorem: 2 T - 2 V + 3 E of the field = 0.
  void judge(ranks::Verdict& verdict, double kinetic, double potential, double field, double change) const {
    const bool harmonic = at_.problem != Problem::hydrogen;
    std::vector<double> expected = radial_levels(at_.problem, bands_);
    if (at_.problem == Problem::harmonic) {
      expected.clear();
      for (int quanta = 0; expected.size() < bands_; ++quanta)
        expected.insert(expected.end(), static_cast<std::size_t>((quanta + 1) * (quanta + 2) / 2), quanta + 1.5);
      expected.resize(bands_);
    }
    double worst = 0;
    std::size_t compared = 0;
    for (; compared < bands_; ++compared) {
      constexpr double wide = -0.4;  // higher levels reach beyond the box
      if (!harmonic && expected[compared] > wide) break;
      worst = std::max(worst, std::abs(values_[compared] - expected[compared]));
    }
    const double virial = std::abs(2 * kinetic - 2 * potential + 3 * field) / kinetic;
    char text[300];
    std::snprintf(text, sizeof text, "lowest level %.7f, highest %.7f, energy %.7f Hartree; %zu of %zu levels compared",
                  values_.front(), values_.back(), kinetic + potential + field, compared, bands_);
    verdict = {true, text};
    const auto holds = [&](bool law, const char* otherwise, double seen) {
      if (law) return;
      std::snprintf(text, sizeof text, "; %s by %.1e", otherwise, seen);
      verdict.passed = false;
      verdict.detail += text;
    };
    // What the least cut-off with which a problem is solved (a quarter of 32 points) may change.
    const double error = harmonic ? 5e-4 : 2e-3;
    holds(worst < error, "a level differs from the reference", worst);
    holds(!harmonic || virial < 2e-3, "the virial theorem is not met", virial);
    holds(coupling(at_.problem) == 0 || change < 1e-2, "the density still changes", change);
  }

  Case at_;
  std::size_t bands_, me_, waves_ = 0;
  Sphere sphere_;
  Counts own_;
  std::vector<Part> of_lines_, of_planes_;
  std::optional<Transform> transform_;
  std::vector<double> kinetic_, external_, potential_, density_, values_;
  std::vector<Complex> at_lines_, at_planes_;             // between ranks
  std::vector<Complex> x_, hx_, w_, hw_, p_, hp_, next_;  // bands, directions, those before; H times each
  std::vector<Complex> products_, room_;
};

}  // namespace assay::applications::planewaves
