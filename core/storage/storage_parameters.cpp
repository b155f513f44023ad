#include "storage/storage_parameters.hpp"

#include <cmath>
#include <string>
#include <variant>

namespace assay::storage {
namespace {

using network::Table;
using network::Value;

class Reader {
 public:
  explicit Reader(const Table& table) : table_(table) {}
  const Value* held(const char* key) const {
    const auto found = table_.find(key);
    return found == table_.end() || found->second.absent() ? nullptr : &found->second;
  }
  double number(const char* key, double otherwise = 0) const {
    const Value* value = held(key);
    if (!value) return otherwise;
    if (const auto* whole = std::get_if<std::int64_t>(&value->held)) return static_cast<double>(*whole);
    return std::get<double>(value->held);
  }
  Time time(const char* key) const { return std::llround(number(key) * picoseconds_a_second); }
  double per_byte(const char* key) const { return number(key) * picoseconds_a_second; }
  std::uint64_t whole(const char* key, std::uint64_t otherwise = 0) const {
    return held(key) ? static_cast<std::uint64_t>(std::llround(number(key))) : otherwise;
  }
  std::uint32_t count(const char* key, std::uint32_t otherwise = 0) const {
    return static_cast<std::uint32_t>(whole(key, otherwise));
  }
  std::string text(const char* key) const {
    const Value* value = held(key);
    return value ? std::get<std::string>(value->held) : std::string();
  }
  bool truth(const char* key) const {
    const Value* value = held(key);
    return value && std::get<bool>(value->held);
  }
  const Table* table(const char* key) const {
    const Value* value = held(key);
    return value ? &std::get<Table>(value->held) : nullptr;
  }

 private:
  const Table& table_;
};

std::vector<Zone> zones(const Reader& read) {
  const Value* held = read.held("zones");
  if (!held || std::get<Value::List>(held->held).empty()) return {{0, read.count("sectors", 1)}};
  std::vector<Zone> found;
  for (const Value& each : std::get<Value::List>(held->held)) {
    const auto& pair = std::get<Value::List>(each.held);
    const auto number = [&](std::size_t at) {
      return static_cast<std::uint32_t>(std::get<std::int64_t>(pair[at].held));
    };
    found.push_back({number(0), number(1)});
  }
  return found;
}

DiskParameters disk(const Reader& read) {
  DiskParameters d;
  d.cylinders = read.count("cylinders", 1);
  d.heads = read.count("heads", 1);
  d.zones = zones(read);
  d.sector = read.whole("sector", 512);
  d.revolution = read.time("revolution");
  d.short_base = read.time("seek_short");
  d.short_root = read.per_byte("seek_short_root");
  d.long_base = read.time("seek_long");
  d.long_slope = read.per_byte("seek_long_slope");
  d.split = read.count("seek_split", d.cylinders);
  d.head_switch = read.time("head_switch");
  d.overhead = read.time("overhead");
  d.track_skew = read.count("track_skew");
  d.cylinder_skew = read.count("cylinder_skew");
  return d;
}

SolidStateParameters solid_state(const Reader& read) {
  SolidStateParameters s;
  s.channels = read.count("channels", 1);
  s.dies = read.count("dies", 1);
  s.page = read.whole("page", s.page);
  s.read = read.time("read");
  s.program = read.time("program");
  s.channel_per_byte = read.per_byte("channel_per_byte");
  s.per_byte = read.per_byte("per_byte");
  s.overhead = read.time("overhead");
  s.at_once = static_cast<int>(read.count("at_once", 1));
  s.capacity = read.whole("capacity", s.capacity);
  return s;
}

FittedParameters fitted(const Reader& read) {
  FittedParameters f;
  f.access = read.time("access");
  f.per_byte = read.per_byte("per_byte");
  f.own_per_byte = read.per_byte("own_per_byte");
  f.beside = read.time("beside");
  f.beside_per_byte = read.per_byte("beside_per_byte");
  f.at_once = static_cast<int>(read.count("at_once", 1));
  f.capacity = read.whole("capacity", f.capacity);
  return f;
}

}  // namespace

StorageParameters read_storage(const network::Table& table) {
  const Reader read(table);
  StorageParameters s;
  s.io_nodes = read.count("io_nodes", 1);
  if (const Value* nodes = read.held("nodes"))
    for (const Value& each : std::get<Value::List>(nodes->held))
      s.nodes.push_back(static_cast<std::uint32_t>(std::get<std::int64_t>(each.held)));
  s.stripe = read.whole("stripe", s.stripe);
  s.request = read.time("request");
  s.per_byte = read.per_byte("per_byte");
  s.open = read.time("open");
  s.close = read.time("close");
  s.allocate = read.time("allocate");
  s.client_request = read.time("client_request");
  s.client_per_byte = read.per_byte("client_per_byte");
  s.client_write_byte = read.held("client_write_byte") ? read.per_byte("client_write_byte") : s.client_per_byte;
  s.outstanding = read.count("outstanding", 1);
  if (const Table* inside = read.table("cache")) {
    const Reader cache(*inside);
    s.buffers = cache.whole("size") / s.stripe;
    s.read_ahead = cache.whole("read_ahead");
    s.write_behind = cache.truth("write_behind");
  }
  s.disks = read.count("disks", 1);
  const std::string queue = read.text("queue");
  s.order = queue == "sptf" ? Order::sptf : queue == "scan" ? Order::scan : Order::fcfs;
  if (const Table* inside = read.table("disk")) s.disk = disk(Reader(*inside));
  if (const Table* inside = read.table("solid_state")) s.solid_state = solid_state(Reader(*inside));
  if (const Table* inside = read.table("device")) s.device = fitted(Reader(*inside));
  s.declustering = read.count("declustering");
  s.copies = read.count("copies", 1);
  if (read.held("failed")) s.failed = read.count("failed");
  if (read.held("failed_link")) s.failed_link = read.count("failed_link");
  if (const Value* pair = read.held("failed_disk")) {
    const auto& both = std::get<Value::List>(pair->held);
    const auto number = [&](std::size_t at) {
      return static_cast<std::uint32_t>(std::get<std::int64_t>(both[at].held));
    };
    s.failed_disk = {number(0), number(1)};
  }
  return s;
}

std::unique_ptr<Device> make_device(const StorageParameters& storage) {
  if (storage.disk) return std::make_unique<Disk>(*storage.disk);
  if (storage.solid_state) return std::make_unique<SolidState>(*storage.solid_state);
  return std::make_unique<FittedDevice>(storage.device.value_or(FittedParameters()));
}

}  // namespace assay::storage
