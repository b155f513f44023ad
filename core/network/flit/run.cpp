#include "network/flit/run.hpp"

#include <algorithm>

#include "network/flit/by_tick.hpp"
#include "network/flit/engine.hpp"
#include "network/runs.hpp"

namespace assay::network {
namespace {

enum class Engine : std::uint8_t { plans, ticks, ticks_of_long_worms };

/// Whether going tick by tick costs less than plans, by a short run with these: plans are made anew where worms get in
/// each other's way. What a hop, a plan, a tick and a flit cost was measured, in ns; it need only be about right, as
/// both give the same times.
Engine cheapest(const Network& network, const Switching& switching, const Traffic& traffic, const Method& method) {
  constexpr double hop_of_plans = 195, plan = 450, hop = 80, tick = 35, flit = 1.1, in_the_way = 80;
  constexpr double longest = 2000, share = 32, greatest_share = 6, margin = 1.35;
  constexpr std::uint64_t hops_that_tell = 100, hops_that_settle = 300;
  constexpr double a_way_of_hops = 16;
  constexpr int parts = 4;
  constexpr std::uint32_t most_lanes = TrainsOf<std::uint32_t>::lanes;
  const Fabric& fabric = *network.fabric;
  if (method.utilisation || !FlitsByTick<OpenLoop, Collector>::suits(fabric, switching)) return Engine::plans;
  OpenLoop source(traffic, neighbourhood(fabric, traffic.radius), events::Random(method.seed, method.stream));
  const double messages = traffic.load * source.sending() / source.mean_flits();  // a cycle
  const double cycles = method.messages == 0 ? static_cast<double>(method.warmup_cycles + method.cycles)
                                             : static_cast<double>(method.messages) / messages;
  Collector collector(fabric.processors, 0);
  FlitEngine<OpenLoop, Collector> pilot(fabric, *network.routing, switching, source, collector,
                                        events::Random(method.seed, method.stream ^ (std::uint64_t{1} << 63)),
                                        horizon(fabric, source.longest()));
  // Until the first messages have come through, few are in each other's way: a short run of a large network, however
  // many its hops, tells nothing before that.
  const double filled = 2 * (source.mean_flits() + a_way_of_hops);
  const double end = std::min(std::max(std::min(longest, cycles / share), 2 * filled), cycles / greatest_share);
  std::uint64_t hops_before = 0, plans_before = 0, flits_before = 0;
  double ticks = 0, all = 0, ran_to = 0;
  for (int part = 1; part <= parts; ++part) {  // the first ones are enough where they leave no question
    const double until = end / (1 << (parts - part));
    events::Pieces().run(pilot, static_cast<std::uint64_t>(until));
    if (pilot.head_hops() < hops_before + hops_that_tell) continue;
    const double hops = static_cast<double>(pilot.head_hops() - hops_before);
    const double flits = static_cast<double>(pilot.flit_hops() - flits_before) / hops;
    const double plans = static_cast<double>(pilot.plans() - plans_before) / hops;
    ticks = hop + tick * (until - ran_to) / hops + flit * flits + in_the_way * plans;
    all = hop_of_plans + plan * plans;
    hops_before = pilot.head_hops(), flits_before = pilot.flit_hops(), plans_before = pilot.plans();
    ran_to = until;
    if (hops < hops_that_settle || until < filled) continue;
    if (std::max(ticks, all) > margin * std::min(ticks, all)) break;
  }
  if (ticks >= all) return Engine::plans;
  // The longest ways are seldom of more than three times as many hops as others have, their two ends left out.
  const double ways = static_cast<double>(pilot.head_hops()) / static_cast<double>(pilot.created() - pilot.live());
  const bool short_ways = 3 * (ways - 2) + 2 <= most_lanes;
  return short_ways || source.longest() + switching.header_flits + 2 < most_lanes ? Engine::ticks
                                                                                  : Engine::ticks_of_long_worms;
}

}  // namespace

Outcome simulate_flits(const Network& network, const Switching& switching, const Traffic& traffic,
                       const Method& method) {
  const double started = thread_seconds();
  const auto run = [&] {
    Engine engine = cheapest(network, switching, traffic, method);
    if (engine == Engine::ticks) try {
        return run_open_loop<FlitsByTick>(network, switching, traffic, method, true);
      } catch (const LongWorm&) {
        engine = Engine::ticks_of_long_worms;
      }
    if (engine == Engine::ticks_of_long_worms) try {
        return run_open_loop<LongWormsByTick>(network, switching, traffic, method, true);
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
