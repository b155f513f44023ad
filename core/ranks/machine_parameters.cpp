#include "ranks/machine_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "timing/faults.hpp"

namespace assay::described {
namespace {

using network::Table;
using network::Value;

// A table's values by key; Python has filled in what a person left out, or left it out on purpose.
class Reader {
 public:
  explicit Reader(const Table& table) : table_(table) {}
  double number(const char* key, double otherwise = 0) const {
    const auto found = table_.find(key);
    if (found == table_.end() || found->second.absent()) return otherwise;
    if (const auto* whole = std::get_if<std::int64_t>(&found->second.held)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&found->second.held)) return *real;
    throw timing::InputFault(std::string(key) + " is " + found->second.text() + "; expected a number");
  }
  Time time(const char* key, Time otherwise = 0) const {
    const double seconds = number(key, -1);
    return seconds < 0 ? otherwise : std::llround(seconds * picoseconds_a_second);
  }
  std::uint64_t bytes(const char* key, std::uint64_t otherwise) const {
    const double value = number(key, -1);
    return value < 0 ? otherwise : static_cast<std::uint64_t>(std::llround(value));
  }
  std::string text(const char* key, const char* otherwise) const {
    const auto found = table_.find(key);
    const auto* held = found == table_.end() ? nullptr : std::get_if<std::string>(&found->second.held);
    return held ? *held : otherwise;
  }
  bool truth(const char* key) const {
    const auto found = table_.find(key);
    const auto* held = found == table_.end() ? nullptr : std::get_if<bool>(&found->second.held);
    return held && *held;
  }
  const Table* table(const char* key) const {
    const auto found = table_.find(key);
    return found == table_.end() ? nullptr : std::get_if<Table>(&found->second.held);
  }
  std::vector<Protocol> protocols(const char* key) const;
  std::vector<ReplayedNoise> noise() const;
  std::map<std::string, KernelCost, std::less<>> kernels() const;

 private:
  const Table& table_;
};

Protocol protocol(const Reader& read) {
  Protocol p;
  p.up_to = read.bytes("up_to", Protocol::any);
  p.startup = read.time("startup");
  p.receive = read.time("receive");
  p.copy = read.number("copy") * picoseconds_a_second;
  p.receive_copy = read.number("receive_copy") * picoseconds_a_second;
  p.copy_limit = read.bytes("copy_limit", Protocol::any);
  p.minimum = read.bytes("minimum", 0);
  p.packet = read.bytes("packet", 0);
  p.header = read.bytes("header", 0);
  p.packet_startup = read.time("packet_startup");
  p.handshake = read.truth("handshake");
  p.posted = read.text("rendezvous", "buffer") == "posted";
  p.handshake_startup = read.time("handshake_startup");
  p.handshake_every = static_cast<std::uint32_t>(read.number("handshake_every"));
  p.handshake_from = static_cast<std::uint32_t>(read.number("handshake_from", p.handshake_every + 1.0));
  p.buffered = read.truth("buffered");
  p.loses = read.text("unposted", "kept") == "lost";
  return p;
}

std::vector<Protocol> Reader::protocols(const char* key) const {
  std::vector<Protocol> found;
  const auto entry = table_.find(key);
  if (entry == table_.end()) return found;
  if (const auto* list = std::get_if<Value::List>(&entry->second.held))
    for (const Value& each : *list) found.push_back(protocol(Reader(std::get<Table>(each.held))));
  return found;
}

std::map<std::string, KernelCost, std::less<>> Reader::kernels() const {
  std::map<std::string, KernelCost, std::less<>> found;
  const Table* all = table("kernels");
  if (!all) return found;
  for (const auto& [name, held] : *all) {
    const Table& kernel = std::get<Table>(held.held);
    KernelCost& cost = found[name];
    cost.half = Reader(kernel).number("half");
    cost.shared = Reader(kernel).number("shared");
    for (const Value& each : std::get<Value::List>(kernel.at("levels").held)) {
      const Reader level(std::get<Table>(each.held));
      KernelLevel& read = cost.levels.emplace_back();
      read = {level.number("up_to", read.up_to), level.number("own"), level.number("bus")};
    }
  }
  return found;
}

std::vector<ReplayedNoise> Reader::noise() const {
  std::vector<ReplayedNoise> found;
  const auto entry = table_.find("noise");
  if (entry == table_.end()) return found;
  const auto times = [](const Table& table, const char* key) {
    std::vector<Time> read;
    for (const Value& each : std::get<Value::List>(table.at(key).held))
      read.push_back(std::get<std::int64_t>(each.held));
    return read;
  };
  for (const Value& each : std::get<Value::List>(entry->second.held)) {
    const Table& trace = std::get<Table>(each.held);
    ReplayedNoise& noise = found.emplace_back();
    noise.period = std::get<std::int64_t>(trace.at("period").held);
    const auto start = times(trace, "start"), length = times(trace, "length");
    for (std::size_t i = 0; i < start.size(); ++i) noise.detour(start[i], length[i]);
  }
  return found;
}

}  // namespace

