#include "threads/processors.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "timing/launch.hpp"
#include "timing/quota.hpp"
#include "timing/topology.hpp"

namespace assay::threads {

int Processors::usable() const {
  const auto count = static_cast<int>(cpus.size());
  return quota > 0 ? std::clamp(static_cast<int>(std::floor(quota + 1e-9)), 1, count) : count;
}

Processors find_processors(const std::string& system) {
  Processors found;
  std::map<timing::Cpus, std::vector<int>> cores;
  std::vector<timing::Cpus> order;
  for (const std::int64_t cpu : timing::here(0).cpus) {
    const timing::Cpus core = timing::core_of(cpu, system);
    if (!cores.count(core)) order.push_back(core);
    cores[core].push_back(static_cast<int>(cpu));
  }
  found.cores = order.size();
  for (std::size_t thread = 0; found.cpus.size() < timing::here(0).cpus.size(); ++thread)
    for (const timing::Cpus& core : order)
      if (thread < cores[core].size()) found.cpus.push_back(cores[core][thread]);
  const timing::Quota quota = timing::read_quota(system);
  found.quota = quota.share;
  found.limited = quota.file;
  return found;
}

}  // namespace assay::threads
