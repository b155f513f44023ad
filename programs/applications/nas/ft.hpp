// FT, a partial differential equation solved by 3-D Fourier transforms: the transform of random numbers is multiplied
// by the factors of one more step in time, transformed back, and a checksum taken, again and again. Ranks hold planes
// of z; for the transforms along z an exchange of all with all gives each of them lines of z instead. Source:
// RNR-94-007, section 2.2.4.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "applications/all_to_all.hpp"
#include "applications/nas/ft_lines.hpp"
#include "applications/nas/ft_sums.hpp"
#include "applications/nas/kernel.hpp"

namespace assay::applications::nas {

struct FtClass {
  std::size_t x, y, z;
  int iterations;
};
inline constexpr std::array<FtClass, classes> ft_classes{
    {{64, 64, 64, 6}, {128, 128, 32, 6}, {256, 256, 128, 6}, {512, 256, 256, 20}, {512, 512, 512, 20}}};

template <ranks::Communicator C>
class Ft final : public Charged<C> {
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work, Charged<C>::data;

 public:
  Ft(C& comm, Class size, bool carries)
      : Charged<C>(comm, "fft", carries), size_(ft_classes[place(size)]), official_(ft_sums(place(size))) {
    const auto ranks = static_cast<std::size_t>(comm.size());
    ranks::needs(is_power_of_two(comm.size()) && ranks <= std::min(size_.y, size_.z),
                 "a power of two of ranks, at most as many as planes", comm.size());
    planes_ = size_.z / ranks;
    width_ = size_.y / ranks;
    const std::size_t part = planes_ * width_ * size_.x;
    for (std::size_t rank = 0; rank < ranks; ++rank) parts_.push_back({rank * part, part});
    if (!carries) return;
    for (auto* values : {&kept_, &grid_, &packed_}) values->resize(part * ranks);
    for (std::size_t length : {size_.x, size_.y, size_.z}) lines_.emplace_back(length);
  }

  // As NPB counts, from a fit to the operations of its transforms.
  static double operations(Class size) {
    const FtClass& at = ft_classes[place(size)];
    const double points = static_cast<double>(at.x * at.y * at.z), log = std::log(points);
    return points * (14.8157 + 7.19641 * log + (5.23518 + 7.21113 * log) * at.iterations);
  }

  ranks::Task prepare() override {
    found_.clear();
    co_return;
  }

  ranks::Task run() override {
    co_await work(0, [this] {
      ft_fill(grid_.data(), planes_ * static_cast<std::size_t>(comm_.rank()), planes_, size_.x * size_.y);
      make_factors();
    });
    co_await work(in_planes(), [this] {
      lines_[0].transform(grid_.data(), planes_ * size_.y, size_.x, 1, false);
      columns(false);
    });
    co_await to_lines();
    co_await work(along_z(0), [this] { lines_[2].transform(kept_.data(), row(), 1, row(), false); });
    for (int iteration = 0; iteration < size_.iterations; ++iteration) {
      co_await work(along_z(4), [this] {
        lines_[2].transform_scaled(kept_.data(), packed_.data(), row(), 1, row(), of_z_.data(), of_row_.data());
      });
      co_await to_planes();
      double sums[2] = {}, room[2];
      co_await work(in_planes(), [&] {
        columns(true);
        lines_[0].transform(grid_.data(), planes_ * size_.y, size_.x, 1, true);
        const Complex sum = checksum();
        sums[0] = sum.real(), sums[1] = sum.imag();
      });
      co_await sum_of_all(comm_, sums, room, 2);
      found_.emplace_back(sums[0], sums[1]);
    }
  }

  ranks::Task check(ranks::Verdict& verdict) override {
    std::size_t right = 0;
    for (std::size_t i = 0; i < official_.size() && i < found_.size(); ++i)
      right += std::abs((found_[i] - official_[i]) / official_[i]) <= 1e-12;
    verdict.passed = right == official_.size();
    verdict.detail = std::to_string(right) + " of " + std::to_string(official_.size()) + " official checksums";
    co_return;
  }

