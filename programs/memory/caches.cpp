#include "memory/caches.hpp"

#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "timing/topology.hpp"

namespace assay::memory {

std::int64_t cache_of(std::int64_t cpu, int level, const std::string& system) {
  for (const timing::CacheInstance& cache : timing::caches_of(cpu, system))
    if (cache.level == level && cache.type != "Instruction") return cache.bytes;
  return 0;
}

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20, of_a_processor = 32 * mebibyte;

std::int64_t stated_bytes(const std::vector<int>& cpus, const std::string& system) {
  std::set<std::pair<int, timing::Cpus>> counted;  // level and who share it: each instance once
  std::map<int, std::int64_t> bytes;               // by level
  for (const int cpu : cpus)
    for (const timing::CacheInstance& cache : timing::caches_of(cpu, system))
      if (cache.type != "Instruction" && cache.bytes > 0 && counted.insert({cache.level, cache.cpus}).second)
        bytes[cache.level] += cache.bytes;
  return bytes.empty() ? 32 * mebibyte : bytes.rbegin()->second;
}

bool is_guest(const std::string& system) {
  std::ifstream info(system + "proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("flags")) return (line + " ").find(" hypervisor ") != std::string::npos;
  return false;
}

}  // namespace

LastLevel find_last_level(const std::vector<int>& cpus, const std::string& system) {
  LastLevel found;
  found.bytes = found.stated = stated_bytes(cpus, system);
  const std::int64_t most = of_a_processor * static_cast<std::int64_t>(cpus.size());
  if (found.stated <= most || !is_guest(system)) return found;
  found.bytes = most;
  found.warning =
      "a last-level cache of " + std::to_string(found.stated / mebibyte) + " MiB is named to this guest of " +
      std::to_string(cpus.size()) + (cpus.size() == 1 ? " hardware thread" : " hardware threads") + ", of which " +
      std::to_string(most / mebibyte) + " MiB are counted on: where neighbours leave it more, what is said " +
      "of memory is partly of that cache";
  return found;
}

}  // namespace assay::memory
