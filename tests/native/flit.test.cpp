// The flit engine: the worm engine's ticks for every message where both apply; a slow twin's where lanes share wires;
// deadlock found; what lanes are for.
#include "flits.hpp"
#include "network/flit/run.hpp"
#include "network/worm/general_run.hpp"
#include "random_networks.hpp"

namespace {

using namespace trial;

std::size_t compared = 0;

void equals_worm(const std::string& what, Table keys, std::uint64_t seed, bool unlike) {
  Random random(seed);
  Network network = build_network(keys);
  Switching how;
  how.sink_ticks = 1 + random.below(2);
  if (random.below(4) == 0) how.packet_flits = 1 + random.below(20), how.packet_gap = 1 + random.below(3);
  if (unlike) make_unlike(*network.fabric, random, true);
  const std::uint32_t longest = random.below(2) == 0 ? 6 : 40;
  const auto trace = random_trace(random, 600, network.fabric->nodes, longest, 40 * longest);
  const auto worm = replay_worms(network, how, trace), flit = replay_flits(network, how, trace);
  expect_equal(what + " head", flit.head, worm.head);
  expect_equal(what + " tail", flit.tail, worm.tail);
  expect(flit.hops == worm.hops, what + " hops");
  expect(flit.outcome.deadlocked == worm.outcome.deadlocked, what + " deadlocked");
  expect(flit.outcome.flit_hops == worm.outcome.flit_hops, what + " flit hops");
  compared += trace.id.size();
}

/// Messages so long that the worm engine jumps over most of their flits, through buffers that do not cover the credits.
void equals_worm_over_long_messages(const std::string& what, Table keys, std::uint64_t seed) {
  Random random(seed);
  Network network = build_network(keys);
  Switching how;
  how.sink_ticks = 1 + random.below(4);
  make_unlike(*network.fabric, random, true);
  for (auto& link : network.fabric->links)
    if (random.below(3) == 0) link.buffer *= 1 + random.below(9), link.credit += random.below(60);
  const auto trace = random_trace(random, 24, network.fabric->nodes, 3000, 6000);
  const auto worm = replay_worms(network, how, trace), flit = replay_flits(network, how, trace);
  expect_equal(what + " head of long messages", flit.head, worm.head);
  expect_equal(what + " tail of long messages", flit.tail, worm.tail);
  compared += trace.id.size();
}

void equals_plain(const std::string& what, Table keys, std::uint64_t seed, bool unlike) {
  Random random(seed);
  Network network = build_network(keys);
  Switching how;
  how.sink_ticks = 1 + random.below(2);
  if (unlike) make_unlike(*network.fabric, random, false);
  const auto trace = random_trace(random, 300, network.fabric->nodes, 12, 500);
  const auto flit = replay_flits(network, how, trace);
  plain::Flits twin(network, trace, static_cast<int>(how.sink_ticks));
  twin.run();
  expect_equal(what + " head", flit.head, twin.head);
  expect_equal(what + " tail", flit.tail, twin.tail);
  compared += trace.id.size();
}

}  // namespace

int main() {
  const std::vector<std::pair<std::string, Table>> one_lane{
      {"mesh", {{"topology", "mesh"}, {"extents", list({4, 3})}}},
      {"mesh, channels",
       {{"topology", "mesh"},
        {"extents", list({3, 3})},
        {"channels", 2},
        {"injection_channels", 3},
        {"buffer_flits", 3}}},
      {"hypercube", {{"topology", "hypercube"}, {"dimension", 4}}},
      {"hypercube, Valiant",
       {{"topology", "hypercube"}, {"dimension", 3}, {"buffer_flits", 2}, {"ejection_channels", 2}}},
      {"tree", {{"topology", "k-ary-n-tree"}, {"radix", 2}, {"levels", 3}, {"up", "random"}}},
      {"fat tree", {{"topology", "fat-tree"}, {"children", list({3, 4})}, {"taper", 1.5}}},
      {"butterfly", {{"topology", "butterfly"}, {"radix", 2}, {"stages", 3}}},
  };
  for (const auto& [what, keys] : one_lane)
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
      equals_worm(what + " " + std::to_string(seed), keys, seed, seed % 3 != 0);
  for (const auto& [what, keys] : one_lane)
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
      equals_worm_over_long_messages(what + " " + std::to_string(seed), keys, seed);
  const std::vector<std::pair<std::string, Table>> lanes{
      {"torus", {{"topology", "torus"}, {"extents", list({4, 3})}}},
      {"ring, 4 lanes", {{"topology", "ring"}, {"nodes", 5}, {"lanes", 4}, {"buffer_flits", 2}}},
      {"mesh, 3 lanes", {{"topology", "mesh"}, {"extents", list({3, 3})}, {"lanes", 3}, {"channels", 2}}},
      {"dragonfly", {{"topology", "dragonfly"}, {"p", 1}, {"a", 2}, {"h", 1}, {"lanes", 3}}},
  };
  for (const auto& [what, keys] : lanes)
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
      equals_plain(what + " " + std::to_string(seed), keys, seed, seed % 3 != 0);
  std::printf("%zu messages compared, %d failures\n", compared, failures);
  return failures != 0;
}
