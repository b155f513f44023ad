#include "applications/planewaves/sphere.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "ranks/session.hpp"

namespace assay::applications::planewaves {

// The longest lines first, dealt out to and fro, so that ranks have nearly as many waves each.
Sphere::Sphere(std::size_t points, int radius, std::size_t ranks) : points_(points), radius_(radius), lines_(ranks) {
  std::vector<Line> all;
  for (int x = -radius; x <= radius; ++x)
    for (int y = -radius; y <= radius; ++y) {
      const int left = radius * radius - x * x - y * y;
      if (left < 0) continue;
      int reach = 0;
      while ((reach + 1) * (reach + 1) <= left) ++reach;
      all.push_back({x, y, reach});
    }
  std::stable_sort(all.begin(), all.end(), [](const Line& a, const Line& b) { return a.reach > b.reach; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t rank = i % ranks;
    lines_[i / ranks % 2 == 0 ? rank : ranks - 1 - rank].push_back(all[i]);
  }
}

std::size_t Sphere::waves(std::size_t rank) const {
  std::size_t sum = 0;
  for (const Line& line : lines_[rank]) sum += line.waves();
  return sum;
}

std::vector<double> kinetic(const Sphere& sphere, std::size_t rank, double box) {
  std::vector<double> found;
  const double unit = 2 * std::numbers::pi / box;
  for (const Line& line : sphere.lines(rank))
    for (int z = -line.reach; z <= line.reach; ++z)
      found.push_back(0.5 * unit * unit * (line.x * line.x + line.y * line.y + z * z));
  return found;
}

void begin(const Sphere& sphere, std::size_t rank, std::size_t bands, const double* kinetic, Complex* vectors) {
  constexpr double whole = 0x1p-64;
  for (std::size_t band = 0; band < bands; ++band) {
    const double* energy = kinetic;
    for (const Line& line : sphere.lines(rank))
      for (int z = -line.reach; z <= line.reach; ++z) {
        constexpr int most = 512;
        auto state = static_cast<std::uint64_t>(((line.x + most) * 2 * most + line.y + most) * 2 * most + z + most);
        state = state * 1024 + band;
        const double real = whole * static_cast<double>(ranks::Session::random(state)) - 0.5;
        const double imaginary = whole * static_cast<double>(ranks::Session::random(state)) - 0.5;
        *vectors++ = Complex(real, imaginary) / ((1 + *energy) * (1 + *energy));
        ++energy;
      }
  }
}

}  // namespace assay::applications::planewaves
