#include "timing/topology.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
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

// The numbers of the entries STEM0, STEM1, ... of a folder, ascending.
Cpus numbered(const std::string& folder, const std::string& stem) {
  Cpus found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    const bool digits = name.size() > stem.size() && name.starts_with(stem) &&
                        name.find_first_not_of("0123456789", stem.size()) == std::string::npos;
    if (digits) found.push_back(std::strtol(name.c_str() + stem.size(), nullptr, 10));
  }
  std::ranges::sort(found);
  return found;
}

// A set of hardware threads: the first of these masks, or the list with it.
Cpus set_of(const std::string& folder, const char* now, const char* listed_now, const char* before = nullptr,
            const char* listed_before = nullptr) {
  Cpus found = cpu_mask(line_of_file(folder + now));
  if (found.empty()) found = cpu_list(line_of_file(folder + listed_now));
  return found.empty() && before ? set_of(folder, before, listed_before) : found;
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

Cpus cpu_mask(const std::string& text) {
  Cpus cpus;
  std::int64_t first = 0;
  for (std::size_t end = text.size(); end != std::string::npos && !text.empty();) {
    const std::size_t comma = end == 0 ? std::string::npos : text.rfind(',', end - 1);
    const std::size_t begin = comma == std::string::npos ? 0 : comma + 1;
    std::string word = text.substr(begin, end - begin);
    if (word.starts_with("0x")) word.erase(0, 2);
    if (word.empty() || word.size() > 8 || word.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      return {};
    const unsigned long bits = std::strtoul(word.c_str(), nullptr, 16);
    for (std::int64_t bit = 0; bit < 32; ++bit)
      if (bits >> bit & 1) cpus.push_back(first + bit);
    first += 32;
    end = comma;
  }
  return cpus;
}

Cpus online_cpus(const std::string& system) {
  const std::string folder = system + "sys/devices/system/cpu";
  Cpus cpus = cpu_list(line_of_file(folder + "/online"));
  if (cpus.empty())  // before Linux 2.6.26
    for (const std::int64_t cpu : numbered(folder, "cpu"))
      if (number_of(cpu_folder(cpu, system) + "online", 1) != 0) cpus.push_back(cpu);
  return cpus;
}

Cpus core_of(std::int64_t cpu, const std::string& system) {
  const std::string topology = cpu_folder(cpu, system) + "topology/";
  const Cpus core = set_of(topology, "core_cpus", "core_cpus_list", "thread_siblings", "thread_siblings_list");
  return core.empty() ? Cpus{cpu} : core;
}

std::int64_t socket_of(std::int64_t cpu, const std::string& system) {
  const std::string topology = cpu_folder(cpu, system) + "topology/";
  const Cpus socket = set_of(topology, "package_cpus", "package_cpus_list", "core_siblings", "core_siblings_list");
  return socket.empty() ? std::max<std::int64_t>(-1, number_of(topology + "physical_package_id", -1)) : socket.front();
}

Span span_of(const Cpus& cpus, const std::string& system) {
  std::set<Cpus> cores;
  std::set<std::int64_t> sockets;
  Span span;
  for (const std::int64_t cpu : cpus) {
    const Cpus core = core_of(cpu, system);
    if (const std::int64_t socket = socket_of(cpu, system); socket >= 0) sockets.insert(socket);
    if (cores.insert(core).second) span.threads += static_cast<std::int64_t>(core.size());
  }
  span.cores = static_cast<std::int64_t>(cores.size());
  span.sockets = static_cast<std::int64_t>(sockets.size());
  return span;
}

std::vector<Level> levels_of(const Cpus& cpus, const std::string& system) {
  // The files with the hardware threads that share one, with their older names.
  struct Names {
    const char *name, *now, *listed_now, *before, *listed_before;
  };
  constexpr Names kLevels[] = {
      {"drawer", "drawer_cpus", "drawer_cpus_list", "drawer_siblings", "drawer_siblings_list"},
      {"book", "book_cpus", "book_cpus_list", "book_siblings", "book_siblings_list"},
      {"die", "die_cpus", "die_cpus_list", nullptr, nullptr},
      {"cluster", "cluster_cpus", "cluster_cpus_list", nullptr, nullptr},
  };
  const std::set<std::int64_t> online(cpus.begin(), cpus.end());
  std::map<std::int64_t, Cpus> by_socket;
  std::set<Cpus> cores, sockets;
  for (const std::int64_t cpu : online) {
    by_socket[socket_of(cpu, system)].push_back(cpu);
    cores.insert(core_of(cpu, system));
  }
  for (const auto& [number, all] : by_socket) sockets.insert(all);
  std::vector<std::set<Cpus>> known = {{Cpus(online.begin(), online.end())}, sockets, cores};
  std::vector<Level> found;
  for (const Names& level : kLevels) {
    std::set<Cpus> stated;
    bool all = !online.empty();
    for (const std::int64_t cpu : online) {
      const std::string topology = cpu_folder(cpu, system) + "topology/";
      Cpus shared = set_of(topology, level.now, level.listed_now, level.before, level.listed_before);
      all = all && !shared.empty();
      if (!all) break;
      std::erase_if(shared, [&online](std::int64_t each) { return !online.contains(each); });
      stated.insert(std::move(shared));
    }
    if (!all || std::ranges::find(known, stated) != known.end()) continue;
    known.push_back(stated);
    found.push_back({level.name, {stated.begin(), stated.end()}});
  }
  return found;
}

std::vector<CacheInstance> caches_of(std::int64_t cpu, const std::string& system) {
  std::vector<CacheInstance> found;
  const std::string caches = cpu_folder(cpu, system) + "cache";
  for (const std::int64_t index : numbered(caches, "index")) {
    const std::string folder = caches + "/index" + std::to_string(index) + "/";
    CacheInstance cache;
    cache.level = static_cast<int>(number_of(folder + "level", 0));
    cache.type = line_of_file(folder + "type");
    cache.bytes = bytes_of(line_of_file(folder + "size"));
    if (cache.level == 0 || cache.type.empty() || cache.bytes <= 0) continue;
    cache.id = number_of(folder + "id", -1);
    cache.cpus = set_of(folder, "shared_cpu_map", "shared_cpu_list");
    // A mask of nothing was seen on Itanium: it is the core's then.
    if (cache.cpus.empty())
      cache.cpus = line_of_file(folder + "shared_cpu_map").empty() ? Cpus{cpu} : core_of(cpu, system);
    found.push_back(std::move(cache));
  }
  return found;
}

namespace {

// The nodes that are the memory of a GPU, as its driver states ("Node: 255").
std::set<std::int64_t> accelerator_nodes(const std::string& system) {
  std::set<std::int64_t> found;
  std::error_code error;
  for (const auto& gpu : std::filesystem::directory_iterator(system + "proc/driver/nvidia/gpus", error)) {
    std::ifstream status(gpu.path() / "numa_status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("Node:"))
        if (const std::size_t digit = line.find_first_of("0123456789"); digit != std::string::npos)
          found.insert(std::strtol(line.c_str() + digit, nullptr, 10));
  }
  return found;
}

}  // namespace

std::vector<MemoryNode> memory_nodes(const std::string& system) {
  const std::string root = system + "sys/devices/system/node/";
  std::vector<MemoryNode> nodes;
  const std::set<std::int64_t> of_gpus = accelerator_nodes(system);
  const Cpus all = numbered(root, "node");
  for (const std::int64_t id : all) {
    if (of_gpus.contains(id)) continue;
    const std::string folder = root + "node" + std::to_string(id) + "/";
    MemoryNode node;
    node.id = id;
    node.cpus = set_of(folder, "cpumap", "cpulist");
    std::ifstream meminfo(folder + "meminfo");
    for (std::string line; std::getline(meminfo, line);)
      if (const std::size_t at = line.find("MemTotal:"); at != std::string::npos)
        node.memory = 1024 * std::strtoll(line.c_str() + at + 9, nullptr, 10);
    std::istringstream distances(line_of_file(folder + "distance"));
    std::size_t at = 0;
    for (std::int64_t distance = 0; distances >> distance; ++at)
      if (at >= all.size() || !of_gpus.contains(all[at])) node.distances.push_back(distance);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace assay::timing
