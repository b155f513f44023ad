// Charged spheres in a periodic cube: Ewald's sum of their Coulomb forces, and a short repulsion; its measured loops
// are compiled apart. Units: kT, the counter-ions' diameter and mass; the Bjerrum length is 1.
//
// Energy (Ewald 1921; Frenkel and Smit, chapter 12): sum over pairs of q q erfc(a r) / r, and over waves k of
// 2 pi / V exp(-k^2 / 4 a^2) / k^2 |S(k)|^2, S(k) = sum of q exp(i k x), less a / sqrt(pi) sum of q^2.
#pragma once

#include <cstddef>
#include <vector>

namespace assay::applications::colloid {

// All particles, which every rank has; a rank computes the forces on those from `first` to `last` (without the latter).
struct Particles {
  double edge = 1;
  std::vector<double> position[3], charge, diameter;  // positions lie within 0 and the edge
  std::size_t size() const { return charge.size(); }
};
struct Share {
  std::size_t first = 0, last = 0;
  std::size_t size() const { return last - first; }
  static Share of(std::size_t all, std::size_t rank, std::size_t ranks) {
    return {all * rank / ranks, all * (rank + 1) / ranks};
  }
};

// Waves with the same x and y, which follow one another along z from -reach or so on.
struct Row {
  int x, y, z;
  std::size_t first, count;
};
struct Waves {
  double screening = 0, cut_off = 0;  // a; beyond it pairs are left out
  int reach = 0;                      // the greatest wave number along an axis
  std::vector<Row> rows;              // half of all: the others are their conjugates
  std::size_t count = 0;

  // For so many particles, with errors of some 1e-7 of the energy, so that pairs and waves take about as long.
  Waves(double edge, std::size_t particles);
};

struct Forces {  // on a rank's share
  std::vector<double> on[3];
  double pairs = 0, coulomb_virial = 0, repulsion = 0, repulsion_virial = 0;  // of half of each pair
};

// Flops of a pair that is looked at, of one within the cut-off (a root, exp, erfc), and of a particle's wave: in all,
// and in structure() alone.
inline constexpr double look_flops = 14, pair_flops = 70, wave_flops = 20, sum_flops = 8;

// Sets the forces of pairs.
void pair_forces(const Particles& particles, const Waves& waves, const Share& share, Forces& forces);
// This share's part of S(k): cosines of all waves, then sines.
void structure(const Particles& particles, const Waves& waves, const Share& share, std::vector<double>& sums);
// Adds the forces of waves; `sums` is S(k) of all particles. Gives the waves' energy and virial, the same on every
// rank.
void wave_forces(const Particles& particles, const Waves& waves, const Share& share, const std::vector<double>& sums,
                 Forces& forces, double& energy, double& virial);
// What the waves' sum has of each particle with itself.
double self_energy(const Particles& particles, const Waves& waves);

}  // namespace assay::applications::colloid
