// The packet engine: the worm engine's ticks for every packet where both apply.
#include "network/packet/run.hpp"
#include "network/worm/general_run.hpp"
#include "random_networks.hpp"

namespace {

using namespace trial;

std::size_t compared = 0;

void equals_worm(const std::string& what, Table keys, std::uint64_t seed, bool unlike) {
  Random random(seed);
  Network network = build_network(keys);
  Switching how;
  how.switching = random.below(3) == 0 ? "store-and-forward" : "cut-through";
  how.buffers = random.below(3) == 0 ? "fifo" : "shared";
  how.buffer_packets = random.below(4);
  how.sink_ticks = 1 + random.below(2);
  if (random.below(3) == 0) how.packet_flits = 1 + random.below(20), how.packet_gap = 1 + random.below(3);
  if (unlike) make_unlike(*network.fabric, random, true);
  const std::uint32_t longest = random.below(2) == 0 ? 6 : 40;
  const auto trace = random_trace(random, 600, network.fabric->nodes, longest, 40 * longest);
  const auto worm = replay_worms(network, how, trace), packet = replay_packets(network, how, trace);
  expect_equal(what + " head", packet.head, worm.head);
  expect_equal(what + " tail", packet.tail, worm.tail);
  expect(packet.hops == worm.hops, what + " hops");
  expect(packet.outcome.deadlocked == worm.outcome.deadlocked, what + " deadlocked");
  compared += trace.id.size();
}

}  // namespace

int main() {
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
    for (std::uint64_t seed = 1; seed <= 16; ++seed)
      equals_worm(what + " " + std::to_string(seed), keys, seed, seed % 3 != 0);
  std::printf("%zu messages compared, %d failures\n", compared, failures);
  return failures != 0;
}
