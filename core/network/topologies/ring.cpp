// A ring of routers, a node at each: the torus of one dimension.
#include "network/shapes/grid.hpp"

namespace assay::network::topologies::ring {
namespace {

Fabric build(const Settings& settings, const LinkClasses& classes) {
  const auto nodes = static_cast<std::uint32_t>(settings.integer("nodes"));
  return build_grid("ring", {nodes}, {1}, nodes, classes);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{
    "ring",
    "bidirectional ring",
    "Node i sits at router i, its neighbours are i - 1 and i + 1 modulo the number of nodes. A link's direction is +1 "
    "towards the higher number.",
    {{"nodes", Kind::integer, {}, "", "how many", 1, most_routers}},
    "dimension-order",
    build};

}  // namespace assay::network::topologies::ring
