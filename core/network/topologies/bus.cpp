// A shared bus: whatever is sent crosses one link, first come first served (an idealised Ethernet segment).
#include "network/registry.hpp"

namespace assay::network::topologies::bus {
namespace {

Fabric build(const Settings& settings, const LinkClasses& classes) {
  const auto nodes = static_cast<std::uint32_t>(settings.integer("nodes"));
  FabricBuilder builder("bus", 2, classes.network, classes.injection, classes.ejection);
  builder.connect(0, 1, 0, 1);
  builder.place_router(0, -1, 1);
  builder.place_router(1, static_cast<float>(nodes), 1);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    builder.also_attach(node, 0, 1, classes.injection, classes.ejection);
    builder.place_node(node, static_cast<float>(node), 0);
  }
  return builder.finish(nullptr);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{
    "bus",
    "shared bus: one link that all messages cross",
    "Every node injects into router 0 and is reached from router 1; link 0 between them is the bus.",
    {{"nodes", Kind::integer, {}, "", "how many", 1, most_routers}},
    "shortest-path",
    build};

}  // namespace assay::network::topologies::bus
