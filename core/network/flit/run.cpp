#include "network/flit/run.hpp"

#include <algorithm>

#include "network/flit/by_tick.hpp"
#include "network/flit/engine.hpp"
#include "network/runs.hpp"

namespace assay::network {
namespace {

/// Whether going tick by tick costs less than plans, by a short run with these: plans are made anew where worms get in
/// each other's way. What a hop, a plan and a flit cost was measured, in ns; it need only be about right, as both give
/// the same times.
bool ticks_cost_less(const Network& network, const Switching& switching, const Traffic& traffic, const Method& method) {
  constexpr double hop_of_plans = 190, plan = 390, hop = 130, flit = 6.5, flit_in_the_way = 3.5;
  constexpr double longest = 2000, share = 32, margin = 1.35;
  constexpr std::uint64_t hops_that_tell = 100, hops_that_settle = 600;
  constexpr int parts = 4;
  const Fabric& fabric = *network.fabric;
  if (method.utilisation || !FlitsByTick<OpenLoop, Collector>::suits(fabric, switching)) return false;
  OpenLoop source(traffic, neighbourhood(fabric, traffic.radius), events::Random(method.seed, method.stream));
  const double messages = traffic.load * source.sending() / source.mean_flits();  // a cycle
  const double cycles = method.messages == 0 ? static_cast<double>(method.warmup_cycles + method.cycles)
                                             : static_cast<double>(method.messages) / messages;
  Collector collector(fabric.processors, 0);
  FlitEngine<OpenLoop, Collector> pilot(fabric, *network.routing, switching, source, collector,
                                        events::Random(method.seed, method.stream ^ (std::uint64_t{1} << 63)),
                                        horizon(fabric, source.longest()));
  double ticks = 0, all = 0;
  for (int part = 1; part <= parts; ++part) {  // the first ones are enough where they leave no question
    events::Pieces().run(pilot, static_cast<std::uint64_t>(std::min(longest, cycles / share) * part / parts));
    if (pilot.head_hops() < hops_that_tell) continue;
    const double hops = static_cast<double>(pilot.head_hops());
    const double flits = static_cast<double>(pilot.flit_hops()) / hops;
    const double plans = static_cast<double>(pilot.plans()) / hops;
    ticks = hop + flits * (flit + flit_in_the_way * plans);
    all = hop_of_plans + plan * plans;
    if (ticks > margin * all && pilot.head_hops() >= hops_that_settle) return false;
  }
  return ticks < all;
}

}  // namespace

Outcome simulate_flits(const Network& network, const Switching& switching, const Traffic& traffic,
                       const Method& method) {
  const double started = thread_seconds();
  const auto run = [&] {
    if (ticks_cost_less(network, switching, traffic, method)) try {
        return run_open_loop<FlitsByTick>(network, switching, traffic, method, true);
      } catch (const LongWorm&) {  // plans have no such limit
      }
    return run_open_loop<FlitEngine>(network, switching, traffic, method, true);
  };
  Outcome outcome = run();
  outcome.cpu_seconds = thread_seconds() - started;
  return outcome;
}
Delivered replay_flits(const Network& network, const Switching& switching, const Trace& trace, bool crossings) {
  return run_trace<FlitEngine>(network, switching, trace, true, crossings);
}

}  // namespace assay::network
