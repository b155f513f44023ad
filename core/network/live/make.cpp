#include "network/live/make.hpp"

#include "network/choose.hpp"
#include "network/flit/engine.hpp"
#include "network/live/engine.hpp"
#include "network/packet/engine.hpp"
#include "network/worm/deadlock.hpp"
#include "network/worm/general.hpp"

namespace assay::network {

std::unique_ptr<Live> make_live(const Table& given, bool passing) {
  Table keys = given;
  const Switching how = read_switching(keys);
  if (!passing)
    if (auto cube = make_circuit_cube(keys, how)) return cube;
  Network network = build_network(keys);
  switch (choose_engine(network, how)) {
    case Engine::flit:
      return std::make_unique<LiveEngine<FlitEngine>>(std::move(network), how, "flit", 1, passing);
    case Engine::packet:
      return std::make_unique<LiveEngine<PacketEngine>>(std::move(network), how, "packet", 64, passing);
    case Engine::worm:
      break;
  }
  return std::make_unique<LiveEngine<GeneralEngine>>(std::move(network), how, "worm", 64, passing);
}

std::uint32_t live_nodes(const Table& given) {
  Table keys = given;
  const Switching how = read_switching(keys);
  if (const auto nodes = circuit_cube_nodes(keys, how)) return *nodes;
  const Network network = build_network(keys);
  choose_engine(network, how);  // refuses what no engine could play
  return network.fabric->processors;
}

}  // namespace assay::network
