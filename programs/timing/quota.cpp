#include "timing/quota.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace assay::timing {

namespace reading {

std::string word_of(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

}  // namespace reading

namespace {

struct ProcessorGroup {
  std::string folder;
  bool unified;  // v2
};

// The groups with a limit of processors' time that hold this process, ancestors included; `system` is "/" but in tests.
std::vector<ProcessorGroup> processor_groups(const std::string& system) {
  std::vector<ProcessorGroup> found;
  std::ifstream groups(system + "proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {  // ID:controllers:path, of v2 "0::path"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",cpu,") == std::string::npos) continue;
    const std::string top = system + (unified ? "sys/fs/cgroup" : "sys/fs/cgroup/cpu");
    for (std::string path = line.substr(second + 1);;) {
      found.push_back({top + (path == "/" ? "" : path), unified});
      if (path == "/" || path.empty()) break;
      const std::size_t slash = path.rfind('/');
      path = slash == 0 ? "/" : path.substr(0, slash == std::string::npos ? 0 : slash);
    }
  }
  return found;
}

}  // namespace

Quota read_quota(const std::string& system) {
  Quota least;
  for (const auto& [folder, unified] : processor_groups(system)) {
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
  for (const auto& [folder, unified] : processor_groups(system)) {
    std::ifstream file(folder + "/cpu.stat");
    std::string key;
    for (std::int64_t value = 0; file >> key >> value;)
      if (key == "nr_throttled") stopped += value;
  }
  return stopped;
}

}  // namespace assay::timing
