// Compiled at -Og: nothing in this file is timed.
#include "timing/topology.hpp"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

namespace assay::timing {

std::string line_of_file(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

namespace {

std::int64_t number_of(const std::string& path, std::int64_t otherwise) {
  const std::string line = line_of_file(path);
  char* end = nullptr;
  const std::int64_t number = std::strtoll(line.c_str(), &end, 10);
  return end == line.c_str() ? otherwise : number;
}

std::string cpu_folder(std::int64_t cpu, const std::string& system) {
  return system + "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/";
}

// "32K", "36608K" or "1M"; 0 where there is nothing.
std::int64_t bytes_of(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const double scale = *end == 'K' ? 1024 : *end == 'M' ? 1048576 : *end == 'G' ? 1073741824 : 1;
  return static_cast<std::int64_t>(number * scale);
}

}  // namespace

Cpus cpu_list(const std::string& text) {
  Cpus cpus;
  const char* at = text.c_str();
  while (*at >= '0' && *at <= '9') {
    char* end = nullptr;
    const std::int64_t from = std::strtol(at, &end, 10);
    const std::int64_t to = *end == '-' ? std::strtol(end + 1, &end, 10) : from;
    for (std::int64_t cpu = from; cpu <= to && to < 1 << 16; ++cpu) cpus.push_back(cpu);
    at = *end == ',' ? end + 1 : end;
  }
  return cpus;
}

Cpus online_cpus(const std::string& system) { return cpu_list(line_of_file(system + "sys/devices/system/cpu/online")); }

Cpus core_of(std::int64_t cpu, const std::string& system) {
  const std::string topology = cpu_folder(cpu, system) + "topology/";
  Cpus core = cpu_list(line_of_file(topology + "core_cpus_list"));
  if (core.empty()) core = cpu_list(line_of_file(topology + "thread_siblings_list"));  // before Linux 5.3
  return core.empty() ? Cpus{cpu} : core;
}

std::int64_t socket_of(std::int64_t cpu, const std::string& system) {
  return number_of(cpu_folder(cpu, system) + "topology/physical_package_id", -1);
}

Span span_of(const Cpus& cpus, const std::string& system) {
  std::set<Cpus> cores;
  std::set<std::int64_t> sockets;
  Span span;
  for (const std::int64_t cpu : cpus) {
    const Cpus core = core_of(cpu, system);
    sockets.insert(socket_of(cpu, system));
    if (cores.insert(core).second) span.threads += static_cast<std::int64_t>(core.size());
  }
  span.cores = static_cast<std::int64_t>(cores.size());
  span.sockets = static_cast<std::int64_t>(sockets.size());
  return span;
}

std::vector<CacheInstance> caches_of(std::int64_t cpu, const std::string& system) {
  std::vector<CacheInstance> found;
  for (int index = 0; index < 16; ++index) {
    const std::string folder = cpu_folder(cpu, system) + "cache/index" + std::to_string(index) + "/";
    CacheInstance cache;
    cache.level = static_cast<int>(number_of(folder + "level", 0));
    if (cache.level == 0) break;
    cache.type = line_of_file(folder + "type");
    cache.bytes = bytes_of(line_of_file(folder + "size"));
    cache.id = number_of(folder + "id", -1);
    cache.cpus = cpu_list(line_of_file(folder + "shared_cpu_list"));
    if (cache.cpus.empty()) cache.cpus = {cpu};
    found.push_back(std::move(cache));
  }
  return found;
}

std::vector<MemoryNode> memory_nodes(const std::string& system) {
  const std::string root = system + "sys/devices/system/node/";
  std::vector<MemoryNode> nodes;
  for (const std::int64_t id : cpu_list(line_of_file(root + "online"))) {
    const std::string folder = root + "node" + std::to_string(id) + "/";
    MemoryNode node;
    node.id = id;
    node.cpus = cpu_list(line_of_file(folder + "cpulist"));
    std::ifstream meminfo(folder + "meminfo");
    for (std::string line; std::getline(meminfo, line);)
      if (const std::size_t at = line.find("MemTotal:"); at != std::string::npos)
        node.memory = 1024 * std::strtoll(line.c_str() + at + 9, nullptr, 10);
    std::istringstream distances(line_of_file(folder + "distance"));
    for (std::int64_t distance = 0; distances >> distance;) node.distances.push_back(distance);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace assay::timing
