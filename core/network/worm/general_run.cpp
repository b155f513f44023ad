#include "network/worm/general_run.hpp"

#include "network/runs.hpp"
#include "network/worm/deadlock.hpp"
#include "network/worm/general.hpp"

namespace assay::network {

namespace {

void check_fits(const Network& network) {
  for (const auto& link : network.fabric->links) {
    if (link.lanes > 1)
      throw ParameterError("network.lanes",
                           "is " + std::to_string(link.lanes) +
                               ", but the worm engine has one lane per channel; accepted is 1 with a routing "
                               "that needs no more");
    if (link.head < 1) throw ParameterError("network.head_ticks", "is 0, accepted is 1 or more");
  }
}

}  // namespace

Outcome simulate_worms(const Network& network, const Switching& switching, const Traffic& traffic,
                       const Method& method) {
  check_fits(network);
  return run_open_loop<GeneralEngine>(network, switching, traffic, method, true);
}
Delivered replay_worms(const Network& network, const Switching& switching, const Trace& trace, bool crossings) {
  check_fits(network);
  return run_trace<GeneralEngine>(network, switching, trace, true, crossings);
}

}  // namespace assay::network
