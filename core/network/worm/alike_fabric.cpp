#include "network/worm/alike_fabric.hpp"

#include <algorithm>
#include <numeric>

#include "network/shapes/grid.hpp"
#include "network/shapes/hyperx.hpp"
#include "network/shapes/stages.hpp"
#include "network/shapes/tree.hpp"

namespace assay::network {

namespace {

constexpr std::uint64_t latest = std::uint64_t{1} << 29;  // how far ahead of now a link's release may lie
constexpr std::uint64_t longest_way = 1024;

/// No way has many links: a message keeps its whole way.
bool has_short_ways(const Fabric& fabric) {
  if (const auto* grid = fabric.shape<Grid>())
    return std::accumulate(grid->extents.begin(), grid->extents.end(), std::uint64_t{0}) <= longest_way;
  return fabric.shape<Tree>() != nullptr || fabric.shape<Stages>() != nullptr || fabric.shape<HyperX>() != nullptr;
}

}  // namespace

bool all_alike(const Network& network, const Switching& switching, std::uint64_t longest) {
  const Fabric& fabric = *network.fabric;
  const auto& claims = network.routing->claims();
  const Link& one = fabric.links.front();
  const bool packets = switching.packet_flits != 0 && switching.packet_flits < longest;
  if (switching.switching != "wormhole" || packets || switching.sink_ticks > one.flit) return false;
  if (!claims.deadlock_free || claims.lanes != 1 || claims.selection != Selection::first || fabric.any_failed() ||
      !has_short_ways(fabric))
    return false;
  if (one.head < std::max(one.body, 1u) || one.buffer == 0 ||
      std::uint64_t{one.buffer} * one.flit < std::uint64_t{one.body} + one.credit)
    return false;
  for (std::uint32_t node = 0; node < fabric.nodes; ++node)
    if (fabric.injection(node).size() != 1) return false;
  // At worst a message after the other from every node is let on by one release.
  const std::uint64_t each = one.flit * longest + one.head + one.body + one.credit;
  if (one.head >= latest || one.credit >= latest || each >= latest || each * fabric.nodes >= latest) return false;
  return std::all_of(fabric.links.begin(), fabric.links.end(), [&](const Link& link) {
    return link.flit == one.flit && link.body == one.body && link.head == one.head && link.credit == one.credit &&
           link.buffer == one.buffer && link.channels < 256;
  });
}

}  // namespace assay::network
