#include "network/flit/run.hpp"

#include "network/flit/engine.hpp"
#include "network/runs.hpp"

namespace assay::network {

Outcome simulate_flits(const Network& network, const Switching& switching, const Traffic& traffic,
                       const Method& method) {
  return run_open_loop<FlitEngine>(network, switching, traffic, method, true);
}
Delivered replay_flits(const Network& network, const Switching& switching, const Trace& trace, bool crossings) {
  return run_trace<FlitEngine>(network, switching, trace, true, crossings);
}

}  // namespace assay::network
