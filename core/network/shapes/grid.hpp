// Grids: routers at integer coordinates, links to the neighbours in each dimension, with or without wrap-around.
// Hypercube (extents of 2), mesh, torus and ring are grids. Router number: coordinate of dimension 0 counts fastest.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "network/registry.hpp"

namespace assay::network {

struct Grid : Shape {
  std::vector<std::uint32_t> extents;  // dimension 0 first
  std::vector<std::uint32_t> strides;
  std::vector<std::uint8_t> wraps;         // per dimension; never where the extent is below 3
  std::uint32_t routers = 0;               // fewer than the product in an incomplete hypercube
  std::vector<std::uint16_t> coordinates;  // [router * dimensions + dimension]; none where some do not fit
  std::vector<std::uint32_t> ports;        // [router * 2 * dimensions + 2 * dimension + (direction < 0)]: link or none

  [[nodiscard]] unsigned dimensions() const { return static_cast<unsigned>(extents.size()); }
  [[nodiscard]] std::uint32_t coordinate(std::uint32_t router, unsigned dimension) const {
    if (!coordinates.empty()) return coordinates[std::size_t{router} * dimensions() + dimension];
    return router / strides[dimension] % extents[dimension];
  }
  [[nodiscard]] std::uint32_t port(std::uint32_t router, unsigned dimension, bool minus) const {
    return ports[(std::size_t{router} * dimensions() + dimension) * 2 + minus];
  }
};

/// A node at every router. In a dimension of extent 2 there is one link each way, called plus from coordinate 0 and
/// minus from 1. `routers` below the product of the extents leaves the highest numbers out.
Fabric build_grid(const std::string& topology, std::vector<std::uint32_t> extents, std::vector<std::uint8_t> wraps,
                  std::uint32_t routers, const LinkClasses& classes);
/// Throws where the product of the extents is more than a fabric may have (most_routers).
std::vector<std::uint32_t> checked_extents(const Settings& settings, const std::string& key);
/// The extents from `extents`, or `radix` in `dimensions` dimensions.
std::vector<std::uint32_t> grid_extents(const Settings& settings);
std::vector<Parameter> grid_parameters();

}  // namespace assay::network
