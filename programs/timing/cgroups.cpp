#include "timing/cgroups.hpp"

#include <fstream>
#include <optional>
#include <sstream>

namespace assay::timing {
namespace {

bool has_word(const std::string& words, const std::string& word) {
  return ("," + words + ",").find("," + word + ",") != std::string::npos;
}

struct Mount {
  std::string at, root;  // where the hierarchy lies, and which of its groups is seen there
};

// The mount of version 2 (no controller), or of the version 1 hierarchy of a controller.
std::optional<Mount> mount_of(const std::string& controller, const std::string& system) {
  std::ifstream lines(system + "proc/self/mountinfo");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
    std::string number, parent, device, root, at, kind, source, options;
    if (!(before >> number >> parent >> device >> root >> at) || !(after >> kind >> source >> options)) continue;
    const bool mine = controller.empty() ? kind == "cgroup2" : kind == "cgroup" && has_word(options, controller);
    if (mine) return Mount{at, root == "/" ? "" : root};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Cgroup> cgroups(std::string_view controller, const std::string& system) {
  const std::string name(controller);
  std::optional<std::string> own, common;  // the group of the controller's hierarchy, and of version 2
  std::ifstream lines(system + "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty())
      common = line.substr(second + 1);
    else if (has_word(controllers, name))
      own = line.substr(second + 1);
  }
  std::vector<Cgroup> found;
  if (!own && !common) return found;
  const bool unified = !own;
  std::string path = unified ? *common : *own;
  const Mount usual{unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + name, ""};
  const Mount mount = mount_of(unified ? "" : name, system).value_or(usual);
  if (path == mount.root || path.starts_with(mount.root + "/")) path.erase(0, mount.root.size());
  while (path.ends_with('/')) path.pop_back();
  const std::string top = system + mount.at.substr(mount.at.starts_with('/') ? 1 : 0);
  for (;; path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'))) {
    found.push_back({top + path, unified});
    if (path.empty()) break;
  }
  return found;
}

}  // namespace assay::timing
