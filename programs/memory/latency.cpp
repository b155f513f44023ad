// Latency of memory against the size of the working set: a chain of pointers through every cache line of it, in one
// random cycle (Sattolo 1986), so that each load waits for the one before and no prefetcher can guess the next. The
// plateaus of the curve are the caches, its edges their sizes (analysis/cache_levels.py).
#include <memory>

#include "memory/caches.hpp"
#include "memory/chain.hpp"
#include "threads/team.hpp"

constexpr std::string_view record = R"record(
name = "latency"
title = "Memory latency"
part = "memory"
kind = "node"
first_look = true
summary = "time of a load that waits for the one before, by the size of the working set; caches found from it"
cost = "one operation is one dependent load of 8 bytes, each from another cache line of 64"
check = "walks from eight places of the cycle, each to the next, mark every line once; the measured loop itself goes from such a place to the next after as many loads as there are lines between, and not before"
source = "McVoy and Staelin 1996, lmbench; Saavedra and Smith 1995"
model = "cache_levels"
statistics = ["median", "best"]
slice_quick = 0.0015
slice_standard = 0.0015
slice_full = 0.1
blocks_quick = 3
blocks_standard = 4

[parameter.size]
type = "integer"
default = [4096, 6144, 8192, 10240, 12288, 14336, 16384, 20480, 24576, 28672, 32768, 40960, 49152, 57344, 65536, 81920, 98304, 114688, 131072, 163840, 196608, 229376, 262144, 327680, 393216, 458752, 524288, 655360, 786432, 917504, 1048576, 1310720, 1572864, 1835008, 2097152, 2621440, 3145728, 3670016, 4194304, 5242880, 6291456, 7340032, 8388608, 10485760, 12582912, 14680064, 16777216, 25165824, 33554432, 50331648, 67108864, 100663296, 134217728, 268435456]
quick = [8192, 10240, 12288, 14336, 16384, 20480, 24576, 28672, 32768, 40960, 49152, 57344, 65536, 81920, 98304, 114688, 131072, 163840, 196608, 229376, 262144, 327680, 393216, 458752, 524288, 655360, 786432, 917504, 1048576, 1310720, 1572864, 1835008, 2097152, 2621440, 3145728, 4194304, 6291456, 8388608, 33554432, 134217728]
min = 1024
max = 1099511627776
unit = "B"
sweep = true
help = "bytes of the working set"

[parameter.pages]
type = "choice"
default = "huge"
full = ["huge", "usual"]
choices = ["huge", "usual"]
sweep = true
help = "huge: pages of 2 MiB where the system gives them, so that the curve shows caches alone; usual: the addresses' translation too"

[metric.time]
unit = "s"
help = "time of one dependent load"

[headline.memory]
figure = "latency"
where = "size=134217728 pages=huge"
title = "memory latency (128 MiB)"
says = "waits for memory"
order = 2

[figure.latency]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = true
help = "time of a load that depends on the one before"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

using memory::Chain;
using memory::chase;

}  // namespace

int main(int argc, char** argv) {
  const threads::Processors processors = threads::find_processors();
  const std::int64_t cache = memory::find_last_level(processors.cpus).stated;
  return run_program(record, argc, argv, [&](Case& at) {
    if (!threads::pin(processors.cpus.front())) at.note("the thread could not be held on one hardware thread");
    const std::int64_t bytes = at.integer("size");
    const bool huge = at.choice("pages") == "huge";
    const memory::Headroom room = memory::read_headroom();
    if (bytes + (16 << 20) > room.bytes / 2)
      return at.skip("working sets beyond half of what " + room.by + " leaves", "size",
                     "size up to " + std::to_string(std::max<std::int64_t>(0, room.bytes / 2 - (16 << 20))));
    auto chain = std::make_shared<Chain>(bytes, huge, at.seed());
    if (huge && !chain->pages.got_huge && bytes >= static_cast<std::int64_t>(memory::Pages::huge))
      at.note("huge pages were asked for and not given: beyond the reach of the TLB, times hold its misses too");
    const auto walk = [chain](std::int64_t loads) { chain->at = chase(chain->at, loads); };
    const auto warm = [=] {
      if (bytes > 2 * cache)
        return walk(cache / 8 / static_cast<std::int64_t>(memory::line_of_cache));  // all is gone when met again
      if (bytes > (8 << 20)) return memory::visit(*chain);
      walk(bytes / static_cast<std::int64_t>(memory::line_of_cache));
    };
    at.measure("time", walk, {.unit = 8, .cache = "walked through before", .warm = warm});
    at.check([=] { return memory::verify(*chain); });
  });
}
