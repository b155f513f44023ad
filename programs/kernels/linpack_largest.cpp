// LINPACK as large as memory allows: one system of linear equations by the library's dgesv on all hardware threads, its
// matrix of most of the memory that is free, or as much smaller as the time that it may take wants. How long it will
// take is known beforehand from a small one. The matrix is made anew for the check, since there is no room for a copy.
#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/linpack_residual.hpp"
#include "kernels/short_text.hpp"
#include "libraries/lapack.hpp"
#include "memory/pages.hpp"
#include "threads/team.hpp"
#include "timing/memory_limits.hpp"

constexpr std::string_view record = R"record(
name = "linpack-largest"
title = "LINPACK of all memory"
part = "kernels"
kind = "node"
summary = "one full system of linear equations, as large as memory and time allow, by the library's dgesv on all hardware threads"
cost = "2/3 n^3 + 2 n^2 flops; 8 n^2 bytes, by default 80% of the free memory, within every limit of cgroup and process"
check = "|A x - b| / (eps n |A| |x|), largest rows' sums, in long double, below 16; the matrix made anew from its indices"
source = "Dongarra, Bunch, Moler and Stewart 1979; Dongarra, Luszczek and Petitet 2003"
related = ["linpack-peak"]
libraries = ["lapack"]
statistics = ["median", "best"]
profiles = ["full"]
launches = 1
takes_memory = "share"
unmoved = ["memory"]
or_nothing = true
slice_quick = 10
slice_standard = 60
slice_full = 3600
blocks_quick = 1
blocks_standard = 1
blocks_full = 1
timeout_standard = 1200
timeout_full = 18000

[parameter.share]
type = "real"
default = 0.8
min = 0.0000001
max = 0.95
unit = "1"
help = "of the memory that is free, for the matrix; less where the system would take longer than a block of the profile: 10 s, 1 min, 1 h"

[metric.memory]
unit = "B"
help = "bytes of the matrix"

[metric.time]
unit = "s"
help = "time to factor and solve; equations: how many"

[metric.expected]
unit = "s"
help = "the time as it was expected from a system of 1000 equations"

[figure.rate]
metric = "time"
formula = "(2 / 3 * equations ** 3 + 2 * equations ** 2) / value"
unit = "flop/s"
better = "higher"
headline = true
help = "2/3 n^3 + 2 n^2 flops"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time to factor and solve"

[figure.memory]
metric = "memory"
formula = "value"
unit = "B"
better = "higher"
help = "bytes of the matrix"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

#ifdef ASSAY_LAPACK

double flops(double n) { return 2.0 / 3 * n * n * n + 2 * n * n; }

// The element of row i and column j, from -0.5 to 0.5; column n is the right side.
double element(std::int64_t n, std::int64_t i, std::int64_t j) {
  auto state = static_cast<std::uint64_t>(i + j * n);
  return std::ldexp(static_cast<double>(random_bits(state) >> 11), -53) - 0.5;
}

std::vector<double> column(std::int64_t n, std::int64_t j) {
  std::vector<double> made(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) made[static_cast<std::size_t>(i)] = element(n, i, j);
  return made;
}

struct Solved {
  double time = 0;
  std::vector<double> x;
};

Solved solve(std::int64_t n) {
  memory::Pages pages(static_cast<std::size_t>(8 * n * n), true);
  auto* const a = reinterpret_cast<double*>(pages.data());
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) a[j * n + i] = element(n, i, j);
  Solved made{0, column(n, n)};
  std::vector<libraries::BlasInteger> pivots(static_cast<std::size_t>(n));
  const std::int64_t from = now_ns();
  libraries::gesv(n, a, pivots.data(), made.x.data());
  made.time = 1e-9 * static_cast<double>(now_ns() - from);
#ifdef ASSAY_BREAK
  made.x.back() += 1e-7 * std::abs(*std::ranges::max_element(made.x, {}, [](double x) { return std::abs(x); }));
#endif
  return made;
}

struct Chosen {
  std::int64_t equations;
  double expected;  // s
  std::string why;
};

// As many equations as `share` of the free memory holds, or as take no longer than `seconds`.
Chosen choose(double share, double seconds) {
  const memory::Headroom room = memory::read_headroom();
  constexpr double small = 1000;
  solve(static_cast<std::int64_t>(small));  // threads started, pages of the library's own touched
  const double rate = flops(small) / solve(static_cast<std::int64_t>(small)).time;
  const double by_memory = std::sqrt(share * static_cast<double>(room.bytes) / 8),
               by_time = std::cbrt(1.5 * rate * seconds);
  const auto n = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(by_memory, by_time)));
  return {n, flops(static_cast<double>(n)) / rate, by_memory <= by_time ? "memory, of " + room.by : "time"};
}

void measure(Case& at, int threads) {
  libraries::blas_threads(threads);
  at.note("library: " + libraries::blas_version());
  const Chosen chosen = choose(at.real("share"), at.slice());
  const std::int64_t n = chosen.equations;
  const double gigabytes = 8e-9 * static_cast<double>(n) * static_cast<double>(n);
  at.note("LINPACK of " + std::to_string(n) + " equations on " + std::to_string(threads) + " threads, bounded by " +
          chosen.why + ": " + kernels::short_text(gigabytes) + " GB, expected to take " +
          kernels::short_text(chosen.expected) + " s");
  auto solved = std::make_shared<Solved>();
  at.observe("memory", [=] { return 8 * static_cast<double>(n) * static_cast<double>(n); }, true);
  at.observe("expected", [=] { return chosen.expected; }, true);
  at.observe("time", "equations", n, [=] {
    *solved = solve(n);
    return solved->time;
  });
  at.check([=] {
    const std::vector<double> right = column(n, n);
    const double found =
        kernels::linpack_residual(n, [n](std::int64_t j) { return column(n, j); }, solved->x.data(), right.data());
    return Check{found < kernels::residual_limit, std::to_string(n) + " equations: normalised residual " +
                                                      kernels::short_text(found) + ", to be below 16"};
  });
}

#endif

}  // namespace

int main(int argc, char** argv) {
  [[maybe_unused]] const auto processors = static_cast<int>(threads::find_processors().usable());
  return run_program(record, argc, argv, [&](Case& at) {
#ifdef ASSAY_LAPACK
    if (!libraries::blas_threads(processors)) return at.skip(libraries::no_such_threads(processors));
    measure(at, processors);
#else
    at.skip(libraries::no_lapack);
#endif
  });
}
