#include "applications/planewaves/transform.hpp"

#include <algorithm>
#include <cmath>

namespace assay::applications::planewaves {

Transform::Transform(const Sphere& sphere, std::size_t rank, std::size_t bands)
    : sphere_(sphere),
      rank_(rank),
      bands_(bands),
      points_(sphere.points()),
      planes_(sphere.planes(rank)),
      fourier_(points_),
      lines_(sphere.lines(rank).size() * points_),
      plane_(points_ * points_) {}

void Transform::to_lines(const Complex* vectors, Complex* out) {
  const auto& own = sphere_.lines(rank_);
  for (std::size_t band = 0; band < bands_; ++band) {
    std::fill(lines_.begin(), lines_.end(), Complex());
    Complex* line = lines_.data();
    for (const Line& each : own) {
      for (int z = -each.reach; z <= each.reach; ++z) line[sphere_.place(z)] = *vectors++;
      line += points_;
    }
    fourier_.transform(lines_.data(), own.size(), points_, 1, true);
    for (std::size_t rank = 0; rank < sphere_.ranks(); ++rank) {
      const std::size_t first = sphere_.first_plane(rank), planes = sphere_.planes(rank);
      Complex* to = out + own.size() * (bands_ * first + band * planes);
      for (std::size_t i = 0; i < own.size(); ++i, to += planes) std::copy_n(&lines_[i * points_ + first], planes, to);
    }
  }
}

void Transform::from_lines(const Complex* in, const double* kinetic, const Complex* vectors, Complex* into) {
  const auto& own = sphere_.lines(rank_);
  for (std::size_t band = 0; band < bands_; ++band) {
    for (std::size_t rank = 0; rank < sphere_.ranks(); ++rank) {
      const std::size_t first = sphere_.first_plane(rank), planes = sphere_.planes(rank);
      const Complex* from = in + own.size() * (bands_ * first + band * planes);
      for (std::size_t i = 0; i < own.size(); ++i, from += planes)
        std::copy_n(from, planes, &lines_[i * points_ + first]);
    }
    fourier_.transform(lines_.data(), own.size(), points_, 1, false);
    const Complex* line = lines_.data();
    const double* energy = kinetic;
    for (const Line& each : own) {
      for (int z = -each.reach; z <= each.reach; ++z) *into++ = line[sphere_.place(z)] + *energy++ * *vectors++;
      line += points_;
    }
  }
}

// Where a band's lines meet a plane: place of the point in what passes between ranks, and in the plane.
template <class Use>
void Transform::each_line(std::size_t band, std::size_t plane, Use use) const {
  std::size_t begins = 0;
  for (std::size_t rank = 0; rank < sphere_.ranks(); ++rank) {
    const auto& lines = sphere_.lines(rank);
    std::size_t at = begins + band * lines.size() * planes_ + plane;
    for (const Line& line : lines) {
      use(at, sphere_.place(line.y) * points_ + sphere_.place(line.x));
      at += planes_;
    }
    begins += bands_ * lines.size() * planes_;
  }
}

void Transform::to_points(const Complex* in, std::size_t band, std::size_t plane) {
  std::fill(plane_.begin(), plane_.end(), Complex());
  each_line(band, plane, [&](std::size_t at, std::size_t to) { plane_[to] = in[at]; });
  const auto reach = static_cast<std::size_t>(sphere_.radius());
  fourier_.transform(plane_.data(), reach + 1, 1, points_, true);  // the columns with waves
  fourier_.transform(plane_.data() + points_ - reach, reach, 1, points_, true);
  fourier_.transform(plane_.data(), points_, points_, 1, true);
}

void Transform::times(const double* potential, Complex* data) {
  const std::size_t square = points_ * points_;
  const double scale = 1 / static_cast<double>(square * points_);
  const auto reach = static_cast<std::size_t>(sphere_.radius());
  for (std::size_t band = 0; band < bands_; ++band)
    for (std::size_t plane = 0; plane < planes_; ++plane) {
      to_points(data, band, plane);
      const double* const here = potential + plane * square;
      for (std::size_t i = 0; i < square; ++i) plane_[i] *= scale * here[i];
      fourier_.transform(plane_.data(), points_, points_, 1, false);
      fourier_.transform(plane_.data(), reach + 1, 1, points_, false);
      fourier_.transform(plane_.data() + points_ - reach, reach, 1, points_, false);
      each_line(band, plane, [&](std::size_t at, std::size_t from) { data[at] = plane_[from]; });
    }
}

void Transform::add_density(double each, Complex* data, double* density) {
  const std::size_t square = points_ * points_;
  for (std::size_t band = 0; band < bands_; ++band)
    for (std::size_t plane = 0; plane < planes_; ++plane) {
      to_points(data, band, plane);
      for (std::size_t i = 0; i < square; ++i) density[plane * square + i] += each * std::norm(plane_[i]);
    }
}

double Transform::flops_of_lines() const {
  const auto n = static_cast<double>(points_);
  return static_cast<double>(bands_ * sphere_.lines(rank_).size()) * 5 * n * std::log2(n);
}
double Transform::flops_of_planes() const {
  const auto n = static_cast<double>(points_);
  const double columns = 2 * sphere_.radius() + 1;
  return static_cast<double>(bands_ * planes_) * (columns + n) * 5 * n * std::log2(n);
}

}  // namespace assay::applications::planewaves
