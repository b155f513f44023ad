// A full crossbar: one router that joins every node with every other.
#include <cmath>

#include "network/registry.hpp"

namespace assay::network::topologies::crossbar {
namespace {

Fabric build(const Settings& settings, const LinkClasses& classes) {
  FabricBuilder builder("crossbar", 1, classes.network, classes.injection, classes.ejection);
  const auto nodes = static_cast<std::uint32_t>(settings.integer("nodes"));
  builder.place_router(0, 0, 0);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    builder.attach(0);
    const float turn = 6.2831853f * static_cast<float>(node) / static_cast<float>(nodes);
    builder.place_node(node, std::cos(turn), std::sin(turn));
  }
  return builder.finish(nullptr);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{
    "crossbar",
    "full crossbar: one switch, every node on a port",
    "Node i is on port i of router 0. There are no network links: injection link i, then ejection link nodes + i.",
    {{"nodes", Kind::integer, {}, "", "how many", 1, most_routers}},
    "shortest-path",
    build};

}  // namespace assay::network::topologies::crossbar
