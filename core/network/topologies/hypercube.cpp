// Binary n-cube: 2^n routers, two are joined where their addresses differ in one bit. An incomplete hypercube (Katseff
// 1988) has the first `nodes` addresses only.
#include "network/shapes/grid.hpp"

namespace assay::network::topologies::hypercube {
namespace {

Fabric build(const Settings& settings, const LinkClasses& classes) {
  const auto dimension = static_cast<unsigned>(settings.integer("dimension"));
  const std::int64_t full = std::int64_t{1} << dimension;
  const auto nodes = settings.has("nodes") ? settings.integer("nodes") : full;
  if (nodes > full || nodes <= full / 2)
    throw settings.wrong("nodes", "is " + std::to_string(nodes) + ", accepted is an integer from " +
                                      std::to_string(full / 2 + 1) + " to " + std::to_string(full));
  return build_grid("hypercube", std::vector<std::uint32_t>(dimension, 2), std::vector<std::uint8_t>(dimension, 0),
                    static_cast<std::uint32_t>(nodes), classes);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{
    "hypercube",
    "binary n-cube, complete or incomplete",
    "A node's number is its binary address; node i sits at router i. A link's dimension is the bit it changes, its "
    "direction +1 where the bit goes from 0 to 1. Complete: link(router, dimension) = router n + dimension, then the "
    "injection links by node, then the ejection links by node.",
    {{"dimension", Kind::integer, {}, "", "n", 1, most_dimensions},
     {"nodes",
      Kind::integer,
      {},
      "",
      "how many of the 2^n addresses exist, more than half; all by default",
      1,
      most_routers,
      {},
      true}},
    "e-cube",
    build};

}  // namespace assay::network::topologies::hypercube
