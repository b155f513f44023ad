// assay._core.storage: the parts of a simulated file system by themselves. The room also gives the simulated network
// its I/O nodes (io_nodes.hpp).
#include "network/values/bind.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <tuple>

#include "network/simulate.hpp"
#include "storage/block_server.hpp"
#include "storage/io_nodes.hpp"
#include "storage/striping.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace assay::storage;

namespace {

StorageParameters read(const nb::dict& storage) {
  const auto table = std::get<assay::network::Table>(assay::network::to_value(storage).held);
  return read_storage(assay::network::Fields(table, "storage"));
}
Time picoseconds(double seconds) { return std::llround(seconds * picoseconds_a_second); }
double seconds(Time time) { return static_cast<double>(time) / picoseconds_a_second; }

double seek(const nb::dict& storage, std::uint32_t cylinders) {
  return seconds(Disk(read(storage).disk.value()).seek(cylinders));
}

std::vector<double> drive(const nb::dict& storage, const std::vector<double>& arrive,
                          const std::vector<std::uint64_t>& addresses, std::uint64_t bytes, bool write) {
  const StorageParameters parameters = read(storage);
  OwnTimers timers;
  Drive played(timers, make_device(parameters), parameters.order);
  std::vector<double> ended(arrive.size());
  for (std::size_t i = 0; i < arrive.size(); ++i)
    timers.at(picoseconds(arrive[i]),
              [&, i] { played.submit({addresses[i], bytes, write}, [&, i] { ended[i] = seconds(timers.now()); }); });
  timers.run();
  return ended;
}

std::vector<bool> lru(std::size_t buffers, const std::vector<std::uint64_t>& blocks) {
  BlockCache cache(buffers);
  std::vector<bool> hits;
  for (const std::uint64_t each : blocks) {
    hits.push_back(cache.find(each).has_value());
    if (hits.back())
      cache.touch(each);
    else
      cache.take(each, Buffer::clean);
  }
  return hits;
}

// A request: (time, write, file, unit, bytes); a time below 0: when the one before is done. All files lie there
// already.
using Request = std::tuple<double, bool, FileId, std::uint64_t, std::uint64_t>;
nb::tuple server(const nb::dict& storage, const std::vector<std::uint64_t>& units, const std::vector<Request>& requests,
                 std::uint64_t ahead) {
  const StorageParameters parameters = read(storage);
  OwnTimers timers;
  BlockServer played(timers, parameters);
  for (FileId file = 0; file < units.size(); ++file) played.allocate(file, units[file]);
  std::vector<double> ended(requests.size());
  std::function<void(std::size_t)> start = [&](std::size_t i) {
    const auto& [when, write, file, unit, bytes] = requests[i];
    const auto done = [&, i] {
      ended[i] = seconds(timers.now());
      if (i + 1 < requests.size() && std::get<0>(requests[i + 1]) < 0) start(i + 1);
    };
    const BlockServer::Part part{unit, 0, bytes};
    write ? played.write(file, part, done) : played.read(file, part, ahead, done);
  };
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (const double when = std::get<0>(requests[i]); when >= 0) timers.at(picoseconds(when), [&, i] { start(i); });
  timers.run();
  const auto& counts = played.counts();
  nb::dict counted;
  counted["hits"] = counts.hits;
  counted["misses"] = counts.misses;
  counted["read"] = counts.read;
  counted["written"] = counts.written;
  counted["reads"] = counts.reads;
  counted["writes"] = counts.writes;
  counted["disk_busy"] = seconds(played.disk_busy());
  return nb::make_tuple(ended, counted, seconds(timers.now()));
}

std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>> pieces(
    std::uint64_t unit, std::uint32_t nodes, std::uint32_t first, std::uint64_t offset, std::uint64_t bytes) {
  const Striping striping(unit, nodes, first);
  std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>> found;
  while (bytes > 0) {
    const Piece each = striping.piece(offset, bytes);
    found.emplace_back(each.node, each.unit, each.offset, each.bytes);
    offset += each.bytes;
    bytes -= each.bytes;
  }
  return found;
}

}  // namespace

void bind_storage(nb::module_& module) {
  assay::network::io_model = &simulate_io;
  module.def("seek", &seek, "storage"_a, "cylinders"_a, "Seconds that the arm takes for so many cylinders.");
  module.def("drive", &drive, "storage"_a, "arrive"_a, "addresses"_a, "bytes"_a, "write"_a = false,
             "When accesses that come at these times (s) have ended, on one disk with its queue.");
  module.def("lru", &lru, "buffers"_a, "blocks"_a, "Whether each block was in a buffer when it was asked for.");
  module.def(
      "server", &server, "storage"_a, "units"_a, "requests"_a, "ahead"_a = 0,
      "One I/O node: when each request (time or -1, write, file, unit, bytes) is done, what was counted, and when "
      "all has ended. `units`: of each file; `ahead`: units of a file that are read ahead.");
  module.def("pieces", &pieces, "unit"_a, "nodes"_a, "first"_a, "offset"_a, "bytes"_a,
             "Where a part of a file lies: (I/O node, unit there, offset, bytes).");
}
