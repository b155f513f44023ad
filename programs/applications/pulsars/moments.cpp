#include "applications/pulsars/moments.hpp"

#include <algorithm>
#include <cmath>

namespace assay::applications::pulsars {

double period_at(const Pulsar& one, double time) {
  const double gained = braking * one.field * one.field * field_decay * -std::expm1(-2 * time / field_decay);
  return std::sqrt(one.period * one.period + gained);
}

double energy_of(double height, double speed) {
  const double square = height * height;
  return speed * speed / 2 + disc * (std::sqrt(square + disc_height * disc_height) - disc_height) + halo * square / 2;
}

// At share u of the disc's area a pulsar is bright enough from the luminosity s u on, s = least_flux farthest^2.
double share_followed() {
  const double least = luminosity[0], most = luminosity[1], s = least_flux * farthest * farthest;
  const double all = std::min(1.0, least / s), some = std::min(1.0, most / s);  // shares of the area
  const double brighter = std::log(some / all) / s - (some - all) / most;
  return all + brighter / (1 / least - 1 / most);
}

double mean_squared_period() {
  const auto third = [](const double (&range)[2]) {  // mean square of a uniform number
    return (range[0] * range[0] + range[0] * range[1] + range[1] * range[1]) / 3;
  };
  const double ln100 = 2 * std::log(10);
  const double field =
      (std::pow(100, log_field[1]) - std::pow(100, log_field[0])) / (ln100 * (log_field[1] - log_field[0]));
  const double decayed = field_decay / (2 * oldest) * -std::expm1(-2 * oldest / field_decay);
  return third(period) + braking * field * field_decay * (1 - decayed);
}

// Of each field and age the periods at birth up to a greatest one: the midpoint rule over both.
double share_alive() {
  constexpr int points = 500;
  double sum = 0;
  for (int i = 0; i < points; ++i)
    for (int j = 0; j < points; ++j) {
      const double field = std::pow(10, log_field[0] + (log_field[1] - log_field[0]) * (i + 0.5) / points);
      const double left = std::exp(-oldest * (j + 0.5) / points / field_decay);
      const double square = field * left / death_line - braking * field * field * field_decay * (1 - left * left);
      if (square > period[0] * period[0])
        sum += std::min(1.0, (std::sqrt(square) - period[0]) / (period[1] - period[0]));
    }
  return sum / (points * points);
}

}  // namespace assay::applications::pulsars
