// The population of pulsars: what is drawn of each, by counter, and how one is followed. The loop is compiled apart.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::applications::pulsars {

// The ranges that a pulsar is drawn from, and what it is followed by. Times in Myr, lengths in kpc, fields in gauss.
inline constexpr double log_field[2] = {11.0, 12.8};     // of the field at birth: uniform in its logarithm
inline constexpr double period[2] = {0.05, 0.3};         // s, at birth: uniform
inline constexpr double luminosity[2] = {1, 1e4};        // mJy kpc^2: density as its -2nd power
inline constexpr double farthest = 10;                   // uniform over a disc of this radius around the observer
inline constexpr double oldest = 50;                     // uniform from 0
inline constexpr double fastest = 0.3;                   // kpc/Myr across the disc at birth: uniform, both ways
inline constexpr double least_flux = 0.1;                // mJy: what is fainter at birth is not followed
inline constexpr double field_decay = 10;                // the field falls by e in this time
inline constexpr double braking = 9.766e-40 * 3.156e13;  // s^2 G^-2 Myr^-1: P dP/dt over the square of the field
inline constexpr double death_line = 0.17e12;  // G s^-2: field over squared period below which nothing is seen
inline constexpr int least_steps = 64;

struct Pulsar {
  double field, period, luminosity, distance, age, speed;
};

// Pulsar `index` of a seed's population, whoever draws it.
Pulsar drawn(std::uint64_t seed, std::int64_t index);
inline bool followed(const Pulsar& one) { return one.luminosity >= least_flux * one.distance * one.distance; }
inline std::int64_t steps_of(const Pulsar& one, std::int64_t steps) {
  return least_steps + static_cast<std::int64_t>(one.age * static_cast<double>(steps));
}

// What is found of a part of the population; sums of doubles, so that a part is one message.
struct Found {
  double part = -1;  // none yet
  double drawn = 0, followed = 0, steps = 0;
  double alive = 0, squares = 0, fourths = 0;  // those seen still; sums of the period's powers
  double worst_period = 0, worst_energy = 0;   // greatest relative errors of a pulsar's period and energy
};

// Draws pulsars `from` to `to` (without the latter) and counts those to be followed and their steps.
void count(std::uint64_t seed, std::int64_t from, std::int64_t to, std::int64_t steps, Found& found);
// The same, and follows them.
void follow(std::uint64_t seed, std::int64_t from, std::int64_t to, std::int64_t steps, Found& found);

}  // namespace assay::applications::pulsars
