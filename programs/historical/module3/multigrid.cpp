// A partial differential equation by multigrid (van der Steen 2000, module 3, mod3c: printed only as "PDE, Multigrid",
// its equation and size are not): Poisson's equation on the unit square with a manufactured solution.
#include <algorithm>
#include <cmath>
#include <memory>

#include "historical/module3/kernels.hpp"
#include "historical/module3/order.hpp"
#include "kernels/short_text.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "multigrid"
title = "PDE by multigrid"
part = "kernels"
kind = "node"
from = "historical/module3/budget.hpp"
summary = "Poisson's equation on a square grid by V(2, 1) cycles until the residual is 1e-9 of the first"
cost = "a cycle takes about 60 flops for each point of the finest grid, on all grids together; 7 or 8 cycles"
check = "error against the manufactured solution below h^2/96 (max|u_xxxx| + max|u_yyyy|), and of order 2 (within 0.1) from h to h/2; a cycle leaves less than 0.15 of the residual at every h"
source = "van der Steen 2000, section 6.4.2, Table 6.14 (mod3c); Briggs, Henson and McCormick 2000"
published = ["euroben.mod3c"]
exact = ["cycles", "error", "error_bound", "order"]
slice_quick = 0.01

[unit.kernel]
source = "historical/module3/kernels/multigrid.cpp"

[parameter.size]
type = "integer"
default = [256, 512]
quick = [256]
full = [256, 512, 1024]
choices = [16, 32, 64, 128, 256, 512, 1024, 2048]
sweep = true
help = "intervals on a side of the finest grid; the paper prints none for this program (257 points for mod3h)"

[metric.time]
unit = "s"
help = "time of one solution, from zero"

[metric.cycles]
unit = "1"
help = "cycles of one solution"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = true
help = "time of one solution, from zero"

[figure.time_per_point]
metric = "time"
formula = "value / size ** 2"
unit = "s"
better = "lower"
help = "time of one solution for each point of the finest grid"

[figure.cycles]
metric = "cycles"
formula = "value"
unit = "1"
better = "lower"
help = "cycles of one solution: the same number on every grid"

[metric.error]
from = "historical/module3/order.hpp"

[metric.error_bound]
from = "historical/module3/order.hpp"

[metric.order]
from = "historical/module3/order.hpp"

[figure.error]
from = "historical/module3/order.hpp"

[figure.error_bound]
from = "historical/module3/order.hpp"

[figure.order]
from = "historical/module3/order.hpp"

[convergence]
order = 2
solution = "u = exp(x) sin(pi y)"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr double share = 1e-9;  // of the first residual
constexpr std::int64_t most_cycles = 24;
constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

double exact(double x, double y) { return std::exp(x) * std::sin(M_PI * y); }

struct Problem {
  explicit Problem(std::int64_t intervals) : norms(index(most_cycles + 1)) {
    for (std::int64_t n = intervals; n >= 2; n /= 2) {
      arrays.emplace_back(index(3 * (n + 1) * (n + 1)));
      double* const first = arrays.back().data();
      levels.push_back({n, first, first + (n + 1) * (n + 1), first + 2 * (n + 1) * (n + 1)});
    }
    each([&](std::int64_t at, double x, double y) { levels[0].f[at] = (M_PI * M_PI - 1) * exact(x, y); });
  }
  // Calls do(place, x, y) for all points of the finest grid.
  template <class Do>
  void each(Do&& act) const {
    const std::int64_t n = levels[0].n;
    const double h = 1 / static_cast<double>(n);
    for (std::int64_t i = 0; i <= n; ++i)
      for (std::int64_t j = 0; j <= n; ++j)
        act(i * (n + 1) + j, h * static_cast<double>(i), h * static_cast<double>(j));
  }
  void start() {  // zero inside, the solution on the border
    const std::int64_t n = levels[0].n;
    double* const u = levels[0].u;
    std::fill(u, u + (n + 1) * (n + 1), 0.0);
    for (std::int64_t j = 0; j <= n; ++j) {
      u[j] = exact(0, static_cast<double>(j) / static_cast<double>(n));
      u[n * (n + 1) + j] = exact(1, static_cast<double>(j) / static_cast<double>(n));
    }
  }
  void solve() {
    start();
    cycles =
        solvers::multigrid(levels.data(), static_cast<std::int64_t>(levels.size()), share, most_cycles, norms.data());
  }
  double error() const {
    double worst = 0;
    each([&](std::int64_t at, double x, double y) {
      const double off = std::abs(levels[0].u[at] - exact(x, y));
      if (!(off <= worst)) worst = off;  // a NaN stays
    });
    return worst;
  }
  // What a cycle leaves of the residual, the mean over all cycles.
  double left() const {
    return cycles == 0 ? 1 : std::pow(norms[index(cycles)] / norms[0], 1 / static_cast<double>(cycles));
  }
  // The five-point operator's inverse is at most 1/8 (of the maximum norm), its truncation error h^2/12 of the fourth
  // derivatives, which are u and pi^4 u here, u at most e; and what the cycles left.
  double bound() const {
    const double h = 1 / static_cast<double>(levels[0].n);
    return h * h / 96 * M_E * (1 + std::pow(M_PI, 4)) + 10 * share;
  }

  std::vector<std::vector<double>> arrays;
  std::vector<solvers::GridLevel> levels;
  std::vector<double> norms;
  std::int64_t cycles = 0;
};

Check verify(Problem& problem) {
  Problem coarse(32), fine(64);
  for (Problem* each : {&problem, &coarse, &fine}) each->solve();
  const solvers::Order order(coarse.error(), fine.error(), 2);
  bool right = order.right();
  for (const Problem* each : {&problem, &coarse, &fine}) right &= each->error() <= each->bound() && each->left() < 0.15;
  return {right, "error " + kernels::short_text(problem.error()) + ", bound " + kernels::short_text(problem.bound()) +
                     "; order " + kernels::short_text(order.value) + ", 2 by the method; a cycle leaves " +
                     kernels::short_text(problem.left()) + " of the residual"};
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [](Case& at) {
    auto problem = std::make_shared<Problem>(at.integer("size"));
    at.measure("time", [=](std::int64_t times) {
      for (; times > 0; --times) problem->solve();
    });
    at.observe("cycles", [=] { return static_cast<double>(problem->cycles); }, true);
    solvers::observe_errors(at, {32, 64, problem->levels[0].n},
                            solvers::solved(problem, problem->levels[0].n, [](const Problem&) { return share; }));
    at.check([=] { return verify(*problem); });
  });
}
