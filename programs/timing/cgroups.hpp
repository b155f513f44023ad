// The control groups that hold this process, by controller: of /proc/self/cgroup the lines "ID:controllers:path", where
// version 2 has one for all controllers, "0::path". cgroups(7).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::timing {

struct Cgroup {
  std::string folder;
  bool unified;  // version 2
};

// The groups of `controller` and of version 2, each before its ancestors; `system` is "/" but in tests.
std::vector<Cgroup> cgroups(std::string_view controller, const std::string& system = "/");

}  // namespace assay::timing
