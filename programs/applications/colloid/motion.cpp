#include "applications/colloid/motion.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace assay::applications::colloid {
namespace {

constexpr double spacing = 1.2;  // of the counter-ions' grid

struct Random {  // splitmix64 (Steele, Lea and Flood 2014)
  std::uint64_t state;
  std::uint64_t bits() {
    std::uint64_t mixed = state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }
  double uniform() { return std::ldexp(static_cast<double>(bits() >> 11), -53); }
  double normal() {  // nearly: the sum of twelve uniform numbers
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }
};

void place(Particles& particles, std::size_t at, const double (&point)[3], double charge, double diameter) {
  for (std::size_t axis = 0; axis < 3; ++axis) particles.position[axis][at] = point[axis];
  particles.charge[at] = charge;
  particles.diameter[at] = diameter;
}

bool touches(const Particles& particles, std::size_t macroions, const double (&point)[3]) {
  const double contact = (Suspension::macro_diameter + 1) / 2;
  for (std::size_t i = 0; i < macroions; ++i) {
    double r2 = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double d = std::abs(point[axis] - particles.position[axis][i]);
      d = std::min(d, particles.edge - d);
      r2 += d * d;
    }
    if (r2 < contact * contact) return true;
  }
  return false;
}

}  // namespace

double Suspension::edge() const {
  const double volume = std::numbers::pi / 6 * std::pow(macro_diameter, 3) * static_cast<double>(macroions) / share;
  return std::cbrt(volume);
}

void start(const Suspension& suspension, const Share& share, Particles& particles, Motion& motion) {
  const std::size_t all = suspension.particles();
  particles.edge = suspension.edge();
  for (std::vector<double>& each : particles.position) each.assign(all, 0);
  particles.charge.assign(all, 0);
  particles.diameter.assign(all, 0);

  std::size_t across = 1;
  while (across * across * across < suspension.macroions) ++across;
  for (std::size_t i = 0; i < suspension.macroions; ++i) {
    const std::size_t site = i * across * across * across / suspension.macroions;
    const double apart = particles.edge / static_cast<double>(across);
    const std::size_t by_axis[3] = {site % across, site / across % across, site / across / across};
    double point[3];
    for (std::size_t axis = 0; axis < 3; ++axis) point[axis] = (static_cast<double>(by_axis[axis]) + 0.5) * apart;
    place(particles, i, point, suspension.charge, Suspension::macro_diameter);
  }

  Random random{2000};
  const auto fine = static_cast<std::size_t>(particles.edge / spacing);
  std::vector<bool> taken(fine * fine * fine);
  for (std::size_t i = suspension.macroions; i < all;) {
    const std::size_t site = random.bits() % taken.size();
    const std::size_t by_axis[3] = {site % fine, site / fine % fine, site / fine / fine};
    double point[3];
    for (std::size_t axis = 0; axis < 3; ++axis)
      point[axis] = (static_cast<double>(by_axis[axis]) + 0.5) * particles.edge / static_cast<double>(fine);
    if (taken[site] || touches(particles, suspension.macroions, point)) continue;
    taken[site] = true;
    place(particles, i++, point, -1, 1);
  }

  std::vector<double> velocity[3];
  double momentum[3] = {}, mass = 0;
  for (std::size_t i = 0; i < all; ++i) {
    const double own = i < suspension.macroions ? Suspension::macro_mass : 1;
    mass += own;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      velocity[axis].push_back(random.normal() / std::sqrt(own));
      momentum[axis] += own * velocity[axis].back();
    }
  }
  motion.mass.clear();
  for (std::size_t i = share.first; i < share.last; ++i)
    motion.mass.push_back(i < suspension.macroions ? Suspension::macro_mass : 1);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    motion.velocity[axis].clear();
    for (std::size_t i = share.first; i < share.last; ++i)
      motion.velocity[axis].push_back(velocity[axis][i] - momentum[axis] / mass);
  }
}

void push(Motion& motion, const Forces& forces, double time) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 0; i < motion.mass.size(); ++i)
      motion.velocity[axis][i] += time / motion.mass[i] * forces.on[axis][i];
}

void drift(Particles& particles, const Share& share, const Motion& motion, double time) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = share.first; i < share.last; ++i) {
      double& at = particles.position[axis][i];
      at += time * motion.velocity[axis][i - share.first];
      at -= particles.edge * std::floor(at / particles.edge);
    }
  }
}

void displace(Particles& particles, const Share& share, const Forces& forces, double by) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = share.first; i < share.last; ++i)
      particles.position[axis][i] += by * forces.on[axis][i - share.first];
}

double work_of(const Forces& forces) {
  double sum = 0;
  for (const std::vector<double>& axis : forces.on)
    for (const double each : axis) sum += each * each;
  return sum;
}

Sums sums_of(const Motion& motion, const Forces& forces) {
  Sums sums{forces.pairs, forces.coulomb_virial, forces.repulsion, forces.repulsion_virial};
  for (std::size_t i = 0; i < motion.mass.size(); ++i) {
    double speed2 = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      speed2 += motion.velocity[axis][i] * motion.velocity[axis][i];
      sums.momentum[axis] += motion.mass[i] * motion.velocity[axis][i];
    }
    sums.kinetic2 += motion.mass[i] * speed2;
    sums.size += motion.mass[i] * std::sqrt(speed2);
  }
  return sums;
}

State state_of(const Particles& particles, const Waves& waves, const Sums& sums, double wave_energy,
               double wave_virial) {
  State state;
  state.coulomb = sums.pairs + wave_energy + self_energy(particles, waves);
  state.coulomb_virial = sums.coulomb_virial + wave_virial;
  state.potential = state.coulomb + sums.repulsion;
  state.virial = state.coulomb_virial + sums.repulsion_virial;
  state.energy = state.potential + 0.5 * sums.kinetic2;
  state.temperature = sums.kinetic2 / (3 * (static_cast<double>(particles.size()) - 1));
  state.pressure = (sums.kinetic2 + state.virial) / (3 * std::pow(particles.edge, 3));
  double size2 = 0;
  for (const double each : sums.momentum) size2 += each * each;
  if (sums.size > 0) state.momentum = std::sqrt(size2) / sums.size;
  return state;
}

std::uint64_t digest(const Particles& particles) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::vector<double>& axis : particles.position) {
    for (const double value : axis) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      for (int byte = 0; byte < 64; byte += 8) hash = (hash ^ ((bits >> byte) & 0xff)) * 0x100000001b3;
    }
  }
  return hash;
}

}  // namespace assay::applications::colloid
