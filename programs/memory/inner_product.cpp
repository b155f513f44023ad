// Inner product of two vectors, as the compiler makes it and as written for vectors by hand, in the cache and out of
// it, on 1 to p hardware threads at once (Dunigan 1995, section 3, Table 3.1; figure 1 of Dunigan 1991 shows why both:
// dot products of the i860 in Fortran and in assembler, in single and double precision).
//
// compiled: the loop as it stands in a textbook; the standard allows no other order of its sums, so that it waits for
// each addition. reassociated: the same loop where the compiler may reorder. vectorised: eight sums of whole vectors.
#include <algorithm>
#include <map>
#include <memory>

#include "memory/caches.hpp"
#include "memory/inner_product_kernel.hpp"
#include "memory/pages.hpp"
#include "threads/team.hpp"

constexpr std::string_view record = R"record(
name = "inner-product"
title = "Inner product"
part = "memory"
kind = "node"
summary = "inner product compiled and vectorised by hand, single and double precision, in the cache and out of it, on 1 to p hardware threads"
cost = "one operation is one element: 2 flops, and 8 or 16 bytes read"
check = "small whole numbers, whose sum is exact in any order, against 64-bit integer arithmetic"
source = "Dunigan 1995, section 3, Table 3.1; by vector length: dot-product"
published = ["ddot", "ddot-cached"]
flags = ["-fopenmp-simd"]
statistics = ["median", "best"]
slice_quick = 0.006
slice_standard = 0.008
blocks_quick = 2
blocks_standard = 4

[parameter.form]
type = "choice"
default = ["compiled", "reassociated", "vectorised"]
described = "compiled"
quick = ["compiled", "vectorised"]
choices = ["compiled", "reassociated", "vectorised"]
sweep = true
help = "compiled: sums in the order written; reassociated: the compiler may reorder them; vectorised: by hand"

[parameter.type]
from = "memory/inner_product_kernel.hpp"
described = "float64"

[parameter.place]
type = "choice"
default = ["cache", "memory"]
choices = ["cache", "memory"]
sweep = true
help = "cache: both vectors fill half of the first cache; memory: twice the last-level cache"

[parameter.threads]
from = "threads/parameters.hpp"
help = "hardware threads at work, each on vectors of its own"

[described]
kernel = "dot"
cached = { place = "cache" }
only = { form = ["compiled"], type = ["float64"] }
metric = { time = "2 * unit", share = "2 * own" }

[metric.time]
unit = "s"
help = "time of an element, all threads together"

[metric.share]
unit = "s"
help = "time of an element in one thread"

[shares]
parts = ["share"]
each = "thread"
over = "threads"
sum = "rate"

[roof]
figure = "rate"
flops = "2"
bytes = "16"
where = "form=vectorised type=float64"

[figure.rate]
metric = "time"
formula = "2 / value"
unit = "flop/s"
better = "higher"
headline = true
help = "a multiplication and an addition per element, all threads together"

[figure.share]
metric = "share"
formula = "2 / value"
unit = "flop/s"
better = "higher"
help = "each thread's own speed over its own time at work, which may end before the others'; thread: which one"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr std::int64_t step = memory::inner_product_step;

struct alignas(threads::line_bytes) Share {
  std::int64_t spent = 0, elements = 0;
  double sum = 0;
};

template <class T>
struct Vectors {  // one thread's
  explicit Vectors(std::int64_t length) : count(length), pages(static_cast<std::size_t>(2 * length) * sizeof(T), true) {
    x = reinterpret_cast<T*>(pages.data());
    y = x + count;
    for (std::int64_t i = 0; i < count; ++i) {  // products -2 to 2, so that every partial sum is a small whole number
      x[i] = static_cast<T>(i % 5 - 2);
      y[i] = static_cast<T>(i % 2);
    }
  }
  std::int64_t exact() const {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += (i % 5 - 2) * (i % 2);
    return sum;
  }
  std::int64_t count;
  memory::Pages pages;
  T *x, *y;
};

template <class T>
using Product = T (*)(const T*, const T*, std::int64_t);

template <class T>
void set_up(Case& at, const std::shared_ptr<threads::Team>& team,
            std::map<std::string, std::vector<std::shared_ptr<Vectors<T>>>>& kept) {
  const int threads = static_cast<int>(at.integer("threads"));
  const std::string form = at.choice("form"), place = at.choice("place");
  const Product<T> product = form == "compiled"     ? &memory::compiled<T>
                             : form == "vectorised" ? &memory::vectorised<T>
                                                    : &memory::reassociated<T>;
  const auto& cpus = team->processors().cpus;
  const std::int64_t first = std::max<std::int64_t>(memory::cache_of(cpus[0], 1), 16 << 10);
  const memory::LastLevel last = memory::find_last_level(cpus);
  if (place == "memory" && !last.warning.empty()) at.note(last.warning);
  const auto usable = static_cast<std::int64_t>(team->processors().usable());
  const std::int64_t bytes = place == "cache" ? first / 2 : std::max<std::int64_t>(2 * last.bytes / usable, 8 << 20);
  const std::int64_t count = bytes / 2 / static_cast<std::int64_t>(sizeof(T)) / step * step;
  auto& vectors = kept[place];
  if (vectors.empty()) {
    const memory::Headroom room = memory::read_headroom();
    if (2 * bytes * usable > room.bytes * 8 / 10) return at.skip("vectors out of the cache would not fit " + room.by);
    vectors.resize(static_cast<std::size_t>(usable));
    team->run(static_cast<int>(usable),
              [&](int rank) { vectors[static_cast<std::size_t>(rank)] = std::make_shared<Vectors<T>>(count); });
  }
  auto own = vectors;
  auto shares = std::make_shared<std::vector<Share>>(static_cast<std::size_t>(threads));
  const auto pass = [=](std::int64_t passes) {
    team->run(threads, [&](int rank) {
      const auto which = static_cast<std::size_t>(rank);
      Share& share = (*shares)[which];
      const Vectors<T>& mine = *own[which];
      const std::int64_t from = now_ns();
      for (std::int64_t i = 0; i < passes; ++i) {
        const T* x = mine.x;
        opaque(x);
        share.sum = static_cast<double>(product(x, mine.y, mine.count));
        touched();
      }
      share.spent += now_ns() - from;
      share.elements += passes * mine.count;
    });
  };
  const std::int64_t unit = count * threads;
  at.measure("time", [=](std::int64_t elements) { pass(elements / unit); },
             {.unit = unit,
              .cache = place == "cache" ? "same buffer, in the first cache" : "beyond the caches",
              .reading = threads::least_reading});
  for (int rank = 0; rank < threads && threads > 1; ++rank)
    at.observe("share", "thread", rank, [=] {
      const Share share = std::exchange((*shares)[static_cast<std::size_t>(rank)], Share());
      return 1e-9 * static_cast<double>(share.spent) / static_cast<double>(std::max<std::int64_t>(1, share.elements));
    });
  at.check([=] {
    pass(1);
    const double exact = static_cast<double>(own[0]->exact());
    bool good = true;
    for (const Share& share : *shares) good = good && share.sum == exact;
    return Check{good, "the sum of " + std::to_string(count) + " products in each thread"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  std::map<std::string, std::vector<std::shared_ptr<Vectors<float>>>> single;
  std::map<std::string, std::vector<std::shared_ptr<Vectors<double>>>> twice;
  return run_program(record, argc, argv, [&](Case& at) {
    if (!team->holds(at, at.integer("threads"))) return;
    if (at.choice("type") == "float32") return set_up<float>(at, team, single);
    set_up<double>(at, team, twice);
  });
}
