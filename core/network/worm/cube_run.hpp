// The hypercube with e-cube routing and the unit rule, without tables: when it applies, and runs of it.
#pragma once
#include <optional>

#include "network/settings.hpp"
#include "network/traffic/trace.hpp"

namespace assay::network {

struct UnitCube {
  std::uint32_t dimension, buffer, injection, ejection;
};

/// Whether [network] describes just that: wormhole switching, one channel per link, unit times, nothing failed.
std::optional<UnitCube> unit_cube(const Table& network, const Switching& switching);

Outcome simulate_cube(const UnitCube& cube, const Traffic& traffic, const Method& method);
Delivered replay_cube(const UnitCube& cube, const Trace& trace);

}  // namespace assay::network
