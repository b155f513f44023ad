#include "applications/materials/bands.hpp"

namespace assay::applications::materials {

namespace {

// Of waves that go around with a phase per place: the matrix's elements of A and B, symmetric and real.
struct Pair {
  double a = 0, b = 0, between = 0;
};
Pair waves(std::size_t atoms, double phase, double k, const double* strengths) {
  Pair sums{k - strengths[0], k - strengths[1], 0};
  for (std::size_t places = 1; places < atoms; ++places) {
    const double far = distance(atoms, places);
    const double wave = std::exp(-k * far) / far * std::cos(phase * static_cast<double>(places));
    if (places % 2 == 1)
      sums.between -= wave;
    else
      sums.a -= wave, sums.b -= wave;
  }
  return sums;
}
Pair slopes(std::size_t atoms, double phase, double k) {
  Pair sums{1, 1, 0};
  for (std::size_t places = 1; places < atoms; ++places) {
    const double wave = std::exp(-k * distance(atoms, places)) * std::cos(phase * static_cast<double>(places));
    if (places % 2 == 1)
      sums.between += wave;
    else
      sums.a += wave, sums.b += wave;
  }
  return sums;
}
double eigenvalue(const Pair& pair, bool upper) {
  const double root = std::hypot((pair.a - pair.b) / 2, pair.between);
  return (pair.a + pair.b) / 2 + (upper ? root : -root);
}

std::array<Local, 2> once(std::size_t atoms, const double* strengths) {
  std::array<Local, 2> found{};
  const std::size_t cells = atoms / 2;
  for (std::size_t wave = 0; wave < cells; ++wave) {
    const double phase = 2 * std::numbers::pi * static_cast<double>(wave) / static_cast<double>(atoms);
    for (const bool upper : {false, true}) {
      double low = middle - radius, high = middle + radius;  // the eigenvalue grows with k
      for (int halving = 0; halving < 60; ++halving) {
        const double half = (low + high) / 2;
        (eigenvalue(waves(atoms, phase, half, strengths), upper) < 0 ? low : high) = half;
      }
      const Pair at = waves(atoms, phase, low, strengths), slope = slopes(atoms, phase, low);
      // The vector of the eigenvalue 0, and the parts of its norm.
      double x = -at.between, y = at.a;
      if (std::abs(at.b) > std::abs(at.a)) x = at.b, y = -at.between;
      const double of_a = x * (slope.a * x + slope.between * y), of_b = y * (slope.between * x + slope.b * y);
      const double share = 1 / (static_cast<double>(cells) * (of_a + of_b));
      found[0].charge += share * of_a, found[1].charge += share * of_b;
      found[0].energy -= share * of_a * low * low, found[1].energy -= share * of_b * low * low;
    }
  }
  return found;
}

}  // namespace

std::array<Local, 2> by_bands(std::size_t atoms) {
  std::array<Local, 2> found{{{1, 0}, {1, 0}}};
  for (int cycle = 0; cycle < 30; ++cycle) {
    const double strengths[2] = {strength(0, found[0].charge), strength(1, found[1].charge)};
    found = once(atoms, strengths);
  }
  return found;
}

}  // namespace assay::applications::materials