MachineParameters read_machine(const Description& description) {
  const Reader read(description);
  MachineParameters m;
  m.name = read.text("name", "machine");
  m.nodes = static_cast<int>(read.number("nodes"));
  if (const Table* messages = read.table("messages")) {
    m.startup = Reader(*messages).number("startup");
    m.per_byte = Reader(*messages).number("per_byte");
  }
  m.protocols = read.protocols("protocol");
  m.ready = read.protocols("forced");
  m.one_sided = read.protocols("one_sided");
  m.self = read.protocols("self");
  m.host = read.protocols("host");
  m.tick = read.number("cycle") * picoseconds_a_second;
  m.flit_bytes = read.number("flit_bytes", 1);
  if (const Table* table = read.table("node")) {
    const Reader node(*table);
    m.processors = static_cast<int>(node.number("processors", 1));
    m.memory = node.number("memory");
    m.bus = node.number("bus") * picoseconds_a_second;
    m.interface = node.number("interface") * picoseconds_a_second;
    m.intake = node.number("intake") * picoseconds_a_second;
    m.clock_tick = std::max<Time>(1, node.time("clock_tick", 1));
    m.noise = node.noise();
    if (const Table* forwarding = node.table("forwarding")) {
      m.forward = Reader(*forwarding).time("startup");
      m.forward_byte = Reader(*forwarding).number("per_byte") * picoseconds_a_second;
    }
  }
  m.costs = read.kernels();
  if (const Table* table = read.table("mpi")) m.mpi = Reader(*table).text("personality", "");
  if (const Table* table = read.table("progress")) {
    const std::string kind = Reader(*table).text("kind", "hardware");
    m.progress = kind == "calls" ? Progress::calls : kind == "interrupt" ? Progress::interrupt : Progress::hardware;
    m.interrupt = Reader(*table).time("interrupt");
  }
  if (const Table* table = read.table("storage")) m.host_files = Reader(*table).truth("host");
  if (const Table* table = read.table("barrier")) {
    const std::string algorithm = Reader(*table).text("algorithm", "messages");
    if (const Time step = Reader(*table).time("step"); step > 0) m.barrier = step;
    m.barrier_by = algorithm == "tree"            ? BarrierBy::tree
                   : algorithm == "tree-exchange" ? BarrierBy::tree_exchange
                   : algorithm == "linear"        ? BarrierBy::linear
                   : algorithm == "hardware"      ? BarrierBy::hardware
                                                  : BarrierBy::dissemination;
  }
  return m;
}

const Protocol& protocol_for(const std::vector<Protocol>& protocols, std::uint64_t bytes) {
  for (const Protocol& each : protocols)
    if (bytes <= each.up_to) return each;
  return protocols.back();
}

}  // namespace assay::described
