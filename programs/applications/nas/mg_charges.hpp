// The right side of MG: of random numbers at all points of the finest grid, the ten greatest become 1, the ten least
// -1.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "applications/nas/mg_grid.hpp"
#include "applications/nas/random.hpp"

namespace assay::applications::nas {

class MgCharges {
 public:
  MgCharges() = default;
  // Of a block of a cube of so many points along its edges.
  MgCharges(const Extents& block, const Extents& first, std::size_t edge) : edge_(edge) {
    for (std::size_t z = 0; z < block[2]; ++z) {
      for (std::size_t y = 0; y < block[1]; ++y) {
        const std::uint64_t row = ((first[2] + z) * edge + first[1] + y) * edge + first[0];
        Random random(314159265);
        random.skip(row);
        for (std::uint64_t x = 0; x < block[0]; ++x) take({random.next(), row + x});
      }
    }
  }
  void join(const MgCharges& other) {
    for (std::size_t i = 0; i < other.known_; ++i) take(other.greatest_[i]), take(other.least_[i]);
  }
  template <class Each>
  void each(Each&& each) const {
    for (std::size_t i = 0; i < known_; ++i) {
      each(point(least_[i].place), -1.0);
      each(point(greatest_[i].place), 1.0);
    }
  }

 private:
  static constexpr std::size_t most = 10;
  struct Candidate {
    double value;
    std::uint64_t place;
    bool operator==(const Candidate&) const = default;
  };
  Extents point(std::uint64_t place) const { return {place % edge_, place / edge_ % edge_, place / edge_ / edge_}; }

  void take(const Candidate& candidate) {
    if (known_ == most && candidate.value <= greatest_[most - 1].value && candidate.value >= least_[most - 1].value)
      return;
    if (std::find(greatest_.begin(), greatest_.begin() + known_, candidate) != greatest_.begin() + known_) return;
    const std::size_t had = known_;
    known_ = std::min(known_ + 1, most);
    place(greatest_, had, candidate, [](const Candidate& a, const Candidate& b) { return a.value > b.value; });
    place(least_, had, candidate, [](const Candidate& a, const Candidate& b) { return a.value < b.value; });
  }
  // Into a row in order, of which the last leaves where it is full.
  template <class Before>
  static void place(std::array<Candidate, most>& row, std::size_t held, const Candidate& candidate, Before before) {
    if (std::find(row.begin(), row.begin() + held, candidate) != row.begin() + held) return;
    const auto at = std::upper_bound(row.begin(), row.begin() + held, candidate, before);
    if (at == row.begin() + most) return;
    std::move_backward(at, row.begin() + std::min(held, most - 1), row.begin() + std::min(held, most - 1) + 1);
    *at = candidate;
  }

  std::size_t edge_ = 1, known_ = 0;
  std::array<Candidate, most> greatest_{}, least_{};
};

}  // namespace assay::applications::nas
