// Joules of the parts of a node whose counters can be read (energy.hpp), with what is known of the intervals that they
// were summed over.
#pragma once

#include <array>
#include <cstdint>

namespace assay::timing {

enum class EnergyPart { package, memory, platform };
inline constexpr std::array<const char*, 3> energy_keys = {"energy_package", "energy_memory", "energy_platform"};

struct EnergyOfPart {  // plain: ranks send it
  double joules = 0;
  std::int64_t intervals = 0, known = 0;  // intervals between readings, and those of which the joules are known
  std::int64_t by_perf = 0;               // of the known ones: by perf's energy events, not by powercap

  EnergyOfPart since(const EnergyOfPart& start) const {
    return {joules - start.joules, intervals - start.intervals, known - start.known, by_perf - start.by_perf};
  }
  EnergyOfPart& operator+=(const EnergyOfPart& other) {
    joules += other.joules;
    intervals += other.intervals;
    known += other.known;
    by_perf += other.by_perf;
    return *this;
  }
  bool holds() const { return intervals > 0 && intervals == known; }
  const char* source() const { return by_perf == 0 ? "powercap" : by_perf == known ? "perf" : "powercap, perf"; }
};
using Energy = std::array<EnergyOfPart, 3>;

}  // namespace assay::timing
