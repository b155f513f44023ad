// The control groups that hold this process, by controller: of /proc/self/cgroup the lines "ID:controllers:path", where
// version 2 has one for all controllers, "0::path", and where both are mounted each controller is in one of them. Where
// they lie says /proc/self/mountinfo, else the usual places below /sys/fs/cgroup. cgroups(7). A group may lack the
// files of a controller that its ancestors have. The front reads by the same rules (src/assay/machine/limits.py).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::timing {

struct Cgroup {
  std::string folder;
  bool unified;  // version 2
};

// The groups of the hierarchy that has `controller`, each before its ancestors; `system` is "/" but in tests.
std::vector<Cgroup> cgroups(std::string_view controller, const std::string& system = "/");

}  // namespace assay::timing
