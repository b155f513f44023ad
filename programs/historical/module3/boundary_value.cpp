// A boundary value problem of an ordinary differential equation (van der Steen 2000, module 3, mod3f: printed only as
// "ODE, (BVP)"): y'' = 3/2 y^2, y(0) = 4, y(1) = 1, of which Stoer and Bulirsch know a solution, 4 / (1 + x)^2.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "historical/module3/kernels.hpp"
#include "historical/module3/order.hpp"
#include "kernels/short_text.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "boundary-value"
title = "ODE, boundary value problem"
part = "kernels"
kind = "node"
from = "historical/module3/budget.hpp"
summary = "a non-linear boundary value problem by Numerov's method and Newton's iteration, a tridiagonal system each"
cost = "an interval takes 31 flops per iteration, one of them a division; elimination is a recursion, so that its latency is the time"
check = "error against 4/(1 + x)^2 below h^4/1920 max|y^(6)| and what rounding allows, n^2 eps; of order 4 (within 0.1) from h = 1/32 to 1/64"
source = "van der Steen 2000, section 6.4.2, Table 6.14 (mod3f); Stoer and Bulirsch 1980, section 7.3; Numerov 1924"
published = ["euroben.mod3f"]
exact = ["iterations", "error", "error_bound", "order"]

[unit.kernel]
source = "historical/module3/kernels/boundary_value.cpp"

[parameter.size]
type = "integer"
default = [1000, 10000]
full = [1000, 10000, 100000]
min = 8
max = 100000
unit = "1"
sweep = true
help = "intervals; the paper prints no number"

[metric.time]
unit = "s"
help = "time of one solution, from a straight line"

[metric.iterations]
unit = "1"
help = "Newton's iterations of one solution"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = true
help = "time of one solution, from a straight line"

[figure.time_per_interval]
metric = "time"
formula = "value / size"
unit = "s"
better = "lower"
help = "time of one solution for each interval"

[figure.iterations]
metric = "iterations"
formula = "value"
unit = "1"
better = "lower"
help = "Newton's iterations of one solution"

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
order = 4
solution = "y = 4 / (1 + x)^2"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr std::int64_t most = 20;  // iterations; Newton's from a straight line takes about 6
constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

struct Problem {
  explicit Problem(std::int64_t intervals) : n(intervals), y(index(n + 1)), room(index(4 * (n + 1))) {}
  // A difference of three values, each rounded, stands over h^2, and the operator's inverse is at most 1/8.
  double rounding() const { return static_cast<double>(n * n) * std::numeric_limits<double>::epsilon(); }
  void solve() {
    for (std::int64_t j = 0; j <= n; ++j) y[index(j)] = 4 - 3 * static_cast<double>(j) / static_cast<double>(n);
    iterations = solvers::numerov_newton(n, y.data(), room.data(), std::max(1e-13, rounding()), most);
  }
  double error() const {
    double worst = 0;
    for (std::int64_t j = 0; j <= n; ++j) {
      const double to = 1 + static_cast<double>(j) / static_cast<double>(n);
      const double off = std::abs(y[index(j)] - 4 / (to * to));
      if (!(off <= worst)) worst = off;  // a NaN stays
    }
    return worst;
  }
  // Numerov's truncation error is h^4/240 y^(6), here at most 4 * 7! = 20160; as the equation's right side grows with
  // y, the inverse is at most that of the second difference, 1/8.
  double bound() const {
    return 20160.0 / 1920 / std::pow(static_cast<double>(n), 4) + std::max(1e-13, 2 * rounding());
  }

  std::int64_t n;
  std::vector<double> y, room;
  std::int64_t iterations = 0;
};

Check verify(Problem& problem) {
  Problem coarse(32), fine(64);
  for (Problem* each : {&problem, &coarse, &fine}) each->solve();
  const solvers::Order order(coarse.error(), fine.error(), 4);
  bool right = order.right();
  for (const Problem* each : {&problem, &coarse, &fine})
    right &= each->error() <= each->bound() && each->iterations < most;
  return {right, "error " + kernels::short_text(problem.error()) + ", bound " + kernels::short_text(problem.bound()) +
                     "; order " + kernels::short_text(order.value) + ", 4 by the method; " +
                     std::to_string(problem.iterations) + " iterations"};
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [](Case& at) {
    auto problem = std::make_shared<Problem>(at.integer("size"));
    at.measure("time", [=](std::int64_t times) {
      for (; times > 0; --times) problem->solve();
    });
    at.observe("iterations", [=] { return static_cast<double>(problem->iterations); }, true);
    solvers::observe_errors(at, {32, 64, problem->n},
                            solvers::solved(problem, problem->n, [](const Problem& each) { return each.rounding(); }));
    at.check([=] { return verify(*problem); });
  });
}
