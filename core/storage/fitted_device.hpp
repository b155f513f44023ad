// A device of two numbers, as a fit gives them: a time for every access, and a rate. Several accesses may wait for
// their time at once; the bytes of all go through one channel, one access after the other.
#pragma once

#include <algorithm>
#include <cmath>

#include "storage/device.hpp"

namespace assay::storage {

struct FittedParameters {
  Time access = 0;
  double per_byte = 0;  // ps
  int at_once = 1;
  std::uint64_t capacity = std::uint64_t{1} << 50;  // bytes
};

class FittedDevice final : public Device {
 public:
  explicit FittedDevice(const FittedParameters& parameters) : device_(parameters) {}
  Time serve(Time now, const Access& access) override {
    const Time begins = std::max(now + device_.access, free_);
    return free_ = begins + std::llround(device_.per_byte * static_cast<double>(access.bytes));
  }
  int at_once() const override { return device_.at_once; }
  Time positioning(Time, const Access&) const override { return device_.access; }
  std::uint64_t cylinder(std::uint64_t address) const override { return address; }
  std::uint64_t capacity() const override { return device_.capacity; }

 private:
  FittedParameters device_;
  Time free_ = 0;  // when the channel has passed what is under way
};

}  // namespace assay::storage
