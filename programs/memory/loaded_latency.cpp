// Latency of memory under load: one hardware thread chases pointers through memory while the others stream through it,
// with a pause between their accesses as the load's knob: a curve of latency against bandwidth for each share of writes
// (Esmaili-Dokht et al. 2024, Mess), and for stores that read their line first apart from those that pass the caches
// by.
//
// STREAM counts what a program loads and stores. Memory moves more: a store into a line that no cache holds reads it
// first (write-allocate) and writes it back later. Both are figures; what memory moved is read from the controllers'
// counters where they can be read, else it follows from this model, and the note says which.
#include <atomic>
#include <memory>
#include <set>

#include "memory/caches.hpp"
#include "memory/chain.hpp"
#include "memory/stream_kernels.hpp"
#include "memory/traffic.hpp"
#include "threads/team.hpp"

#ifndef ASSAY_BREAK  // for tests: 1, the chain is broken; 2, nothing is streamed; 3, a group's last vector is not
                     // stored
#define ASSAY_BREAK 0
#endif

constexpr std::string_view record = R"record(
name = "loaded-latency"
title = "Memory latency under load"
part = "memory"
kind = "node"
summary = "latency of memory against the bandwidth that other hardware threads take, by share of writes, write-allocate and non-temporal stores apart"
cost = "one operation is one dependent load of one hardware thread; the others load and store lines of 64 bytes in groups of four, with a pause after each group"
check = "the chain's lines are one cycle; of a pass without a pause every word that is loaded is in the sum, every word that is to be stored holds the pattern, and no other does"
source = "Esmaili-Dokht et al. 2024, Mess; McVoy and Staelin 1996, lmbench"
statistics = ["median", "best"]
or_nothing = true
slice_quick = 0.004
slice_standard = 0.006
slice_full = 0.05
blocks_quick = 1
blocks_standard = 1
blocks_full = 3

[parameter.stores]
type = "choice"
default = ["allocate", "nontemporal"]
choices = ["allocate", "nontemporal"]
sweep = true
help = "allocate: plain stores, which read their line first; nontemporal: streaming stores, which pass the caches by"

[parameter.writes]
type = "integer"
default = [0, 25, 50, 75, 100]
quick = [0, 50, 100]
choices = [0, 25, 50, 75, 100]
unit = "1"
sweep = true
help = "of every hundred lines that are streamed, how many are stored; the others are loaded (0 is allocate alone)"

[parameter.pause]
type = "integer"
default = [0, 40, 80, 160, 320, 640, 1280, 100000]
quick = [0, 80, 320, 100000]
min = 0
max = 1000000000
unit = "1"
sweep = true
help = "cycles, about, that a streaming thread waits after each group of four lines; 100000 is as good as no load"

[parameter.streams]
type = "integer"
default = 0
min = 0
max = 4096
unit = "1"
sweep = true
help = "threads that stream, each on a hardware thread of its own; 0: on all but one"

[metric.time]
unit = "s"
help = "time of one dependent load"

[metric.counted]
unit = "B/s"
help = "bytes that the streams load and store per second, as STREAM counts them"

[metric.moved]
unit = "B/s"
help = "bytes per second that memory really moved, the chain's loads with them"

[metric.written]
unit = "1"
help = "share of those that were written"

[figure.latency]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = true
help = "time of a load that depends on the one before, under this load"

[figure.counted]
metric = "counted"
formula = "value"
unit = "B/s"
better = "higher"
help = "bytes that the streams load and store per second, as STREAM counts them"

[figure.moved]
metric = "moved"
formula = "value"
unit = "B/s"
better = "higher"
help = "bytes per second that memory moved: by its controllers' counters, else by the model that a stored line is read and written, a non-temporal one written"

[figure.written]
metric = "written"
formula = "value"
unit = "1"
better = "lower"
help = "share of the bytes moved that were written"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr std::int64_t group = 4, whole = 12;  // lines of a group; of what every number of them divides
constexpr std::int64_t words_of_line = 64 / 8;
constexpr std::size_t width = memory::native_bytes;
using Reals = memory::Vector<width>::type;
using Words = memory::Vector<width>::bits;

// One streaming thread's arrays: lines to load, whose words are multiples of an odd number, and lines to store.
struct Stream {
  Stream(std::int64_t each, std::uint64_t seed)
      : lines(each / 64 / whole * whole), from(bytes(), true), to(bytes(), true) {
    std::uint64_t state = seed;
    for (std::int64_t i = 0; i < lines * words_of_line; ++i) {
      source()[i] = step * static_cast<std::uint64_t>(i + 1);
      destination()[i] = 0;
    }
    pattern = 1 + static_cast<double>(random_bits(state) >> 12);
  }
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15;
  std::size_t bytes() const { return static_cast<std::size_t>(64 * lines); }
  std::uint64_t* source() { return reinterpret_cast<std::uint64_t*>(from.data()); }
  double* destination() { return reinterpret_cast<double*>(to.data()); }

