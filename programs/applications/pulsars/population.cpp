#include "applications/pulsars/population.hpp"

#include <algorithm>
#include <cmath>

#include "applications/pulsars/moments.hpp"

namespace assay::applications::pulsars {
namespace {

// Number `draw` of a pulsar, from 0 to 1: splitmix64 (Steele, Lea and Flood 2014) at a place of its own.
double uniform(std::uint64_t seed, std::int64_t index, int draw) {
  const std::uint64_t place = static_cast<std::uint64_t>(index) * 8 + static_cast<std::uint64_t>(draw) + 1;
  std::uint64_t bits = (seed << 48) + place * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  bits ^= bits >> 31;
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}
double between(const double (&range)[2], double share) { return range[0] + (range[1] - range[0]) * share; }

// Period, height over the disc and speed across it, at time oldest * u^3 of a pulsar whose life is `age`.
struct State {
  double period, height, speed;
};
State operator+(const State& a, const State& b) {
  return {a.period + b.period, a.height + b.height, a.speed + b.speed};
}
State operator*(double by, const State& a) { return {by * a.period, by * a.height, by * a.speed}; }

// Magnetic dipole braking with a decaying field, and the pull of the disc (Kuijken and Gilmore 1989).
State change(const Pulsar& one, double squared_field, double u, const State& at) {
  const double time = one.age * u * u * u, rate = 3 * one.age * u * u;
  const double slowing = squared_field * std::exp(-2 * time / field_decay) / at.period;
  const double pull = -at.height * (disc / std::sqrt(at.height * at.height + disc_height * disc_height) + halo);
  return {rate * slowing, rate * at.speed, rate * pull};
}

// Runge and Kutta's method of fourth order in u, the cube root of time: what changes fast does so at the beginning.
State evolved(const Pulsar& one, std::int64_t steps) {
  State at{one.period, 0, one.speed};
  const double squared_field = braking * one.field * one.field, step = 1 / static_cast<double>(steps);
  for (std::int64_t i = 0; i < steps; ++i) {
    const double u = static_cast<double>(i) * step;
    const State first = change(one, squared_field, u, at);
    const State second = change(one, squared_field, u + step / 2, at + (step / 2) * first);
    const State third = change(one, squared_field, u + step / 2, at + (step / 2) * second);
    const State fourth = change(one, squared_field, u + step, at + step * third);
    at = at + (step / 6) * (first + 2 * (second + third) + fourth);
  }
  return at;
}

}  // namespace

Pulsar drawn(std::uint64_t seed, std::int64_t index) {
  const double least = 1 / luminosity[1], most = 1 / luminosity[0];
  return {
      .field = std::pow(10, between(log_field, uniform(seed, index, 0))),
      .period = between(period, uniform(seed, index, 1)),
      .luminosity = 1 / (least + (most - least) * uniform(seed, index, 2)),
      .distance = farthest * std::sqrt(uniform(seed, index, 3)),
      .age = oldest * uniform(seed, index, 4),
      .speed = fastest * (2 * uniform(seed, index, 5) - 1),
  };
}

void count(std::uint64_t seed, std::int64_t from, std::int64_t to, std::int64_t steps, Found& found) {
  found.drawn = static_cast<double>(to - from);
  for (std::int64_t i = from; i < to; ++i) {
    const Pulsar one = drawn(seed, i);
    if (!followed(one)) continue;
    found.followed += 1;
    found.steps += static_cast<double>(steps_of(one, steps));
  }
}

void follow(std::uint64_t seed, std::int64_t from, std::int64_t to, std::int64_t steps, Found& found) {
  for (std::int64_t i = from; i < to; ++i) {
    const Pulsar one = drawn(seed, i);
    if (!followed(one)) continue;
    const State end = evolved(one, steps_of(one, steps));
    const double square = end.period * end.period;
    found.squares += square;
    found.fourths += square * square;
    found.alive += one.field * std::exp(-one.age / field_decay) >= death_line * square;
    found.worst_period = std::max(found.worst_period, std::abs(end.period / period_at(one, one.age) - 1));
    const double energy = energy_of(0, one.speed);
    found.worst_energy = std::max(found.worst_energy, std::abs(energy_of(end.height, end.speed) - energy) / energy);
  }
}

}  // namespace assay::applications::pulsars
