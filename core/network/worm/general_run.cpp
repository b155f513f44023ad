#include "network/worm/general_run.hpp"

#include <numeric>

#include "network/shapes/grid.hpp"
#include "network/worm/general.hpp"

namespace assay::network {

namespace {

void check_fits(const Network& network, const Switching& switching) {
  for (const auto& link : network.fabric->links)
    if (link.lanes > 1)
      throw ParameterError("network.lanes",
                           "is " + std::to_string(link.lanes) +
                               ", but the worm engine has one lane a channel; accepted is 1 with a routing "
                               "that needs no more");
  for (const auto& link : network.fabric->links)
    if (link.head < 1) throw ParameterError("network.head_ticks", "is 0, accepted is 1 or more");
  (void)switching;
}

/// The nodes within `radius` network links of a node, by breadth-first search.
std::vector<std::uint32_t> sphere(const Fabric& fabric, std::uint32_t node, std::uint32_t radius) {
  std::vector<std::uint32_t> distance(fabric.routers, none), front{fabric.router_of(node)};
  distance[front[0]] = 0;
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (distance[front[i]] == radius) continue;
    for (const auto link : fabric.outgoing(front[i])) {
      const Link& l = fabric.links[link];
      if (l.kind != LinkKind::network || distance[l.to] != none) continue;
      distance[l.to] = distance[front[i]] + 1;
      front.push_back(l.to);
    }
  }
  std::vector<std::uint32_t> near;
  for (std::uint32_t other = 0; other < fabric.processors; ++other)
    if (other != node && distance[fabric.router_of(other)] != none) near.push_back(other);
  return near;
}

std::uint32_t span_of(const Fabric& fabric, std::uint32_t longest) {
  std::uint64_t most = 1;
  for (const auto& link : fabric.links)
    most = std::max<std::uint64_t>(most, std::uint64_t{link.flit} * longest + link.head);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most * 2, 4096));
}

}  // namespace

Outcome simulate_worms(const Network& network, const Switching& switching, const Traffic& traffic,
                       const Method& method) {
  const double started = thread_seconds();
  check_fits(network, switching);
  const Fabric& fabric = *network.fabric;
  Neighbourhood around;
  around.nodes = fabric.processors;
  if (const auto* grid = fabric.shape<Grid>()) {
    const auto all = std::accumulate(grid->extents.begin(), grid->extents.end(), std::uint64_t{1}, std::multiplies<>());
    if (all == fabric.processors) around.extents = grid->extents;
  }
  around.sphere = [&](std::uint32_t node) { return sphere(fabric, node, traffic.radius); };
  OpenLoop source(traffic, around, events::Random(method.seed, method.stream));
  Collector collector(fabric.processors);
  Outcome outcome;
  GeneralEngine<OpenLoop, Collector> engine(fabric, *network.routing, switching, source, collector,
                                            events::Random(method.seed, method.stream ^ (std::uint64_t{1} << 63)),
                                            span_of(fabric, source.longest()));
  drive(engine, collector, method, traffic.load * source.sending() / source.mean_flits(), outcome);
  outcome.unroutable = engine.unroutable();
  engine.find_deadlock(outcome);
  if (method.utilisation)
    for (std::size_t i = 0; i < fabric.links.size(); ++i)
      outcome.utilisation.push_back(static_cast<double>(engine.flits_by_link()[i]) * fabric.links[i].flit /
                                    fabric.links[i].channels / static_cast<double>(outcome.simulated_cycles));
  outcome.engine = "worm";
  outcome.offered = traffic.load * source.sending() / fabric.processors;
  outcome.cpu_seconds = thread_seconds() - started;
  return outcome;
}

Delivered replay_worms(const Network& network, const Switching& switching, const Trace& trace, bool crossings) {
  const double started = thread_seconds();
  check_fits(network, switching);
  Delivered out;
  out.wants_crossings = crossings;
  out.head.assign(trace.id.size(), -1);
  out.tail = out.head;
  out.hops.assign(trace.id.size(), -1);
  ReplaySource source(trace);
  Recorder recorder(source, out);
  std::uint32_t longest = 1;
  for (const auto flits : trace.flits) longest = std::max(longest, flits);
  GeneralEngine<ReplaySource, Recorder> engine(*network.fabric, *network.routing, switching, source, recorder,
                                               events::Random(1), span_of(*network.fabric, longest));
  engine.run(~std::uint64_t{0});
  out.outcome.head_hops = engine.head_hops();
  out.outcome.flit_hops = engine.flit_hops();
  out.outcome.memory_bytes = engine.memory();
  out.outcome.unroutable = engine.unroutable();
  engine.find_deadlock(out.outcome);
  out.outcome.engine = "worm";
  out.outcome.messages = recorder.count();
  out.outcome.generated = trace.id.size();
  out.outcome.cpu_seconds = thread_seconds() - started;
  return out;
}

}  // namespace assay::network
