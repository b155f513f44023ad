// A network used on line gives what a replay of the same messages gives, message by message: for every kind of engine,
// with messages handed in while the clock runs, some of them for later cycles, several in one cycle. And the hypercube
// of circuits without tables gives what the general engine gives. Breaking either (a mutant of the engine, or one tick
// in circuit_cube.cpp) makes this fail.
#include "network/live/live.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "network/simulate.hpp"

using assay::network::Delivered;
using assay::network::Live;
using assay::network::Report;
using assay::network::Table;
using assay::network::Trace;
using assay::network::Value;

namespace {

struct Ends {
  std::uint64_t arrived = 0, left = 0;
};

// Random messages, handed in as the clock goes: those of a cycle once it is the next to be served.
std::vector<Ends> on_line(const Table& keys, const Trace& trace, std::string& engine) {
  const auto live = assay::network::make_live(keys, false);
  engine = live->engine();
  std::vector<Ends> ends(trace.id.size());
  std::vector<Report> reports;
  std::size_t next = 0;
  std::mt19937_64 dice(trace.id.size());
  while (next < trace.id.size() || live->next() != Live::never) {
    // Everything of a cycle is there before the cycle is served; some of it long before.
    while (next < trace.id.size() && (trace.cycle[next] <= live->next() || dice() % 4 == 0)) {
      live->submit(trace.cycle[next], trace.source[next], trace.destination[next], trace.flits[next],
                   static_cast<std::uint32_t>(next));
      ++next;
    }
    if (live->next() == Live::never) continue;
    const std::uint64_t now = live->next();
    reports.clear();
    while (live->serve(reports)) {
    }
    for (const Report& each : reports) {
      Ends& message = ends[each.cookie];
      if (each.what == Report::What::left) message.left = each.time;
      if (each.what == Report::What::arrived || each.what == Report::What::through) message.arrived = each.time;
      if (each.what == Report::What::through) message.left = each.left;
      if (each.time < now || (each.what != Report::What::left && each.time == now)) {
        std::fprintf(stderr, "reported at %d of %d\n", static_cast<int>(now), static_cast<int>(each.time));
        std::exit(EXIT_FAILURE);
      }
    }
  }
  return ends;
}

Trace random_trace(std::uint64_t seed, std::uint32_t nodes, std::uint64_t span, std::uint32_t longest, int count) {
  std::mt19937_64 dice(seed);
  Trace trace;
  std::vector<std::uint64_t> cycles;
  for (int i = 0; i < count; ++i) cycles.push_back(dice() % span);
  std::sort(cycles.begin(), cycles.end());
  for (int i = 0; i < count; ++i) {
    const auto source = static_cast<std::uint32_t>(dice() % nodes);
    trace.id.push_back(static_cast<std::uint64_t>(i));
    trace.cycle.push_back(cycles[static_cast<std::size_t>(i)]);
    trace.source.push_back(source);
    trace.destination.push_back((source + 1 + static_cast<std::uint32_t>(dice() % (nodes - 1))) % nodes);
    trace.flits.push_back(1 + static_cast<std::uint32_t>(dice() % longest));
  }
  return trace;
}

int failures = 0;

struct Case {
  const char* name;
  Table keys;
  std::uint32_t nodes;
  std::uint64_t flit, body, head;  // of the links into nodes
};

void compare(const Case& each, const char* wanted_engine, std::uint64_t span) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Trace trace = random_trace(seed, each.nodes, span, 40, 500);
    std::string engine;
    const auto ends = on_line(each.keys, trace, engine);
    Table plain = each.keys;
    if (engine == "circuit cube") plain["engine"] = Value("worm");
    Table config;
    config["network"] = Value(plain);
    const Delivered replayed = assay::network::replay(config, trace);
    std::string unused;
    const auto general = on_line(plain, trace, unused);
    int wrong = engine != wanted_engine;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const auto arrived = std::max(static_cast<std::uint64_t>(replayed.tail[i]) + std::max(each.flit, each.body),
                                    static_cast<std::uint64_t>(replayed.head[i]) + each.head);
      wrong += replayed.tail[i] < 0 || ends[i].arrived != arrived;
      wrong += ends[i].left != general[i].left || ends[i].left == 0 || ends[i].left > arrived + 1;
    }
    if (wrong > 0) {
      std::fprintf(stderr, "%s (%s), seed %d: %d wrong\n", each.name, engine.c_str(), static_cast<int>(seed), wrong);
      ++failures;
    }
  }
}

// Of one message alone: the closed form that Live::unloaded states.
void alone(const Case& each) {
  const auto live = assay::network::make_live(each.keys, false);
  std::vector<Report> reports;
  std::uint64_t now = 0;
  for (std::uint32_t to = 1; to < each.nodes; ++to)
    for (const std::uint32_t flits : {1u, 2u, 7u, 100u}) {
      live->submit(now, 0, to, flits, 7);
      while (live->next() != Live::never) {
        reports.clear();
        while (live->serve(reports)) {
        }
        for (const Report& one : reports)
          if (one.what != Report::What::left) {
            const auto took = one.time - now;
            if (one.hops != live->hops(0, to) + 2 || took != live->unloaded(one.hops, flits)) {
              std::fprintf(stderr, "%s: %d flits over %d links alone took %d, said %d\n", each.name,
                           static_cast<int>(flits), static_cast<int>(one.hops), static_cast<int>(took),
                           static_cast<int>(live->unloaded(one.hops, flits)));
              ++failures;
            }
          }
      }
      now += 1'000'000;
    }
}

