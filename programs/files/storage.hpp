// What lies under a folder, and what the kernel counts of it: file system, block device, bytes that a process had
// fetched, sectors that the device read and wrote, pages of a file that are in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/link.hpp"

namespace assay::files {

enum class Below { device, memory, remote, unknown };  // where bytes come from that no cache has

struct Storage {
  Below below = Below::unknown;
  std::string type, source;          // of the mount: "ext4", "/dev/vda"
  std::vector<std::string> counted;  // block devices whose counters are asked, of /proc/diskstats
  bool own_device = false;           // `counted` is the file system's one device, not all of this host's
  Link link;                         // what the way there carries at most
  std::string caveat;                // why a device's figure may be of something else (a virtual disk, a loop)

  std::string words() const { return type.empty() ? "a file system that is not known" : type + " on " + source; }
  std::string link_words() const;  // for a person, "" where its rate is not known
};

// Of a folder; `system` is "/" but in tests, where `major` and `minor` take the place of the folder's own.
Storage storage_of(int folder, const std::string& path, const std::string& system = "/");

struct Counters {                  // bytes since some time, -1 where the kernel does not say
  std::int64_t fetched = -1;       // that this process and its ended children had read from below (/proc/self/io)
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
