// Non-linear optimisation (van der Steen 2000, module 3, mod3e: printed only as "Non-linear Optim."): the extended
// Rosenbrock function (More, Garbow and Hillstrom 1981, no. 21) by a quasi-Newton method. Its minimum is 0, at ones.
#include <algorithm>
#include <cmath>
#include <memory>

#include "historical/module3/kernels.hpp"
#include "kernels/short_text.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "nonlinear-optimisation"
title = "Non-linear optimisation"
part = "kernels"
kind = "node"
from = "historical/module3/budget.hpp"
summary = "the minimum of the extended Rosenbrock function by BFGS with halved steps"
cost = "an iteration takes about 8 n^2 flops, for three products with the inverse Hessian and its update"
check = "at the end the distance to the known minimum is at most the gradient over the Hessian's least eigenvalue there, .3994, times 1.01; convergence faster than linear: with 2 variables the last 5 iterations leave less than 1e-6 of the gradient"
source = "van der Steen 2000, section 6.4.2, Table 6.14 (mod3e); More, Garbow and Hillstrom 1981; Broyden, Fletcher, Goldfarb, Shanno 1970"
published = ["euroben.mod3e"]
exact = ["iterations"]

[unit.kernel]
source = "historical/module3/kernels/nonlinear_optimisation.cpp"

[parameter.size]
type = "integer"
default = [10, 50]
full = [10, 50, 200]
choices = [2, 4, 10, 20, 50, 100, 200]
sweep = true
help = "variables; the paper prints no number"

[metric.time]
unit = "s"
help = "time from the start to the minimum"

[metric.iterations]
unit = "1"
help = "iterations from the start to the minimum"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = true
help = "time from the start to the minimum"

[figure.iterations]
metric = "iterations"
formula = "value"
unit = "1"
better = "lower"
help = "iterations from the start to the minimum"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr double least = 1e-8;  // of the gradient's norm
constexpr std::int64_t most = 5000;
constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

struct Problem {
  explicit Problem(std::int64_t variables)
      : n(variables), x(index(n)), room(index(n * n + 4 * n)), norms(index(most + 1)) {}
  void solve() {  // from about (-1.2, 1): each pair from elsewhere, so that they are no copies of one problem
    for (std::int64_t k = 0; k < n; k += 2) {
      const double along = static_cast<double>(k) / static_cast<double>(n);
      x[index(k)] = -1.2 + 0.5 * along;
      x[index(k + 1)] = 1 - 0.5 * along;
    }
    iterations = solvers::bfgs(n, x.data(), room.data(), least, most, norms.data());
  }
  double distance() const {
    double sum = 0;
    for (const double each : x) sum += (each - 1) * (each - 1);
    return std::sqrt(sum);
  }
  double gradient() const {  // by hand, at the x that was left
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); k += 2) {
      const double off = x[k + 1] - x[k] * x[k];
      sum += std::pow(-400 * x[k] * off + 2 * (x[k] - 1), 2) + std::pow(200 * off, 2);
    }
    return std::sqrt(sum);
  }

  std::int64_t n;
  std::vector<double> x, room, norms;
  std::int64_t iterations = 0;
};

// How much the last 5 iterations leave of the gradient, with 2 variables: where the inverse Hessian is learned, each
// leaves a lesser share than the one before it; steepest descent leaves about 1 - 2/cond, .998, each.
double last_share() {
  Problem two(2);
  two.solve();
  const std::int64_t k = two.iterations;
  return k < 5 || k == most ? 1 : two.norms[index(k)] / two.norms[index(k - 5)];
}

Check verify(Problem& problem) {
  problem.solve();
  // The Hessian at the minimum has the blocks (802, -400; -400, 200), of trace 1002 and determinant 400.
  const double eigenvalue = (1002 - std::sqrt(1002.0 * 1002 - 4 * 400)) / 2, bound = 1.01 * least / eigenvalue;
  const double found = problem.gradient(), distance = problem.distance(), share = last_share();
  return {found <= 1.01 * least && distance <= bound && share < 1e-6,
          "off the minimum by " + kernels::short_text(distance) + ", bound " + kernels::short_text(bound) +
              "; gradient " + kernels::short_text(found) + " after " + std::to_string(problem.iterations) +
              " iterations; with 2 variables the last 5 leave " + kernels::short_text(share) + " of it"};
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [](Case& at) {
    auto problem = std::make_shared<Problem>(at.integer("size"));
    at.measure("time", [=](std::int64_t times) {
      for (; times > 0; --times) problem->solve();
    });
    at.observe("iterations", [=] { return static_cast<double>(problem->iterations); }, true);
    at.check([=] { return verify(*problem); });
  });
}
