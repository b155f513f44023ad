#include "threads/processors.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "timing/launch.hpp"
#include "timing/quota.hpp"

namespace assay::threads {

int Processors::usable() const {
  const auto count = static_cast<int>(cpus.size());
  return quota > 0 ? std::clamp(static_cast<int>(std::floor(quota + 1e-9)), 1, count) : count;
}

Processors find_processors(const std::string& system) {
  Processors found;
  std::map<std::string, std::vector<int>> cores;
  std::vector<std::string> order;
  for (const std::int64_t cpu : timing::here(0).cpus) {
    const std::string topology = system + "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    std::string core = timing::reading::word_of(topology + "thread_siblings_list");
    if (core.empty()) core = std::to_string(cpu);
    if (!cores.count(core)) order.push_back(core);
    cores[core].push_back(static_cast<int>(cpu));
  }
  found.cores = order.size();
  for (std::size_t thread = 0; found.cpus.size() < timing::here(0).cpus.size(); ++thread)
    for (const std::string& core : order)
      if (thread < cores[core].size()) found.cpus.push_back(cores[core][thread]);
  const timing::Quota quota = timing::read_quota(system);
  found.quota = quota.share;
  found.limited = quota.file;
  return found;
}

}  // namespace assay::threads
