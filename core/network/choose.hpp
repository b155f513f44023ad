// Which engine is exact for a described network; the fastest of those unless one is asked for by name.
//
//   worm    one lane per channel, input-queued, no packet headers; any switching
//   packet  cut-through and store-and-forward, any number of lanes: whole packets
//   flit    wormhole, any number of lanes
//
// Large networks of packets go to the packet engine also where the worm engine is exact: it takes a third of the
// memory.
//
// Where two apply they agree on every message, to the tick (tests/native/flit.test.cpp, packet.test.cpp), but for
// routings that look at the load: each engine shows them its own count of what waits (Load in routing.hpp).
#pragma once
#include <cstdint>

#include "network/registry.hpp"
#include "network/settings.hpp"

namespace assay::network {

enum class Engine : std::uint8_t { worm, packet, flit };

/// ParameterError("network.engine", …) where the one that is asked for does not hold, or none does.
Engine choose_engine(const Network& network, const Switching& switching);

}  // namespace assay::network
