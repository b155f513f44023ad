// Roofs: how many vectors per cycle one thread loads, stores, copies from each level of memory, and how many
// multiply-adds it makes in registers, by the width of vectors (Williams, Waterman and Patterson 2009; Ilic, Pratas and
// Sousa 2014, whose roofs are those of every level as the core sees it).
//
// The loops are compiled apart, one width each (roofs/loops.cpp), and go round their working set without a branch. The
// rate comes from the blocks' readings, the vectors per cycle from readings of their own beside the clock kernel.
#include <algorithm>
#include <bit>
#include <memory>
#include <set>
#include <utility>

#include "memory/caches.hpp"
#include "memory/pages.hpp"
#include "memory/roofs/architectures.hpp"
#include "memory/roofs/width.hpp"
#include "processor/cycles_beside.hpp"
#include "threads/team.hpp"

constexpr std::string_view record = R"record(
name = "roofs"
title = "Roofs by width of vector"
part = "memory"
kind = "node"
summary = "loads, stores and copies from each level of memory, and multiply-adds, one thread, by width of vector: rate, and vectors per cycle"
cost = "one operation is one vector: loaded; stored; loaded and stored (copy counts its bytes twice); or one multiply-add of it, 2 flops a lane"
check = "load: the sum of the last eight vectors after one, two and three rounds and a pass, and of all words of a pass by the same loop with additions, modulo 2^64, against closed forms; store, copy: every word of the working set read back, and none behind it written; multiply_add: every lane against the whole number that so many additions give"
source = "Williams, Waterman and Patterson 2009; Ilic, Pratas and Sousa 2014"
statistics = ["median", "best"]
exact = ["limit", "size"]
slice_quick = 0.002
slice_standard = 0.003
slice_full = 0.05
blocks_quick = 2
blocks_standard = 3

# Scalars, and every width that x86 has had; elsewhere the compiler's own vectors of 16 bytes.
[unit.scalar]
source = "memory/roofs/loops.cpp"
flags = ["-DASSAY_WIDTH=scalar", "-DASSAY_BYTES=8", "-fno-tree-vectorize", "-fno-tree-slp-vectorize"]

[unit.bits128]
source = "memory/roofs/loops.cpp"
flags = ["-DASSAY_WIDTH=bits128", "-DASSAY_BYTES=16", "-fno-tree-vectorize", "-fno-tree-slp-vectorize"]

