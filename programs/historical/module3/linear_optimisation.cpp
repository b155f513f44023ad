// Linear optimisation (van der Steen 2000, module 3, mod3d: printed only as "Linear Optim."): the simplex method on
// dense problems whose optimum is known because they were made from it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "historical/module3/kernels.hpp"
#include "kernels/short_text.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "linear-optimisation"
title = "Linear optimisation"
part = "kernels"
kind = "node"
from = "historical/module3/budget.hpp"
summary = "maximise c x where A x <= b, x >= 0, by the simplex method on a dense tableau, Dantzig's rule"
cost = "a pivot takes 2 flops for each entry of the tableau and one division; 1 to 4 pivots for each constraint, more the larger"
check = "x and the dual y, read off the tableau, satisfy the conditions of Karush, Kuhn and Tucker, in long double, within 16 eps of what their sums add up, for each pivot; c x and b y are the optimum that the problem was made from; the Klee-Minty cube of 8 dimensions takes 255 pivots to 5^8, exactly"
source = "van der Steen 2000, section 6.4.2, Table 6.14 (mod3d); Dantzig 1951; Klee and Minty 1972"
published = ["euroben.mod3d"]
exact = ["pivots"]

[unit.kernel]
source = "historical/module3/kernels/linear_optimisation.cpp"

[parameter.size]
type = "integer"
default = [50, 200]
full = [50, 200, 400]
min = 2
max = 1000
unit = "1"
sweep = true
help = "constraints, and as many variables; the paper prints no number"

[metric.time]
unit = "s"
help = "time of one solution, the copy of the tableau included"

[metric.pivots]
unit = "1"
help = "pivots of one solution"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = true
help = "time of one solution, the copy of the tableau included"

[figure.pivots]
metric = "pivots"
formula = "value"
unit = "1"
better = "lower"
help = "pivots of one solution"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// Made from its optimum: of `n` variables x and `n` slacks, the first half of x and the second half of the slacks are
// positive, and of the dual's the others; b = A x + slack, c = A' y - z. As A and x are positive, so is b.
struct Problem {
  explicit Problem(std::int64_t size)
      : n(size),
        a(index(n * n)),
        b(index(n)),
        c(b),
        given(index((n + 1) * (n + 1))),
        tableau(given),
        names(index(2 * n)) {
    std::uint64_t state = 1;
    const auto any = [&] { return 0.5 + std::ldexp(static_cast<double>(random_bits(state) >> 11), -53); };  // to 1.5
    std::vector<double> x(index(n)), slack(x), y(x), z(x);
    for (std::int64_t k = 0; k < n; ++k) {
      const bool basic = k < n / 2;
      x[index(k)] = basic ? any() : 0;
      z[index(k)] = basic ? 0 : any();
      y[index(k)] = basic ? any() : 0;
      slack[index(k)] = basic ? 0 : any();
    }
    for (double& entry : a) entry = any();
    for (std::int64_t i = 0; i < n; ++i) {
      long double row = slack[index(i)], column = -static_cast<long double>(z[index(i)]);
      for (std::int64_t j = 0; j < n; ++j) {
        row += static_cast<long double>(a[index(i * n + j)]) * x[index(j)];
        column += static_cast<long double>(a[index(j * n + i)]) * y[index(j)];
      }
      b[index(i)] = static_cast<double>(row);
      c[index(i)] = static_cast<double>(column);
      optimum += static_cast<double>(b[index(i)] * static_cast<long double>(y[index(i)]));
    }
    for (std::int64_t i = 0; i < n; ++i) {
      std::copy_n(&a[index(i * n)], n, &given[index(i * (n + 1))]);
      given[index(i * (n + 1) + n)] = b[index(i)];
      given[index(n * (n + 1) + i)] = -c[index(i)];
    }
  }
  void solve() {
    tableau = given;
    for (std::int64_t k = 0; k < 2 * n; ++k) names[index(k)] = k;
    pivots = solvers::simplex(n, n, tableau.data(), names.data(), 50 * n);
  }
  // The largest violation, each in eps for each pivot, of what the sum that shows it adds up.
  double violation() const {
    std::vector<long double> x(index(2 * n)), y(x);  // variables, then slacks; of the dual, slacks z, then y
    for (std::int64_t i = 0; i < n; ++i) x[index(names[index(n + i)])] = tableau[index(i * (n + 1) + n)];
    for (std::int64_t j = 0; j < n; ++j) y[index(names[index(j)])] = tableau[index(n * (n + 1) + j)];
    const long double* const dual = y.data() + n;
    long double worst = 0, primal_value = 0, dual_value = 0;
    const auto worse = [&](long double by, long double of) {
      if (!(std::abs(by) <= worst * of)) worst = std::abs(by) / of;  // a NaN stays
    };
    for (std::int64_t i = 0; i < n; ++i) {
      long double row = x[index(n + i)] - b[index(i)], column = -y[index(i)] - c[index(i)];
      long double rows = b[index(i)], columns = std::abs(static_cast<long double>(c[index(i)]));
      for (std::int64_t j = 0; j < n; ++j) {
        row += a[index(i * n + j)] * x[index(j)];
        rows += a[index(i * n + j)] * std::abs(x[index(j)]);
        column += a[index(j * n + i)] * dual[j];
        columns += a[index(j * n + i)] * std::abs(dual[j]);
      }
      worse(row, rows);        // A x + slack = b
      worse(column, columns);  // A' y - z = c
      const long double lowest = std::min({x[index(i)], x[index(n + i)], y[index(i)], y[index(n + i)]});
      worse(lowest < 0 ? lowest : 0, 1);                                        // x, slack, z, y >= 0; beside ones
      worse(x[index(i)] * y[index(i)] + x[index(n + i)] * y[index(n + i)], 1);  // x z = 0, slack y = 0
      primal_value += c[index(i)] * x[index(i)];
      dual_value += b[index(i)] * dual[i];
    }
    worse(primal_value - optimum, optimum);
    worse(dual_value - optimum, optimum);
    worse(tableau.back() - optimum, optimum);
    return static_cast<double>(worst / (std::numeric_limits<double>::epsilon() * static_cast<long double>(pivots)));
  }

