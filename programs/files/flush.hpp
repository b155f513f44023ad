// Whether fsync(2) has the device empty its own cache. A library in fsync's place, a mount without barriers, or a
// virtual disk's settings may leave that out, and what was written is then in memory that no counter of bytes shows.
#pragma once

#include <cstdint>
#include <string>

#include "files/storage.hpp"

namespace assay::files {

// Flushes that the drives below have completed since the system started, of those whose cache writes back
// (queue/write_cache) and for which the kernel counts any; -1 without such a drive. `system` is "/" but in tests.
std::int64_t flushes(const Storage& storage, const std::string& system = "/");

// Writes a page of `file`, which is open for writing and not by O_DIRECT, and calls fsync, three times. "" where a
// drive was flushed each time, or where that cannot be seen; else why what fsync says is not believed.
std::string flush_missing(int file, const Storage& storage);

}  // namespace assay::files
