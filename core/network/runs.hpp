// One run of an engine, whichever: its source, its collector, its counts. An engine is a template over both, moves
// messages over a fabric by a routing, and has a `name`.
#pragma once
#include "events/stop.hpp"
#include "network/channel_rates.hpp"
#include "network/collector.hpp"
#include "network/drive.hpp"
#include "network/registry.hpp"

namespace assay::network {

/// Ticks ahead that the engine's events mostly lie.
inline std::uint32_t horizon(const Fabric& fabric, std::uint64_t flits) {
  std::uint64_t most = 1;
  for (const auto& link : fabric.links)
    most = std::max(most, link.flit * flits + std::max(link.head, link.body) + link.credit);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most * 2, 4096));
}

template <template <class, class> class Engine>
Outcome run_open_loop(const Network& network, const Switching& switching, const Traffic& traffic, const Method& method,
                      bool whole_messages) {
  const double started = thread_seconds();
  const Fabric& fabric = *network.fabric;
  OpenLoop source(traffic, neighbourhood(fabric, traffic.radius), events::Random(method.seed, method.stream));
  Collector collector(fabric.processors, fabric.links[fabric.ejection(0)[0]].head);
  Outcome outcome;
  events::check_stop();
  Engine<OpenLoop, Collector> engine(fabric, *network.routing, switching, source, collector,
                                     events::Random(method.seed, method.stream ^ (std::uint64_t{1} << 63)),
                                     horizon(fabric, whole_messages ? source.longest() : 1));
  if constexpr (requires { engine.watch_links(); })
    if (method.utilisation) engine.watch_links();
  drive(engine, collector, method, traffic.load * source.sending() / source.mean_flits(), outcome);
  outcome.unroutable = engine.unroutable();
  engine.find_deadlock(outcome);
  if (method.utilisation)
    for (std::size_t i = 0; i < fabric.links.size(); ++i)
      outcome.utilisation.push_back(static_cast<double>(engine.flits_by_link()[i]) * fabric.links[i].flit /
                                    fabric.links[i].channels / static_cast<double>(outcome.simulated_cycles));
  outcome.engine = engine.name;
  outcome.offered = traffic.load * source.sending() / fabric.processors;
  outcome.cpu_seconds = thread_seconds() - started;
  return outcome;
}

template <template <class, class> class Engine>
Delivered run_trace(const Network& network, const Switching& switching, const Trace& trace, bool whole_messages,
                    bool crossings) {
  const double started = thread_seconds();
  Delivered out;
  out.wants_crossings = crossings;
  out.head.assign(trace.id.size(), -1);
  out.tail = out.head;
  out.hops.assign(trace.id.size(), -1);
  ReplaySource source(trace);
  Recorder recorder(source, out);
  std::uint32_t longest = 1;
  for (const auto flits : trace.flits) longest = std::max(longest, flits);
  Engine<ReplaySource, Recorder> engine(*network.fabric, *network.routing, switching, source, recorder,
                                        events::Random(1), horizon(*network.fabric, whole_messages ? longest : 1));
  events::Pieces().run(engine, ~std::uint64_t{0});
  if constexpr (requires { engine.report_standing(); })
    if (crossings) engine.report_standing();
  out.outcome.simulated_cycles = engine.now() + 1;
  out.outcome.head_hops = engine.head_hops();
  out.outcome.flit_hops = engine.flit_hops();
  out.outcome.memory_bytes = engine.memory();
  out.outcome.unroutable = engine.unroutable();
  engine.find_deadlock(out.outcome);
  out.outcome.engine = engine.name;
  out.outcome.messages = recorder.count();
  out.outcome.generated = trace.id.size();
  out.outcome.cpu_seconds = thread_seconds() - started;
  return out;
}

}  // namespace assay::network
