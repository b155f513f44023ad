#include "network/shapes/grid.hpp"

#include <algorithm>
#include <cmath>

namespace assay::network {
namespace {

// Odd dimensions go down, even ones to the right; each further pair lies outside the last with a gap.
Point drawn_at(const Grid& grid, std::uint32_t router) {
  float at[2] = {0, 0}, step[2] = {1, 1};
  for (unsigned d = 0; d < grid.dimensions(); ++d) {
    at[d % 2] += step[d % 2] * static_cast<float>(grid.coordinate(router, d));
    step[d % 2] *= static_cast<float>(grid.extents[d]) + 0.35f;
  }
  return {at[0], at[1]};
}

}  // namespace

Fabric build_grid(const std::string& topology, std::vector<std::uint32_t> extents, std::vector<std::uint8_t> wraps,
                  std::uint32_t routers, const LinkClasses& classes) {
  auto grid = std::make_shared<Grid>();
  grid->extents = std::move(extents);
  grid->wraps = std::move(wraps);
  grid->routers = routers;
  const auto dimensions = grid->dimensions();
  std::uint32_t stride = 1;
  for (unsigned d = 0; d < dimensions; ++d) {
    grid->strides.push_back(stride);
    stride *= grid->extents[d];
    if (grid->extents[d] < 3) grid->wraps[d] = 0;
  }
  // Those of a hypercube are bits, so its routing does not ask for them.
  const auto [least, most] = std::minmax_element(grid->extents.begin(), grid->extents.end());
  if (*most > 2 && *most < 65536 && *least > 0) {
    std::vector<std::uint16_t> coordinates;
    coordinates.reserve(std::size_t{routers} * dimensions);
    for (std::uint32_t router = 0; router < routers; ++router)
      for (unsigned d = 0; d < dimensions; ++d)
        coordinates.push_back(static_cast<std::uint16_t>(grid->coordinate(router, d)));
    grid->coordinates = std::move(coordinates);
  }
  FabricBuilder builder(topology, routers, classes.network, classes.injection, classes.ejection);
  grid->ports.assign(std::size_t{routers} * dimensions * 2, none);
  std::uint32_t links = 0;
  for (std::uint32_t router = 0; router < routers; ++router) {
    builder.attach(router);
    const auto at = drawn_at(*grid, router);
    builder.place_router(router, at.x, at.y);
    builder.place_node(router, at.x + 0.2f, at.y + 0.2f);
    for (unsigned d = 0; d < dimensions; ++d) {
      const auto here = grid->coordinate(router, d), extent = grid->extents[d], base = router - here * grid->strides[d];
      for (int minus = 0; minus < 2; ++minus) {
        const bool edge = minus ? here == 0 : here + 1 == extent;
        if (extent < 2 || (edge && !grid->wraps[d])) continue;
        const auto there = minus ? (edge ? extent - 1 : here - 1) : (edge ? 0 : here + 1);
        const auto neighbour = base + there * grid->strides[d];
        if (neighbour >= routers) continue;
        builder.connect(router, neighbour, static_cast<int>(d), minus ? -1 : 1);
        grid->ports[(std::size_t{router} * dimensions + d) * 2 + static_cast<unsigned>(minus)] = links++;
      }
    }
  }
  return builder.finish(grid);
}

std::vector<std::uint32_t> checked_extents(const Settings& settings, const std::string& key) {
  std::vector<std::uint32_t> extents;
  double product = 1;
  for (const auto extent : settings.integers(key)) {
    extents.push_back(static_cast<std::uint32_t>(extent));
    product *= static_cast<double>(extent);
  }
  if (extents.empty()) throw settings.wrong(key, "is empty, accepted is at least one extent");
  if (product > most_routers) throw settings.wrong(key, "make more than " + std::to_string(most_routers) + " routers");
  return extents;
}

std::vector<std::uint32_t> grid_extents(const Settings& settings) {
  if (settings.has("extents")) return checked_extents(settings, "extents");
  if (!settings.has("radix")) throw settings.wrong("extents", "must be given, or radix and dimensions");
  const auto radix = settings.integer("radix"), dimensions = settings.integer("dimensions");
  if (std::pow(static_cast<double>(radix), static_cast<double>(dimensions)) > most_routers)
    throw settings.wrong("radix",
                         "to the power of dimensions makes more than " + std::to_string(most_routers) + " routers");
  return std::vector<std::uint32_t>(static_cast<std::size_t>(dimensions), static_cast<std::uint32_t>(radix));
}

std::vector<Parameter> grid_parameters() {
  return {
      {"extents", Kind::integers, {}, "", "routers along each dimension, dimension 0 first", 1, most_routers, {}, true},
      {"radix",
       Kind::integer,
       {},
       "",
       "k: the same extent in all dimensions, instead of extents",
       1,
       most_routers,
       {},
       true},
      {"dimensions", Kind::integer, 2, "", "n: how many dimensions of extent radix", 1, most_dimensions},
  };
}

}  // namespace assay::network
