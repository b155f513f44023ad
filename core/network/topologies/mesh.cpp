// k-ary n-dimensional mesh of any extents.
#include "network/shapes/grid.hpp"

namespace assay::network::topologies::mesh {
namespace {

Fabric build(const Settings& settings, const LinkClasses& classes) {
  auto extents = grid_extents(settings);
  std::uint32_t routers = 1;
  for (const auto extent : extents) routers *= extent;
  const auto dimensions = extents.size();
  return build_grid("mesh", std::move(extents), std::vector<std::uint8_t>(dimensions, 0), routers, classes);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{"mesh",
                            "k-ary n-dimensional mesh of any extents",
                            "Node i sits at router i; i = x0 + x1 k0 + x2 k0 k1 + ..., the coordinate of dimension 0 "
                            "counts fastest. A link has "
                            "its dimension, and direction +1 to the higher coordinate (modulo the extent).",
                            grid_parameters(),
                            "dimension-order",
                            build};

}  // namespace assay::network::topologies::mesh
