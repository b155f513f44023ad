// Runs of the packet engine over a fabric with its routing.
#pragma once
#include "network/registry.hpp"
#include "network/simulate.hpp"

namespace assay::network {

Outcome simulate_packets(const Network& network, const Switching& switching, const Traffic& traffic,
                         const Method& method);
Delivered replay_packets(const Network& network, const Switching& switching, const Trace& trace);

}  // namespace assay::network
