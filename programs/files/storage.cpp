#include "files/storage.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "timing/memory_limits.hpp"

namespace assay::files {

std::string Storage::words() const {
  if (type.empty()) return "a file system that is not known";
  return type + (layer.empty() ? " on " + source : ", whose upper layer is " + layer);
}

std::string Storage::link_words() const {
  if (link.rate <= 0) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g MB/s", 1e-6 * link.rate);
  return "the way there carries at most " + std::string(text) + " (" + link.words + ")";
}

Storage storage_of(int folder, const std::string& path, const std::string& system) {
  struct stat about{};
  fstat(folder, &about);
  const std::string number = std::to_string(major(about.st_dev)) + ":" + std::to_string(minor(about.st_dev));
  std::error_code none;
  const auto mount = mount_of(std::filesystem::canonical(path, none), system);
  Storage storage;
  if (!mount) return storage;
  static_cast<Ground&>(storage) = ground_of(*mount, number, system);
  storage.type = mount->type;
  storage.source = mount->source;
  return storage;
}

Counters read_counters(const Storage& storage, const std::string& system) {
  Counters counters;
  counters.fetched = memory::entry(system + "proc/self/io", "read_bytes:").value_or(-1);
  counters.sent = memory::entry(system + "proc/self/io", "write_bytes:").value_or(-1);
  const std::vector<Disk> all = storage.counted.empty() ? std::vector<Disk>() : disks(system);
  for (const std::string& name : storage.counted) {
    const auto disk = std::ranges::find(all, name, &Disk::name);
    counters.reads.push_back(disk == all.end() ? 0 : disk->read);
    counters.writes.push_back(disk == all.end() ? 0 : disk->wrote);
  }
  return counters;
}

Counters since(const Counters& now, const Counters& before) {
  Counters found;
  if (now.fetched >= 0 && before.fetched >= 0) found.fetched = now.fetched - before.fetched;
  if (now.sent >= 0 && before.sent >= 0) found.sent = now.sent - before.sent;
  for (std::size_t at = 0; at < std::min(now.reads.size(), before.reads.size()); ++at) {
    found.device_read = std::max(found.device_read, now.reads[at] - before.reads[at]);
    found.device_wrote = std::max(found.device_wrote, now.writes[at] - before.writes[at]);
  }
  return found;
}

std::int64_t resident(const void* address, std::int64_t bytes) {
  static const std::int64_t page = sysconf(_SC_PAGESIZE);
  const auto first = reinterpret_cast<std::uintptr_t>(address) / static_cast<std::uintptr_t>(page);
  const auto start = first * static_cast<std::uintptr_t>(page);
  const std::int64_t span = bytes + static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) - start);
  const std::int64_t pages = (span + page - 1) / page;
  unsigned char few[512];
  std::vector<unsigned char> many(pages > 512 ? static_cast<std::size_t>(pages) : 0);
  unsigned char* in = pages > 512 ? many.data() : few;
  if (mincore(reinterpret_cast<void*>(start), static_cast<std::size_t>(span), in) != 0) return -1;
  const std::int64_t there = std::count_if(in, in + pages, [](unsigned char each) { return (each & 1) != 0; });
  return there == pages ? bytes : std::min(bytes, there * page);
}

}  // namespace assay::files
