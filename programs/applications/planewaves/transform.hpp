// One rank's part of the transforms between waves and points: measured loops, compiled apart. What passes between ranks
// is ordered [rank][band][line of waves][plane of points].
#pragma once

#include <cstddef>
#include <vector>

#include "applications/nas/ft_lines.hpp"
#include "applications/planewaves/sphere.hpp"

namespace assay::applications::planewaves {

class Transform {
 public:
  Transform(const Sphere& sphere, std::size_t rank, std::size_t bands);

  // Along z, from waves to what goes to the planes' ranks, and back; the latter adds kinetic energy times the wave.
  void to_lines(const Complex* vectors, Complex* out);
  void from_lines(const Complex* in, const double* kinetic, const Complex* vectors, Complex* into);
  // In this rank's planes of points, `in` as it arrives: times the potential and back, or added up as a density.
  void times(const double* potential, Complex* data);
  void add_density(double each, Complex* data, double* density);

  // Flops by convention: 5 n log2 n for each line.
  double flops_of_lines() const;
  double flops_of_planes() const;

 private:
  void to_points(const Complex* in, std::size_t band, std::size_t plane);
  template <class Use>
  void each_line(std::size_t band, std::size_t plane, Use use) const;

  const Sphere& sphere_;
  std::size_t rank_, bands_, points_, planes_;
  nas::FtLines fourier_;
  std::vector<Complex> lines_, plane_;
};

}  // namespace assay::applications::planewaves
