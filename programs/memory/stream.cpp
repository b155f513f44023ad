// Bandwidth of memory with 1 to p hardware threads at work at once, each one's share and the sum (Dunigan 1995, section
// 3, Table 3.1; the loops and the counting are those of McCalpin's STREAM).
//
// One operation is a pass of all threads over their parts of the arrays, in lockstep as in STREAM; each thread is held
// on a hardware thread and touched its part first. A share is the bytes of one thread over its own time at work.
// Streaming stores pass the caches by; what a plain store costs beside (the line read before it is written) is not
// counted.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "memory/caches.hpp"
#include "memory/stream_kernels.hpp"
#include "threads/team.hpp"

constexpr std::string_view record = R"record(
name = "stream"
title = "Memory bandwidth"
part = "memory"
kind = "node"
first_look = true
summary = "bandwidth of memory with 1 to p hardware threads at once: that of all together, and each one's own speed"
cost = "bytes per element, as STREAM counts them: read and write 8, copy and scale 16, add and triad 24; flops: scale and add 1, triad 2"
check = "elements throughout and at both ends of every thread's part of the destination are overwritten with a sentinel, one pass is made, and they are compared with a closed form of their place; the sum that read finds with integer arithmetic of the pattern"
source = "Dunigan 1995, section 3, Table 3.1; McCalpin 1995, STREAM"
published = ["pfldq"]
statistics = ["median", "best"]
exact = ["array"]
slice_quick = 0.005
slice_standard = 0.01
slice_full = 0.5
blocks_quick = 2
blocks_standard = 3

[parameter.kernel]
type = "choice"
default = ["read", "write", "copy", "scale", "add", "triad", "nontemporal_write", "nontemporal_copy", "nontemporal_triad"]
quick = ["read", "copy", "triad"]
described = ["read", "copy", "triad"]
choices = ["read", "write", "copy", "scale", "add", "triad", "nontemporal_write", "nontemporal_copy", "nontemporal_scale", "nontemporal_add", "nontemporal_triad"]
sweep = true
help = "a = value (write), b (copy), 3 b (scale), b + c (add), b + 3 c (triad), or the sum of b's bits (read); nontemporal: by streaming stores"

[parameter.threads]
from = "threads/parameters.hpp"
help = "threads at work, each on a hardware thread of its own; more than there are hardware threads are left out"

[parameter.vector]
type = "integer"
default = 0
full = [0, 64, 128, 256, 512]
min = 0
max = 512
unit = "1"
sweep = true
help = "bits of the vectors that the loop is written for; 0: as compiled (streaming stores: the widest)"

[parameter.size]
type = "integer"
default = 0
min = 0
max = 1099511627776
unit = "B"
sweep = true
help = "bytes of each array; 0: four times the last-level cache that the hardware threads in use can count on"

# On a described machine every byte that STREAM counts takes the bus of the node for as long as any other.
[described]
kernel = "stream"
only = { vector = [0] }
metric = { time = "unit", share = "1 / own" }

[metric.time]
unit = "s/B"
help = "time of a byte, all threads together"

[metric.share]
unit = "B/s"
help = "bytes of one thread over its own time at work"

[metric.array]
unit = "B"
help = "bytes of each array"

[headline.triad]
figure = "rate"
where = "kernel=triad vector=0"
title = "memory bandwidth (triad)"
says = "streams from memory at up to"
bound = "memory_rate"
advice = "another access pattern or streaming stores reach more"
order = 1

[shares]
parts = ["share"]
each = "thread"
over = "threads"
sum = "rate"

[roof]
bandwidth = "rate"
level = "memory"

[figure.rate]
metric = "time"
formula = "1 / value"
unit = "B/s"
better = "higher"
headline = true
help = "bytes per second of all threads together, STREAM's counting"

[figure.share]
metric = "share"
formula = "value"
unit = "B/s"
better = "higher"
help = "bytes of each thread over its own time at work, which may end before the others'; thread: which one"

[figure.array]
metric = "array"
formula = "value"
unit = "B"
better = "higher"
help = "bytes of each of the three arrays"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using memory::chunk;
using memory::Kernel;

double pattern_b(std::int64_t i) { return 1 + static_cast<double>(i % 7); }
double pattern_c(std::int64_t i) { return 2 + static_cast<double>(i % 5); }

