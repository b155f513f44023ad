// Compiled at -Og: nothing in this file is timed.
#include "timing/cgroups.hpp"

#include <fstream>

namespace assay::timing {

std::vector<Cgroup> cgroups(std::string_view controller, const std::string& system) {
  const std::string name(controller);
  std::vector<Cgroup> found;
  std::ifstream lines(system + "proc/self/cgroup");
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find("," + name + ",") == std::string::npos) continue;
    const std::string top = system + (unified ? "sys/fs/cgroup" : "sys/fs/cgroup/" + name);
    for (std::string path = line.substr(second + 1);;) {
      found.push_back({top + (path == "/" ? "" : path), unified});
      if (path == "/" || path.empty()) break;
      const std::size_t slash = path.rfind('/');
      path = slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
    }
  }
  return found;
}

}  // namespace assay::timing
