// Plane waves below a cut-off, in lines along z, and how ranks share them: whole lines of waves, whole planes of
// points.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace assay::applications::planewaves {

using Complex = std::complex<double>;

// Waves (x, y, z) with z = -reach ... reach, by whole wave numbers.
struct Line {
  int x, y, reach;
  std::size_t waves() const { return 2 * static_cast<std::size_t>(reach) + 1; }
};

class Sphere {
 public:
  // All waves with x^2 + y^2 + z^2 <= radius^2 on a grid of `points` per edge.
  Sphere(std::size_t points, int radius, std::size_t ranks);

  std::size_t points() const { return points_; }
  int radius() const { return radius_; }
  std::size_t ranks() const { return lines_.size(); }
  const std::vector<Line>& lines(std::size_t rank) const { return lines_[rank]; }
  std::size_t waves(std::size_t rank) const;
  std::size_t first_plane(std::size_t rank) const { return points_ * rank / ranks(); }
  std::size_t planes(std::size_t rank) const { return first_plane(rank + 1) - first_plane(rank); }
  // Where a wave number lies along an edge of the grid.
  std::size_t place(int wave) const {
    return wave < 0 ? points_ - static_cast<std::size_t>(-wave) : static_cast<std::size_t>(wave);
  }

 private:
  std::size_t points_;
  int radius_;
  std::vector<std::vector<Line>> lines_;  // of each rank
};

// |G|^2 / 2 of a rank's waves; the box has edges of `box`.
std::vector<double> kinetic(const Sphere& sphere, std::size_t rank, double box);
// Where iteration begins: numbers that depend on wave and band alone, smaller for shorter waves.
void begin(const Sphere& sphere, std::size_t rank, std::size_t bands, const double* kinetic, Complex* vectors);

}  // namespace assay::applications::planewaves