  std::int64_t lines;
  memory::Pages from, to;
  double pattern = 0;
  std::int64_t load_at = 0, store_at = 0;                           // the next lines
  alignas(threads::line_bytes) std::int64_t groups = 0, spent = 0;  // since they were last asked for; ns
  std::uint64_t sum = 0;
};

[[gnu::always_inline]] inline void wait(std::int64_t cycles) {
  for (; cycles > 0; --cycles) opaque(cycles);
}

// Streams until `ended`, or for so many groups; `stores` lines of each group are stored.
template <int stores, bool nontemporal>
[[gnu::noinline]] void stream(Stream& of, std::int64_t pause, const std::atomic<bool>& ended, std::int64_t most) {
  Words sums[4] = {};
  const char* const from = of.from.data();
  double pattern = of.pattern;
  opaque(pattern);
  const Reals value = pattern - Reals{};
  constexpr std::int64_t in_vector = static_cast<std::int64_t>(width / 8);
  constexpr std::int64_t stored = ASSAY_BREAK == 2 ? 0 : words_of_line * stores - (ASSAY_BREAK == 3 ? in_vector : 0);
  const std::int64_t began = now_ns();
  std::int64_t done = 0;
  for (; done < most && !ended.load(std::memory_order_relaxed); ++done) {
    const char* const load = from + 64 * of.load_at;
    double* const store = of.destination() + words_of_line * of.store_at;
#pragma GCC unroll 16
    for (std::int64_t byte = 0; byte < 64 * (group - stores) * (ASSAY_BREAK != 2);
         byte += static_cast<std::int64_t>(width))
      sums[byte / static_cast<std::int64_t>(width) % 4] += *reinterpret_cast<const Words*>(load + byte);
#pragma GCC unroll 16
    for (std::int64_t word = 0; word < stored; word += in_vector) {
      if constexpr (nontemporal) {
        memory::store_streaming<width>(store + word, value);
      } else {
        *reinterpret_cast<Reals*>(store + word) = value;
      }
    }
    touched();
    of.load_at = of.load_at + group - stores < of.lines ? of.load_at + group - stores : 0;
    of.store_at = of.store_at + stores < of.lines ? of.store_at + stores : 0;
    wait(pause);
  }
#if defined(__x86_64__)
  if constexpr (nontemporal) _mm_sfence();
#endif
  of.groups += done;
  of.spent += now_ns() - began;
  std::uint64_t sum = 0;
  for (const Words& each : sums)
    for (std::size_t lane = 0; lane < width / 8; ++lane) sum += each[lane];
  of.sum += sum;
}

using Streaming = void (*)(Stream&, std::int64_t, const std::atomic<bool>&, std::int64_t);

template <bool nontemporal>
Streaming find_stream(std::int64_t stores) {
  constexpr Streaming all[] = {&stream<0, nontemporal>, &stream<1, nontemporal>, &stream<2, nontemporal>,
                               &stream<3, nontemporal>, &stream<4, nontemporal>};
  return all[stores];
}

struct Load {  // what all cases share
  threads::Team team;
  std::unique_ptr<memory::Chain> chain;
  std::vector<std::unique_ptr<Stream>> streams;
  memory::TrafficCounters counters;
  std::int64_t chased = 0;  // loads since they were last asked for
  memory::Traffic before;
};

struct Run {
  std::shared_ptr<Load> load;
  int streams;
  std::int64_t stores, pause;
  bool nontemporal;
  Streaming loop;

  // So many loads of the chain while the others stream.
  void chase(std::int64_t loads) const {
    std::atomic<bool> ended{false};
    std::atomic<int> begun{0};
    load->team.run(1 + streams, [&](int rank) {
      if (rank > 0) {
        begun.fetch_add(1, std::memory_order_relaxed);
        return loop(*load->streams[static_cast<std::size_t>(rank - 1)], pause, ended, std::int64_t{1} << 60);
      }
      while (begun.load(std::memory_order_relaxed) < streams) threads::pause();
      load->chain->at = memory::chase(load->chain->at, loads);
      load->chased += loads;
      ended.store(true, std::memory_order_relaxed);
    });
  }
  void forget() const {
    for (auto& each : load->streams) each->groups = each->spent = 0;
    load->chased = 0;
    if (load->counters.readable()) load->before = load->counters.read();
  }
  double seconds() const {  // of a stream's work, in the mean
    double spent = 0;
    for (int k = 0; k < streams; ++k)
      spent += 1e-9 * static_cast<double>(load->streams[static_cast<std::size_t>(k)]->spent);
    return std::max(spent / streams, 1e-9);
  }
  double lines(std::int64_t each) const {  // of a group, in all
    std::int64_t groups = 0;
    for (int k = 0; k < streams; ++k) groups += load->streams[static_cast<std::size_t>(k)]->groups;
    return static_cast<double>(groups * each);
  }
  memory::Traffic moved() const {
    if (load->counters.readable()) {
      const memory::Traffic now = load->counters.read();
      return {now.read - load->before.read, now.written - load->before.written};
    }
    const double chain = static_cast<double>(load->chased);
    return {64 * (lines(nontemporal ? group - stores : group) + chain), 64 * lines(stores)};
  }
  Check verify() const;
};

