// How much memory this process may still take, by the least of these limits: the kernel's MemAvailable, the cgroup and
// its ancestors (v2 memory.max and memory.high, v1 memory.limit_in_bytes; page cache that can be dropped counts as
// free), and the process's own limits of address space and data. And the signs that memory is short: pages swapped out
// (/proc/vmstat) and stalls (/proc/pressure/memory).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "timing/faults.hpp"

namespace assay::memory {

struct Headroom {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  std::string by;

  void at_most(std::int64_t limit, std::string who);
};

// The number after `key` in a file of lines "key number", times `scale`; nothing where there is none.
std::optional<std::int64_t> entry(const std::string& path, const std::string& key, std::int64_t scale = 1);
void write_small(const char* path, std::string_view text);

std::int64_t resident_bytes();

// `system` is "/" but in tests.
Headroom read_headroom(const std::string& system = "/");

// The machine's memory, or the least limit of a cgroup that holds us.
std::int64_t read_total(const std::string& system = "/");

struct Pressure {
  std::int64_t swapped_out = 0;  // pages since boot
  double stalled = 0;            // s since boot in which all stood still for memory
};

Pressure read_pressure();

}  // namespace assay::memory
