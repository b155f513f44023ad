#include "memory/caches.hpp"

#include <cstdlib>
#include <fstream>
#include <set>

namespace assay::memory {

std::int64_t cache_bytes(const std::string& text) {
  char* end;
  const double number = std::strtod(text.c_str(), &end);
  const double scale = *end == 'K' ? 1024 : *end == 'M' ? 1048576 : 1;
  return static_cast<std::int64_t>(number * scale);
}

std::int64_t cache_of(std::int64_t cpu, int level, std::string* shared, const std::string& system) {
  for (int index = 0; index < 16; ++index) {
    const std::string folder =
        system + "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index) + "/";
    std::ifstream level_file(folder + "level"), type_file(folder + "type"), size_file(folder + "size"),
        shared_file(folder + "shared_cpu_list");
    int found = 0;
    std::string type, size, list;
    if (!(level_file >> found >> std::ws)) return 0;
    type_file >> type;
    size_file >> size;
    shared_file >> list;
    if (found != level || type == "Instruction") continue;
    if (shared) *shared = list;
    return cache_bytes(size);
  }
  return 0;
}

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20, of_a_processor = 32 * mebibyte;

std::int64_t stated_bytes(const std::vector<int>& cpus, const std::string& system) {
  for (int level = 4; level > 0; --level) {
    std::set<std::string> instances;
    std::int64_t bytes = 0;
    for (const int cpu : cpus) {
      std::string shared;
      const std::int64_t size = cache_of(cpu, level, &shared, system);
      if (size > 0 && instances.insert(shared.empty() ? std::to_string(cpu) : shared).second) bytes += size;
    }
    if (bytes > 0) return bytes;
  }
  return 32 * mebibyte;
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
  found.doubt = "a last-level cache of " + std::to_string(found.stated / mebibyte) + " MiB is named to this guest of " +
                std::to_string(cpus.size()) + (cpus.size() == 1 ? " processor" : " processors") + ", of which " +
                std::to_string(most / mebibyte) + " MiB are counted on: where neighbours leave it more, what is said " +
                "of memory is partly of that cache";
  return found;
}

}  // namespace assay::memory
