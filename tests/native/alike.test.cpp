// The engine for links that are all alike, against the general one: over random networks, each message's head and tail,
// also long after its 32-bit clock has been set back; and where it is not to be taken.
//
//   alike.test [NETWORKS [FIRST SEED]]
#include <cstdlib>

#include "network/runs.hpp"
#include "network/worm/alike_fabric.hpp"
#include "network/worm/deadlock.hpp"
#include "random_networks.hpp"

namespace {

using namespace trial;

Table random_keys(Random& random) {
  const auto one_to = [&](std::uint32_t most) { return 1 + static_cast<int>(random.below(most)); };
  const auto shape = [&]() -> Table {
    switch (random.below(9)) {
      case 0:
        return {{"topology", "mesh"}, {"extents", list({4, 5})}};
      case 1:
        return {{"topology", "mesh"}, {"extents", list({17})}};
      case 2:
        return {{"topology", "hypercube"}, {"dimension", one_to(5)}};
      case 3:
        return {{"topology", "hypercube"}, {"dimension", 4}, {"order", "lowest-first"}};
      case 4:
        return {{"topology", "k-ary-n-tree"}, {"radix", 2}, {"levels", 3}};
      case 5:
        return {{"topology", "fat-tree"}, {"children", list({3, 4})}, {"taper", 1.5}};
      case 6:
        return {{"topology", "butterfly"}, {"radix", 2}, {"stages", 3}};
      case 7:
        return {{"topology", "omega"}, {"radix", 3}, {"stages", 2}};
      default:
        return {{"topology", "hyperx"}, {"extents", list({3, 4})}, {"concentration", 2}};
    }
  };
  Table keys = shape();
  for (const char* key : {"channels", "injection_channels", "ejection_channels"})
    if (random.below(2) == 0) keys[key] = one_to(3);
  return keys;
}

/// One speed for all links, whose buffers cover the way of a credit, now and then by far.
void make_alike(Fabric& fabric, Random& random) {
  const std::uint32_t flit = 1 + random.below(3), body = random.below(5), credit = random.below(4);
  const std::uint32_t head = std::max(body, 1u) + random.below(4), covering = (body + credit + flit - 1) / flit;
  const std::uint32_t buffer = std::max(1u, covering) + random.below(4) * (random.below(4) == 0 ? 10 : 1);
  for (auto& link : fabric.links)
    link.flit = flit, link.body = body, link.head = head, link.credit = credit, link.buffer = buffer;
}

std::size_t compared = 0;

void compare(std::uint64_t seed) {
  Random random(seed);
  const Network network = build_network(random_keys(random));
  if (random.below(4) != 0) make_alike(*network.fabric, random);
  Switching how;
  how.sink_ticks = 1 + random.below(network.fabric->links[0].flit);
  const std::uint32_t longest = random.below(3) == 0 ? 3 : random.below(2) == 0 ? 20 : 200;
  const std::uint32_t span = (1 + random.below(60)) * longest;
  Trace trace = random_trace(random, 300, network.fabric->nodes, longest, span);
  const auto kind = random.below(3);
  const std::uint64_t begin = (std::uint64_t{1} << 30) - random.below(span);  // with messages under way when it is set
  for (auto& cycle : trace.cycle)
    if (kind != 0) cycle += kind == 1 ? begin : std::uint64_t{random.below(3)} * 1500000000;
  const std::string what = network.fabric->topology + " " + std::to_string(seed);
  expect(all_alike(network, how, longest), what + " is for this engine");
  const auto judge = run_trace<GeneralEngine>(network, how, trace, true, false);
  const auto found = run_trace<AlikeFabricEngine>(network, how, trace, true, false);
  expect_equal(what + " head", found.head, judge.head);
  expect_equal(what + " tail", found.tail, judge.tail);
  expect(found.hops == judge.hops, what + " hops");
  expect(found.outcome.flit_hops == judge.outcome.flit_hops, what + " flit hops");
  compared += trace.id.size();
}

/// The same of simulate(), which stops in the midst of things.
void compare_open_loop(std::uint64_t seed) {
  Random random(seed);
  const Network network = build_network(random_keys(random));
  if (random.below(2) == 0) make_alike(*network.fabric, random);
  Traffic traffic;
  traffic.load = 0.05 + 0.1 * random.below(12);
  traffic.flits = {{1 + random.below(60), 1.0}, {1 + random.below(9), 2.0}};
  Method method;
  method.seed = seed;
  method.warmup_cycles = 100;
  method.cycles = 1 + random.below(4000);
  const auto judge = run_open_loop<GeneralEngine>(network, {}, traffic, method, true);
  const auto found = run_open_loop<AlikeFabricEngine>(network, {}, traffic, method, true);
  const std::string what = "open loop " + std::to_string(seed);
  expect(found.messages == judge.messages && found.throughput == judge.throughput, what + " messages");
  expect(found.backlog == judge.backlog, what + " backlog");
  const auto same = [&](const char* kind) {
    const auto &one = found.latencies.at(kind).all, &other = judge.latencies.at(kind).all;
    return one.count == other.count && (one.count == 0 || one.mean() == other.mean());
  };
  expect(same("header") && same("queueing"), what + " latencies");
  compared += found.simulated_messages;
}

void is_not_taken(const std::string& what, const Table& keys, const Switching& how = {}, std::uint64_t longest = 32) {
  expect(!all_alike(build_network(keys), how, longest), what + " is not for this engine");
}

void where_it_is_not_exact() {
  const Table mesh{{"topology", "mesh"}, {"extents", list({4, 4})}};
  const auto with = [&](const char* key, const Value& value) {
    Table keys = mesh;
    keys[key] = value;
    return keys;
  };
  expect(all_alike(build_network(mesh), {}, 32), "a unit mesh is for this engine");
  is_not_taken("an unlike node link", with("node_flit_ticks", 2));
  is_not_taken("a slower head", with("body_ticks", 2));
  is_not_taken("a credit that comes late", with("credit_ticks", 1));
  is_not_taken("an open buffer", with("buffer_flits", 0));
  is_not_taken("a failed router", with("failed_routers", Value::List{Value(3)}));
  is_not_taken("a message of 2^29 flits", mesh, {}, 1u << 29);
  is_not_taken("a torus with lanes", {{"topology", "torus"}, {"extents", list({4, 4})}});
  is_not_taken("a ring that can deadlock", {{"topology", "ring"}, {"nodes", 5}, {"dateline", "none"}});
  is_not_taken("ways drawn at random", {{"topology", "k-ary-n-tree"}, {"radix", 2}, {"levels", 3}, {"up", "random"}});
  is_not_taken("very long ways", {{"topology", "mesh"}, {"extents", list({2000})}});
  Switching how;
  how.sink_ticks = 2;
  is_not_taken("a slow sink", mesh, how);
  how = {};
  how.packet_flits = 8;
  is_not_taken("packets", mesh, how);
  how = {};
  how.switching = "circuit";
  is_not_taken("circuits", mesh, how);
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t networks = count > 1 ? std::strtoull(words[1], nullptr, 10) : 400;
  const std::uint64_t first = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1;
  where_it_is_not_exact();
  for (std::uint64_t seed = first; seed < first + networks; ++seed) compare(seed);
  for (std::uint64_t seed = first; seed < first + networks / 4; ++seed) compare_open_loop(seed);
  std::printf("%zu messages compared, %d failures\n", compared, failures);
  return failures != 0;
}
