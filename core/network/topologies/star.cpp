// A star: node 0 at the hub, every other at a router of its own which is joined with the hub's.
#include <cmath>

#include "network/registry.hpp"

namespace assay::network::topologies::star {
namespace {

Fabric build(const Settings& settings, const LinkClasses& classes) {
  const auto nodes = static_cast<std::uint32_t>(settings.integer("nodes"));
  FabricBuilder builder("star", nodes, classes.network, classes.injection, classes.ejection);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    builder.attach(node);
    const float turn = 6.2831853f * static_cast<float>(node) / static_cast<float>(nodes), radius = node ? 1.0f : 0.0f;
    builder.place_router(node, radius * std::cos(turn), radius * std::sin(turn));
    builder.place_node(node, 1.2f * radius * std::cos(turn), 1.2f * radius * std::sin(turn));
    if (node == 0) continue;
    builder.connect(0, node, 0, 1);
    builder.connect(node, 0, 0, -1);
  }
  return builder.finish(nullptr);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{"star",
                            "star: a hub and its leaves, a node at each",
                            "Node i sits at router i; router 0 is the hub. A link's direction is +1 away from the hub.",
                            {{"nodes", Kind::integer, {}, "", "how many, the hub's included", 1, most_routers}},
                            "shortest-path",
                            build};

}  // namespace assay::network::topologies::star
