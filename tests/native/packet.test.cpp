// The packet engine: the worm engine's ticks for every packet where both apply; a slow twin's where lanes share wires,
// packets queue at outputs or carry headers.
//
//   packet.test [TIMES [FIRST SEED]]: so many times the messages
#include <algorithm>
#include <utility>

#include "network/packet/run.hpp"
#include "network/worm/general_run.hpp"
#include "packets.hpp"
#include "random_networks.hpp"

namespace {

using namespace trial;

std::size_t compared = 0;

/// Now and then nothing happens for more ticks than 32 bits count, or a message takes as many.
void stretch(Trace& trace, Random& random, bool whole) {
  if (random.below(3) == 0)
    for (auto& cycle : trace.cycle) cycle += std::uint64_t{random.below(5)} * 1'200'000'000;
  if (whole && random.below(3) == 0)
    for (auto& flits : trace.flits)
      if (random.below(30) == 0) flits += 700'000'000 + random.below(2) * 500'000'000;
}

void equals_worm(const std::string& what, Table keys, std::uint64_t seed, bool unlike) {
  Random random(seed);
  Network network = build_network(keys);
  Switching how;
  how.switching = random.below(3) == 0 ? "store-and-forward" : "cut-through";
  how.buffers = random.below(3) == 0 ? "fifo" : "shared";
  how.buffer_packets = random.below(8) == 0 ? 120 + random.below(20) : random.below(4);  // beyond what 7 bits count
  how.sink_ticks = 1 + random.below(2);
  if (random.below(3) == 0) how.packet_flits = 1 + random.below(20), how.packet_gap = 1 + random.below(3);
  if (unlike) make_unlike(*network.fabric, random, true);
  const std::uint32_t longest = random.below(2) == 0 ? 6 : 40;
  auto trace = random_trace(random, 600, network.fabric->nodes, longest, 40 * longest);
  stretch(trace, random, how.packet_flits == 0);
  const auto worm = replay_worms(network, how, trace), packet = replay_packets(network, how, trace);
  expect_equal(what + " head", packet.head, worm.head);
  expect_equal(what + " tail", packet.tail, worm.tail);
  expect(packet.hops == worm.hops, what + " hops");
  expect(packet.outcome.deadlocked == worm.outcome.deadlocked, what + " deadlocked");
  compared += trace.id.size();
}

void equals_plain(const Network& network, const Switching& how, const Trace& trace, const std::string& what) {
  const auto packet = replay_packets(network, how, trace);
  plain::Packets twin(network, how, trace);
  twin.run();
  expect_equal(what + " head", packet.head, twin.head);
  expect_equal(what + " tail", packet.tail, twin.tail);
  compared += trace.id.size();
}

void equals_plain(const std::string& what, Table keys, std::uint64_t seed, bool unlike) {
  Random random(seed);
  Network network = build_network(keys);
  Switching how;
  how.switching = random.below(3) == 0 ? "store-and-forward" : "cut-through";
  how.buffers = random.below(3) == 0 ? "fifo" : random.below(2) == 0 ? "output" : "shared";
  how.output_packets = random.below(3);
  how.buffer_packets = random.below(4);
  how.header_flits = random.below(3);
  how.sink_ticks = 1 + random.below(2);
  if (unlike) make_unlike(*network.fabric, random, false);
  const auto trace = random_trace(random, 400, network.fabric->nodes, random.below(2) == 0 ? 2 : 12, 700);
  equals_plain(network, how, trace, what);
}

/// Many packets of one flit at once, whose slots are free again as they are granted: what a tick's rounds are for.
void equals_plain_where_slots_get_free_at_once(const std::string& what, Table keys, std::uint64_t seed) {
  Random random(seed);
  const Network network = build_network(keys);
  Switching how;
  how.switching = "cut-through";
  how.buffers = random.below(4) == 0 ? "output" : "shared";
  how.output_packets = random.below(3);
  how.buffer_packets = 1 + random.below(2);
  const auto trace = random_trace(random, 300, network.fabric->nodes, 1 + random.below(2), 20 + random.below(60));
  equals_plain(network, how, trace, what + " at once");
}

/// A packet on a link, by the crossings that were written down.
struct Passed {
  std::uint64_t id, queried, head, tail, left = ~std::uint64_t{0},
                                         back = 0;  // left, back: its slot, when given up and free
};

/// What the definition of the load says of every choice that was made: who had queried for the link and still waited, a
/// busy channel, slots at the far end that were not free again. The least has to be taken, the first of equals.
void chooses_the_least_loaded(const std::string& what, Table keys, std::uint64_t seed) {
  Random random(seed);
  const Network network = build_network(keys);
  const Fabric& fabric = *network.fabric;
  Switching how;
  how.switching = random.below(3) == 0 ? "store-and-forward" : "cut-through";
  how.buffer_packets = random.below(4);
  make_unlike(*network.fabric, random, false);
  const auto trace = random_trace(random, 400, fabric.nodes, 12, 150);
  auto crossings = replay_packets(network, how, trace, true).crossings;
  std::sort(crossings.begin(), crossings.end(),
            [](const auto& a, const auto& b) { return std::pair(a.message, a.head) < std::pair(b.message, b.head); });
  std::vector<std::vector<Passed>> passed(fabric.links.size());
  for (std::size_t i = 0; i < crossings.size(); ++i) {
    const Crossing& one = crossings[i];
    const bool first = i == 0 || crossings[i - 1].message != one.message;
    const auto arrived = [&](const Crossing& by) {
      return (how.switching == "cut-through" ? by.head : by.tail) + fabric.links[by.link].head;
    };
    Passed way{trace.id[one.message], first ? trace.cycle[one.message] : arrived(crossings[i - 1]), one.head, one.tail};
    if (i + 1 < crossings.size() && crossings[i + 1].message == one.message)
      way.left = crossings[i + 1].head, way.back = crossings[i + 1].tail + fabric.links[one.link].credit;
    passed[one.link].push_back(way);
  }
  const auto load = [&](std::uint32_t link, std::uint64_t id, std::uint64_t now) {
    std::size_t sum = 0;
    for (const Passed& other : passed[link]) {
      if (std::pair(other.queried, other.id) < std::pair(now, id) && other.head >= now) ++sum;
      if (other.head >= now) continue;
      sum += other.tail + fabric.links[link].flit > now;
      sum += how.buffer_packets != 0 && (other.left >= now || other.back > now);
    }
    return sum;
  };
  std::size_t made = 0, loaded = 0;
  for (std::size_t i = 1; i < crossings.size(); ++i) {
    const Crossing &before = crossings[i - 1], &one = crossings[i];
    if (before.message != one.message) continue;
    RouteState state;
    state.source = trace.source[one.message], state.destination = trace.destination[one.message];
    Choices choices;
    network.routing->choices(fabric.links[before.link].to, static_cast<std::uint32_t>(before.link), 0, state, choices);
    if (choices.count < 2) continue;
    const auto& here = passed[one.link];
    const auto own = std::find_if(here.begin(), here.end(), [&](const Passed& way) {
      return way.head == one.head && way.id == trace.id[one.message];
    });
    Choice least = choices[0];
    for (const Choice& choice : choices)
      if (load(choice.link, own->id, own->queried) < load(least.link, own->id, own->queried)) least = choice;
    expect(least.link == one.link, what + ": message " + std::to_string(own->id) + " by the less loaded link");
    ++made;
    loaded += load(choices[0].link, own->id, own->queried) != 0;
  }
  expect(made > 200 && loaded > 20, what + ": " + std::to_string(loaded) + " of " + std::to_string(made) + " loaded");
  compared += trace.id.size();
}

/// Two nodes send to a third until the buffers behind their own links are full, of more packets than 7 bits count.
void fills_large_buffers() {
  const Network network = build_network({{"topology", "crossbar"}, {"nodes", 3}, {"credit_ticks", 5}});
  Switching how;
  how.switching = "cut-through";
  how.buffer_packets = 130;
  Trace trace;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    trace.id.push_back(i), trace.cycle.push_back(i / 8), trace.source.push_back(i % 2), trace.destination.push_back(2);
    trace.flits.push_back(1 + i % 3);
  }
  const auto worm = replay_worms(network, how, trace), packet = replay_packets(network, how, trace);
  expect_equal("large buffers head", packet.head, worm.head);
  expect_equal("large buffers tail", packet.tail, worm.tail);
  std::vector<std::int64_t> entered;
  for (const auto& one : replay_packets(network, how, trace, true).crossings)
    if (network.fabric->links[one.link].kind == LinkKind::injection && trace.source[one.message] == 0)
      entered.push_back(static_cast<std::int64_t>(one.head));
  std::sort(entered.begin(), entered.end());
  expect(entered[200] < 800 && entered[499] > 1200, "large buffers fill, and hold up those behind");
}

