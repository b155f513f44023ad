#include "network/settings.hpp"

#include <limits>

#include "network/parameters.hpp"

namespace assay::network {

namespace {

/// Takes known keys out of a table; what remains is refused.
class Reader {
 public:
  Reader(const Table& config, std::string name) : name_(std::move(name)) {
    if (const auto found = config.find(name_); found != config.end()) {
      if (!std::holds_alternative<Table>(found->second.held)) throw ParameterError(name_, "must be a table");
      table_ = std::get<Table>(found->second.held);
      given_ = true;
    }
  }
  [[nodiscard]] bool given() const { return given_; }
  template <class Number>
    requires std::is_arithmetic_v<Number>
  void operator()(const char* key, Number& out) {
    const Value* value = find(key);
    if (value == nullptr) return;
    if constexpr (std::is_same_v<Number, bool>) {
      if (!std::holds_alternative<bool>(value->held)) wrong(key, *value, "true or false");
      out = std::get<bool>(value->held);
    } else if constexpr (std::is_floating_point_v<Number>) {
      if (std::holds_alternative<double>(value->held))
        out = std::get<double>(value->held);
      else if (std::holds_alternative<std::int64_t>(value->held))
        out = static_cast<double>(std::get<std::int64_t>(value->held));
      else
        wrong(key, *value, "a number");
    } else {
      out = whole<Number>(key, *value);
    }
  }
  void operator()(const char* key, std::string& out) {
    const Value* value = find(key);
    if (value == nullptr) return;
    if (!std::holds_alternative<std::string>(value->held)) wrong(key, *value, "a text");
    out = std::get<std::string>(value->held);
  }
  void operator()(const char* key, std::vector<std::uint32_t>& out) {
    const Value* value = find(key);
    if (value == nullptr) return;
    if (!std::holds_alternative<Value::List>(value->held)) wrong(key, *value, "a list of integers");
    out.clear();
    for (const auto& item : std::get<Value::List>(value->held)) out.push_back(whole<std::uint32_t>(key, item));
  }
  void operator()(const char* key, std::vector<std::pair<std::uint32_t, double>>& out) {
    const Value* value = find(key);
    if (value == nullptr) return;
    if (std::holds_alternative<std::int64_t>(value->held)) {
      out = {{whole<std::uint32_t>(key, *value), 1.0}};
      return;
    }
    if (!std::holds_alternative<Value::List>(value->held)) wrong(key, *value, "a length or pairs of length and weight");
    out.clear();
    for (const auto& item : std::get<Value::List>(value->held)) {
      const auto* pair = std::get_if<Value::List>(&item.held);
      if (pair == nullptr || pair->size() != 2) wrong(key, item, "a pair of length and weight");
      const auto& weight = (*pair)[1].held;
      if (!std::holds_alternative<double>(weight) && !std::holds_alternative<std::int64_t>(weight))
        wrong(key, item, "a pair of length and weight");
      const auto& length = (*pair)[0];
      out.emplace_back(std::holds_alternative<double>(length.held)
                           ? static_cast<std::uint32_t>(std::get<double>(length.held))
                           : whole<std::uint32_t>(key, length),
                       std::holds_alternative<double>(weight) ? std::get<double>(weight)
                                                              : static_cast<double>(std::get<std::int64_t>(weight)));
    }
  }
  /// A table inside, for a reader of its own; none where it is not given.
  [[nodiscard]] Table inside(const char* key) {
    const Value* value = find(key);
    return value == nullptr ? Table{} : Table{{name_ + "." + key, *value}};
  }
  /// A key that has no default here.
  template <class Type>
  void required(const char* key, Type& out) {
    if (const auto found = table_.find(key); found == table_.end() || found->second.absent())
      throw ParameterError(name_ + "." + key, "is missing");
    (*this)(key, out);
  }
  void done() const {
    for (const auto& [key, value] : table_)
      if (!value.absent()) throw ParameterError(name_ + "." + key, "is not a key of [" + name_ + "]");
  }

 private:
  const Value* find(const char* key) {
    const auto found = table_.find(key);
    if (found == table_.end()) return nullptr;
    taken_.push_back(found->second);
    table_.erase(found);
    return taken_.back().absent() ? nullptr : &taken_.back();
  }
  template <class Number>
  Number whole(const char* key, const Value& value) const {
    const auto* held = std::get_if<std::int64_t>(&value.held);
    if (held == nullptr || *held < 0 ||
        static_cast<std::uint64_t>(*held) > static_cast<std::uint64_t>(std::numeric_limits<Number>::max()))
      wrong(key, value, "an integer from 0 to " + std::to_string(std::numeric_limits<Number>::max()));
    return static_cast<Number>(*held);
  }
  [[noreturn]] void wrong(const char* key, const Value& value, const std::string& accepted) const {
    throw ParameterError(name_ + "." + key, "is " + value.text() + ", accepted is " + accepted);
  }
  std::string name_;
  Table table_;
  std::vector<Value> taken_;
  bool given_ = false;
};

void one_of(const std::string& key, const std::string& value, std::initializer_list<const char*> accepted) {
  std::string words;
  for (const auto* word : accepted) {
    if (value == word) return;
    words += (words.empty() ? "" : ", ") + std::string(word);
  }
  throw ParameterError(key, "is \"" + value + "\", accepted is one of " + words);
}

}  // namespace

Switching read_switching(Table& network) {
  static constexpr const char* keys[] = {
      "engine",     "switching",  "buffer_packets", "buffers",    "circuit_release", "acknowledgement", "packet_flits",
      "packet_gap", "flit_bytes", "cycle",          "sink_ticks", "output_packets",  "header_flits"};
  Table own;
  for (const auto* key : keys)
    if (auto node = network.extract(key)) own.insert(std::move(node));
  Table config;
  config["network"] = Value(std::move(own));
  Reader read(config, "network");
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
    throw ParameterError("network.packet_gap", "is 0, accepted is 1 or more");
  return out;
}

Traffic read_traffic(const Table& config) {
  Reader read(config, "traffic");
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

std::optional<BlockDrive> read_drive(const Table& config) {
  Reader read(config, "io.drive");
  if (!read.given()) return std::nullopt;
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

std::optional<BlockFiles> read_files(const Table& config, const Table& drive) {
  Reader read(config, "io.files");
  if (!read.given()) {
    if (!drive.empty()) throw ParameterError("io.drive", "needs [io.files], which says what lies on it");
    return std::nullopt;
  }
  BlockFiles out{};
  read.required("blocks", out.blocks);
  read.required("files", out.files);
  read.required("skew", out.skew);
  read.required("declustering", out.declustering);
  read.required("cache", out.cache);
  read.required("broadcast", out.broadcast);
  read.done();
  out.drive = read_drive(drive);
  return out;
}

}  // namespace

std::optional<InputOutput> read_io(const Table& config) {
  Reader read(config, "io");
  if (!read.given()) return std::nullopt;
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
  const Table files = read.inside("files"), drive = read.inside("drive");
  read.done();
  out.files = read_files(files, drive);
  return out;
}

Method read_method(const Table& config) {
  Reader read(config, "method");
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
  if (out.cycles == 0) throw ParameterError("method.cycles", "is 0, accepted is 1 or more");
  if (out.batches == 0) throw ParameterError("method.batches", "is 0, accepted is 1 or more");
  return out;
}

}  // namespace assay::network
