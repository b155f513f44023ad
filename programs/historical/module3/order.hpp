// The order of convergence that errors at step h and h/2 show: log2 of their ratio; and the errors on several grids,
// as figures of their own.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "timing/case.hpp"

namespace assay::solvers {

inline constexpr std::string_view order_fragment = R"fragment(
[metric.error]
unit = "1"
help = "greatest difference from the solution that is known, on a grid of so many intervals"

[metric.error_bound]
unit = "1"
help = "bound of this error that follows from the method"

[metric.order]
unit = "1"
help = "order of convergence, by the errors on this grid and the next coarser one"

[figure.error]
metric = "error"
formula = "value"
unit = "1"
better = "lower"
help = "greatest difference from the solution that is known, on a grid of so many intervals"

[figure.error_bound]
metric = "error_bound"
formula = "value"
unit = "1"
better = "lower"
help = "bound of this error that follows from the method"

[figure.order]
metric = "order"
formula = "value"
unit = "1"
better = "higher"
help = "order of convergence, by the errors on this grid and the next coarser one; none where rounding is seen in them"
)fragment";

struct Order {
  double value;
  double expected;
  static constexpr double tolerance = 0.1;  // at the steps that the checks take, higher terms are below it

  Order(double coarse, double fine, double by_method) : value(std::log2(coarse / fine)), expected(by_method) {}
  bool right() const { return std::abs(value - expected) <= tolerance; }  // false of a NaN
};

struct GridError {
  double error, bound;
  double rounding = 0;  // what is left of the error where the step is small
};

// The errors of a problem that is solved, and of others like it on other grids; `rounding(problem)`: see GridError.
template <class Problem, class Rounding>
std::function<GridError(std::int64_t)> solved(std::shared_ptr<Problem> problem, std::int64_t own, Rounding rounding) {
  return [=](std::int64_t intervals) {
    const auto of = [&](const Problem& each) { return GridError{each.error(), each.bound(), rounding(each)}; };
    if (intervals == own) return of(*problem);
    Problem other(intervals);
    other.solve();
    return of(other);
  };
}

// Observes error, its bound and the order on grids of these numbers of intervals; `solve` is called once for each.
inline void observe_errors(timing::Case& at, std::vector<std::int64_t> grids,
                           std::function<GridError(std::int64_t)> solve) {
  std::sort(grids.begin(), grids.end());
  grids.erase(std::unique(grids.begin(), grids.end()), grids.end());
  auto kept = std::make_shared<std::map<std::int64_t, GridError>>();
  const auto found = [kept, solve](std::int64_t intervals) {
    const auto known = kept->find(intervals);
    return known != kept->end() ? known->second : kept->emplace(intervals, solve(intervals)).first->second;
  };
  const auto finite = [](double value) { return std::isfinite(value) ? std::vector{value} : std::vector<double>{}; };
  for (std::size_t i = 0; i < grids.size(); ++i) {
    const std::int64_t fine = grids[i], coarse = i == 0 ? 0 : grids[i - 1];
    const auto observe = [&](const char* metric, std::function<double()> value) {
      at.observe_all(metric, {{"intervals", std::to_string(fine)}}, [=] { return finite(value()); });
    };
    observe("error", [=] { return found(fine).error; });
    observe("error_bound", [=] { return found(fine).bound; });
    if (coarse == 0) continue;
    observe("order", [=] {
      const GridError wide = found(coarse), narrow = found(fine);
      if (!(narrow.error > 100 * narrow.rounding)) return std::nan("");
      return std::log(wide.error / narrow.error) / std::log(static_cast<double>(fine) / static_cast<double>(coarse));
    });
  }
}

}  // namespace assay::solvers
