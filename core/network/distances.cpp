#include "network/distances.hpp"

#include "network/parameters.hpp"

namespace assay::network {

std::vector<std::uint16_t> distance_table(const Fabric& fabric) {
  const auto routers = fabric.routers;
  if (routers > 8192)
    throw ParameterError("routing",
                         "looks up tables, which stop at 8192 routers; there are " + std::to_string(routers));
  std::vector<std::vector<std::uint32_t>> into(routers);
  for (std::uint32_t link = 0; link < fabric.links.size(); ++link) {
    const auto& ends = fabric.links[link];
    if (ends.kind == LinkKind::network && !fabric.failed(link)) into[ends.to].push_back(ends.from);
  }
  std::vector<std::uint16_t> table(std::size_t{routers} * routers, unreachable);
  std::vector<std::uint32_t> queue;
  for (std::uint32_t to = 0; to < routers; ++to) {
    auto* distance = &table[std::size_t{to} * routers];
    queue.assign(1, to);
    distance[to] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (const auto from : into[queue[head]])
        if (distance[from] == unreachable) {
          distance[from] = static_cast<std::uint16_t>(distance[queue[head]] + 1);
          queue.push_back(from);
        }
  }
  return table;
}

bool without_cycles(const Fabric& fabric) {
  // Either a forest when directions are forgotten, or no directed cycle at all: take away what nothing leads into.
  std::vector<std::uint32_t> parent(fabric.routers), into(fabric.routers), ready;
  for (std::uint32_t router = 0; router < fabric.routers; ++router) parent[router] = router;
  const auto root = [&](std::uint32_t router) {
    while (parent[router] != router) router = parent[router] = parent[parent[router]];
    return router;
  };
  bool forest = true;
  for (const auto& link : fabric.links) {
    if (link.kind != LinkKind::network) continue;
    ++into[link.to];
    if (link.from > link.to && fabric.between(link.to, link.from) != none) continue;  // the way back
    const auto a = root(link.from), b = root(link.to);
    forest = forest && a != b;
    parent[a] = b;
  }
  if (forest) return true;
  std::uint32_t removed = 0;
  for (std::uint32_t router = 0; router < fabric.routers; ++router)
    if (into[router] == 0) ready.push_back(router);
  while (!ready.empty()) {
    const auto router = ready.back();
    ready.pop_back();
    ++removed;
    for (const auto link : fabric.outgoing(router))
      if (fabric.links[link].kind == LinkKind::network && --into[fabric.links[link].to] == 0)
        ready.push_back(fabric.links[link].to);
  }
  return removed == fabric.routers;
}

}  // namespace assay::network
