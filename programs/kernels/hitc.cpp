// The HiTC kernel (Dunigan 1995, section 3, Table 3.4): a complex ZAXPY, y = y + a x, on vectors longer than the caches
// (many atoms a cell: bound by the bus) or short enough for the first one (one atom a cell), each thread its own part.
#include <algorithm>
#include <map>

#include "libraries/blas.hpp"
#include "memory/caches.hpp"
#include "processor/cycles_beside.hpp"
#include "threads/crew.hpp"

constexpr std::string_view record = R"record(
name = "hitc"
title = "HiTC kernel (complex ZAXPY)"
part = "kernels"
kind = "node"
from = "kernels/by_threads.hpp"
profiles = ["standard", "full"]
summary = "double precision complex y = y + a x on 1 to p threads, long vectors and short ones"
cost = "an element takes 8 flops and moves 48 bytes"
check = "from zero, i x added twice and taken off once leaves i x: whole numbers, compared exactly at every element"
source = "Dunigan 1995, section 3, Table 3.4"
published = ["kernel.hitc-f"]
libraries = ["blas"]

[parameter.by]
from = "threads/parameters.hpp"
described = "threads"

[parameter.threads]
from = "threads/parameters.hpp"

[parameter.vectors]
type = "choice"
default = ["long", "short"]
described = "long"
choices = ["long", "short"]
sweep = true
help = "long: both vectors together twice the last-level cache; short: half of a first-level cache in each thread"

[parameter.code]
from = "libraries/code.hpp"
default = "ours"
help = "our own loop, or each thread's part by the ZAXPY of a BLAS library"

[described]
kernel = "zaxpy"
only = { by = ["threads"], vectors = ["long"] }
metric = { time = "8 * unit" }

[metric.time]
unit = "s"
help = "time of an element"

[metric.clock]
from = "processor/cycles_beside.hpp"

[figure.clock]
from = "processor/cycles_beside.hpp"
help = "cycles per second of one thread right after what is measured, from which the bound of arithmetic follows; stated with the first case"

[headline.compute]
figure = "rate"
where = "vectors=short threads=1"
title = "complex multiply-add in cache (one thread)"
says = "multiplies and adds complex vectors at"
bound = "peak_measured"
advice = "loads and stores of the caches limit it, not arithmetic"
order = 3

[roof]
figure = "rate"
flops = "8"
bytes = "48"
where = "by=threads"
clock = "clock"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time of an element, all threads together"

[figure.rate]
metric = "time"
formula = "8 / value"
unit = "flop/s"
better = "higher"
headline = true
help = "8 flops per element"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

struct Vectors {
  explicit Vectors(std::int64_t length) : count(length), x(new double[2 * length]), y(new double[2 * length]) {}
  std::int64_t count;
  std::unique_ptr<double[]> x, y;  // real and imaginary parts in turn
  static double real(std::int64_t i) { return static_cast<double>(i % 11 - 5); }
  static double imaginary(std::int64_t i) { return static_cast<double>(i % 7 - 3); }
};

// a = i or -i in turn, so that y stays bounded: adding i x and then -i x brings it back.
[[gnu::noinline]] void zaxpy(double re, double im, const double* __restrict x, double* __restrict y,
                             std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    y[2 * i] += re * x[2 * i] - im * x[2 * i + 1];
#ifdef ASSAY_BREAK
    y[2 * i + 1] += re * x[2 * i + 1] - im * x[2 * i];
#else
    y[2 * i + 1] += re * x[2 * i + 1] + im * x[2 * i];
#endif
  }
}

// What adds a x to y: our own loop, or the library's.
using Zaxpy = void (*)(double re, double im, const double* x, double* y, std::int64_t count);

#ifdef ASSAY_BLAS
void zaxpy_of_library(double re, double im, const double* x, double* y, std::int64_t count) {
#ifdef ASSAY_BREAK
  im = -im;
#endif
  const double a[] = {re, im};
  libraries::ASSAY_BLAS_NAME(cblas_zaxpy)(static_cast<libraries::BlasInteger>(count), a, x, 1, y, 1);
}
#endif

template <class Crew>
void fill(Crew& crew, Vectors& v) {  // each thread touches first what it will use
  crew.run([&](const auto& member) {
    for (std::int64_t i = member.from(v.count); i < member.to(v.count); ++i) {
      v.x[2 * i] = Vectors::real(i);
      v.x[2 * i + 1] = Vectors::imaginary(i);
      v.y[2 * i] = v.y[2 * i + 1] = 0;
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  std::map<std::int64_t, std::shared_ptr<Vectors>> kept;
  return run_program(record, argc, argv, [&](Case& at) {
    threads::with_crew(at, team, [&](const auto& crew) {
      const std::int64_t members = at.integer("threads");
      const auto& cpus = team->processors().cpus;
      const bool small = at.choice("vectors") == "short";
      const std::int64_t first = std::max<std::int64_t>(memory::cache_of(cpus[0], 1), 16 << 10);
      const memory::LastLevel last = memory::find_last_level(cpus);
      const std::int64_t bytes = small ? members * first / 2 : 2 * last.bytes;
      if (!small && !last.warning.empty()) at.note(last.warning);
      const memory::Headroom room = memory::read_headroom();
      if (bytes > room.bytes / 2) return at.skip("long vectors would not fit " + room.by);
      auto& vectors = kept[bytes];
      if (!vectors) {
        vectors = std::make_shared<Vectors>(bytes / 32);
        fill(*crew, *vectors);
      }
      Zaxpy add = zaxpy;
      if (at.choice("code") == "library") {
#ifdef ASSAY_BLAS
        add = zaxpy_of_library;
        libraries::blas_threads(1);  // each of our threads calls it
        at.note("library: " + libraries::blas_version());
#else
        return at.skip(libraries::no_blas);
#endif
      }
      const auto work = [=, own = vectors](std::int64_t elements) {
        const std::int64_t passes = elements / own->count;
        crew->run([&](const auto& member) {
          const std::int64_t from = member.from(own->count), count = member.to(own->count) - from;
          for (std::int64_t k = 0; k < passes; ++k) {
            add(0, k % 2 ? -1 : 1, own->x.get() + 2 * from, own->y.get() + 2 * from, count);
            touched();
          }
        });
      };
      at.measure("time", work,
                 {.unit = vectors->count,
                  .cache = small ? "same buffer" : "beyond the caches",
                  .reading = threads::least_reading});
      processor::observe_clock_once(at);
      at.check([=, own = vectors] {
        fill(*crew, *own);
        work(3 * own->count);  // i x, -i x and i x: i x is left
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < own->count; ++i) {
          wrong += own->y[2 * i] != -Vectors::imaginary(i) || own->y[2 * i + 1] != Vectors::real(i);
        }
        return Check{wrong == 0, std::to_string(own->count) + " elements, " + std::to_string(wrong) + " wrong"};
      });
    });
  });
}
