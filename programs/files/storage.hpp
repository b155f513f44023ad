// The storage of a folder, and what the kernel counts of it: bytes that a process had fetched and sent, sectors that
// the device read and wrote, pages of a file that are in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/below.hpp"

namespace assay::files {

struct Storage : Ground {
  std::string type, source;  // of the mount: "ext4", "/dev/vda"

  std::string words() const;
  std::string link_words() const;  // for a person, "" where its rate is not known
};

// Of a folder; `system` is "/" but in tests, where `major` and `minor` take the place of the folder's own.
Storage storage_of(int folder, const std::string& path, const std::string& system = "/");

struct Counters {                  // bytes since some time, -1 where the kernel does not say
  std::int64_t fetched = -1;       // that this process and its ended children had read from below (/proc/self/io)
  std::int64_t sent = -1;          // that they wrote to a file system which brings them below (the same)
  std::int64_t device_read = -1;   // by the device that moved most
  std::int64_t device_wrote = -1;  // the same

  std::vector<std::int64_t> reads = {}, writes = {};  // of each counted device
};

Counters read_counters(const Storage& storage, const std::string& system = "/");
// What was counted since; of several devices the one that moved most.
Counters since(const Counters& now, const Counters& before);

// Which pages of a mapped range are in memory and up to date, by mincore(2): bytes of them.
std::int64_t resident(const void* address, std::int64_t bytes);

}  // namespace assay::files
