// Where the bytes of a pass came from, or went: the one place where a rate gets its label. Judged from what was in the
// page cache before the pass and before each operation (mincore), what the kernel fetched for this process
// (/proc/self/io), what the block device moved (/proc/diskstats), and what lies below the file system at all.
// What these do not explain is unknown: no rate of a cache is called a device's.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "files/storage.hpp"

namespace assay::files {

enum class Source { device, cache, remote, unknown };
inline constexpr std::array<const char*, 4> source_names = {"device", "cache", "remote", "unknown"};

enum class Found : std::uint8_t {  // what was in the page cache when an operation began
  nothing,                         // none of its bytes (or the operation passes the cache by: O_DIRECT)
  held,                            // all, and already before the pass
  came,                            // all, but not before the pass: the kernel read ahead for us, or another read them
  part,                            // some of them
};
inline constexpr std::size_t kinds_found = 4;

struct Evidence {
  Below below = Below::unknown;
  bool direct = false;                            // O_DIRECT was asked for
  bool synced = true;                             // fsync(2) reaches what lies below (Ground)
  std::string unflushed;                          // why it may be in the drive's own cache (Ground)
  std::array<std::int64_t, kinds_found> bytes{};  // read, by what was found
  Counters counted{};                             // during the pass
  std::int64_t written = 0;                       // bytes, and brought to the device by fsync
};

struct Sources {
  std::array<Source, kinds_found> rate{};     // of bytes read, by what was found: under which label their rate counts
  std::array<Source, kinds_found> latency{};  // the same of each operation's time
  std::string why;                            // where something is unknown: what was missing
};

Sources sources_of_reads(const Evidence& evidence);

// What a rate of `per_byte` s/B through the page cache may be called, with so many operations in flight, of which each
// takes `copy` s/B at least: unknown where it is faster than that. `copy` 0: not known.
Source no_faster_than_copies(Source label, double per_byte, double copy, std::int64_t in_flight, std::string& why);

// What a rate of `per_byte` s/B, by whatever engine, may be called behind a link: unknown where the link cannot carry
// it.
Source no_faster_than_link(Source label, double per_byte, const Link& link, std::string& why);

// Of writes until fsync has returned.
Source source_of_writes(const Evidence& evidence, std::string& why);

}  // namespace assay::files
