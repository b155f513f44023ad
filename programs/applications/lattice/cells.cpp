#include "applications/lattice/cells.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace assay::applications::lattice {
namespace {

constexpr std::size_t strip = 64;  // cells whose sums and differences stay in the first cache

struct Strip {
  double density[strip], x[strip], y[strip], z[strip], sum[pairs][strip], difference[pairs][strip];
};

// Where a neighbour lies in the arrays.
std::ptrdiff_t apart(const Extents& inner, std::size_t population) {
  const auto row = static_cast<std::ptrdiff_t>(inner[0] + 2), layer = row * static_cast<std::ptrdiff_t>(inner[1] + 2);
  return velocity(population, 0) + velocity(population, 1) * row + velocity(population, 2) * layer;
}

// What arrives at a strip's cells: sums and differences of opposite populations, density and momentum.
void arrive(const Cells& cells, const std::ptrdiff_t (&offsets)[populations], std::size_t first, std::size_t count,
            Strip& to) {
  const double* const rest = cells.of(0) + first;
  for (std::size_t i = 0; i < count; ++i) to.density[i] = rest[i], to.x[i] = to.y[i] = to.z[i] = 0;
  for (std::size_t p = 0; p < pairs; ++p) {
    const double* const along = cells.of(1 + 2 * p) + first - offsets[1 + 2 * p];
    const double* const against = cells.of(2 + 2 * p) + first - offsets[2 + 2 * p];
    const double cx = velocities[p][0], cy = velocities[p][1], cz = velocities[p][2];
    for (std::size_t i = 0; i < count; ++i) {
      const double sum = along[i] + against[i], difference = along[i] - against[i];
      to.sum[p][i] = sum;
      to.difference[p][i] = difference;
      to.density[i] += sum;
      to.x[i] += cx * difference;
      to.y[i] += cy * difference;
      to.z[i] += cz * difference;
    }
  }
}

// The momentum becomes the velocity, the density's part of the equilibrium goes to `base`.
void macroscopic(Strip& at, const Vector& force, std::size_t count, double* base) {
  for (std::size_t i = 0; i < count; ++i) {
    const double inverse = 1 / at.density[i];
    at.x[i] = (at.x[i] + 0.5 * force[0]) * inverse;
    at.y[i] = (at.y[i] + 0.5 * force[1]) * inverse;
    at.z[i] = (at.z[i] + 0.5 * force[2]) * inverse;
    base[i] = at.density[i] * (1 - 1.5 * (at.x[i] * at.x[i] + at.y[i] * at.y[i] + at.z[i] * at.z[i]));
  }
}

void collide(Cells& cells, const Strip& at, const double* base, const Relaxation& rates, const Vector& force,
             std::size_t first, std::size_t count) {
  double* const rest = cells.next.data() + first;
  const double* const was = cells.of(0) + first;
  for (std::size_t i = 0; i < count; ++i) rest[i] = was[i] - rates.even * (was[i] - rest_weight * base[i]);
  for (std::size_t p = 0; p < pairs; ++p) {
    double* const along = cells.next.data() + (1 + 2 * p) * cells.all() + first;
    double* const against = cells.next.data() + (2 + 2 * p) * cells.all() + first;
    const double cx = velocities[p][0], cy = velocities[p][1], cz = velocities[p][2], w = weight(p);
    const double pushed = 3 * w * (1 - 0.5 * rates.odd) * (cx * force[0] + cy * force[1] + cz * force[2]);
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
      const double projected = cx * at.x[i] + cy * at.y[i] + cz * at.z[i];
      const double even = w * (base[i] + 4.5 * at.density[i] * projected * projected);
      const double odd = 3 * w * at.density[i] * projected;
      const double half_sum = 0.5 * at.sum[p][i], half_difference = 0.5 * at.difference[p][i];
      const double sum = half_sum - rates.even * (half_sum - even);
      const double difference = half_difference - rates.odd * (half_difference - odd) + pushed;
      along[i] = sum + difference;
      against[i] = sum - difference;
    }
  }
}

}  // namespace

void advance(Cells& cells, const Relaxation& relaxation, const Vector& force) {
  std::ptrdiff_t offsets[populations];
  for (std::size_t q = 0; q < populations; ++q) offsets[q] = apart(cells.inner, q);
  Strip at;
  double base[strip];
  for (const Run& run : cells.runs) {
    for (std::size_t done = 0; done < run.count; done += strip) {
      const std::size_t first = run.first + done, count = std::min(strip, run.count - done);
      arrive(cells, offsets, first, count, at);
      macroscopic(at, force, count, base);
      collide(cells, at, base, relaxation, force, first, count);
    }
  }
  std::swap(cells.values, cells.next);
}

Vector reflect(Cells& cells) {
  Vector taken{};
  for (const Link& link : cells.links) {
    const std::size_t back = opposite(link.population);
    const double value = cells.of(back)[link.fluid];
    cells.of(link.population)[link.solid] = value;
    for (std::size_t axis = 0; axis < 3; ++axis) taken[axis] += 2 * value * velocity(back, axis);
  }
  return taken;
}

void set_equilibrium(Cells& cells, std::size_t at, double density, const Vector& v) {
  const double base = density * (1 - 1.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  for (std::size_t q = 0; q < populations; ++q) {
    const double w = q == 0 ? rest_weight : weight((q - 1) / 2);
    double projected = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) projected += velocity(q, axis) * v[axis];
    cells.of(q)[at] = w * (base + density * (3 * projected + 4.5 * projected * projected));
  }
}

void moments(const Cells& cells, std::size_t at, double& density, Vector& momentum) {
  density = 0;
  momentum = {};
  for (std::size_t q = 0; q < populations; ++q) {
    const double value = cells.of(q)[at];
    density += value;
    for (std::size_t axis = 0; axis < 3; ++axis) momentum[axis] += velocity(q, axis) * value;
  }
}

Totals totals_of(const Cells& cells) {
  Totals totals;
  for (const Run& run : cells.runs) {
    for (std::size_t at = run.first; at < run.first + run.count; ++at) {
      double density = 0;
      Vector momentum;
      moments(cells, at, density, momentum);
      totals.cells += 1;
      totals.mass += density;
      for (std::size_t axis = 0; axis < 3; ++axis) totals.momentum[axis] += momentum[axis];
    }
  }
  return totals;
}

std::uint64_t digest(const Cells& cells, const Extents& first, std::size_t size) {
  const auto mixed = [](std::uint64_t bits) {  // splitmix64 (Steele, Lea and Flood 2014)
    bits += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  };
  std::uint64_t sum = 0;
  each_fluid(cells, first, [&](std::size_t at, const Extents& point) {
    const std::uint64_t cell = (point[2] * size + point[1]) * size + point[0];
    for (std::size_t q = 0; q < populations; ++q)
      sum += mixed(std::bit_cast<std::uint64_t>(cells.of(q)[at]) ^ mixed(cell * populations + q));
  });
  return sum;
}

}  // namespace assay::applications::lattice
