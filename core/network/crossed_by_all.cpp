#include "network/crossed_by_all.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace assay::network {

std::optional<CrossedByAll> crossed_by_all(const Fabric& fabric) {
  std::array<std::optional<std::uint32_t>, 3> fastest;
  std::vector<bool> has_node(fabric.routers);
  bool neighbours = false;  // at one router
  for (const Link& link : fabric.links) {
    auto& least = fastest[static_cast<std::size_t>(link.kind)];
    least = std::min(link.flit, least.value_or(link.flit));
    if (link.kind != LinkKind::injection) continue;
    neighbours = neighbours || has_node[link.to];
    has_node[link.to] = true;
  }
  if (neighbours) fastest[static_cast<std::size_t>(LinkKind::network)].reset();
  std::optional<CrossedByAll> slowest;
  for (const LinkKind kind : {LinkKind::network, LinkKind::injection, LinkKind::ejection})
    if (const auto ticks = fastest[static_cast<std::size_t>(kind)])
      if (!slowest || *ticks > slowest->flit_ticks) slowest = CrossedByAll{*ticks, kind};
  return slowest;
}

}  // namespace assay::network