  std::int64_t n;
  std::vector<double> a, b, c, given, tableau;
  std::vector<std::int64_t> names;
  double optimum = 0;
  std::int64_t pivots = 0;
};

// The cube that makes Dantzig's rule visit all of its 2^d corners: maximise sum 2^(d-j) x_j where x_i + 2 sum_(j<i)
// 2^(i-j) x_j <= 5^i, whose optimum is 5^d. All numbers are whole.
bool klee_minty() {
  constexpr std::int64_t d = 8, width = d + 1;
  std::vector<double> tableau(index(width * width));
  std::vector<std::int64_t> names(index(2 * d));
  for (std::int64_t k = 0; k < 2 * d; ++k) names[index(k)] = k;
  double bound = 1;
  for (std::int64_t i = 0; i < d; ++i) {
    tableau[index(i * width + d)] = bound *= 5;
    tableau[index(i * width + i)] = 1;
    for (std::int64_t j = 0; j < i; ++j) tableau[index(i * width + j)] = std::ldexp(1.0, static_cast<int>(i - j + 1));
    tableau[index(d * width + i)] = -std::ldexp(1.0, static_cast<int>(d - 1 - i));
  }
  return solvers::simplex(d, d, tableau.data(), names.data(), 1000) == 255 && tableau.back() == bound;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [](Case& at) {
    auto problem = std::make_shared<Problem>(at.integer("size"));
    at.measure("time", [=](std::int64_t times) {
      for (; times > 0; --times) problem->solve();
    });
    at.observe("pivots", [=] { return static_cast<double>(problem->pivots); }, true);
    at.check([=] {
      problem->solve();
      const bool cube = klee_minty();
      const double found = problem->pivots > 0 ? problem->violation() : INFINITY;
      return Check{found < 16 && cube, "conditions violated by " + kernels::short_text(found) +
                                           " eps for each pivot, to be below 16; " + std::to_string(problem->pivots) +
                                           " pivots; the Klee-Minty cube " + (cube ? "took 255" : "went wrong")};
    });
  });
}
