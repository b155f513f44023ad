#include "network/choose.hpp"

#include <algorithm>

namespace assay::network {

namespace {

/// Whether a packet may choose among channels of which one gets free by another packet's grant in the very same tick: a
/// packet of one flit frees its slot as it is granted, where credits take no time. Which channel is taken then decides
/// whom a packet stands behind, and hangs on the order within the tick: the packet engine's (see there), since the worm
/// engine grants ahead of time.
bool frees_in_the_same_tick(const Network& network, const Switching& switching) {
  const bool fifo = switching.buffers == "fifo";
  if (switching.buffer_packets == 0 || (switching.buffer_packets == 1 && !fifo)) return false;  // channels are alike
  return std::any_of(network.fabric->links.begin(), network.fabric->links.end(),
                     [](const Link& link) { return link.channels > 1 && link.credit == 0; });
}

/// Whether the packet engine, which takes half the memory or less, is not slower than the worm engine: on networks of
/// so many links (meshes and cubes of 500 to 4,096 nodes were measured), where no link has several channels. A routing
/// that looks at the load keeps the engine that it has in small networks, since each shows it a count of its own.
bool packets_are_lighter(const Network& network) {
  constexpr std::size_t large = 3072;
  const auto& links = network.fabric->links;
  return links.size() >= large && network.routing->selection() != Selection::least_loaded &&
         std::all_of(links.begin(), links.end(), [](const Link& link) { return link.channels == 1; });
}

}  // namespace

Engine choose_engine(const Network& network, const Switching& switching) {
  const bool lanes = std::any_of(network.fabric->links.begin(), network.fabric->links.end(),
                                 [](const Link& link) { return link.lanes > 1; });
  const bool packets = switching.switching == "cut-through" || switching.switching == "store-and-forward";
  for (const auto& link : network.fabric->links)
    if (link.head < 1) throw ParameterError::not_accepted("network.head_ticks", 0, "1 or more");
  if (switching.sink_ticks < 1) throw ParameterError::not_accepted("network.sink_ticks", 0, "1 or more");
  if (switching.switching == "circuit" && lanes)
    throw ParameterError("network.lanes", Refusal::needs_lanes, "is more than 1, but a circuit takes whole channels");
  if (switching.switching == "circuit" && switching.header_flits != 0)
    throw ParameterError("network.header_flits", "is for packets; accepted with circuit switching is 0");
  if (switching.engine == "flit") {
    if (switching.switching != "wormhole")
      throw ParameterError("network.engine", "is \"flit\", which is for wormhole switching; accepted here: " +
                                                 std::string(packets ? "auto, packet" : "auto, worm"));
    return Engine::flit;
  }
  if (switching.engine == "packet") {
    if (!packets)
      throw ParameterError("network.engine",
                           "is \"packet\", which is for cut-through and store-and-forward; accepted here: auto, " +
                               std::string(lanes                              ? "flit"
                                           : switching.switching == "circuit" ? "worm"
                                                                              : "worm, flit"));
    return Engine::packet;
  }
  const bool more = lanes || switching.header_flits != 0 || (packets && switching.buffers == "output");
  if (switching.engine == "worm" && more)
    throw ParameterError(
        "network.engine",
        "is \"worm\", which has one lane per channel, no packet headers and no output queues, and this "
        "network has more; accepted here: auto, " +
            std::string(packets ? "packet" : "flit"));
  const bool tied = packets && frees_in_the_same_tick(network, switching);
  if (switching.engine == "worm" && tied)
    throw ParameterError("network.engine",
                         "is \"worm\", which grants ahead of time and cannot tell which of several channels a packet "
                         "takes where credits take no time; accepted here: auto, packet, or credit_ticks of 1 or more");
  if (!more && !tied && !(packets && switching.engine == "auto" && packets_are_lighter(network))) return Engine::worm;
  return packets ? Engine::packet : Engine::flit;
}

}  // namespace assay::network