[unit.bits256]
source = "memory/roofs/loops.cpp"
flags = ["-DASSAY_WIDTH=bits256", "-DASSAY_BYTES=32", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-mavx2", "-mfma"]

[unit.bits512]
source = "memory/roofs/loops.cpp"
flags = ["-DASSAY_WIDTH=bits512", "-DASSAY_BYTES=64", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-mavx512f", "-mfma"]

[parameter.kernel]
type = "choice"
default = ["load", "store", "copy", "multiply_add"]
choices = ["load", "store", "copy", "multiply_add"]
sweep = true
help = "what is done with each vector; scalars are loaded, stored and copied as whole numbers, multiply-adds are of float64"

[parameter.vector]
type = "integer"
default = [64, 128, 256, 512]
choices = [64, 128, 256, 512]
unit = "1"
sweep = true
help = "bits of a vector: 64 scalar, 128 SSE or NEON, 256 AVX2, 512 AVX-512; what the processor lacks is left out"

[parameter.level]
type = "choice"
default = ["registers", "L1", "L2", "L3", "memory"]
choices = ["registers", "L1", "L2", "L3", "memory"]
sweep = true
help = "where the working set lies: the largest power of two of bytes in half of this cache as the system states it (no more than 32 MiB counted on in a guest), for loads from L1 one round of the loop, 1 to 4 KiB; memory: four times the last; registers: multiply_add, and it alone"

[constants.kernel]
load = { moved = 1 }
store = { moved = 1 }
copy = { moved = 2 }
multiply_add = { moved = 0 }

[metric.time]
unit = "s"
help = "time of one vector loaded, stored or copied"

[metric.arithmetic]
unit = "s"
help = "time of a flop"

[metric.cycles]
unit = "1"
help = "cycles of one vector's operation, by a chain of dependent additions timed in the same block"

[metric.limit]
unit = "1"
help = "the most of these that the core's architecture does in a cycle, where that is known (memory/roofs/architectures.hpp)"

[metric.size]
unit = "B"
help = "bytes of a working set, stated with the first case of its level that has it"

[figure.rate]
metric = "time"
formula = "moved * vector / 8 / value"
unit = "B/s"
better = "higher"
headline = true
help = "bytes loaded and stored per second by one thread; what a cache reads before it is written to is not counted"

[figure.peak]
metric = "arithmetic"
formula = "1 / value"
unit = "flop/s"
better = "higher"
headline = true
help = "flops per second of one thread, float64"

[figure.per_cycle]
metric = "cycles"
formula = "1 / value"
unit = "1"
better = "higher"
help = "vectors loaded, stored, copied or multiplied and added per cycle"

[figure.limit]
metric = "limit"
formula = "value"
unit = "1"
better = "higher"
help = "the most of these that the core's architecture does in a cycle; known for registers, L1 and L2 only"

[headline.load]
figure = "rate"
where = "kernel=load level=L1"
most = "vector"
title = "loads of {vector} bits from L1, one thread"
says = "loads from its first cache at up to"
bound = "core_limit"
advice = "another thread of the core has a share of its units, and wide vectors may lower the clock"
order = 8

[figure.size]
metric = "size"
formula = "value"
unit = "B"
better = "higher"
help = "bytes of a working set, stated with the first case of its level that has it"

[roof]
bandwidth = "rate"
by = "level"
ceiling = "peak"
width = "vector"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using memory::roofs::Width;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::uint64_t sentinel = 0xdeadbeefcafef00d, step = 0x9e3779b97f4a7c15;
constexpr std::int64_t behind = 64;  // bytes behind the destination that must stay as they are

const Width* find_width(std::int64_t bits) {
  using namespace memory::roofs;
  for (const Width* each : {&scalar::width, &bits128::width, &bits256::width, &bits512::width})
    if (each->bytes == bits / 8 && each->here()) return each;
  return nullptr;
}

// Bytes of the working set; 0 where the system tells of no such level that holds twice what the one before does.
std::int64_t bytes_of(const std::string& level, int cpu) {
  const memory::LastLevel last = memory::find_last_level({cpu});
  const auto half_of = [&](int number) {
    return static_cast<std::int64_t>(
        std::bit_floor(static_cast<std::uint64_t>(std::min(memory::cache_of(cpu, number), last.bytes) / 2)));
  };
  if (level == "memory")
    return std::max<std::int64_t>(4 * 2 * half_of(1), std::bit_ceil(4ULL * static_cast<std::uint64_t>(last.bytes)));
  const int number = level[1] - '0';
  return number > 1 && half_of(number) < 2 * half_of(number - 1) ? 0 : half_of(number);
}

// Loads from the first cache go round and round in one round of the loop, so that what is measured is what the core's
// units load: Golden Cove finds a line faster where this same load found it before (loops.cpp).
std::int64_t bytes_of(const std::string& level, int cpu, const Width& width, char kind) {
  const std::int64_t bytes = bytes_of(level, cpu);
  return kind == 'l' && level == "L1" ? std::min(bytes, width.vectors * width.bytes) : bytes;
}

// Memory that all cases share: each takes the first of it. Words of the source are multiples of an odd number, so that
// one that is left out, or met twice, shows in their sum.
class Pool {
 public:
  void need(std::int64_t source, std::int64_t destination) {
    source_ = std::max(source_, source);
    destination_ = std::max(destination_, destination + behind);
  }
  const char* source() {
    make();
    return from_->data();
  }
  char* destination() {
    make();
    return to_->data();
  }
  static std::uint64_t word(std::int64_t i) { return step * static_cast<std::uint64_t>(i + 1); }
  static std::uint64_t sum(std::int64_t words) {
    const auto n = static_cast<std::uint64_t>(words);
    return step * (n % 2 ? n * ((n + 1) / 2) : n / 2 * (n + 1));
  }

 private:
  void make() {
    if (from_) return;
    from_ = std::make_unique<memory::Pages>(static_cast<std::size_t>(std::max<std::int64_t>(source_, 4096)), true);
    to_ = std::make_unique<memory::Pages>(static_cast<std::size_t>(std::max<std::int64_t>(destination_, 4096)), true);
    auto* const words = reinterpret_cast<std::uint64_t*>(from_->data());
    for (std::int64_t i = 0; i < source_ / 8; ++i) words[i] = word(i);
  }
  std::int64_t source_ = 0, destination_ = 0;
  std::unique_ptr<memory::Pages> from_, to_;
};

struct Run {
  const Width* width;
  char kind;           // of the kernel: l, s, c
  std::int64_t bytes;  // of the working set
  std::shared_ptr<Pool> pool;

  std::int64_t each() const { return kind == 'c' ? bytes / 2 : bytes; }  // of source and destination
  std::int64_t round() const { return width->vectors * width->bytes; }
  std::uint64_t value() const { return step ^ static_cast<std::uint64_t>(bytes + width->bytes); }

  std::uint64_t work(std::int64_t count) const {
    const std::int64_t rounds = count / width->vectors, wrap = each() - 1;
    if (kind == 'l') return width->load(pool->source(), wrap, rounds);
    if (kind == 's') {
      width->store(pool->destination(), wrap, rounds, value());
    } else {
      width->copy(pool->destination(), pool->source(), wrap, rounds);
    }
    return 0;
  }
  void run(std::int64_t count) const {
    std::uint64_t made = work(count);
    opaque(made);
    touched();
  }

  Check verify() const {
    const std::int64_t words = each() / 8, pass = each() / round() * width->vectors;
    std::int64_t wrong = 0;
    if (kind == 'l') {
      wrong = width->add(pool->source(), each() - 1, each() / round()) != Pool::sum(words);
      for (const std::int64_t rounds : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, each() / round()}) {
        const std::int64_t end = ((rounds * round() - 1) % each() + 1) / 8;
        wrong += work(rounds * width->vectors) != Pool::sum(end) - Pool::sum(end - width->bytes);
      }
    } else {
      auto* const made = reinterpret_cast<std::uint64_t*>(pool->destination());
      std::fill(made, made + words + behind / 8, sentinel);
      touched();
      run(pass);
      for (std::int64_t i = 0; i < words; ++i) wrong += made[i] != (kind == 's' ? value() : Pool::word(i));
      for (std::int64_t i = words; i < words + behind / 8; ++i) wrong += made[i] != sentinel;
    }
    return {wrong == 0,
            std::to_string(words) + " words, " + std::to_string(wrong) + (kind == 'l' ? " sums" : "") + " wrong"};
  }
};

using Seen = std::set<std::pair<std::string, std::int64_t>>;  // levels, and bytes of working sets in them

void move(Case& at, const Width* width, int cpu, const std::shared_ptr<Pool>& pool, Seen& seen) {
  const std::string& level = at.choice("level");
  const char kind = at.choice("kernel")[0];
  const std::int64_t bytes = bytes_of(level, cpu, *width, kind);
  if (bytes == 0) return at.skip(level + ": the system tells of none that holds more than the level before it");
  if (const memory::LastLevel last = memory::find_last_level({cpu}); level == "memory" && !last.warning.empty())
    at.note(last.warning);
  if (bytes > memory::read_headroom().bytes / 5) return at.skip("working sets that would not fit");
  const Run run{width, kind, bytes, pool};
  if (run.each() < run.round()) return at.skip(level + ": smaller than one round of the loop");
  pool->need(run.kind == 's' ? 0 : run.each(), run.kind == 'l' ? 0 : run.each());
  const auto work = [run](std::int64_t count) { run.run(count); };
  const std::int64_t pass = run.each() / width->bytes;
  if (seen.emplace(level, bytes).second) at.observe("size", [bytes] { return static_cast<double>(bytes); }, true);
  at.measure("time", work,
             {.unit = pass, .cache = level == "memory" ? "beyond the caches" : "same buffer, in " + level, .warm = [=] {
                work(level == "memory" ? std::min(pass, 32 * mebibyte / width->bytes) : pass);
              }});
  const auto batch = std::make_shared<std::int64_t>(0);
  at.add_metric("cycles", [=] {
    if (!*batch) *batch = processor::batch_of(work, width->vectors, 50e-6);
    return processor::cycles_of(work, *batch) / static_cast<double>(*batch);
  });
  at.check([run] { return run.verify(); });
}

void multiply_add(Case& at, const Width* width) {
  const std::int64_t lanes = width->bytes / 8, flops = 2 * lanes * width->chains;
  if (!width->fused) at.note("multiply-adds are a product and a sum: the programs were compiled without fused ones");
  struct alignas(64) Sums {
    double of[24 * 8] = {};
  };
  const auto sums = std::make_shared<Sums>();
  const auto work = [=](std::int64_t operations) {
    double one = 1, term = 1;
    opaque(one);
    opaque(term);
    for (std::int64_t left = operations / flops; left > 0; left -= std::int64_t{1} << 22) {
      *sums = {};  // anew before they pass what is exact
      width->multiply_add(sums->of, one, term, std::min<std::int64_t>(left, std::int64_t{1} << 22));
      touched();
    }
  };
  at.measure("arithmetic", work, {.unit = flops, .cache = "registers"});
  const auto batch = std::make_shared<std::int64_t>(0);
  at.add_metric("cycles", [=] {
    if (!*batch) *batch = processor::batch_of(work, flops, 50e-6);
    return processor::cycles_of(work, *batch) / static_cast<double>(*batch) * static_cast<double>(2 * lanes);
  });
  at.check([=] {
    double one = 1, term = 3;
    opaque(one);
    opaque(term);
    for (std::size_t k = 0; k < std::size(sums->of); ++k) sums->of[k] = static_cast<double>(k);
    width->multiply_add(sums->of, one, term, 1001);
    std::int64_t wrong = 0;
    for (std::int64_t k = 0; k < std::int64_t{24 * 8}; ++k)
      wrong += sums->of[k] != static_cast<double>(k + (k < width->chains * lanes ? 3003 : 0));
    return Check{wrong == 0, "1001 additions of 3 in " + std::to_string(width->chains) + " chains of " +
                                 std::to_string(lanes) + " lanes: " + std::to_string(wrong) + " wrong"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  const threads::Processors processors = threads::find_processors();
  const int cpu = processors.cpus.front();
  auto pool = std::make_shared<Pool>();
  const memory::roofs::Identity identity = memory::roofs::find_identity();
  const auto core = memory::roofs::find_architecture(identity);
  Seen seen;  // what was stated
  return run_program(record, argc, argv, [&](Case& at) {
    if (!threads::pin(cpu)) at.note("the thread could not be held on one hardware thread");
    at.note(core ? "per cycle at most, as " + std::string(core->name) + " does"
                 : "what this core does at most in a cycle is not known: " + identity.text());
    const bool arithmetic = at.choice("kernel") == "multiply_add";
    if (arithmetic != (at.choice("level") == "registers")) return;  // no such case
    const Width* const width = find_width(at.integer("vector"));
    if (!width) return at.skip("vectors of " + std::to_string(at.integer("vector")) + " bits: not on this processor");
    if (const double limit =
            core ? memory::roofs::limit_of(core->limits, at.choice("kernel"), at.choice("level"), at.integer("vector"))
                 : 0;
        limit > 0)
      at.observe("limit", [limit] { return limit; }, true);
    if (arithmetic) return multiply_add(at, width);
    move(at, width, cpu, pool, seen);
  });
}
