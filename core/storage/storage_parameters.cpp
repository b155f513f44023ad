#include "storage/storage_parameters.hpp"

#include <string>

namespace assay::storage {
namespace {

using network::Fields;

Time time(const Fields& read, const char* key) { return read.rounded(key, picoseconds_a_second); }
double per_byte(const Fields& read, const char* key) { return read.number(key) * picoseconds_a_second; }
std::uint64_t whole(const Fields& read, const char* key, std::uint64_t otherwise = 0) {
  return read.count<std::uint64_t>(key, otherwise);
}

// The cylinders from which on a track has so many sectors, and how many.
std::vector<Zone> zones(const Fields& read) {
  std::vector<std::vector<std::uint32_t>> pairs;
  read("zones", pairs);
  if (pairs.empty()) return {{0, read.count("sectors", 1)}};
  std::vector<Zone> found;
  for (const auto& pair : pairs) found.push_back({pair.at(0), pair.at(1)});
  return found;
}

DiskParameters disk(const Fields& read) {
  DiskParameters d;
  d.cylinders = read.count("cylinders", 1);
  d.heads = read.count("heads", 1);
  d.zones = zones(read);
  d.sector = whole(read, "sector", 512);
  d.revolution = time(read, "revolution");
  d.short_base = time(read, "seek_short");
  d.short_root = per_byte(read, "seek_short_root");
  d.long_base = time(read, "seek_long");
  d.long_slope = per_byte(read, "seek_long_slope");
  d.split = read.count("seek_split", d.cylinders);
  d.head_switch = time(read, "head_switch");
  d.overhead = time(read, "overhead");
  d.track_skew = read.count("track_skew");
  d.cylinder_skew = read.count("cylinder_skew");
  return d;
}

SolidStateParameters solid_state(const Fields& read) {
  SolidStateParameters s;
  s.channels = read.count("channels", 1);
  s.dies = read.count("dies", 1);
  s.page = whole(read, "page", s.page);
  s.read = time(read, "read");
  s.program = time(read, "program");
  s.channel_per_byte = per_byte(read, "channel_per_byte");
  s.per_byte = per_byte(read, "per_byte");
  s.overhead = time(read, "overhead");
  s.at_once = static_cast<int>(read.count("at_once", 1));
  s.capacity = whole(read, "capacity", s.capacity);
  return s;
}

FittedParameters fitted(const Fields& read) {
  FittedParameters f;
  f.access = time(read, "access");
  f.per_byte = per_byte(read, "per_byte");
  f.own_per_byte = per_byte(read, "own_per_byte");
  f.beside = time(read, "beside");
  f.beside_per_byte = per_byte(read, "beside_per_byte");
  f.at_once = static_cast<int>(read.count("at_once", 1));
  f.capacity = whole(read, "capacity", f.capacity);
  return f;
}

}  // namespace

StorageParameters read_storage(const Fields& read) {
  StorageParameters s;
  s.io_nodes = read.count("io_nodes", 1);
  s.nodes = read.wholes<std::uint32_t>("nodes");
  s.stripe = whole(read, "stripe", s.stripe);
  s.request = time(read, "request");
  s.per_byte = per_byte(read, "per_byte");
  s.open = time(read, "open");
  s.close = time(read, "close");
  s.allocate = time(read, "allocate");
  s.client_request = time(read, "client_request");
  s.client_per_byte = per_byte(read, "client_per_byte");
  s.client_write_byte = read.has("client_write_byte") ? per_byte(read, "client_write_byte") : s.client_per_byte;
  s.outstanding = read.count("outstanding", 1);
  if (const auto cache = read.inside("cache")) {
    s.buffers = whole(*cache, "size") / s.stripe;
    s.read_ahead = whole(*cache, "read_ahead");
    s.write_behind = cache->flag("write_behind");
  }
  s.disks = read.count("disks", 1);
  const std::string queue = read.text("queue");
  s.order = queue == "sptf" ? Order::sptf : queue == "scan" ? Order::scan : Order::fcfs;
  if (const auto inside = read.inside("disk")) s.disk = disk(*inside);
  if (const auto inside = read.inside("solid_state")) s.solid_state = solid_state(*inside);
  if (const auto inside = read.inside("device")) s.device = fitted(*inside);
  s.declustering = read.count("declustering");
  s.copies = read.count("copies", 1);
  if (read.has("failed")) s.failed = read.count("failed");
  if (read.has("failed_link")) s.failed_link = read.count("failed_link");
  if (const auto pair = read.wholes<std::uint32_t>("failed_disk"); pair.size() == 2) s.failed_disk = {pair[0], pair[1]};
  return s;
}

std::unique_ptr<Device> make_device(const StorageParameters& storage) {
  if (storage.disk) return std::make_unique<Disk>(*storage.disk);
  if (storage.solid_state) return std::make_unique<SolidState>(*storage.solid_state);
  return std::make_unique<FittedDevice>(storage.device.value_or(FittedParameters()));
}

}  // namespace assay::storage