/// As many kinds of links as 16 bits number are taken, one more is refused by name.
void refuses_too_many_kinds() {
  for (const int nodes : {32768, 32769}) {
    const Network network = build_network({{"topology", "crossbar"}, {"nodes", nodes}});
    Switching how;
    how.switching = "cut-through";
    std::uint32_t head = 0;
    for (auto& link : network.fabric->links) link.head = ++head;
    std::string key;
    try {
      const auto found = replay_packets(network, how, {{0}, {0}, {1}, {5}, {3}});
      // Injection link 1 is the second of all, ejection link 5 comes behind all injection links; both pass 3 flits.
      expect(found.head[0] == 2 && found.tail[0] == 4, "many kinds of links: head and tail");
    } catch (const ParameterError& error) {
      key = error.key();
    }
    expect(key == (nodes == 32768 ? "" : "network.links"), "kinds of links: " + std::to_string(2 * nodes));
  }
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t times = count > 1 ? std::stoull(words[1]) : 1;
  const std::uint64_t first = count > 2 ? std::stoull(words[2]) : 1;
  const std::vector<std::pair<std::string, Table>> one_lane{
      {"mesh", {{"topology", "mesh"}, {"extents", list({4, 3})}}},
      {"ring without dateline", {{"topology", "ring"}, {"nodes", 5}, {"dateline", "none"}}},
      {"hypercube", {{"topology", "hypercube"}, {"dimension", 4}}},
      {"tree", {{"topology", "k-ary-n-tree"}, {"radix", 2}, {"levels", 3}, {"up", "random"}}},
      {"fat tree", {{"topology", "fat-tree"}, {"children", list({3, 4})}, {"taper", 1.5}}},
      {"butterfly", {{"topology", "butterfly"}, {"radix", 2}, {"stages", 3}}},
      {"crossbar", {{"topology", "crossbar"}, {"nodes", 6}}},
  };
  for (const auto& [what, keys] : one_lane)
    for (std::uint64_t seed = first; seed < first + 16 * times; ++seed)
      equals_worm(what + " " + std::to_string(seed), keys, seed, seed % 3 != 0);
  const std::vector<std::pair<std::string, Table>> lanes{
      {"torus", {{"topology", "torus"}, {"extents", list({4, 3})}}},
      {"ring, 4 lanes", {{"topology", "ring"}, {"nodes", 5}, {"lanes", 4}}},
      {"mesh, 3 lanes", {{"topology", "mesh"}, {"extents", list({3, 3})}, {"lanes", 3}}},
      {"hypercube", {{"topology", "hypercube"}, {"dimension", 3}}},
      {"crossbar", {{"topology", "crossbar"}, {"nodes", 6}}},
      {"ring without dateline", {{"topology", "ring"}, {"nodes", 5}, {"dateline", "none"}}},
      {"dragonfly", {{"topology", "dragonfly"}, {"p", 1}, {"a", 2}, {"h", 1}, {"lanes", 3}}},
  };
  for (const auto& [what, keys] : lanes)
    for (std::uint64_t seed = first; seed < first + 24 * times; ++seed)
      equals_plain(what + " " + std::to_string(seed), keys, seed, seed % 3 != 0);
  for (const auto& [what, keys] : lanes)
    for (std::uint64_t seed = first; seed < first + 12 * times; ++seed)
      equals_plain_where_slots_get_free_at_once(what + " " + std::to_string(seed), keys, seed);
  const std::vector<std::pair<std::string, Table>> adaptive{
      {"adaptive tree", {{"topology", "k-ary-n-tree"}, {"radix", 3}, {"levels", 2}, {"up", "adaptive"}}},
      {"adaptive tree, channels",
       {{"topology", "k-ary-n-tree"}, {"radix", 2}, {"levels", 3}, {"up", "adaptive"}, {"channels", 2}}},
      {"adaptive tree, lanes",
       {{"topology", "k-ary-n-tree"}, {"radix", 2}, {"levels", 3}, {"up", "adaptive"}, {"lanes", 3}}},
  };
  for (const auto& [what, keys] : adaptive)
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
      chooses_the_least_loaded(what + " " + std::to_string(seed), keys, seed);
  refuses_too_many_kinds();
  fills_large_buffers();
  std::printf("%zu messages compared, %d failures\n", compared, failures);
  return failures != 0;
}