class Arrays {  // three arrays, each touched first by the threads that will use it
 public:
  Arrays(threads::Team& team, std::int64_t bytes, std::uint64_t seed) : count(bytes / 8 / chunk * chunk) {
    for (double*& array : base_) {
      void* at = mmap(nullptr, mapped(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (at == MAP_FAILED) throw MeasurementFault("the system refuses arrays of " + std::to_string(bytes) + " bytes");
      array = static_cast<double*>(at);
    }
    std::uint64_t state = seed;
    a = base_[0] + 8 * (random_bits(state) % 64);  // lines of 64 bytes, varied by the seed
    b = base_[1] + 8 * (random_bits(state) % 64);
    c = base_[2] + 8 * (random_bits(state) % 64);
    const int threads = team.processors().usable();
    team.run(threads, [&](int rank) {
      const memory::Part own = part(rank, threads);
      const std::int64_t from = own.a - a;
      for (std::int64_t i = from; i < from + own.count; ++i) {
        a[i] = 0;
        b[i] = pattern_b(i);
        c[i] = pattern_c(i);
      }
    });
  }
  ~Arrays() {
    for (double* array : base_)
      if (array) munmap(array, mapped());
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  memory::Part part(int rank, int threads) const {
    const std::int64_t chunks = count / chunk;
    const std::int64_t from = chunks * rank / threads * chunk, to = chunks * (rank + 1) / threads * chunk;
    return {a + from, b + from, c + from, to - from, 0};
  }

  const std::int64_t count;
  double *a = nullptr, *b = nullptr, *c = nullptr;

 private:
  std::size_t mapped() const { return static_cast<std::size_t>(count * 8 + 64 * 64 + 4096); }
  double* base_[3] = {};
};

struct Share {
  alignas(threads::line_bytes) std::int64_t bytes = 0, spent = 0;  // since it was last asked; ns
};

struct Pass {
  std::string name;
  Kernel kernel = Kernel::read;
  bool streaming = false;
  std::int64_t counted = 0;  // bytes per element
  memory::Loop loop = nullptr;
};

Pass find_pass(const std::string& name, std::int64_t bits) {
  constexpr std::pair<std::string_view, std::int64_t> known[] = {{"read", 8},   {"write", 8}, {"copy", 16},
                                                                 {"scale", 16}, {"add", 24},  {"triad", 24}};
  Pass pass{name, Kernel::read, name.starts_with("nontemporal_"), 0, nullptr};
  const std::string_view base = std::string_view(name).substr(pass.streaming ? 12 : 0);
  for (std::size_t at = 0; at < std::size(known); ++at)
    if (known[at].first == base) {
      pass.kernel = static_cast<Kernel>(at);
      pass.counted = known[at].second;
    }
  pass.loop = memory::find_loop(pass.kernel, pass.streaming, bits);
  return pass;
}

double expected(Kernel kernel, std::int64_t i) {
  switch (kernel) {
    case Kernel::write:
      return memory::scalar;
    case Kernel::copy:
      return pattern_b(i);
    case Kernel::scale:
      return memory::scalar * pattern_b(i);
    case Kernel::add:
      return pattern_b(i) + pattern_c(i);
    default:
      return pattern_b(i) + memory::scalar * pattern_c(i);
  }
}

// The sum, modulo 2^64, of the bits of b over [0, count): whole periods of seven and what is left.
std::int64_t sum_of_bits(std::int64_t count) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < 7; ++i) {
    const double value = pattern_b(i);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    sum += bits * static_cast<std::uint64_t>(count / 7 + (i < count % 7));
  }
  return static_cast<std::int64_t>(sum);
}

// Elements at both ends of a part, and throughout it in steps that divide no power of two.
std::int64_t next_compared(std::int64_t i, std::int64_t count) { return i + (i < 512 || i >= count - 1024 ? 1 : 61); }

Check verify(threads::Team& team, Arrays& arrays, const Pass& pass, int threads) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(threads)), wrong(sums.size());
  team.run(threads, [&](int rank) {
    memory::Part own = arrays.part(rank, threads);
    if (pass.kernel != Kernel::read)
      for (std::int64_t i = 0; i < own.count; i = next_compared(i, own.count)) own.a[i] = -1;
    touched();
#ifdef ASSAY_BREAK
    own.count -= chunk;
#endif
    pass.loop(own);
    sums[static_cast<std::size_t>(rank)] = own.sum;
  });
  std::atomic<std::int64_t> compared{0};
  if (pass.kernel != Kernel::read)
    team.run(threads, [&](int rank) {
      const memory::Part own = arrays.part(rank, threads);
      const std::int64_t from = own.a - arrays.a;
      std::int64_t seen = 0, bad = 0;
      for (std::int64_t i = 0; i < own.count; i = next_compared(i, own.count), ++seen)
        bad += own.a[i] != expected(pass.kernel, from + i);
      wrong[static_cast<std::size_t>(rank)] = bad;
      compared += seen;
    });
  if (pass.kernel == Kernel::read) {
    std::uint64_t sum = 0;
    for (const std::int64_t each : sums) sum += static_cast<std::uint64_t>(each);
    return {static_cast<std::int64_t>(sum) == sum_of_bits(arrays.count), "the sum of all bits, modulo 2^64"};
  }
  std::int64_t bad = 0;
  for (const std::int64_t each : wrong) bad += each;
  return {bad == 0, std::to_string(compared) + " elements compared, " + std::to_string(bad) + " wrong"};
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  std::map<std::int64_t, std::shared_ptr<Arrays>> kept;
  return run_program(record, argc, argv, [&](Case& at) {
    const int threads = static_cast<int>(at.integer("threads"));
    const Pass pass = find_pass(at.choice("kernel"), at.integer("vector"));
    if (!pass.loop) return at.skip(pass.name + " with vectors of this width: not on this CPU");
    if (!team->holds(at, threads)) return;
    const memory::LastLevel last = memory::find_last_level(team->processors().cpus);
    const std::int64_t cache = last.bytes;
    const std::int64_t bytes = at.integer("size") ? at.integer("size") : 4 * cache;
    if (!kept.count(bytes)) {
      const memory::Headroom room = memory::read_headroom();
      if (3 * bytes > room.bytes * 8 / 10)
        return at.skip("arrays of " + std::to_string(bytes) + " bytes: three would not fit " + room.by, "size",
                       "size up to " + std::to_string(room.bytes / 10 * 8 / 3));
      if (bytes / 8 < chunk * team->processors().usable())
        throw refused_value("size", "is too small for one piece of 512 bytes per thread", bytes,
                            std::to_string(8 * chunk * team->processors().usable()) + " or more");
      kept[bytes] = std::make_shared<Arrays>(*team, bytes, at.seed());
    }
    if (bytes < 4 * last.stated && !last.warning.empty()) at.note(last.warning);
    if (bytes < 4 * cache)
      at.note("arrays of " + std::to_string(bytes) + " bytes are less than four times the last-level cache of " +
              std::to_string(cache) + " bytes: this is not the rate of memory alone");
    auto arrays = kept[bytes];
    auto shares = std::make_shared<std::vector<Share>>(static_cast<std::size_t>(threads));
    const std::int64_t unit = pass.counted * arrays->count;
    const auto work = [=](std::int64_t operations) {
      team->run(threads, [&](int) {});  // the threads are awake before the first pass
      for (; operations > 0; operations -= unit)
        team->run(threads, [&](int rank) {
          memory::Part own = arrays->part(rank, threads);
          Share& share = (*shares)[static_cast<std::size_t>(rank)];
          const std::int64_t from = now_ns();
          pass.loop(own);
          touched();
          share.spent += now_ns() - from;
          share.bytes += pass.counted * own.count;
        });
    };
    at.observe("array", [=] { return static_cast<double>(8 * arrays->count); }, true);
    at.measure("time", work, {.unit = unit, .cache = bytes < 4 * cache ? "same buffer" : "beyond the caches"});
    for (int rank = 0; rank < threads && threads > 1; ++rank)
      at.observe("share", "thread", rank, [=] {
        const Share share = std::exchange((*shares)[static_cast<std::size_t>(rank)], Share());
        return 1e9 * static_cast<double>(share.bytes) / static_cast<double>(std::max<std::int64_t>(1, share.spent));
      });
    at.check([=] { return verify(*team, *arrays, pass, threads); });
  });
}
