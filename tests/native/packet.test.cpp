// The packet engine: the worm engine's ticks for every packet where both apply; a slow twin's where lanes share wires,
// packets queue at outputs or carry headers.
#include "network/packet/run.hpp"
#include "network/worm/general_run.hpp"
#include "packets.hpp"
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
  const auto packet = replay_packets(network, how, trace);
  plain::Packets twin(network, how, trace);
  twin.run();
  expect_equal(what + " head", packet.head, twin.head);
  expect_equal(what + " tail", packet.tail, twin.tail);
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
    for (std::uint64_t seed = 1; seed <= 24; ++seed)
      equals_plain(what + " " + std::to_string(seed), keys, seed, seed % 3 != 0);
  std::printf("%zu messages compared, %d failures\n", compared, failures);
  return failures != 0;
}
