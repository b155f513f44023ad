#include "ranks/machine_parameters.hpp"

#include <algorithm>

#include "network/fields.hpp"

namespace assay::described {
namespace {

using network::Fields;

Time time(const Fields& read, const char* key, Time otherwise = 0) {
  return read.rounded(key, picoseconds_a_second, otherwise);
}
double in_picoseconds(const Fields& read, const char* key) { return read.number(key) * picoseconds_a_second; }
std::uint64_t bytes(const Fields& read, const char* key, std::uint64_t otherwise) {
  return read.count<std::uint64_t>(key, otherwise);
}

Protocol protocol(const Fields& read) {
  Protocol p;
  p.up_to = bytes(read, "up_to", Protocol::any);
  p.startup = time(read, "startup");
  p.receive = time(read, "receive");
  p.copy = in_picoseconds(read, "copy");
  p.receive_copy = in_picoseconds(read, "receive_copy");
  p.copy_limit = bytes(read, "copy_limit", Protocol::any);
  p.minimum = bytes(read, "minimum", 0);
  p.packet = bytes(read, "packet", 0);
  p.header = bytes(read, "header", 0);
  p.envelope = bytes(read, "envelope", 0);
  p.packet_startup = time(read, "packet_startup");
  p.handshake = read.flag("handshake");
  p.posted = read.text("rendezvous", "buffer") == "posted";
  p.handshake_startup = time(read, "handshake_startup");
  p.handshake_every = static_cast<std::uint32_t>(read.number("handshake_every"));
  p.handshake_from = static_cast<std::uint32_t>(read.number("handshake_from", p.handshake_every + 1.0));
  p.acknowledge_every = static_cast<std::uint32_t>(read.number("acknowledge_every"));
  p.buffered = read.flag("buffered");
  p.loses = read.text("unposted", "kept") == "lost";
  return p;
}

std::vector<Protocol> protocols(const Fields& read, const char* key) {
  std::vector<Protocol> found;
  for (const Fields& each : read.each(key)) found.push_back(protocol(each));
  return found;
}

std::map<std::string, KernelCost, std::less<>> kernels(const Fields& read) {
  std::map<std::string, KernelCost, std::less<>> found;
  for (const std::string& name : read.keys()) {
    const Fields kernel = *read.inside(name);
    KernelCost& cost = found[name];
    cost.half = kernel.number("half");
    cost.shared = kernel.number("shared");
    for (const Fields& level : kernel.each("levels")) {
      KernelLevel& last = cost.levels.emplace_back();
      last = {level.number("up_to", last.up_to), level.number("own"), level.number("bus")};
    }
  }
  return found;
}

std::vector<ReplayedNoise> noise(const Fields& read) {
  std::vector<ReplayedNoise> found;
  for (const Fields& trace : read.each("noise")) {
    ReplayedNoise& last = found.emplace_back();
    trace.required("period", last.period);
    const auto start = trace.wholes<Time>("start"), length = trace.wholes<Time>("length");
    for (std::size_t i = 0; i < start.size(); ++i) last.detour(start[i], length[i]);
  }
  return found;
}

BarrierBy barrier_by(const std::string& algorithm) {
  return algorithm == "tree"            ? BarrierBy::tree
         : algorithm == "tree-exchange" ? BarrierBy::tree_exchange
         : algorithm == "linear"        ? BarrierBy::linear
         : algorithm == "hardware"      ? BarrierBy::hardware
                                        : BarrierBy::dissemination;
}

void read_node(const Fields& node, MachineParameters& m) {
  m.processors = node.count<int>("processors", 1);
  m.memory = node.number("memory");
  m.bus = in_picoseconds(node, "bus");
  m.interface = in_picoseconds(node, "interface");
  m.intake = in_picoseconds(node, "intake");
  m.clock_tick = std::max<Time>(1, time(node, "clock_tick", 1));
  m.noise = noise(node);
  if (const auto forwarding = node.inside("forwarding")) {
    m.says_forwarding = true;
    m.forward = time(*forwarding, "startup");
    m.forward_byte = in_picoseconds(*forwarding, "per_byte");
  }
}

}  // namespace

MachineParameters read_machine(const network::Table& description) {
  const Fields read(description, "");
  MachineParameters m;
  m.name = read.text("name", "machine");
  m.nodes = read.count<int>("nodes");
  if (const auto messages = read.inside("messages")) {
    m.startup = messages->number("startup");
    m.per_byte = messages->number("per_byte");
  }
  m.protocols = protocols(read, "protocol");
  m.ready = protocols(read, "forced");
  m.one_sided = protocols(read, "one_sided");
  m.self = protocols(read, "self");
  m.host = protocols(read, "host");
  m.tick = in_picoseconds(read, "cycle");
  m.flit_bytes = read.number("flit_bytes", 1);
  if (const auto node = read.inside("node")) read_node(*node, m);
  if (const auto costs = read.inside("kernels")) m.costs = kernels(*costs);
  if (const auto mpi = read.inside("mpi")) m.mpi = mpi->text("personality");
  if (const auto progress = read.inside("progress")) {
    const std::string kind = progress->text("kind", "hardware");
    m.says_progress = true;
    m.progress = kind == "calls" ? Progress::calls : kind == "interrupt" ? Progress::interrupt : Progress::hardware;
    m.interrupt = time(*progress, "interrupt");
  }
  if (const auto files = read.inside("storage")) {
    m.host_files = files->flag("host");
    m.storage = storage::read_storage(*files);
  }
  if (const auto barrier = read.inside("barrier")) {
    if (const Time step = time(*barrier, "step"); step > 0) m.barrier = step;
    m.barrier_by = barrier_by(barrier->text("algorithm", "messages"));
  }
  if (const network::Table* network = read.table("network")) m.network = *network;
  return m;
}

const Protocol& protocol_for(const std::vector<Protocol>& protocols, std::uint64_t bytes) {
  for (const Protocol& each : protocols)
    if (bytes <= each.up_to) return each;
  return protocols.back();
}

}  // namespace assay::described
