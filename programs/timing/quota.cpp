// Compiled at -Og: nothing in this file is timed.
#include "timing/quota.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "timing/cgroups.hpp"

namespace assay::timing {

namespace reading {

std::string word_of(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

}  // namespace reading

Quota read_quota(const std::string& system) {
  Quota least;
  for (const auto& [folder, unified] : cgroups("cpu", system)) {
    const std::string name = folder + (unified ? "/cpu.max" : "/cpu.cfs_quota_us");
    std::ifstream both(name);
    std::string quota, period;
    both >> quota >> period;
    if (!unified) period = reading::word_of(folder + "/cpu.cfs_period_us");
    const double share = std::strtod(quota.c_str(), nullptr) / std::max(1.0, std::strtod(period.c_str(), nullptr));
    if (share > 0 && (least.share == 0 || share < least.share)) least = {share, name};
  }
  return least;
}

std::int64_t times_stopped(const std::string& system) {
  std::int64_t stopped = 0;
  for (const auto& [folder, unified] : cgroups("cpu", system)) {
    std::ifstream file(folder + "/cpu.stat");
    std::string key;
    for (std::int64_t value = 0; file >> key >> value;)
      if (key == "nr_throttled") stopped += value;
  }
  return stopped;
}

std::string stopped_note(const std::string& file, std::int64_t times, const std::string& where) {
  return "a cgroup's quota of CPU time, " + file + where + ", stopped the work " + std::to_string(times) + " times";
}

}  // namespace assay::timing
