// The flit engine, which makes plans for series of flits, against the one that sends every flit: over random networks,
// each message's head and tail, each crossing of each link, the load of each link, deadlocks, the last tick. So is the
// one that goes tick by tick, where it can be taken.
//
//   flit_plans.test [NETWORKS [FIRST SEED]]
#include <algorithm>
#include <tuple>

#include "flit_by_flit.hpp"
#include "network/flit/by_tick.hpp"
#include "network/flit/engine.hpp"
#include "network/flit/run.hpp"
#include "network/runs.hpp"
#include "random_networks.hpp"

namespace {

using namespace trial;

Table random_keys(Random& random) {
  const auto one_to = [&](std::uint32_t most) { return 1 + static_cast<int>(random.below(most)); };
  Table keys;
  switch (random.below(10)) {
    case 0:
      return {{"topology", "torus"}, {"extents", list({4, 3})}};
    case 1:
      return {{"topology", "torus"}, {"extents", list({5, 4})}, {"lanes", 1 + one_to(3)}};
    case 2:
      return {{"topology", "ring"}, {"nodes", 4 + one_to(6)}, {"lanes", 1 + one_to(3)}};
    case 3:
      return {{"topology", "mesh"}, {"extents", list({3, 4})}, {"lanes", one_to(4)}, {"channels", one_to(2)}};
    case 4:
      return {{"topology", "dragonfly"}, {"p", 2}, {"a", 3}, {"h", 1}};
    case 5:
      return {{"topology", "dragonfly"}, {"p", 1}, {"a", 2}, {"h", 2}, {"routing", "ugal"}};
    case 6:
      return {{"topology", "dragonfly"}, {"p", 1}, {"a", 2}, {"h", 1}, {"routing", "valiant"}};
    case 7:
      return {{"topology", "torus"}, {"extents", list({3, 3})}, {"routing", "ugal"}};
    case 8:  // may deadlock
      return {{"topology", "ring"}, {"nodes", 3 + one_to(4)}, {"dateline", "none"}, {"lanes", one_to(3)}};
    default:
      return {{"topology", "k-ary-n-tree"}, {"radix", 2}, {"levels", 3}, {"up", "random"}, {"lanes", one_to(3)}};
  }
}

/// All links of one speed, whose buffers cover the way of a credit or hold whole messages.
void make_alike(Fabric& fabric, Random& random) {
  const std::uint32_t flit = 1 + random.below(2), body = 1 + random.below(4), head = body + random.below(3);
  const std::uint32_t credit = random.below(2) * random.below(6), covering = (body + credit + flit - 1) / flit;
  const bool open = random.below(4) == 0;
  for (auto& link : fabric.links) {
    link.flit = flit, link.body = body, link.head = head, link.credit = credit;
    link.buffer = open && random.below(3) == 0 ? 0 : covering + random.below(4);
    if (link.kind == LinkKind::ejection) link.buffer = head + credit + random.below(3);
  }
}

using Crossed = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;
std::vector<Crossed> in_order(const std::vector<Crossing>& crossings) {
  std::vector<Crossed> all;
  for (const auto& one : crossings)
    all.emplace_back(one.message, one.packet, one.link, one.channel, one.head, one.tail);
  std::sort(all.begin(), all.end());
  return all;
}

struct Counts {
  std::size_t messages = 0, deadlocked = 0;
};

void compare(std::uint64_t seed, Counts& counts) {
  Random random(seed);
  Table keys = random_keys(random);
  keys["buffer_flits"] = 1 + static_cast<int>(random.below(6));
  const std::string what = std::get<std::string>(keys["topology"].held) + " " + std::to_string(seed);
  const Network network = build_network(keys);
  Switching how;
  if (random.below(2) == 0) how.sink_ticks = 1 + random.below(4);
  if (random.below(5) == 0) how.packet_flits = 1 + random.below(20), how.packet_gap = 1 + random.below(3);
  if (const auto kind = random.below(4); kind < 2)
    make_unlike(*network.fabric, random, kind == 0);
  else if (kind == 2)
    make_alike(*network.fabric, random), how.sink_ticks = std::min(how.sink_ticks, network.fabric->links[0].flit);
  const std::uint32_t lengths[] = {1, 6, 40, 400}, length = lengths[random.below(4)] * (random.below(50) == 0 ? 5 : 1);
  const std::uint32_t spreads[] = {1, 5, 20, 100};
  const auto trace = random_trace(random, 200, network.fabric->nodes, length, 1 + spreads[random.below(4)] * length);
  const auto judge = run_trace<FlitByFlit>(network, how, trace, false, true);
  const auto found = run_trace<FlitEngine>(network, how, trace, false, true);
  expect_equal(what + " head", found.head, judge.head);
  expect_equal(what + " tail", found.tail, judge.tail);
  expect(found.hops == judge.hops, what + " hops");
  expect(in_order(found.crossings) == in_order(judge.crossings), what + " crossings");
  expect(found.outcome.deadlocked == judge.outcome.deadlocked, what + " deadlocked");
  expect(found.outcome.deadlock.size() == judge.outcome.deadlock.size(), what + " circle");
  expect(found.outcome.simulated_cycles == judge.outcome.simulated_cycles, what + " last tick");
  expect(found.outcome.flit_hops == judge.outcome.flit_hops, what + " flit hops");
  counts.messages += trace.id.size();
  counts.deadlocked += judge.outcome.deadlocked != 0;
}

/// The same of simulate(), which stops in the midst of things.
void compare_open_loop(std::uint64_t seed, Counts& counts) {
  Random random(seed);
  const Network network = build_network(random_keys(random));
  if (const auto kind = random.below(3); kind == 0)
    make_unlike(*network.fabric, random, true);
  else if (kind == 1)
    make_alike(*network.fabric, random);
  Traffic traffic;
  traffic.load = 0.05 + 0.1 * random.below(8);
  traffic.flits = {{1 + random.below(60), 1.0}};
  Method method;
  method.seed = seed;
  method.warmup_cycles = 100;
  method.cycles = 1 + random.below(2000);
  method.utilisation = true;
  const auto judge = run_open_loop<FlitByFlit>(network, {}, traffic, method, false);
  const auto found = run_open_loop<FlitEngine>(network, {}, traffic, method, false);
  const std::string what = "open loop " + std::to_string(seed);
  expect(found.messages == judge.messages && found.throughput == judge.throughput, what + " messages");
  expect(found.backlog == judge.backlog, what + " backlog");
  expect(found.utilisation == judge.utilisation, what + " utilisation");
  expect(found.deadlocked == judge.deadlocked, what + " deadlocked");
  counts.messages += judge.simulated_messages;
}

void expect_the_same(const std::string& what, const Delivered& found, const Delivered& judge) {
  expect_equal(what + " head", found.head, judge.head);
  expect_equal(what + " tail", found.tail, judge.tail);
  expect(found.hops == judge.hops, what + " hops");
  expect(found.outcome.deadlocked == judge.outcome.deadlocked, what + " deadlocked");
  expect(found.outcome.deadlock.size() == judge.outcome.deadlock.size(), what + " circle");
  expect(found.outcome.simulated_cycles == judge.outcome.simulated_cycles, what + " last tick");
  expect(found.outcome.flit_hops == judge.outcome.flit_hops, what + " flit hops");
}

/// The engine that goes tick by tick, on links of unit times but for the heads.
void compare_by_tick(std::uint64_t seed, Counts& counts) {
  Random random(seed);
  Table keys = random_keys(random);
  keys["buffer_flits"] = 1 + static_cast<int>(random.below(6));
  if (random.below(4) == 0) keys["buffer_flits"] = 8 + static_cast<int>(random.below(8));  // all of its digits
  if (random.below(20) == 0) keys = {{"topology", "ring"}, {"nodes", 60}, {"lanes", 3}};   // worms of many lanes
  const std::string what = "by tick " + std::to_string(seed);
  const Network network = build_network(keys);
  Switching how;
  if (random.below(5) == 0) how.packet_flits = 1 + random.below(20), how.packet_gap = 1 + random.below(3);
  if (random.below(2) == 0)
    for (auto& link : network.fabric->links) {
      link.head = 1 + random.below(5);
      if (link.kind == LinkKind::ejection) link.buffer = link.head + random.below(3);
    }
  if (!FlitsByTick<ReplaySource, Recorder>::suits(*network.fabric, how)) return expect(false, what + " does not suit");
  const std::uint32_t lengths[] = {1, 6, 40, 400}, length = lengths[random.below(4)];
  const std::uint32_t spreads[] = {1, 5, 20, 100};
  const auto trace = random_trace(random, 200, network.fabric->nodes, length, 1 + spreads[random.below(4)] * length);
  const auto judge = run_trace<FlitByFlit>(network, how, trace, false, false);
  expect_the_same(what, run_trace<FlitsByTick>(network, how, trace, false, false), judge);
  expect_the_same("long worms " + what, run_trace<LongWormsByTick>(network, how, trace, false, false), judge);
  counts.messages += trace.id.size();
}

bool same(const Outcome& one, const Outcome& other) {
  const auto sums = [](const Outcome& outcome) {
    std::vector<double> all;
    for (const auto& [name, found] : outcome.latencies)
      all.insert(all.end(),
                 {static_cast<double>(found.all.count), static_cast<double>(found.all.sum), found.all.squares});
    return all;
  };
  return one.messages == other.messages && one.throughput == other.throughput && one.backlog == other.backlog &&
         one.worst_node == other.worst_node && one.head_hops == other.head_hops && sums(one) == sums(other);
}

/// A run is the same whichever engine it takes, and takes the one that goes tick by tick where worms get in each
/// other's way; not where one has more lanes than that can hold.
void compare_choices(std::uint64_t seed, Counts& counts) {
  Traffic traffic;
  Method method;
  method.seed = seed;
  method.warmup_cycles = 1000;
  method.cycles = 30'000;
  for (const bool crowded : {true, false}) {
    const Network network =
        build_network({{"topology", "torus"}, {"extents", list({5, 4})}, {"buffer_flits", 4}, {"routing", "ugal"}});
    traffic.load = crowded ? 0.3 : 0.02;
    traffic.flits = {{crowded ? 8U : 64U, 1.0}};
    const auto plans = run_open_loop<FlitEngine>(network, {}, traffic, method, true);
    const auto ticks = run_open_loop<FlitsByTick>(network, {}, traffic, method, true);
    const auto chosen = simulate_flits(network, {}, traffic, method);
    expect(same(plans, ticks) && same(plans, chosen), "the engines' outcomes " + std::to_string(seed));
    expect(chosen.memory_bytes == (crowded ? ticks : plans).memory_bytes, "choice " + std::to_string(crowded));
    counts.messages += 2 * plans.simulated_messages;
  }
  // Many nodes and few cycles: before its first messages have come through nobody is in anybody's way.
  const Network cube = build_network({{"topology", "hypercube"}, {"dimension", 9}, {"routing", "valiant"}});
  traffic.load = 0.1;
  traffic.flits = {{32, 1.0}};
  Method brief = method;
  brief.warmup_cycles = 100;
  brief.cycles = 1000;
  expect(simulate_flits(cube, {}, traffic, brief).memory_bytes ==
             run_open_loop<FlitsByTick>(cube, {}, traffic, brief, true).memory_bytes,
         "choice by a short run of a large network");
  // Worms of more lanes than a word has bits: of 32 bits, of 64; of 32 where few go so far that nothing foretells it.
  for (const int kind : {0, 1, 2}) {
    const bool longest = kind == 1;
    const Network ring =
        build_network({{"topology", "ring"}, {"nodes", longest ? 200 : 100}, {"lanes", 4}, {"buffer_flits", 1}});
    traffic.load = longest ? 0.04 : 0.2;
    traffic.flits = {{longest ? 60U : 40U, 1.0}};
    traffic.pattern = kind == 2 ? "spherical" : "uniform";
    traffic.locality = 0.95;
    const auto plans = run_open_loop<FlitEngine>(ring, {}, traffic, method, true);
    const auto refused = [](const auto& run) {
      try {
        run();
      } catch (const LongWorm&) {
        return true;
      }
      return false;
    };
    const auto short_worms = [&] { return run_open_loop<FlitsByTick>(ring, {}, traffic, method, true); };
    const auto long_worms = [&] { return run_open_loop<LongWormsByTick>(ring, {}, traffic, method, true); };
    const auto chosen = simulate_flits(ring, {}, traffic, method);
    const std::string what = "worms of many lanes " + std::to_string(kind);
    expect(refused(short_worms) && refused(long_worms) == longest && same(plans, chosen), what);
    expect(chosen.memory_bytes == (longest ? plans : long_worms()).memory_bytes, what + ": choice");
    counts.messages += plans.simulated_messages;
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::uint64_t networks = count > 1 ? std::stoull(arguments[1]) : 600;
  const std::uint64_t first = count > 2 ? std::stoull(arguments[2]) : 1;
  Counts counts;
  for (std::uint64_t seed = first; seed < first + networks; ++seed) compare(seed, counts);
  for (std::uint64_t seed = first; seed < first + networks / 4; ++seed) compare_open_loop(seed, counts);
  for (std::uint64_t seed = first; seed < first + networks; ++seed) compare_by_tick(seed, counts);
  compare_by_tick(1'500'229, counts);  // flits of a worm that had gone were counted, after which it all stood still
  compare_choices(first, counts);
  std::printf("%zu messages compared, %d failures, %zu networks deadlocked\n", counts.messages, failures,
              counts.deadlocked);
  return failures != 0 || counts.deadlocked == 0;
}
