// A device of a few numbers, as a fit gives them: a time for every access, and a rate. Several accesses may wait for
// their time at once; the bytes of all go through one channel, one access after the other. Accesses may also hold one
// another up: each takes longer for every other that is under way when it begins.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "storage/device.hpp"

namespace assay::storage {

struct FittedParameters {
  Time access = 0;
  double per_byte = 0;         // ps, one access after the other
  double own_per_byte = 0;     // ps, beside one another
  Time beside = 0;             // for each other access under way
  double beside_per_byte = 0;  // ps, the same
  int at_once = 1;
  std::uint64_t capacity = std::uint64_t{1} << 50;  // bytes
};

class FittedDevice final : public Device {
 public:
  explicit FittedDevice(const FittedParameters& parameters)
      : device_(parameters), waits_(parameters.beside > 0 || parameters.beside_per_byte > 0) {}
  Time serve(Time now, const Access& access) override {
    const auto bytes = static_cast<double>(access.bytes);
    Time takes = device_.access + std::llround(device_.own_per_byte * bytes);
    if (waits_) {
      std::erase_if(under_way_, [&](Time end) { return end <= now; });
      takes += static_cast<Time>(under_way_.size()) * (device_.beside + std::llround(device_.beside_per_byte * bytes));
    }
    const Time begins = std::max(now + takes, free_);
    const Time ends = begins + std::llround(device_.per_byte * bytes);
    if (device_.per_byte > 0) free_ = ends;  // the channel, which own bytes do not need
    if (waits_) under_way_.push_back(ends);
    return ends;
  }
  int at_once() const override { return device_.at_once; }
  Time positioning(Time, const Access&) const override { return device_.access; }
  std::uint64_t cylinder(std::uint64_t address) const override { return address; }
  std::uint64_t capacity() const override { return device_.capacity; }

 private:
  FittedParameters device_;
  bool waits_;                   // whether accesses hold one another up
  std::vector<Time> under_way_;  // when they end
  Time free_ = 0;                // when the channel has passed what is under way
};

}  // namespace assay::storage
