// Rank 0 hands out parts of the population, one after another, to whoever asks; the others draw and follow them. Alone
// it does all of them itself. What is found goes back with the next question.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "applications/application.hpp"
#include "applications/pulsars/moments.hpp"
#include "applications/pulsars/population.hpp"

namespace assay::applications::pulsars {

struct Size {
  std::int64_t pulsars, steps, parts, seed;
  bool operator==(const Size&) const = default;
};

template <ranks::Communicator C>
class Schedule final : public Charged<C> {
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work;

 public:
  Schedule(C& comm, Size size, bool carries) : Charged<C>(comm, "pulsars", carries), size_(size) {
    if (size_.parts == 0) size_.parts = std::max(1, comm.size() - 1);
  }

  ranks::Task prepare() override {
    if (comm_.rank() == 0) parts_.assign(static_cast<std::size_t>(size_.parts), Found{});
    co_return;
  }
  ranks::Task run() override {
    if (comm_.rank() != 0) {
      co_await ask();
    } else if (comm_.size() > 1) {
      co_await hand_out();
    } else {
      for (std::int64_t part = 0; part < size_.parts; ++part)
        co_await done(part, parts_[static_cast<std::size_t>(part)]);
    }
  }

  // Laws of each pulsar that was followed, and moments of all: their integrals, within `errors` standard errors.
  ranks::Task check(ranks::Verdict& verdict) override {
    if (comm_.rank() != 0) co_return;
    Found all;
    for (const Found& one : parts_) {
      all.drawn += one.drawn, all.followed += one.followed, all.alive += one.alive;
      all.squares += one.squares, all.fourths += one.fourths;
      all.worst_period = std::max(all.worst_period, one.worst_period);
      all.worst_energy = std::max(all.worst_energy, one.worst_energy);
    }
    const double followed = all.followed, mean = all.squares / followed;
    const double spread = std::sqrt((all.fourths / followed - mean * mean) / followed);
    const double share = share_followed(), alive = share_alive();
    const auto binomial = [](double probability, double of) { return std::sqrt(probability * (1 - probability) / of); };
    const double off[] = {(followed / all.drawn - share) / binomial(share, all.drawn),
                          (mean - mean_squared_period()) / spread,
                          (all.alive / followed - alive) / binomial(alive, followed)};
    bool right = all.drawn == static_cast<double>(size_.pulsars) && all.worst_period <= tolerance &&
                 all.worst_energy <= tolerance;
    for (const double each : off) right &= std::abs(each) <= errors;  // not of NaN
    char text[300];
    std::snprintf(
        text, sizeof text,
        "%.0f of %.0f followed (integral %.0f), mean squared period %.12g s^2 (%.6g), %.0f seen still (%.0f); "
        "of one pulsar at most: period %.1e, energy %.1e",
        followed, all.drawn, share * all.drawn, mean, mean_squared_period(), all.alive, alive * followed,
        all.worst_period, all.worst_energy);
    verdict = {right, text};
  }

 private:
  static constexpr int ask_tag = 21, answer_tag = 22;
  static constexpr double errors = 5;        // one such in 1.7 million is wrong by chance
  static constexpr double tolerance = 1e-6;  // of the method with least_steps
  // Of a step: four changes of 30 (an exponential 10, a root and a division 4 each) and 32 to add them up; of drawing a
  // pulsar: six numbers of 10 and a power.
  static constexpr double flops_step = 152, flops_drawn = 80;

  auto done(std::int64_t part, Found& found) {
    found = {};
    found.part = static_cast<double>(part);
    const std::int64_t from = size_.pulsars * part / size_.parts, to = size_.pulsars * (part + 1) / size_.parts;
    const auto seed = static_cast<std::uint64_t>(size_.seed);
    count(seed, from, to, size_.steps, found);  // known before they are followed: a described machine is charged by it
    return work(flops_drawn * found.drawn + flops_step * found.steps,
                [this, seed, from, to, &found] { follow(seed, from, to, size_.steps, found); });
  }

  ranks::Task ask() {
    Found found;
    std::int64_t part = 0;
    while (true) {
      co_await comm_.send(&found, sizeof found, 0, ask_tag);
      co_await comm_.recv(&part, sizeof part, 0, answer_tag);
      if (part < 0) co_return;
      co_await done(part, found);
    }
  }
  ranks::Task hand_out() {
    std::int64_t next = 0;
    for (std::int64_t left = size_.parts + comm_.size() - 1; left > 0; --left) {
      Found found;
      const auto asked = co_await comm_.recv(&found, sizeof found, ranks::any_source, ask_tag);
      if (found.part >= 0) parts_[static_cast<std::size_t>(found.part)] = found;
      const std::int64_t part = next < size_.parts ? next++ : -1;
      co_await comm_.send(&part, sizeof part, asked.source(), answer_tag);
    }
  }

  Size size_;
  std::vector<Found> parts_;  // rank 0's: added up in their order, whoever did them
};

}  // namespace assay::applications::pulsars
