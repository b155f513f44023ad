// What must come out of the population: laws of one pulsar, and integrals over what all are drawn from.
#pragma once

#include "applications/pulsars/population.hpp"

namespace assay::applications::pulsars {

// The disc's pull at a height: per unit of mass disc * height / sqrt(height^2 + disc_height^2) + halo * height.
inline constexpr double disc = 1.26e-3, disc_height = 0.18, halo = 0.58e-3;  // kpc Myr^-2, kpc, Myr^-2

double period_at(const Pulsar& one, double time);  // s: dipole braking has a closed solution
double energy_of(double height, double speed);     // kinetic and potential, per unit of mass: conserved

double share_followed();       // of the pulsars that are drawn
double mean_squared_period();  // s^2, of those that are followed, at their age
double share_alive();          // of those that are followed: above the death line at their age

}  // namespace assay::applications::pulsars
