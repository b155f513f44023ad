// Bandwidth of every level of memory: each thread passes again and again over a working set of its own that fills half
// of its part of a level. These are the slopes of the roof under which kernels compute (Williams, Waterman and
// Patterson 2009); stream measures the last of them as STREAM does, with arrays that all threads share.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "memory/caches.hpp"
#include "memory/pages.hpp"
#include "memory/stream_kernels.hpp"
#include "threads/team.hpp"

constexpr std::string_view record = R"record(
name = "levels"
title = "Bandwidth by level of memory"
part = "memory"
kind = "node"
first_look = true
summary = "bandwidth of each cache and of memory, every thread on a working set of its own"
cost = "bytes per element: read 8, triad 24, as STREAM counts them"
check = "read: the sum of all bits, by integer arithmetic of the pattern; triad: every element against a closed form of its place"
source = "Williams, Waterman and Patterson 2009; Dunigan 1995, section 3, Table 3.1"
statistics = ["median", "best"]
exact = ["size"]
slice_quick = 0.004
slice_standard = 0.01
blocks_quick = 2
blocks_standard = 4

[parameter.kernel]
type = "choice"
default = ["read", "triad"]
quick = "triad"
choices = ["read", "triad"]
sweep = true
help = "read: the sum of b's bits; triad: a = b + 3 c, three arrays in the working set; by the widest vectors"

[parameter.level]
type = "choice"
default = ["L1", "L2", "L3", "memory"]
choices = ["L1", "L2", "L3", "memory"]
sweep = true
help = "where the working sets lie: half of a thread's part of this cache; memory: twice the last-level cache in all"

[parameter.threads]
from = "threads/parameters.hpp"

[metric.time]
unit = "s/B"
help = "time of a byte, all threads together"

[metric.size]
unit = "B"
help = "working set of a thread"

[figure.rate]
metric = "time"
formula = "1 / value"
unit = "B/s"
better = "higher"
headline = true
help = "bytes per second of all threads together"

[figure.size]
metric = "size"
formula = "value"
unit = "B"
better = "higher"
help = "bytes of a thread's working set"

[roof]
bandwidth = "rate"
by = "level"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using memory::Kernel;

struct Set {  // one thread's: a, b and c in turn for triad, b alone for read
  Set(std::int64_t bytes, Kernel which) : kernel(which), pages(static_cast<std::size_t>(bytes), true), part{} {
    const std::int64_t arrays = kernel == Kernel::triad ? 3 : 1;
    part.count = bytes / 8 / arrays / memory::chunk * memory::chunk;
    auto* at = reinterpret_cast<double*>(pages.data());
    double* const b = at + (arrays - 1) / 2 * part.count;
    double* const c = at + (arrays - 1) * part.count;
    for (std::int64_t i = 0; i < part.count; ++i) {
      b[i] = 1 + static_cast<double>(i % 7);
      if (arrays == 3) c[i] = 2 + static_cast<double>(i % 5);
    }
    part.a = at;
    part.b = b;
    part.c = c;
  }
  std::int64_t wrong() const {
    if (kernel == Kernel::read) {
      std::uint64_t sum = 0;
      for (std::int64_t i = 0; i < 7; ++i) {
        const double value = 1 + static_cast<double>(i);
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        sum += bits * static_cast<std::uint64_t>(part.count / 7 + (i < part.count % 7));
      }
      return static_cast<std::uint64_t>(part.sum) != sum;
    }
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < part.count; ++i)
      found += part.a[i] != 1 + static_cast<double>(i % 7) + memory::scalar * (2 + static_cast<double>(i % 5));
    return found;
  }
  Kernel kernel;
  memory::Pages pages;
  memory::Part part;
};

