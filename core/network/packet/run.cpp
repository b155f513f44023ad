#include "network/packet/run.hpp"

#include "network/packet/engine.hpp"
#include "network/runs.hpp"

namespace assay::network {

Outcome simulate_packets(const Network& network, const Switching& switching, const Traffic& traffic,
                         const Method& method) {
  return run_open_loop<PacketEngine>(network, switching, traffic, method, true);
}
Delivered replay_packets(const Network& network, const Switching& switching, const Trace& trace, bool crossings) {
  return run_trace<PacketEngine>(network, switching, trace, true, crossings);
}

}  // namespace assay::network
