#include "network/simulate.hpp"

#include "network/choose.hpp"
#include "network/flit/run.hpp"
#include "network/packet/run.hpp"
#include "network/registry.hpp"
#include "network/worm/cube_run.hpp"
#include "network/worm/general_run.hpp"

namespace assay::network {

namespace {

Table table_of(const Table& config, const std::string& name) {
  const auto found = config.find(name);
  if (found == config.end() || !std::holds_alternative<Table>(found->second.held))
    throw ParameterError(name, "a table [" + name + "] is needed");
  return std::get<Table>(found->second.held);
}

void check(const Trace& trace, std::uint32_t nodes) {
  for (std::size_t row = 0; row < trace.id.size(); ++row) {
    if (trace.source[row] >= nodes || trace.destination[row] >= nodes)
      throw ParameterError(
          "messages", "row " + std::to_string(row + 1) + " names a node beyond the last, " + std::to_string(nodes - 1));
    if (trace.flits[row] < 1 || trace.flits[row] >= 1u << 30)
      throw ParameterError("messages", "row " + std::to_string(row + 1) + " has " + std::to_string(trace.flits[row]) +
                                           " flits, accepted are 1 to 2^30 - 1");
    if (trace.cycle[row] >= std::uint64_t{1} << 62)
      throw ParameterError("messages", "row " + std::to_string(row + 1) + " lies beyond cycle 2^62");
  }
}

}  // namespace

Outcome simulate(const Table& config) {
  Table network = table_of(config, "network");
  const Switching switching = read_switching(network);
  const Method method = read_method(config);
  const Traffic traffic = read_traffic(config);
  if (const auto io = read_io(config)) {
    const auto cube = unit_cube(network, switching);
    if (io_model == nullptr || !cube || cube->buffer != 1 || cube->dimension > 11)
      throw ParameterError("io",
                           "is simulated beside a hypercube of unit links with e-cube routing and buffers of 1 flit, "
                           "of dimension 11 at most");
    return io_model(cube->dimension, *io, method);
  }
  if (const auto cube = unit_cube(network, switching); cube && !method.utilisation && traffic.pattern != "spherical")
    return simulate_cube(*cube, traffic, method);
  const Network built = build_network(network);
  switch (choose_engine(built, switching)) {
    case Engine::flit:
      return simulate_flits(built, switching, traffic, method);
    case Engine::packet:
      return simulate_packets(built, switching, traffic, method);
    case Engine::worm:
      break;
  }
  return simulate_worms(built, switching, traffic, method);
}

Delivered replay(const Table& config, const Trace& trace, bool crossings) {
  Table network = table_of(config, "network");
  const Switching switching = read_switching(network);
  if (const auto cube = unit_cube(network, switching); cube && !crossings) {
    check(trace, 1u << cube->dimension);
    return replay_cube(*cube, trace);
  }
  const Network built = build_network(network);
  check(trace, built.fabric->nodes);
  switch (choose_engine(built, switching)) {
    case Engine::flit:
      return replay_flits(built, switching, trace, crossings);
    case Engine::packet:
      return replay_packets(built, switching, trace, crossings);
    case Engine::worm:
      break;
  }
  return replay_worms(built, switching, trace, crossings);
}

}  // namespace assay::network
