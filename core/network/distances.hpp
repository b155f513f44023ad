// Distances between routers in links, from breadth first search over what is alive.
#pragma once
#include <cstdint>
#include <vector>

#include "network/fabric.hpp"

namespace assay::network {

inline constexpr std::uint16_t unreachable = 0xffff;

/// [to * routers + from]: a table for routings that look up; throws ParameterError above 8192 routers.
std::vector<std::uint16_t> distance_table(const Fabric& fabric);
/// True if waiting cannot go round whatever the route: no directed cycle of routers but there and back.
bool without_cycles(const Fabric& fabric);

}  // namespace assay::network
