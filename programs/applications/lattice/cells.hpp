// A block of cells with one layer of its neighbours' around it, and the measured loops over it, compiled apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "applications/lattice/d3q19.hpp"

namespace assay::applications::lattice {

using Extents = std::array<std::size_t, 3>;  // along x, y, z; x varies fastest
using Vector = std::array<double, 3>;

// Two relaxation times (Ginzburg, Verhaeghe and d'Humieres 2008): the even rate gives the viscosity, the odd one where
// a wall is.
struct Relaxation {
  double even = 1, odd = 1;
  // With the "magic" 3/16 a flat wall lies half-way between two cells whatever the viscosity is.
  static constexpr double magic = 3.0 / 16;
  static Relaxation of(double viscosity) {
    const double even = 3 * viscosity;
    return {1 / (even + 0.5), 1 / (magic / even + 0.5)};
  }
};

struct Run {  // fluid cells that follow one another along x
  std::size_t first, count;
};
struct Link {  // what comes out of a solid cell at a fluid one: the population that went in
  std::size_t solid, fluid, population;
};

// Populations after collision, one array of cells for each.
struct Cells {
  Extents inner{};
  std::vector<double> values, next;
  std::vector<Run> runs;
  std::vector<Link> links;

  std::size_t place(std::size_t x, std::size_t y, std::size_t z) const {
    return (z * (inner[1] + 2) + y) * (inner[0] + 2) + x;
  }
  std::size_t all() const { return (inner[0] + 2) * (inner[1] + 2) * (inner[2] + 2); }
  double* of(std::size_t population) { return values.data() + population * all(); }
  const double* of(std::size_t population) const { return values.data() + population * all(); }
};

// Arithmetic of an update, as the loops need it: sums and differences 42, velocity 15, pairs 168, rest 4. Bytes: each
// population is read and written.
inline constexpr double update_flops = 229, update_bytes = 2 * populations * sizeof(double);

// Streams and collides all fluid cells: each takes what its neighbours sent, `values` becomes the next step's. The
// force is that on each fluid cell.
void advance(Cells& cells, const Relaxation& relaxation, const Vector& force);

// Half-way bounce-back: puts into solid cells what they send back; gives the momentum that the solid takes.
Vector reflect(Cells& cells);

// A cell at local equilibrium.
void set_equilibrium(Cells& cells, std::size_t at, double density, const Vector& velocity);

struct Totals {  // over the fluid cells of a block; momentum is that after collision
  double cells = 0, mass = 0;
  Vector momentum{};
};
Totals totals_of(const Cells& cells);
// Density and momentum after collision of one cell.
void moments(const Cells& cells, std::size_t at, double& density, Vector& momentum);

// Of the populations' bits and where they are: the same however the cube of so many cells along its edges is divided,
// when the blocks' digests are added up. `first`: the block's first cell.
std::uint64_t digest(const Cells& cells, const Extents& first, std::size_t size);

// Every fluid cell's place, and its point of the cube.
template <class Each>
void each_fluid(const Cells& cells, const Extents& first, Each each) {
  const std::size_t row = cells.inner[0] + 2, layer = row * (cells.inner[1] + 2);
  for (const Run& run : cells.runs)
    for (std::size_t at = run.first; at < run.first + run.count; ++at)
      each(at, Extents{first[0] + at % row - 1, first[1] + at % layer / row - 1, first[2] + at / layer - 1});
}

}  // namespace assay::applications::lattice
