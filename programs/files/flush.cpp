#include "files/flush.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "timing/program.hpp"

namespace assay::files {
namespace {

namespace fs = std::filesystem;

constexpr int times = 3, deepest = 8;  // devices that lie on one another
constexpr std::size_t page_bytes = 4096;

// Of one device, and what it is made of; -1 where nothing of it can be seen.
std::int64_t flushes_of(std::string name, const std::string& system, int depth) {
  std::error_code none;
  const fs::path devices = system + "sys/class/block";
  if (fs::exists(devices / name / "partition", none))
    name = fs::canonical(devices / name, none).parent_path().filename();
  if (name.empty() || depth > deepest) return -1;
  std::int64_t sum = -1;
  const auto add = [&](std::int64_t more) {
    if (more >= 0) sum = std::max<std::int64_t>(sum, 0) + more;
  };
  for (const auto& each : fs::directory_iterator(devices / name / "slaves", none))
    add(flushes_of(each.path().filename(), system, depth + 1));
  if (sum >= 0) return sum;
  std::ifstream cache(devices / name / "queue/write_cache"), counters(devices / name / "stat");
  std::string kind;
  std::getline(cache, kind);
  if (kind != "write back") return -1;  // without a cache of its own it is sent none
  constexpr int place = 16;             // of Documentation/block/stat.rst, since Linux 5.5
  std::int64_t counted = 0;
  for (int at = 0; at < place; ++at)
    if (!(counters >> counted)) return -1;
  return counted > 0 ? counted : -1;  // drives that lie on others, or have several paths, count none
}

}  // namespace

std::int64_t flushes(const Storage& storage, const std::string& system) {
  return storage.own_device && storage.counted.size() == 1 ? flushes_of(storage.counted.front(), system, 0) : -1;
}

std::string flush_missing(int file, const Storage& storage) {
  if (storage.below != Below::device || flushes(storage) < 0) return "";
  int missed = 0;
  for (int at = 0; at < times; ++at) {
    const std::string page(page_bytes, static_cast<char>('a' + at));
    const std::int64_t before = flushes(storage);
    if (pwrite(file, page.data(), page.size(), 0) != static_cast<ssize_t>(page.size()) || fsync(file) != 0)
      throw timing::MeasurementFault(std::string("fsync: ") + std::strerror(errno));
    missed += flushes(storage) == before;
  }
  if (missed < times - 1) return "";  // somebody else's may hide one
  return "fsync had no drive empty its cache, " + std::to_string(missed) + " of " + std::to_string(times) +
         " times: what was written may be in memory still, the drive's or its host's";
}

}  // namespace assay::files
