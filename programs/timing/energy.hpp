// Joules of processor packages, memory and the whole platform, from the kernel's powercap interface (Intel's and AMD's
// RAPL counters; Documentation/power/powercap). Read at the ends of blocks only: a reading takes some microseconds.
//
// The counters are of packages, never of a process: everybody's work is in them, and what the package takes idle.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace assay::timing {

enum class EnergyPart { package, memory, platform };
inline constexpr std::array<const char*, 3> energy_keys = {"energy_package", "energy_memory", "energy_platform"};

struct EnergyOfPart {  // plain: ranks send it
  double joules = 0;
  std::int64_t intervals = 0, known = 0;  // intervals between readings, and those of which the joules are known

  EnergyOfPart since(const EnergyOfPart& start) const {
    return {joules - start.joules, intervals - start.intervals, known - start.known};
  }
  bool holds() const { return intervals > 0 && intervals == known; }
};
using Energy = std::array<EnergyOfPart, 3>;

// Where the kernel shows the counters; tests put a tree of their own in its place by ASSAY_POWERCAP.
std::string powercap_folder();

class EnergyMeter {
 public:
  // More than any node takes: what a counter would have gained at a higher power was lost by a reset of it.
  static constexpr double most_power = 20e3;  // W

  explicit EnergyMeter(const std::string& folder = powercap_folder(),
                       std::function<std::int64_t()> clock = nullptr);  // ns; nullptr: now_ns

  // What all counters gained since the first call, each put right where it began anew at its end. An interval in which
  // a counter was reset, or could not be read, is asked for and not known.
  const Energy& read();

  // "powercap: package-0, package-1, dram", or why nothing can be read; `guest`: of a hypervisor.
  std::string state(bool guest) const;
  bool readable() const { return !zones_.empty() && refused_ == 0; }

 private:
  struct Zone {
    std::string counter, name;
    EnergyPart part;
    std::uint64_t range;  // uJ, after which it begins anew
    std::uint64_t last = 0;
    bool known = false;
  };
  std::vector<Zone> zones_;
  std::function<std::int64_t()> clock_;
  Energy total_{};
  std::int64_t read_at_ = -1;  // ns
  int refused_ = 0;            // errno of a counter that cannot be read
  std::string folder_;
};

}  // namespace assay::timing
