// Joules of processor packages, memory and the whole platform, from the kernel's powercap interface (Intel's and AMD's
// RAPL counters; Documentation/power/powercap), or, where that shows none or refuses, from perf's energy events. Read
// at the ends of blocks only: a reading takes some microseconds.
//
// The counters are of packages, never of a process: the work of all processes is in them, and what the package takes
// idle.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "timing/energy_events.hpp"
#include "timing/joules.hpp"

namespace assay::timing {

// Where the kernel shows the counters; tests put a tree of their own in its place by ASSAY_POWERCAP.
std::string powercap_folder();

class EnergyMeter {
 public:
  // More than any node takes: what a counter would have gained at a higher power was lost by a reset of it.
  static constexpr double most_power = 20e3;  // W

  explicit EnergyMeter(const std::string& folder = powercap_folder(),
                       std::function<std::int64_t()> clock = nullptr,  // ns; nullptr: now_ns
                       const std::string& devices = perf_devices_folder(), const OpenCounter& open = {});

  // What all counters gained since the first call, each put right where it began anew at its end. An interval in which
  // a counter was reset, could not be read or had not begun to count is asked for and not known.
  const Energy& read();

  // "powercap: package-0, package-1, dram", "perf: energy-pkg, energy-ram", or why nothing can be read; `guest`: of a
  // hypervisor.
  std::string state(bool guest) const;

 private:
  struct Zone {
    std::string counter, name;
    EnergyPart part;
    std::uint64_t range;   // counts, after which it begins anew
    double joules = 1e-6;  // per count
    int file = -1;         // of an event of perf's, instead of `counter`
    std::uint64_t last = 0;
    bool known = false;
  };
  void take_zones(const std::string& folder);
  void take_events();
  static std::optional<std::uint64_t> counted(const Zone& zone);
  bool stands_still() const;
  std::string listed(const std::string& source) const;

  std::unique_ptr<EnergyEvents> events_;  // where powercap gives nothing
  std::vector<Zone> zones_;
  std::function<std::int64_t()> clock_;
  Energy total_{};
  std::int64_t read_at_ = -1;  // ns
  int refused_ = 0;            // errno of a counter that cannot be read
  std::string folder_;
};

}  // namespace assay::timing
