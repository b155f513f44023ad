#include "network/worm/general_run.hpp"

#include <algorithm>

#include "network/runs.hpp"
#include "network/worm/alike_fabric.hpp"
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
    if (link.head < 1) throw ParameterError::not_accepted("network.head_ticks", 0, "1 or more");
  }
}

std::uint64_t longest_of(const Traffic& traffic) {
  std::uint64_t longest = 1;
  for (const auto& [flits, weight] : traffic.flits) longest = std::max<std::uint64_t>(longest, flits);
  return traffic.lengths == "geometric" ? 64 * longest : longest;  // as OpenLoop cuts them
}

}  // namespace

Outcome simulate_worms(const Network& network, const Switching& switching, const Traffic& traffic,
                       const Method& method) {
  check_fits(network);
  if (!method.utilisation && all_alike(network, switching, longest_of(traffic)))
    return run_open_loop<AlikeFabricEngine>(network, switching, traffic, method, true);
  return run_open_loop<GeneralEngine>(network, switching, traffic, method, true);
}
Delivered replay_worms(const Network& network, const Switching& switching, const Trace& trace, bool crossings) {
  check_fits(network);
  std::uint64_t longest = 1;
  for (const auto flits : trace.flits) longest = std::max<std::uint64_t>(longest, flits);
  if (!crossings && all_alike(network, switching, longest))
    return run_trace<AlikeFabricEngine>(network, switching, trace, true, false);
  return run_trace<GeneralEngine>(network, switching, trace, true, crossings);
}

}  // namespace assay::network
