// Runs of the packet engine over a fabric with its routing.
#pragma once
#include "network/outcome.hpp"
#include "network/registry.hpp"
#include "network/settings.hpp"

namespace assay::network {

Outcome simulate_packets(const Network& network, const Switching& switching, const Traffic& traffic,
                         const Method& method);
Delivered replay_packets(const Network& network, const Switching& switching, const Trace& trace,
                         bool crossings = false);

}  // namespace assay::network
