// An elliptic partial differential equation (van der Steen 2000, module 3, mod3g: printed only as "PDE, Elliptic
// solver"): coefficients that vary, a manufactured solution, conjugate gradients (Hestenes and Stiefel 1952).
#include <algorithm>
#include <cmath>
#include <memory>

#include "historical/module3/kernels.hpp"
#include "historical/module3/order.hpp"
#include "kernels/short_text.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "elliptic"
title = "PDE, elliptic solver"
part = "kernels"
kind = "node"
from = "historical/module3/budget.hpp"
summary = "-(a u_x)_x - (b u_y)_y + u = f with coefficients that vary, by conjugate gradients with a diagonal preconditioner"
cost = "a point takes 26 flops per iteration; the iterations grow with the points of a side"
check = "error against the manufactured solution below the truncation error, evaluated by itself, over the least of A w, w = x (1 - x)/2; of order 2 (within 0.1) from h = 1/32 to 1/64; iterations at most what the condition number allows (Chebyshev)"
source = "van der Steen 2000, section 6.4.2, Table 6.14 (mod3g); Hestenes and Stiefel 1952"
published = ["euroben.mod3g"]
exact = ["iterations", "error", "error_bound", "order"]

[unit.kernel]
source = "historical/module3/kernels/elliptic.cpp"

[parameter.size]
type = "integer"
default = [64, 128]
quick = [64]
full = [64, 128, 256, 512]
min = 8
max = 1024
unit = "1"
sweep = true
help = "intervals on a side of the grid; the paper prints no number"

[metric.time]
unit = "s"
help = "time of one solution, from zero"

[metric.iterations]
unit = "1"
help = "iterations of one solution"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = true
help = "time of one solution, from zero"

[figure.iterations]
metric = "iterations"
formula = "value"
unit = "1"
better = "lower"
help = "iterations of one solution: about as the points of a side"

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
solution = "u = sin(pi x) sin(2 pi y) exp(x)"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr double share = 1e-10;
constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

double coefficient_a(double x, double y) { return 1 + 0.5 * x * y; }
double coefficient_b(double x, double y) { return 1 + 0.25 * (x + y * y); }
double exact(double x, double y) { return std::sin(M_PI * x) * std::sin(2 * M_PI * y) * std::exp(x); }

// f = -(a u_x)_x - (b u_y)_y + u, by hand: a_x = y/2, b_y = y/2.
double right_side(double x, double y) {
  const double s = std::sin(M_PI * x), c = std::cos(M_PI * x), e = std::exp(x), other = std::sin(2 * M_PI * y);
  const double ux = e * (s + M_PI * c) * other, uxx = e * (s * (1 - M_PI * M_PI) + 2 * M_PI * c) * other;
  const double uy = s * e * 2 * M_PI * std::cos(2 * M_PI * y), uyy = -4 * M_PI * M_PI * exact(x, y);
  return -(0.5 * y * ux + coefficient_a(x, y) * uxx) - (0.5 * y * uy + coefficient_b(x, y) * uyy) + exact(x, y);
}

struct Problem {
  explicit Problem(std::int64_t intervals)
      : n(intervals), h(1 / static_cast<double>(n)), a(points()), b(a), c(a), f(a), u(a), room(4 * points()) {
    each([&](std::size_t at, double x, double y) {
      a[at] = coefficient_a(x + h / 2, y);
      b[at] = coefficient_b(x, y + h / 2);
      c[at] = 1;
      f[at] = right_side(x, y);
    });
  }
  std::size_t points() const { return index((n + 1) * (n + 1)); }
  template <class Do>
  void each(Do&& act) const {  // do(place, x, y) for all points
    for (std::int64_t i = 0; i <= n; ++i)
      for (std::int64_t j = 0; j <= n; ++j)
        act(index(i * (n + 1) + j), h * static_cast<double>(i), h * static_cast<double>(j));
  }
  template <class Value>
  double worst(Value&& value) const {  // largest |value(place, x, y)| of the inner points; a NaN stays
    double most = 0;
    each([&](std::size_t at, double x, double y) {
      if (x > h / 2 && y > h / 2 && x < 1 - h / 2 && y < 1 - h / 2)
        if (const double found = std::abs(value(at, x, y)); !(found <= most)) most = found;
    });
    return most;
  }
  void solve() {
    const solvers::EllipticProblem problem{n, a.data(), b.data(), c.data(), f.data()};
    iterations = solvers::conjugate_gradients(problem, u.data(), room.data(), share, allowed() + 1);
  }
  // With the diagonal, the condition number of the operator is at most 2/d, where d bounds the quotient of the operator
  // and its diagonal from below: a, b >= 1 give at least 4 sin^2(pi h/2) + 4 sin^2(pi h/2), over the largest diagonal
  // entry. Chebyshev: the error falls by 2 ((k - 1)/(k + 1))^i in the energy norm, k the condition number's root; a
  // residual of the weighted norm is at most k times that.
  std::int64_t allowed() const {
    const double least = 8 * std::pow(std::sin(M_PI * h / 2), 2), largest = 2 * 1.5 + 2 * 1.5 + h * h;
    const double root = std::sqrt(2 / (least / largest));
    return static_cast<std::int64_t>(std::ceil(std::log(share / (2 * root)) / std::log((root - 1) / (root + 1))));
  }
  double error() const {
    return worst([&](std::size_t at, double x, double y) { return u[at] - exact(x, y); });
  }
  // Where A w >= d > 0 for a w >= 0, the inverse of A is at most max w / d; for w = x (1 - x)/2, at most 1/8, -(a
  // w_x)_x is a - a_x (1/2 - x) >= 1 - 1/4. The truncation error is that of the difference scheme on the exact
  // solution.
  double bound() const {
    const double truncation = worst([&](std::size_t at, double x, double y) {
      const double middle = exact(x, y);
      const auto flux = [&](double coefficient, double x2, double y2) {
        return coefficient * (exact(x2, y2) - middle);
      };
      const double sum = flux(coefficient_a(x + h / 2, y), x + h, y) + flux(coefficient_a(x - h / 2, y), x - h, y) +
                         flux(coefficient_b(x, y + h / 2), x, y + h) + flux(coefficient_b(x, y - h / 2), x, y - h);
      return -sum / (h * h) + middle - f[at];
    });
    return truncation / 8 / 0.75 + 100 * share;
  }

  std::int64_t n;
  double h;
  std::vector<double> a, b, c, f, u, room;
  std::int64_t iterations = 0;
};

Check verify(Problem& problem) {
  Problem coarse(32), fine(64);
  for (Problem* each : {&problem, &coarse, &fine}) each->solve();
  const solvers::Order order(coarse.error(), fine.error(), 2);
  bool right = order.right();
  for (const Problem* each : {&problem, &coarse, &fine})
    right &= each->error() <= each->bound() && each->iterations <= each->allowed();
  return {right, "error " + kernels::short_text(problem.error()) + ", bound " + kernels::short_text(problem.bound()) +
                     "; order " + kernels::short_text(order.value) + ", 2 by the method; " +
                     std::to_string(problem.iterations) + " iterations, " + std::to_string(problem.allowed()) +
                     " allowed"};
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
                            solvers::solved(problem, problem->n, [](const Problem&) { return 100 * share; }));
    at.check([=] { return verify(*problem); });
  });
}
