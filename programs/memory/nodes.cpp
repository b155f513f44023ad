#include "memory/nodes.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace assay::memory {

namespace {

std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

std::vector<int> list_of(const std::string& text) {
  std::vector<int> found;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    int first = 0, last = 0;
    const int read = std::sscanf(word.c_str(), "%d-%d", &first, &last);
    if (read < 1) continue;
    for (int each = first; each <= (read == 2 ? last : first) && each - first < (1 << 16); ++each)
      found.push_back(each);
  }
  return found;
}

std::vector<Node> read_nodes(const std::vector<int>& usable, const std::string& system) {
  const std::string root = system + "sys/devices/system/node/";
  std::set<int> memories;  // that the process may take; empty: the kernel does not say, and then all
  std::ifstream status(system + "proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Mems_allowed_list:"))
      for (const int each : list_of(line.substr(18 + std::min<std::size_t>(1, line.size() - 18))))
        memories.insert(each);
  std::vector<Node> nodes;
  for (const int id : list_of(line_of(root + "online"))) {
    const std::string folder = root + "node" + std::to_string(id) + "/";
    Node node;
    node.id = id;
    for (const int cpu : list_of(line_of(folder + "cpulist")))
      if (std::find(usable.begin(), usable.end(), cpu) != usable.end()) node.cpus.push_back(cpu);
    std::ifstream meminfo(folder + "meminfo");
    for (std::string line; std::getline(meminfo, line);)
      if (const std::size_t at = line.find("MemTotal:"); at != std::string::npos)
        node.memory = std::strtoll(line.c_str() + at + 9, nullptr, 10) > 0;
    node.memory = node.memory && (memories.empty() || memories.count(id));
    std::istringstream distances(line_of(folder + "distance"));
    for (std::int64_t distance = 0; distances >> distance;) node.away.push_back(distance);
    nodes.push_back(std::move(node));
  }
  if (nodes.empty()) nodes.push_back({0, usable, true, {10}});
  return nodes;
}

std::vector<std::int64_t> with_processors(const std::vector<Node>& nodes) {
  std::vector<std::int64_t> found;
  for (const Node& each : nodes)
    if (!each.cpus.empty()) found.push_back(each.id);
  return found;
}
std::vector<std::int64_t> with_memory(const std::vector<Node>& nodes) {
  std::vector<std::int64_t> found;
  for (const Node& each : nodes)
    if (each.memory) found.push_back(each.id);
  return found;
}
const Node* find_node(const std::vector<Node>& nodes, std::int64_t id) {
  for (const Node& each : nodes)
    if (each.id == id) return &each;
  return nullptr;
}

}  // namespace assay::memory
