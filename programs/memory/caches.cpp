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

std::int64_t last_level_bytes(const std::vector<int>& cpus, const std::string& system) {
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
  return std::int64_t{32} << 20;
}

}  // namespace assay::memory
