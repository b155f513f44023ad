// HyperX (Ahn et al. 2009); with one dimension the fully connected network, with equal extents the flattened butterfly.
#include "network/shapes/hyperx.hpp"

#include "network/shapes/grid.hpp"

namespace assay::network::topologies::hyperx {
namespace {

Fabric build(const Settings& settings, const LinkClasses& classes) {
  auto shape = std::make_shared<HyperX>();
  shape->extents = checked_extents(settings, "extents");
  shape->concentration = static_cast<std::uint32_t>(settings.integer("concentration"));
  std::uint32_t routers = 1;
  for (const auto extent : shape->extents) {
    shape->strides.push_back(routers);
    shape->first.push_back(shape->ports);
    shape->ports += extent;
    routers *= extent;
  }
  if (double{1} * routers * std::max(shape->ports, shape->concentration) > 67108864.0)
    throw settings.wrong("extents", "make more than 67108864 links");
  FabricBuilder builder("hyperx", routers, classes.network, classes.injection, classes.ejection);
  shape->links.assign(std::size_t{routers} * shape->ports, none);
  std::uint32_t links = 0;
  for (std::uint32_t router = 0; router < routers; ++router) {
    float at[2] = {0, 0}, step[2] = {1, 1};
    for (std::size_t d = 0; d < shape->extents.size(); ++d) {
      const auto here = shape->coordinate(router, d), extent = shape->extents[d];
      at[d % 2] += step[d % 2] * static_cast<float>(here);
      step[d % 2] *= static_cast<float>(extent) + 0.5f;
      for (std::uint32_t there = 0; there < extent; ++there) {
        if (there == here) continue;
        builder.connect(router, router + (there - here) * shape->strides[d], static_cast<int>(d),
                        there > here ? 1 : -1);
        shape->links[std::size_t{router} * shape->ports + shape->first[d] + there] = links++;
      }
    }
    builder.place_router(router, at[0], at[1]);
    for (std::uint32_t node = 0; node < shape->concentration; ++node) builder.attach(router);
  }
  return builder.finish(shape);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{
    "hyperx",
    "HyperX: every two routers that differ in one coordinate are joined",
    "Node i sits at router i / concentration; router j = x0 + x1 k0 + x2 k0 k1 + ... A link's dimension is the "
    "coordinate it "
    "changes, its direction +1 to the higher one.",
    {{"extents", Kind::integers, {}, "", "routers along each dimension, dimension 0 first", 1, 4096},
     {"concentration", Kind::integer, 1, "", "nodes a router", 1, 1024}},
    "minimal",
    build};

}  // namespace assay::network::topologies::hyperx
