// The caches that arrays must not fit into: the last level of all hardware threads in use, together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timing/memory_limits.hpp"

namespace assay::memory {

// Bytes of the data or unified cache of `level` of one hardware thread; 0 where the system does not say.
std::int64_t cache_of(std::int64_t cpu, int level, const std::string& system = "/");

// The last-level cache of these hardware threads together, each instance once; 32 MiB are assumed where the system does
// not state it. A virtual machine sees the whole cache of a socket that it shares with others (480 MiB for two hardware
// threads): no more than 32 MiB per hardware thread is counted on, the most that any has had, and `warning` says so.
struct LastLevel {
  std::int64_t bytes = 0, stated = 0;
  std::string warning;
};
LastLevel find_last_level(const std::vector<int>& cpus, const std::string& system = "/");

}  // namespace assay::memory
