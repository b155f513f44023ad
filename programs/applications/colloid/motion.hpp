// The suspension at its start, and how particles move: measured loops, compiled apart.
#pragma once

#include <cstdint>

#include "applications/colloid/ewald.hpp"

namespace assay::applications::colloid {

struct Suspension {
  std::size_t macroions = 0;
  int charge = 0;                                                            // of a macro-ion, in counter-ions
  static constexpr double macro_diameter = 5, macro_mass = 50, share = 0.1;  // of the volume that macro-ions take
  static constexpr double time_step = 0.002;
  bool operator==(const Suspension&) const = default;

  std::size_t particles() const { return macroions * (1 + static_cast<std::size_t>(charge)); }
  double edge() const;
};

struct Motion {  // of a rank's share
  std::vector<double> velocity[3], mass;
};

// Macro-ions on a cubic grid, counter-ions at random on a finer one around them, velocities of about temperature 1
// without a momentum: the same on every rank.
void start(const Suspension& suspension, const Share& share, Particles& particles, Motion& motion);

// A half step of velocities; a step of this share's positions, back into the cube (velocity Verlet).
void push(Motion& motion, const Forces& forces, double time);
void drift(Particles& particles, const Share& share, const Motion& motion, double time);

// Moves this share along its forces by so much of each, and the work that forces do by 1 of it.
void displace(Particles& particles, const Share& share, const Forces& forces, double by);
double work_of(const Forces& forces);

// Of a rank's share, to be added up over the ranks.
struct Sums {
  double pairs = 0, coulomb_virial = 0, repulsion = 0, repulsion_virial = 0;
  double kinetic2 = 0, momentum[3] = {}, size = 0;  // twice the energy; the sum of all momenta's sizes
};
Sums sums_of(const Motion& motion, const Forces& forces);

// Of all particles.
struct State {
  double coulomb = 0, coulomb_virial = 0, potential = 0, virial = 0;  // virials: sums of force times distance
  double energy = 0, temperature = 0, pressure = 0, momentum = 0;     // momentum: as a share of the sum of all sizes
};
State state_of(const Particles& particles, const Waves& waves, const Sums& sums, double wave_energy,
               double wave_virial);

// Of the bits of all positions (FNV-1a).
std::uint64_t digest(const Particles& particles);

}  // namespace assay::applications::colloid
