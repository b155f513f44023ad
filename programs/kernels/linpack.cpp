// LINPACK: a full system of linear equations, factored with partial pivoting and solved. Ours goes by columns as dgefa
// and dgesl do (Dongarra, Bunch, Moler and Stewart 1979), each step a multiple of one column added to another; the
// library's is LAPACK's dgesv, in blocks. EuroBen's mod2b is the same problem by LAPACK's routines (van der Steen 2000,
// section 6.1.2.1).
#include <cmath>
#include <map>

#include "kernels/line_aligned.hpp"
#include "kernels/linpack_kernel.hpp"
#include "kernels/linpack_residual.hpp"
#include "kernels/short_text.hpp"
#include "libraries/code.hpp"
#include "libraries/lapack.hpp"
#include "processor/cycles_beside.hpp"
#include "threads/team.hpp"

constexpr std::string_view record = R"record(
name = "linpack"
title = "LINPACK (EuroBen mod2b)"
part = "kernels"
kind = "node"
summary = "a full system of linear equations by LU with partial pivoting: by columns as LINPACK does, and the library's dgesv"
cost = "2/3 n^3 + 2 n^2 flops; the copy of matrix and right side into place is part of the time"
check = "|A x - b| / (eps n |A| |x|), largest rows' sums, in long double, below 16; and x beside the solution that the right side was made from"
source = "Dongarra, Bunch, Moler and Stewart 1979; Dunigan 1991, section 3.2; van der Steen 2000, Table 6.13: EuroBen mod2b, whose sizes are not printed"
published = ["linpack", "euroben.mod2b"]
libraries = ["lapack"]
statistics = ["median", "best"]
slice_quick = 0.02
slice_standard = 0.03
blocks_quick = 2
blocks_standard = 2

[unit.kernel]
source = "kernels/linpack_kernel.cpp"

[parameter.code]
from = "libraries/code.hpp"
described = "ours"
help = "library: dgesv of the LAPACK that was found; ours: by columns, on one thread"

[parameter.size]
type = "integer"
default = [100, 1000]
full = [100, 1000, 4000, 8000]
min = 1
max = 32768
unit = "1"
sweep = true
help = "equations"

[parameter.threads]
type = "integer"
default = 1
words = ["processors"]
min = 1
max = 4096
sweep = true
help = "threads of the library; processors: 1, 2, 3, 4, 8 … and all that this process may use"

# On a described machine: the rate of its compiler's code.
[described]
kernel = "linpack"
length = "2 / 3 * size"
memory = "8 * size ** 2"
only = { code = ["ours"], threads = [1] }
metric = { time = "unit * (2 / 3 * size ** 3 + 2 * size ** 2)" }

[metric.time]
unit = "s"
help = "time to factor and solve, the copy into place included"

[metric.clock]
from = "processor/cycles_beside.hpp"

[figure.clock]
from = "processor/cycles_beside.hpp"
help = "cycles per second of one thread right after what is measured, from which the bound of arithmetic follows; stated with the first case"

[figure.rate]
metric = "time"
formula = "(2 / 3 * size ** 3 + 2 * size ** 2) / value"
unit = "flop/s"
better = "higher"
headline = true
help = "2/3 n^3 + 2 n^2 flops"

[peak_share]
figure = "rate"

[roof]
clock = "clock"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time to factor and solve"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

using Numbers = kernels::LineAlignedArray<double>;

struct System {  // columns one after another; the right side is made from a known solution
  explicit System(std::int64_t rows) : n(rows), given(at(n * n)), a(given.size()), right(at(n)), known(right) {
    std::uint64_t state = 1;
    const auto any = [&] { return std::ldexp(static_cast<double>(random_bits(state) >> 11), -53) - 0.5; };
    for (double& value : given) value = any();
    for (double& value : known) value = any() + 1;
    std::vector<long double> sums(at(n));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) sums[at(i)] += static_cast<long double>(given[at(j * n + i)]) * known[at(j)];
    for (std::int64_t i = 0; i < n; ++i) right[at(i)] = static_cast<double>(sums[at(i)]);
  }

  std::int64_t n;
  Numbers given, a, right, known;
};

double residual(const System& of, const Numbers& x) {
  const auto column = [&](std::int64_t j) { return of.given.data() + j * of.n; };
  return kernels::linpack_residual(of.n, column, x.data(), of.right.data());
}

// The case's own solution, so that the check is of what was measured: one of 8000 equations takes seconds to find
// again.
template <class Solve>
[[gnu::cold]] void measure(Case& on, const std::shared_ptr<System>& of, const Solve& solve) {
  const auto x = std::make_shared<Numbers>(at(of->n));
  on.measure("time", [=](std::int64_t times) {
    for (; times > 0; --times) {
      of->a = of->given;
      *x = of->right;
      solve(*of, *x);
    }
  });
  processor::observe_clock_once(on);
  on.check([=] {
    const double found = residual(*of, *x);
    double off = 0;
    for (std::int64_t i = 0; i < of->n; ++i) off = std::max(off, std::abs((*x)[at(i)] - of->known[at(i)]));
    return Check{found < kernels::residual_limit, "normalised residual " + kernels::short_text(found) +
                                                      ", to be below 16; x off by " + kernels::short_text(off)};
  });
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  std::map<std::int64_t, std::shared_ptr<System>> kept;
  return run_program(record, argc, argv, [&](Case& on) __attribute__((cold)) {
    const int members = static_cast<int>(on.integer("threads"));
    if (!team->holds(on, members)) return;
    auto& of = kept[on.integer("size")];
    if (!of) of = std::make_shared<System>(on.integer("size"));
    if (on.choice("code") == "ours") {
      if (members != 1) return on.skip("our own code is for one thread", "threads", "threads=1, or code=library");
      auto pivots = std::make_shared<std::vector<std::int64_t>>(at(of->n));
      return measure(on, of, [pivots](System& system, Numbers& x) {
        if (kernels::factor(system.n, system.a.data(), pivots->data()))
          kernels::solve(system.n, system.a.data(), pivots->data(), x.data());
      });
    }
#ifdef ASSAY_LAPACK
    if (!libraries::blas_threads(members)) return on.skip(libraries::no_such_threads(members));
    on.note("library: " + libraries::blas_version());
    auto pivots = std::make_shared<std::vector<libraries::BlasInteger>>(at(of->n));
    measure(on, of, [pivots, members]([[maybe_unused]] System& system, [[maybe_unused]] Numbers& x) {
      libraries::blas_threads(members);
#ifndef ASSAY_BREAK
      libraries::gesv(system.n, system.a.data(), pivots->data(), x.data());
#endif
    });
#else
    on.skip(libraries::no_lapack);
#endif
  });
}