// Every node sends to its neighbour across one dimension at once: nobody is in the way, all is reported at one tick, in
// parts.
void together(const Case& each) {
  static constexpr std::int64_t dimension = 13;
  Table larger = each.keys;
  larger["dimension"] = Value(dimension);
  const auto live = assay::network::make_live(larger, false);
  for (std::uint32_t node = 0; node < live->nodes(); ++node) live->submit(5, node, node ^ 4, 3, node);
  std::vector<Report> reports;
  std::vector<int> delivered(live->nodes(), 0);
  int wrong = 0, parts = 0;
  while (live->next() != Live::never) {
    for (bool more = true; more; ++parts) {
      reports.clear();
      more = live->serve(reports);
      for (const Report& one : reports) {
        ++delivered[one.cookie];
        wrong += one.time != 5 + live->unloaded(3, 3) || one.hops != 3;
      }
    }
  }
  for (const int times : delivered) wrong += times != 1;
  if (wrong > 0 || parts < 8) {
    std::fprintf(stderr, "%s, all at once: %d wrong, reported in %d parts\n", each.name, wrong, parts);
    ++failures;
  }
}

Table keys(std::initializer_list<std::pair<const char*, Value>> given) {
  Table table;
  for (const auto& [key, value] : given) table[key] = value;
  return table;
}

}  // namespace

int main() {
  const Case circuits{"circuits on a cube",
                      keys({{"topology", "hypercube"},
                            {"dimension", 4},
                            {"switching", "circuit"},
                            {"acknowledgement", 2},
                            {"flit_ticks", 5},
                            {"head_ticks", 30},
                            {"body_ticks", 3},
                            {"node_head_ticks", 1},
                            {"node_flit_ticks", 2}}),
                      16,
                      2,
                      3,
                      1};
  compare(circuits, "circuit cube", 20000);
  compare(circuits, "circuit cube", 600);
  // Ways into the routers that take as long as a hop, or nearly: submissions and heads of the same ticks.
  Case slow = circuits;
  slow.name = "circuits with slow ways in";
  for (const std::uint64_t head : {7u, 29u, 30u, 31u}) {
    slow.keys["node_head_ticks"] = Value(static_cast<std::int64_t>(head));
    slow.head = head;
    for (const std::uint64_t span : {300u, 1000u, 5000u, 50000u}) compare(slow, "circuit cube", span);
  }
  alone(slow);
  together(circuits);
  together(slow);
  // Links that are free only after more ticks than 32 bits count, and runs of many times that.
  Case coarse = circuits;
  coarse.name = "circuits of long ticks";
  coarse.keys["flit_ticks"] = Value(150'000'000);
  coarse.keys["head_ticks"] = Value(40'000'000);
  for (const std::uint64_t span : {10'000'000'000u, 1'000'000'000'000u, 10'000'000'000'000u})
    compare(coarse, "circuit cube", span);
  Case by_end = circuits;
  by_end.name = "circuits released at their end";
  by_end.keys["circuit_release"] = Value("end");
  compare(by_end, "circuit cube", 3000);
  const Case worms{"worms on a mesh",
                   keys({{"topology", "mesh"},
                         {"extents", Value::List{Value(4), Value(3)}},
                         {"flit_ticks", 3},
                         {"head_ticks", 11},
                         {"node_head_ticks", 2}}),
                   12,
                   3,
                   1,
                   2};
  compare(worms, "worm", 10000);
  const Case stored{"store-and-forward on a cube",
                    keys({{"topology", "hypercube"},
                          {"dimension", 3},
                          {"switching", "store-and-forward"},
                          {"buffer_packets", 0},
                          {"flit_ticks", 4},
                          {"head_ticks", 50},
                          {"node_flit_ticks", 1},
                          {"node_head_ticks", 1}}),
                    8,
                    1,
                    1,
                    1};
  compare(stored, "worm", 10000);
  const Case packets{"packets on a torus with lanes",
                     keys({{"topology", "torus"},
                           {"extents", Value::List{Value(4), Value(4)}},
                           {"switching", "cut-through"},
                           {"buffer_packets", 2},
                           {"flit_ticks", 2},
                           {"head_ticks", 7}}),
                     16,
                     2,
                     1,
                     7};
  compare(packets, "packet", 10000);
  const Case flits{"worms on a torus with lanes",
                   keys({{"topology", "torus"}, {"extents", Value::List{Value(4), Value(4)}}, {"head_ticks", 2}}),
                   16,
                   1,
                   1,
                   2};
  compare(flits, "flit", 10000);
  const Case crossbar{
      "a crossbar", keys({{"topology", "crossbar"}, {"nodes", 9}, {"flit_ticks", 2}, {"head_ticks", 3}}), 9, 2, 1, 3};
  compare(crossbar, "worm", 3000);
  for (const auto& each : {circuits, by_end, worms, stored}) alone(each);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