// Bytes of a thread's working set: beyond the caches twice its part of the `last` level, and of a last level of up to
// 32 MiB four times the whole, as a guest whose hardware threads have one each may state that they share it, and of
// twice its size such a cache kept a third; in a cache half of its part of the level; 0 where there is no such level,
// or none of its own.
std::int64_t bytes_of(const std::string& level, std::int64_t last, const std::vector<int>& cpus, std::int64_t threads,
                      bool two_a_core) {
  if (level == "memory")
    return std::max({2 * last / threads, std::min<std::int64_t>(4 * last, 128 << 20), std::int64_t{8} << 20});
  const int number = level[1] - '0';
  const std::int64_t size = memory::cache_of(cpus[0], number);
  if (number < 3) return size / (two_a_core ? 4 : 2);
  const std::vector<int> used(cpus.begin(), cpus.begin() + threads);
  const std::int64_t part = size > 0 ? memory::find_last_level(used).bytes / 2 / threads : 0;
  return part > 2 * memory::cache_of(cpus[0], 2) ? part : 0;
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  std::map<std::pair<std::string, std::int64_t>, std::shared_ptr<std::vector<std::unique_ptr<Set>>>> kept;
  return run_program(record, argc, argv, [&](Case& at) {
    const int threads = static_cast<int>(at.integer("threads"));
    if (!team->holds(at, threads)) return;
    const threads::Processors& processors = team->processors();
    const std::string& level = at.choice("level");
    const bool two = threads > static_cast<int>(processors.cores);
    const memory::LastLevel last = memory::find_last_level(processors.cpus);
    const std::int64_t bytes = bytes_of(level, last.bytes, processors.cpus, threads, two);
    if (bytes == 0) return at.skip(level + ": the system tells of none that holds more than the level before it");
    if (level == "memory" && !last.warning.empty()) at.note(last.warning);
    if (bytes * threads > memory::read_headroom().bytes * 4 / 10) return at.skip("working sets that would not fit");
    const Kernel kernel = at.choice("kernel") == "read" ? Kernel::read : Kernel::triad;
    auto& sets = kept[{at.choice("kernel"), bytes}];
    if (!sets) sets = std::make_shared<std::vector<std::unique_ptr<Set>>>();
    if (sets->size() < static_cast<std::size_t>(threads)) sets->resize(static_cast<std::size_t>(threads));
    team->run(threads, [&, own = sets](int rank) {
      auto& set = (*own)[static_cast<std::size_t>(rank)];
      if (!set) set = std::make_unique<Set>(bytes, kernel);
    });
    const memory::Loop loop = memory::find_loop(kernel, false, 8 * memory::native_bytes);
    const std::int64_t unit = (*sets)[0]->part.count * (kernel == Kernel::read ? 8 : 24) * threads;
    const auto work = [=, own = sets](std::int64_t moved) {
      team->run(threads, [&](int rank) {
        memory::Part& part = (*own)[static_cast<std::size_t>(rank)]->part;
        for (std::int64_t pass = moved / unit; pass > 0; --pass) {
          loop(part);
          touched();
        }
      });
    };
    at.observe("size", [=] { return static_cast<double>(bytes); }, true);
    at.measure("time", work,
               {.unit = unit,
                .cache = level == "memory" ? "beyond the caches" : "same buffer, in " + level,
                .reading = threads::least_reading,
                .warm = [=] { work(unit); }});
    at.check([=, own = sets] {
      for (int rank = 0; rank < threads; ++rank) {
        memory::Part& part = (*own)[static_cast<std::size_t>(rank)]->part;
        if (kernel == Kernel::triad) std::fill(part.a, part.a + part.count, -1.0);
      }
      work(unit);
#ifdef ASSAY_BREAK
      (*own)[0]->part.sum += 1;
      (*own)[0]->part.a[7] = 0;
#endif
      std::int64_t bad = 0;
      for (int rank = 0; rank < threads; ++rank) bad += (*own)[static_cast<std::size_t>(rank)]->wrong();
      return Check{bad == 0, std::to_string(threads) + " working sets of " + std::to_string(bytes) + " bytes, " +
                                 std::to_string(bad) + " wrong"};
    });
  });
}
