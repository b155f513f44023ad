// What a disk, or anything that keeps blocks, must answer: how long an access takes from now on, and where it lies.
//
// A device serves one access at a time and is told when it begins, so that a mechanical one knows where its arm and its
// platters are. Times are whole picoseconds, addresses and lengths bytes.
#pragma once

#include <cstdint>
#include <memory>

namespace assay::storage {

using Time = std::int64_t;
inline constexpr double picoseconds_a_second = 1e12;

struct Access {
  std::uint64_t address = 0, bytes = 0;
  bool write = false;
};

class Device {
 public:
  virtual ~Device() = default;
  // Begins at `now`; gives when it ends. At most at_once() of them are under way.
  virtual Time serve(Time now, const Access& access) = 0;
  virtual int at_once() const { return 1; }
  // What a queue may order accesses by: the time to the first byte if it began now, and the place along the arm's way.
  virtual Time positioning(Time now, const Access& access) const = 0;
  virtual std::uint64_t cylinder(std::uint64_t address) const = 0;
  virtual std::uint64_t capacity() const = 0;  // bytes
};

}  // namespace assay::storage