Check Run::verify() const {
  Stream& of = *load->streams.front();
  constexpr double sentinel = -1;
  std::fill(of.destination(), of.destination() + of.lines * words_of_line, sentinel);
  touched();
  of.load_at = of.store_at = 0;
  of.sum = 0;
  const std::int64_t groups = of.lines / group;
  loop(of, 0, false, groups);
  touched();
  const std::int64_t loaded = groups * (group - stores) * words_of_line, stored = groups * stores * words_of_line;
  const auto n = static_cast<std::uint64_t>(loaded);
  const std::uint64_t expected = Stream::step * (n % 2 ? n * ((n + 1) / 2) : n / 2 * (n + 1));
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < of.lines * words_of_line; ++i)
    wrong += of.destination()[i] != (i < stored ? of.pattern : sentinel);
  return {wrong == 0 && of.sum == expected,
          std::to_string(loaded) + " words loaded, their sum " + (of.sum == expected ? "right" : "wrong") + "; " +
              std::to_string(stored) + " to be stored, " + std::to_string(wrong) + " wrong"};
}

}  // namespace

int main(int argc, char** argv) {
  auto load = std::make_shared<Load>();
  std::set<std::pair<std::int64_t, bool>> checked;  // by stores of a group, and whether they are non-temporal
  return run_program(record, argc, argv, [&](Case& at) {
    const std::int64_t stores = at.integer("writes") * group / 100;
    const bool nontemporal = at.choice("stores") == "nontemporal";
    if (nontemporal && stores == 0) return;  // the same as allocate
    const int all = load->team.processors().usable();
    if (all < 2) return at.skip("latency under load takes two hardware threads, one to wait and one to stream");
    if (nontemporal && !memory::streams<width>) return at.skip("non-temporal stores: this processor has none");
    const int streams = at.integer("streams") == 0 ? all - 1 : static_cast<int>(at.integer("streams"));
    if (!load->team.holds(at, 1 + streams)) return;
    const memory::LastLevel last = memory::find_last_level(load->team.processors().cpus);
    const std::int64_t bytes = 4 * last.bytes, each = std::max<std::int64_t>(2 * last.bytes / streams, 8 << 20);
    if (bytes + 2 * each * streams > memory::read_headroom().bytes * 4 / 10)
      return at.skip("working sets beyond the caches would not fit");
    if (!last.warning.empty()) at.note(last.warning);
    at.note(load->counters.readable()
                ? "bytes moved: by the memory controllers' counters, of the whole machine"
                : "bytes moved: by the model (a stored line is read and written, a non-temporal one written); " +
                      load->counters.why());
    const bool first = !load->chain;
    if (first) load->chain = std::make_unique<memory::Chain>(bytes, true, at.seed());
    load->streams.resize(std::max(load->streams.size(), static_cast<std::size_t>(streams)));
    load->team.run(1 + streams, [&](int rank) {  // each touches its own first
      if (rank == 0) return;
      auto& own = load->streams[static_cast<std::size_t>(rank - 1)];
      if (!own) own = std::make_unique<Stream>(each, at.seed() + static_cast<std::uint64_t>(rank));
    });
    const Streaming loop = nontemporal ? find_stream<true>(stores) : find_stream<false>(stores);
    const Run run{load, streams, stores, at.integer("pause"), nontemporal, loop};
    const auto work = [run](std::int64_t loads) { run.chase(loads); };
    const auto warm = [run] {
      run.chase(4096);
      run.forget();
    };
    // A batch is a third of a millisecond at least, so that a start that another process delays makes no batch of a
    // few.
    at.measure("time", work,
               {.unit = 4096, .cache = "beyond the caches", .reading = 4 * threads::least_reading, .warm = warm});
    at.add_metric("counted", [run] { return 64 * run.lines(group) / run.seconds(); });
    at.add_metric("moved", [run] {
      const memory::Traffic moved = run.moved();
      return (moved.read + moved.written) / run.seconds();
    });
    at.add_metric("written", [run] {
      const memory::Traffic moved = run.moved();
      return moved.written / std::max(1.0, moved.read + moved.written);
    });
    if (first) at.check([load] { return memory::verify(*load->chain); });
    if (checked.insert({stores, nontemporal}).second) at.check([run] { return run.verify(); });
  });
}
