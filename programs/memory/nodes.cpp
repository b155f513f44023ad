#include "memory/nodes.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include "timing/topology.hpp"

namespace assay::memory {

std::vector<Node> read_nodes(const std::vector<int>& usable, const std::string& system) {
  std::set<std::int64_t> memories;  // that the process may take; empty: the kernel does not say, and then all
  std::ifstream status(system + "proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Mems_allowed_list:"))
      for (const std::int64_t each : timing::cpu_list(line.substr(18 + std::min<std::size_t>(1, line.size() - 18))))
        memories.insert(each);
  std::vector<Node> nodes;
  for (timing::MemoryNode& each : timing::memory_nodes(system)) {
    Node node;
    node.id = each.id;
    for (const std::int64_t cpu : each.cpus)
      if (std::ranges::find(usable, cpu) != usable.end()) node.cpus.push_back(static_cast<int>(cpu));
    node.memory = each.memory > 0 && (memories.empty() || memories.count(each.id));
    node.away = std::move(each.distances);
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
