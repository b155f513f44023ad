// The processors that this process may use: those of its affinity mask, the first of every core before any second
// hardware thread, and how many of them a cgroup's quota of time allows to work at once (v2 cpu.max, v1 cfs_quota_us,
// of every ancestor).
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "timing/launch.hpp"

namespace assay::threads {

struct Processors {
  std::vector<int> cpus;  // in the order in which threads take them
  std::size_t cores = 0;  // distinct ones among them
  double quota = 0;       // processors' worth of time, 0 without a limit
  std::string limited;    // by which file

  int usable() const {
    const auto count = static_cast<int>(cpus.size());
    return quota > 0 ? std::clamp(static_cast<int>(std::floor(quota + 1e-9)), 1, count) : count;
  }
};

namespace reading {

inline std::string word_of(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// Least quota of the cgroups that hold this process; `system` is "/" but in tests.
inline void read_quota(Processors& found, const std::string& system) {
  std::ifstream groups(system + "proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {  // ID:controllers:path, of v2 "0::path"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",cpu,") == std::string::npos) continue;
    const std::string top = system + (unified ? "sys/fs/cgroup" : "sys/fs/cgroup/cpu");
    for (std::filesystem::path path = line.substr(second + 1);; path = path.parent_path()) {
      const std::string folder = top + (path == "/" ? "" : path.string());
      std::string name = folder + "/cpu.max";
      std::ifstream both(name);
      std::string quota, period;
      if (!unified) {
        name = folder + "/cpu.cfs_quota_us";
        quota = word_of(name);
        period = word_of(folder + "/cpu.cfs_period_us");
      } else {
        both >> quota >> period;
      }
      const double share = std::strtod(quota.c_str(), nullptr) / std::max(1.0, std::strtod(period.c_str(), nullptr));
      if (share > 0 && (found.quota == 0 || share < found.quota)) {
        found.quota = share;
        found.limited = name;
      }
      if (path == "/" || path.empty()) break;
    }
  }
}

}  // namespace reading

inline Processors find_processors(const std::string& system = "/") {
  Processors found;
  std::map<std::string, std::vector<int>> cores;
  std::vector<std::string> order;
  for (const std::int64_t cpu : timing::here(0).cpus) {
    const std::string topology = system + "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    std::string core = reading::word_of(topology + "thread_siblings_list");
    if (core.empty()) core = std::to_string(cpu);
    if (!cores.count(core)) order.push_back(core);
    cores[core].push_back(static_cast<int>(cpu));
  }
  found.cores = order.size();
  for (std::size_t thread = 0; found.cpus.size() < timing::here(0).cpus.size(); ++thread)
    for (const std::string& core : order)
      if (thread < cores[core].size()) found.cpus.push_back(cores[core][thread]);
  reading::read_quota(found, system);
  return found;
}

}  // namespace assay::threads
