// What is known of the flows without simulating them, and how near a simulation comes to it.
#pragma once

#include <cstdint>
#include <string>

#include "applications/lattice/flow.hpp"

namespace assay::applications::lattice {

namespace known {

// The share of its first velocity that a Taylor-Green vortex with one wave along the edge has left.
double vortex_left(double edge, double viscosity, double time);
// Velocity between plates at rest at 0 and `width`, `time` after a force of 1 has set in (Batchelor 1967, section 4.3).
double started_channel(double at, double width, double viscosity, double time);
// The drag on a sphere of a simple cubic array over Stokes' 6 pi mu a U, U the mean velocity over the whole cell, by
// the volume that spheres take (Hasimoto 1959, with the further terms of Sangani and Acrivos 1982).
double drag_factor(double share);

}  // namespace known

struct Sums {  // of doubles alone: over a block, and when added up over all
  double cells = 0, mass_before = 0, mass = 0;
  double lacking[3] = {};                // momentum: what the force gave, less what the fluid has and the solid took
  double drag[3] = {}, flowing[3] = {};  // on the solid in the last step; momentum of the fluid
  double off = 0, all = 0;               // squares of what velocities are off by, and of what they should be
};
Sums sums_of(const Flow& flow, std::int64_t steps, const Totals& before, const Totals& now, const Vector& impulse,
             const Vector& drag);
// Adds the squares, of a flow whose velocities are known.
void compare(const Cells& cells, const Flow& flow, std::int64_t steps, const Extents& first, Sums& sums);

struct Judgement {
  bool right = false;
  std::string words;
};
// Mass and momentum are conserved in every flow, and it is what is known of it.
Judgement judged(const Flow& flow, std::int64_t steps, const Sums& sums);

}  // namespace assay::applications::lattice
