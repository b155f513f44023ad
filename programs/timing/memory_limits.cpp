#include "timing/memory_limits.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "timing/cgroups.hpp"

namespace assay::memory {

void Headroom::at_most(std::int64_t limit, std::string who) {
  if (limit >= bytes) return;
  bytes = std::max<std::int64_t>(0, limit);
  by = std::move(who);
}

std::optional<std::int64_t> entry(const std::string& path, const std::string& key, std::int64_t scale) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string word;
    std::int64_t value = 0;
    if (words >> word && word == key && words >> value) return value * scale;
  }
  return std::nullopt;
}

void write_small(const char* path, std::string_view text) {
  std::ofstream file(path);
  file << text;
}

namespace {

std::optional<std::int64_t> single(const std::string& path) {  // nothing for "max" or no file
  std::ifstream file(path);
  std::int64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

struct Group {
  std::int64_t limit, used;
  std::string path;
};

// The limits of every memory cgroup that holds this process; page cache that can be reclaimed is not in use.
std::vector<Group> groups(const std::string& system) {
  std::vector<Group> found;
  for (const auto& [folder, unified] : timing::cgroups("memory", system)) {
    const std::vector<std::string> limits = unified ? std::vector<std::string>{"memory.max", "memory.high"}
                                                    : std::vector<std::string>{"memory.limit_in_bytes"};
    const auto used = single(folder + (unified ? "/memory.current" : "/memory.usage_in_bytes"));
    const std::vector<std::string> reclaimable =
        unified ? std::vector<std::string>{"inactive_file", "active_file", "slab_reclaimable"}
                : std::vector<std::string>{"total_inactive_file", "total_active_file"};
    std::int64_t cache = 0;
    for (const std::string& name : reclaimable) cache += entry(folder + "/memory.stat", name).value_or(0);
    for (const std::string& name : limits) {
      const auto limit = single(folder + "/" + name);
      if (limit && used && *limit < (std::int64_t{1} << 60))
        found.push_back({*limit, std::max<std::int64_t>(0, *used - cache), folder + "/" + name});
    }
  }
  return found;
}

std::int64_t status_bytes(const char* key) { return entry("/proc/self/status", key, 1024).value_or(0); }

}  // namespace

std::int64_t resident_bytes() { return status_bytes("VmRSS:"); }

Headroom read_headroom(const std::string& system) {
  Headroom room;
  if (const auto available = entry(system + "proc/meminfo", "MemAvailable:", 1024))
    room.at_most(*available, "the kernel's available memory");
  for (const Group& group : groups(system)) room.at_most(group.limit - group.used, "cgroup limit " + group.path);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    room.at_most(static_cast<std::int64_t>(limit.rlim_cur) - status_bytes("VmSize:"), "the limit of address space");
  if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    room.at_most(static_cast<std::int64_t>(limit.rlim_cur) - status_bytes("VmData:"), "the limit of data");
  if (room.by.empty()) throw timing::MeasurementFault("/proc/meminfo does not say how much memory is available");
  return room;
}

std::int64_t read_total(const std::string& system) {
  std::int64_t total = entry(system + "proc/meminfo", "MemTotal:", 1024).value_or(0);
  for (const Group& group : groups(system)) total = std::min(total, group.limit);
  if (total <= 0) throw timing::MeasurementFault("/proc/meminfo does not say how much memory there is");
  return total;
}

Pressure read_pressure() {
  Pressure pressure;
  pressure.swapped_out = entry("/proc/vmstat", "pswpout").value_or(0);
  std::ifstream file("/proc/pressure/memory");
  std::string line;
  while (std::getline(file, line))
    if (const std::size_t at = line.find("total="); line.starts_with("full") && at != std::string::npos)
      pressure.stalled = 1e-6 * std::strtod(line.c_str() + at + 6, nullptr);
  return pressure;
}

}  // namespace assay::memory
