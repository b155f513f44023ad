#include "network/worm/cube_run.hpp"

#include "network/collector.hpp"
#include "network/drive.hpp"
#include "network/registry.hpp"
#include "network/worm/alike.hpp"
#include "network/worm/cube.hpp"
#include "network/worm/rigid.hpp"

namespace assay::network {

namespace {

std::optional<std::int64_t> integer(const Table& network, const char* key, std::int64_t fallback) {
  const auto found = network.find(key);
  if (found == network.end() || found->second.absent()) return fallback;
  if (!std::holds_alternative<std::int64_t>(found->second.held)) return std::nullopt;
  return std::get<std::int64_t>(found->second.held);
}

bool is_text(const Table& network, const char* key, const std::string& wanted, bool absent) {
  const auto found = network.find(key);
  if (found == network.end() || found->second.absent()) return absent;
  const auto* text = std::get_if<std::string>(&found->second.held);
  return text != nullptr && *text == wanted;
}

/// What the topology's record accepts, so that cubes with tables and without have one limit. What is beyond it goes the
/// way with tables, which refuses it and says what is accepted.
std::int64_t greatest_dimension() {
  const auto& keys = topology("hypercube").parameters;
  const auto found = std::find_if(keys.begin(), keys.end(), [](const auto& key) { return key.name == "dimension"; });
  return static_cast<std::int64_t>(found->maximum);
}

/// Rigid trains, or trains that bunch up in buffers.
template <class Source, class Observer, class Use>
void with_engine(const UnitCube& cube, const Cube& net, Source& source, Observer& observer, std::uint32_t shortest,
                 std::uint32_t longest, Use use) {
  const std::uint32_t span = std::min(longest, 4096u) * 4;
  if (cube.buffer == 1 && shortest >= net.longest()) {
    RigidEngine<Source, Observer> engine(net, source, observer, shortest, span);
    use(engine);
  } else {
    AlikeEngine<Cube, Source, Observer> engine(net, source, observer, span);
    use(engine);
  }
}

}  // namespace

std::optional<UnitCube> unit_cube(const Table& network, const Switching& switching) {
  if (switching.switching != "wormhole" || switching.packet_flits != 0 || switching.header_flits != 0 ||
      switching.sink_ticks != 1 || switching.engine == "flit" || switching.engine == "packet")
    return std::nullopt;
  if (!is_text(network, "topology", "hypercube", false) || !is_text(network, "routing", "e-cube", true))
    return std::nullopt;
  static constexpr const char* ours[] = {"topology",           "routing",          "dimension", "buffer_flits",
                                         "injection_channels", "ejection_channels"};
  static constexpr std::pair<const char*, std::int64_t> units[] = {
      {"channels", 1}, {"lanes", 1}, {"flit_ticks", 1}, {"body_ticks", 1}, {"head_ticks", 1}, {"credit_ticks", 0}};
  for (const auto& [key, value] : network) {
    if (value.absent() || std::find(std::begin(ours), std::end(ours), key) != std::end(ours)) continue;
    const auto* list = std::get_if<Value::List>(&value.held);
    const auto* flag = std::get_if<bool>(&value.held);
    if ((list != nullptr && list->empty()) || (flag != nullptr && !*flag)) continue;  // nothing failed
    const auto* unit =
        std::find_if(std::begin(units), std::end(units), [&](const auto& one) { return key == one.first; });
    if (unit == std::end(units) || integer(network, unit->first, unit->second) != unit->second) return std::nullopt;
  }
  const auto dimension = integer(network, "dimension", -1), buffer = integer(network, "buffer_flits", 1),
             in = integer(network, "injection_channels", 1), out = integer(network, "ejection_channels", 1);
  const auto within = [](const std::optional<std::int64_t>& value, std::int64_t least, std::int64_t most) {
    return value && *value >= least && *value <= most;
  };
  if (!within(dimension, 1, greatest_dimension()) || !within(buffer, 1, 1 << 20) || !within(in, 1, 255) ||
      !within(out, 1, 255))
    return std::nullopt;
  const UnitCube cube{static_cast<std::uint32_t>(*dimension), static_cast<std::uint32_t>(*buffer),
                      static_cast<std::uint32_t>(*in), static_cast<std::uint32_t>(*out)};
  const std::uint64_t words = std::uint64_t{cube.dimension + cube.injection + cube.ejection + 4} << cube.dimension;
  if (words >= held) return std::nullopt;
  return cube;
}

Outcome simulate_cube(const UnitCube& cube, const Traffic& traffic, const Method& method) {
  const double started = thread_seconds();
  Neighbourhood around;
  around.nodes = 1u << cube.dimension;
  around.extents.assign(cube.dimension, 2);
  OpenLoop source(traffic, around, events::Random(method.seed, method.stream));
  const Cube net(cube.dimension, cube.injection, cube.ejection, source.own_node(), cube.buffer);
  Collector collector(around.nodes, 1);
  Outcome outcome;
  const double sending = static_cast<double>(source.sending()) / around.nodes;
  with_engine(cube, net, source, collector, source.shortest(), source.longest(), [&](auto& engine) {
    drive(engine, collector, method, traffic.load * source.sending() / source.mean_flits(), outcome);
  });
  outcome.engine = "worm";
  outcome.offered = traffic.load * sending;
  outcome.cpu_seconds = thread_seconds() - started;
  return outcome;
}

Delivered replay_cube(const UnitCube& cube, const Trace& trace) {
  const double started = thread_seconds();
  Delivered out;
  out.head.assign(trace.id.size(), -1);
  out.tail = out.head;
  out.hops.assign(trace.id.size(), -1);
  ReplaySource source(trace);
  Recorder recorder(source, out);
  bool own = false;
  std::uint32_t shortest = ~0u, longest = 1;
  for (std::size_t row = 0; row < trace.id.size(); ++row) {
    own |= trace.source[row] == trace.destination[row];
    shortest = std::min(shortest, trace.flits[row]);
    longest = std::max(longest, trace.flits[row]);
  }
  const Cube net(cube.dimension, cube.injection, cube.ejection, own, cube.buffer);
  with_engine(cube, net, source, recorder, shortest, longest, [&](auto& engine) {
    events::Pieces().run(engine, ~std::uint64_t{0});
    out.outcome.head_hops = engine.head_hops();
    out.outcome.flit_hops = engine.flit_hops();
    out.outcome.memory_bytes = engine.memory();
  });
  out.outcome.engine = "worm";
  out.outcome.messages = recorder.count();
  out.outcome.cpu_seconds = thread_seconds() - started;
  return out;
}

}  // namespace assay::network
