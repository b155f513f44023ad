// A partial differential equation by block Gauss-Seidel (van der Steen 2000, module 3, mod3h, printed only as "PDE,
// Block Gauss" on 257 x 257 points: that Gauss-Seidel is meant, and that a block is a line of the grid, is our
// reading). One operation is one sweep: each line in turn is solved for with its neighbours as they are.
#include <algorithm>
#include <cmath>
#include <memory>

#include "historical/module3/kernels.hpp"
#include "historical/module3/order.hpp"
#include "kernels/short_text.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "block-gauss-seidel"
title = "PDE by block Gauss-Seidel"
part = "kernels"
kind = "node"
from = "historical/module3/budget.hpp"
summary = "Poisson's equation on a square grid: sweeps that solve one line after another, tridiagonal, its neighbours as they are"
cost = "a point takes 7 flops a sweep; both passes along a line are recursions, so that their latency is the time"
check = "after 20 sweeps the error is that of an eigenvector of the sweep, mu^40 times what it was, at every point; the converged solution's error at h and h/2 is of order 2 (within 0.1) and below h^2/96 (max|u_xxxx| + max|u_yyyy|)"
source = "van der Steen 2000, section 6.4.2, Table 6.14 (mod3h; our reading of its title); Varga 1962, chapter 4"
published = ["euroben.mod3h"]
exact = ["error", "error_bound", "order"]
unlike = { "euroben.mod3h" = "a whole program there, one sweep here" }
slice_quick = 0.01
slice_standard = 0.02

[unit.kernel]
source = "historical/module3/kernels/block_gauss_seidel.cpp"

[parameter.size]
type = "integer"
default = [257, 513]
quick = [257]
full = [257, 513, 1025]
min = 5
max = 8193
unit = "1"
sweep = true
help = "points of a side of the grid, its border included; the paper's is 257"

[metric.time]
unit = "s"
help = "time of one sweep"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = true
help = "time of one sweep; the paper's time is of a whole program, whose sweeps it does not print"

[figure.rate]
metric = "time"
formula = "7 * (size - 2) ** 2 / value"
unit = "flop/s"
better = "higher"
help = "7 flops for each inner point"

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

constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
double exact(double x, double y) { return std::exp(x) * std::sin(M_PI * y); }

struct Problem {
  explicit Problem(std::int64_t points)
      : n(points - 1),
        h(1 / static_cast<double>(n)),
        u(index(points * points)),
        f(u),
        factors(index(n)),
        line(factors) {
    solvers::line_factors(n, factors.data());
  }
  template <class Do>
  void each(Do&& act) const {  // do(place, i, j) for all points
    for (std::int64_t i = 0; i <= n; ++i)
      for (std::int64_t j = 0; j <= n; ++j) act(index(i * (n + 1) + j), static_cast<double>(i), static_cast<double>(j));
  }
  void sweeps(std::int64_t times) {
    solvers::block_gauss_seidel(n, u.data(), f.data(), factors.data(), line.data(), times);
  }
  std::int64_t n;
  double h;
  std::vector<double> u, f, factors, line;
};

// With f = 0 and a border of zeros, v = mu^i sin(pi i h) sin(2 pi j h), i counting lines, is an eigenvector of the
// sweep: its eigenvalue is mu^2, mu = cos(pi h) / (2 - cos(2 pi h)) that of the same mode where all lines are solved
// with the old neighbours (Varga, consistently ordered matrices). Largest difference from it, relative to its maximum.
double eigenvector_off(Problem& of, std::int64_t times) {
  const double mu = std::cos(M_PI * of.h) / (2 - std::cos(2 * M_PI * of.h));
  std::vector<double> down, along;
  for (std::int64_t i = 0; i <= of.n; ++i) {
    const double at = M_PI * of.h * static_cast<double>(i);
    down.push_back(std::pow(mu, i) * std::sin(at));
    along.push_back(std::sin(2 * at));
  }
  const auto mode = [&](double i, double j) {
    return down[static_cast<std::size_t>(i)] * along[static_cast<std::size_t>(j)];
  };
  std::fill(of.f.begin(), of.f.end(), 0.0);
  double most = 0, worst = 0;
  const auto inside = [&](double i, double j) {
    const auto last = static_cast<double>(of.n);
    return i > 0 && j > 0 && i < last && j < last;
  };
  of.each([&](std::size_t at, double i, double j) {
    of.u[at] = inside(i, j) ? mode(i, j) : 0;
    most = std::max(most, std::abs(of.u[at]));
  });
  of.sweeps(times);
  const double factor = std::pow(mu, 2 * static_cast<double>(times));
  of.each([&](std::size_t at, double i, double j) {
    const double off = std::abs(of.u[at] - (inside(i, j) ? factor * mode(i, j) : 0)) / most;
    if (!(off <= worst)) worst = off;  // a NaN stays
  });
  return worst;
}

// The error after so many sweeps that only the discretisation's is left: the slowest mode's falls by mu^2, which is
// about 1 - 2 pi^2 h^2, a sweep.
double discretisation_error(std::int64_t points) {
  Problem on(points);
  on.each([&](std::size_t at, double i, double j) {
    const double x = on.h * i, y = on.h * j;
    const bool border = i == 0 || j == 0 || i == static_cast<double>(on.n) || j == static_cast<double>(on.n);
    on.u[at] = border ? exact(x, y) : 0;
    on.f[at] = (M_PI * M_PI - 1) * exact(x, y);
  });
  on.sweeps(2 * on.n * on.n);  // e^(-4 pi^2), below 1e-17
  double worst = 0;
  on.each([&](std::size_t at, double i, double j) {
    const double off = std::abs(on.u[at] - exact(on.h * i, on.h * j));
    if (!(off <= worst)) worst = off;
  });
  return worst;
}

double discretisation_bound(std::int64_t intervals) {
  return M_E * (1 + std::pow(M_PI, 4)) / 96 / static_cast<double>(intervals * intervals);
}

Check verify(Problem& problem) {
  constexpr std::int64_t sweeps = 20, coarse = 17, fine = 33;
  const double off = eigenvector_off(problem, sweeps);
  const double wide = discretisation_error(coarse), narrow = discretisation_error(fine);
  const solvers::Order order(wide, narrow, 2);
  const double bound = discretisation_bound(fine - 1);
  return {off < 1e-12 && order.right() && narrow <= bound,
          "off the eigenvector after 20 sweeps by " + kernels::short_text(off) + "; error at h = 1/32 " +
              kernels::short_text(narrow) + ", bound " + kernels::short_text(bound) + ", order " +
              kernels::short_text(order.value) + ", 2 by the method"};
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [](Case& at) {
    auto problem = std::make_shared<Problem>(at.integer("size"));
    problem->each([&](std::size_t place, double i, double j) {
      problem->f[place] = exact(problem->h * i, problem->h * j);  // of any size: no sweep meets a subnormal number
    });
    at.measure("time", [=](std::int64_t times) { problem->sweeps(times); });
    solvers::observe_errors(at, {16, 32, 64}, [](std::int64_t intervals) {
      return solvers::GridError{discretisation_error(intervals + 1), discretisation_bound(intervals)};
    });
    at.check([=] { return verify(*problem); });
  });
}
