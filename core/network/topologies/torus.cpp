// k-ary n-cube: a mesh of any extents with wrap-around links.
#include "network/shapes/grid.hpp"

namespace assay::network::topologies::torus {
namespace {

Fabric build(const Settings& settings, const LinkClasses& classes) {
  auto extents = grid_extents(settings);
  std::uint32_t routers = 1;
  for (const auto extent : extents) routers *= extent;
  const auto dimensions = extents.size();
  return build_grid("torus", std::move(extents), std::vector<std::uint8_t>(dimensions, 1), routers, classes);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{"torus",
                            "k-ary n-cube: a mesh of any extents with wrap-around links",
                            "Node i sits at router i; i = x0 + x1 k0 + x2 k0 k1 + ..., the coordinate of dimension 0 "
                            "counts fastest. A link has "
                            "its dimension, and direction +1 to the higher coordinate (modulo the extent). Between "
                            "neighbours in a dimension of extent 2 there is one link each way.",
                            grid_parameters(),
                            "dimension-order",
                            build};

}  // namespace assay::network::topologies::torus
