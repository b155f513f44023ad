// HyperX (Ahn et al. 2009): routers at grid coordinates, each joined with all that differ from it in one coordinate.
#pragma once
#include <cstdint>
#include <vector>

#include "network/registry.hpp"

namespace assay::network {

struct HyperX : Shape {
  std::vector<std::uint32_t> extents, strides, first;  // first: port offset of a dimension
  std::uint32_t concentration = 0, ports = 0;
  std::vector<std::uint32_t> links;  // [router * ports + first[d] + coordinate]: link, or none at the own coordinate

  [[nodiscard]] std::uint32_t coordinate(std::uint32_t router, std::size_t d) const {
    return router / strides[d] % extents[d];
  }
};

}  // namespace assay::network