 private:
  std::size_t row() const { return width_ * size_.x; }  // lines of z that this rank has
  std::size_t kept_points() const { return row() * size_.z; }
  // Transforms of all lines of one or two directions, and so many flops more for each point.
  ranks::Work transforms(double lengths, std::size_t longest, double more) const {
    const auto points = static_cast<double>(kept_points());
    return {this->kernel_, points * (5 * std::log2(lengths) + more), FtLines::memory(longest)};
  }
  ranks::Work in_planes() const {
    return transforms(static_cast<double>(size_.x * size_.y), std::max(size_.x, size_.y), 0);
  }
  ranks::Work along_z(double more) const { return transforms(static_cast<double>(size_.z), size_.z, more); }

  void columns(bool inverse) {
    for (std::size_t plane = 0; plane < planes_; ++plane)
      lines_[1].transform(grid_.data() + plane * size_.x * size_.y, size_.x, 1, size_.x, inverse);
  }

  // From planes of z, [z][y][x], to lines of z, [z][own y][x]: what a rank receives, in order of rank, lies as it is
  // used.
  ranks::Task to_lines() {
    co_await work(0, [this] {
      Complex* to = packed_.data();
      for (std::size_t rank = 0; rank < parts_.size(); ++rank)
        for (std::size_t plane = 0; plane < planes_; ++plane, to += row())
          std::copy_n(grid_.data() + (plane * size_.y + rank * width_) * size_.x, row(), to);
    });
    co_await all_to_all<C, Complex>(comm_, data(packed_), parts_, data(kept_), parts_);
  }
  ranks::Task to_planes() {
    if (comm_.size() == 1) {
      if (carries_) grid_.swap(packed_);
      co_return;
    }
    co_await all_to_all<C, Complex>(comm_, data(packed_), parts_, data(grid_), parts_);
    co_await work(0, [this] {
      const Complex* from = grid_.data();
      for (std::size_t rank = 0; rank < parts_.size(); ++rank)
        for (std::size_t plane = 0; plane < planes_; ++plane, from += row())
          std::copy_n(from, row(), packed_.data() + (plane * size_.y + rank * width_) * size_.x);
      grid_.swap(packed_);
    });
  }

  // A step in time multiplies each wave by exp(-4 pi^2 alpha k^2), k^2 = kx^2 + ky^2 + kz^2.
  void make_factors() {
    const auto factor = [](std::size_t place, std::size_t length) {
      const double wave =
          place < length / 2 ? static_cast<double>(place) : static_cast<double>(place) - static_cast<double>(length);
      constexpr double alpha = 1e-6;
      return std::exp(-4 * alpha * std::numbers::pi * std::numbers::pi * wave * wave);
    };
    of_z_.clear(), of_row_.clear();
    for (std::size_t z = 0; z < size_.z; ++z) of_z_.push_back(factor(z, size_.z));
    const std::size_t first = width_ * static_cast<std::size_t>(comm_.rank());
    for (std::size_t y = 0; y < width_; ++y)
      for (std::size_t x = 0; x < size_.x; ++x) of_row_.push_back(factor(first + y, size_.y) * factor(x, size_.x));
  }

  Complex checksum() const {
    Complex sum = 0;
    const std::size_t first = planes_ * static_cast<std::size_t>(comm_.rank());
    for (std::size_t j = 1; j <= 1024; ++j) {
      const std::size_t plane = 5 * j % size_.z;
      if (plane < first || plane >= first + planes_) continue;
      sum += grid_[((plane - first) * size_.y + 3 * j % size_.y) * size_.x + j % size_.x];
    }
    return sum / static_cast<double>(size_.x * size_.y * size_.z);
  }

  FtClass size_;
  const std::vector<Complex>& official_;
  std::size_t planes_ = 0, width_ = 0;  // of z and of y that a rank has
  std::vector<Part> parts_;
  std::vector<FtLines> lines_;
  std::vector<Complex> kept_, grid_, packed_;  // the transform; what is transformed; on its way
  std::vector<double> of_z_, of_row_;
  std::vector<Complex> found_;
};

}  // namespace assay::applications::nas
