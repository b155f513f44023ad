#include "network/settings.hpp"

#include "network/fields.hpp"

namespace assay::network {

namespace {

/// The table of a configuration; an empty one where it has none.
Fields fields_of(const Table& config, const std::string& name) {
  static const Table none;
  const auto found = config.find(name);
  if (found == config.end()) return {none, name};
  const auto* table = std::get_if<Table>(&found->second.held);
  if (!table) throw ParameterError::not_accepted(name, found->second, "a table");
  return {*table, name};
}

void one_of(const std::string& key, const std::string& value, std::initializer_list<const char*> accepted) {
  std::string words;
  for (const auto* word : accepted) {
    if (value == word) return;
    words += (words.empty() ? "" : ", ") + std::string(word);
  }
  throw ParameterError::not_accepted(key, value, "one of " + words);
}

}  // namespace

Switching read_switching(Table& network) {
  static constexpr const char* keys[] = {
      "engine",     "switching",  "buffer_packets", "buffers",    "circuit_release", "acknowledgement", "packet_flits",
      "packet_gap", "flit_bytes", "cycle",          "sink_ticks", "output_packets",  "header_flits"};
  Table own;
  for (const auto* key : keys)
    if (auto node = network.extract(key)) own.insert(std::move(node));
  const Fields read(own, "network");
  Switching out;
  double ignored = 0;
  read("engine", out.engine);
  read("switching", out.switching);
  read("buffer_packets", out.buffer_packets);
  read("buffers", out.buffers);
  read("output_packets", out.output_packets);
  read("header_flits", out.header_flits);
  read("circuit_release", out.circuit_release);
  read("acknowledgement", out.acknowledgement);
  read("packet_flits", out.packet_flits);
  read("packet_gap", out.packet_gap);
  read("sink_ticks", out.sink_ticks);
  read("flit_bytes", ignored);
  read("cycle", ignored);
  one_of("network.switching", out.switching, {"wormhole", "cut-through", "store-and-forward", "circuit"});
  one_of("network.buffers", out.buffers, {"shared", "fifo", "output"});
  one_of("network.circuit_release", out.circuit_release, {"tail", "end"});
  one_of("network.engine", out.engine, {"auto", "worm", "packet", "flit"});
  if (out.packet_flits != 0 && out.packet_gap < 1)
    throw ParameterError::not_accepted("network.packet_gap", 0, "1 or more");
  return out;
}

Traffic read_traffic(const Table& config) {
  const Fields read = fields_of(config, "traffic");
  Traffic out;
  read("pattern", out.pattern);
  read("self", out.self);
  read("arrivals", out.arrivals);
  read("load", out.load);
  read("flits", out.flits);
  read("lengths", out.lengths);
  read("burst_messages", out.burst_messages);
  read("hotspots", out.hotspots);
  read("hotspot_share", out.hotspot_share);
  read("radius", out.radius);
  read("locality", out.locality);
  read.done();
  one_of("traffic.lengths", out.lengths, {"table", "geometric"});
  return out;
}

namespace {

BlockDrive read_drive(const Fields& read) {
  BlockDrive out{};
  read.required("cylinders", out.cylinders);
  read.required("heads", out.heads);
  read.required("sectors", out.sectors);
  read.required("revolution", out.revolution);
  read.required("overhead", out.overhead);
  read.required("seek_short", out.seek_short);
  read.required("seek_short_root", out.seek_short_root);
  read.required("seek_split", out.seek_split);
  read.required("seek_long", out.seek_long);
  read.required("seek_long_slope", out.seek_long_slope);
  read.done();
  return out;
}

BlockFiles read_files(const Fields& read, const std::optional<Fields>& drive) {
  BlockFiles out{};
  read.required("blocks", out.blocks);
  read.required("files", out.files);
  read.required("skew", out.skew);
  read.required("declustering", out.declustering);
  read.required("cache", out.cache);
  read.required("broadcast", out.broadcast);
  read.done();
  if (drive) out.drive = read_drive(*drive);
  return out;
}

}  // namespace

std::optional<InputOutput> read_io(const Table& config) {
  const Fields read = fields_of(config, "io");
  if (!config.contains("io")) return std::nullopt;
  InputOutput out{};
  read("nodes", out.nodes);
  read("failed", out.failed);
  read.required("b", out.b);
  read.required("k", out.k);
  read.required("m", out.m);
  read.required("n", out.n);
  read.required("r", out.r);
  read.required("interval", out.interval);
  read.required("io_rate", out.io_rate);
  read.required("read_ratio", out.read_ratio);
  read.required("locality", out.locality);
  read.required("hit_rate", out.hit_rate);
  read.required("startup", out.startup);
  read.required("access", out.access);
  read.required("disk", out.disk);
  read.required("service", out.service);
  read.required("message_flits", out.message_flits);
  read.required("request_flits", out.request_flits);
  read.required("forward_flits", out.forward_flits);
  read.required("reply_flits", out.reply_flits);
  read.required("write_flits", out.write_flits);
  const auto files = read.inside("files"), drive = read.inside("drive");
  read.done();
  if (!files && drive) throw ParameterError("io.drive", "needs [io.files], which says what lies on it");
  if (files) out.files = read_files(*files, drive);
  return out;
}

Method read_method(const Table& config) {
  const Fields read = fields_of(config, "method");
  Method out;
  read("seed", out.seed);
  read("stream", out.stream);
  read("warmup_cycles", out.warmup_cycles);
  read("cycles", out.cycles);
  read("batches", out.batches);
  read("warmup_messages", out.warmup_messages);
  read("messages", out.messages);
  read("utilisation", out.utilisation);
  read.done();
  if (out.cycles == 0) throw ParameterError::not_accepted("method.cycles", 0, "1 or more");
  if (out.batches == 0) throw ParameterError::not_accepted("method.batches", 0, "1 or more");
  return out;
}

}  // namespace assay::network
