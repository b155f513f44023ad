// Random networks, switchings, traffics and traces: every engine runs them or names the key that it refuses. What goes
// in comes out, stands for ever or has no way. Small sizes; run it under the sanitizers.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "network/simulate.hpp"
#include "random_keys.hpp"

using namespace assay::network;

namespace {

std::string one_of(Draw& draw, std::initializer_list<const char*> words) {
  return words.begin()[draw.below(static_cast<std::uint32_t>(words.size()))];
}

/// Keys of switching beside those of the network; `least` to `most`, and now and then one that is out of bounds.
void add_switching(Table& keys, Draw& draw) {
  const auto maybe = [&](const char* name, int least, int most) {
    if (draw.below(3) == 0) keys[name] = least + static_cast<int>(draw.below(most - least + 2)) - (draw.below(40) == 0);
  };
  keys["switching"] = one_of(draw, {"wormhole", "wormhole", "cut-through", "store-and-forward", "circuit"});
  if (draw.below(3) == 0) keys["engine"] = one_of(draw, {"auto", "worm", "packet", "flit"});
  if (draw.below(3) == 0) keys["buffers"] = one_of(draw, {"shared", "fifo", "output"});
  if (draw.below(3) == 0) keys["circuit_release"] = one_of(draw, {"tail", "end"});
  for (const char* name : {"channels", "injection_channels", "ejection_channels", "lanes", "flit_ticks"})
    maybe(name, 1, 3);
  for (const char* name : {"body_ticks", "head_ticks", "credit_ticks", "buffer_packets", "output_packets",
                           "acknowledgement", "header_flits", "buffer_flits"})
    maybe(name, 0, 3);
  maybe("sink_ticks", 1, 2);
  maybe("packet_flits", 0, 9);
  maybe("packet_gap", 1, 3);
}

Table random_traffic(Draw& draw) {
  Table traffic{{"load", 0.05 + draw.below(30) / 20.0},
                {"pattern", one_of(draw, {"uniform", "uniform", "uniform", "uniform", "transpose", "bit-complement",
                                          "bit-reversal", "shuffle", "tornado", "neighbour", "hotspot", "spherical"})},
                {"arrivals", one_of(draw, {"poisson", "bernoulli", "burst"})}};
  Value::List lengths;
  for (auto left = 1 + draw.below(3); left > 0; --left)
    lengths.emplace_back(Value::List{static_cast<int>(1 + draw.below(40)), 1.0});
  traffic["flits"] = lengths;
  if (draw.below(3) == 0) traffic["hotspots"] = Value::List{static_cast<int>(draw.below(9))};
  return traffic;
}

Trace random_trace(Draw& draw, std::uint32_t nodes) {
  Trace trace;
  for (std::uint32_t row = 0, count = draw.below(60); row < count; ++row) {
    trace.id.push_back(1000 - 3 * row);
    trace.cycle.push_back(draw.below(100));
    trace.source.push_back(draw.below(nodes + (draw.below(200) == 0)));
    trace.destination.push_back(draw.below(nodes));
    trace.flits.push_back(draw.below(50) + (draw.below(100) != 0));
  }
  return trace;
}

void require(bool holds, const char* what, const Table& config) {
  if (holds) return;
  std::printf("%s: %s\n", what, Value(config).text().c_str());
  std::exit(1);
}

void replayed(const Table& config, const Trace& trace) {
  const auto found = replay(config, trace, true);
  std::uint64_t delivered = 0, ends = 0;
  const auto& network = std::get<Table>(config.at("network").held);  // packets overtake; a head may cross in no time
  const bool in_step = !network.contains("packet_flits") && !network.contains("head_ticks");
  for (std::size_t row = 0; row < trace.id.size(); ++row) {
    if (found.tail[row] < 0) continue;
    ++delivered;
    if (!in_step) continue;
    const auto born = static_cast<std::int64_t>(trace.cycle[row]);
    require(found.head[row] >= born + found.hops[row] - 1, "a head before its time", config);
    require(found.tail[row] >= found.head[row] + trace.flits[row] - 1, "a tail before its time", config);
  }
  require(delivered == found.outcome.messages, "delivered and not counted", config);
  const auto lost = trace.id.size() - delivered;
  require(lost == 0 || found.outcome.unroutable + found.outcome.deadlocked > 0, "lost without a reason", config);
  for (const auto& one : found.crossings) ends += one.tail != Crossing::never && one.tail < one.head;
  require(ends == 0, "a tail across a link before its head", config);
}

}  // namespace

int main() {
  Draw draw(4);
  std::map<std::string, unsigned> ran;
  unsigned refused = 0;
  for (int round = 0; round < 6000; ++round) {
    Table keys = random_keys(draw);
    add_switching(keys, draw);
    const Table method{{"seed", 5}, {"cycles", 200}, {"warmup_cycles", 50}, {"batches", 4}, {"utilisation", true}};
    const Table config{{"network", keys}, {"traffic", random_traffic(draw)}, {"method", method}};
    try {
      Table network = keys;
      read_switching(network);
      const auto nodes = build_network(network).fabric->nodes;
      if (nodes > 64) continue;
      replayed(config, random_trace(draw, nodes));
      const auto found = simulate(config);
      require(found.messages <= found.simulated_messages, "more measured than simulated", config);
      ++ran[found.engine];
    } catch (const ParameterError& error) {
      require(!error.key().empty(), "an error without its key", config);
      ++refused;
    }
  }
  std::printf("%u, %u and %u runs of the worm, packet and flit engine, %u refused\n", ran["worm"], ran["packet"],
              ran["flit"], refused);
  return ran["worm"] > 150 && ran["packet"] > 60 && ran["flit"] > 50 ? 0 : 1;
}
