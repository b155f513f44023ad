// The order of convergence that errors at step h and h/2 show: log2 of their ratio.
#pragma once

#include <cmath>

namespace assay::solvers {

struct Order {
  double value;
  double expected;
  static constexpr double tolerance = 0.1;  // at the steps that the checks take, higher terms are below it

  Order(double coarse, double fine, double by_method) : value(std::log2(coarse / fine)), expected(by_method) {}
  bool right() const { return std::abs(value - expected) <= tolerance; }  // false of a NaN
};

}  // namespace assay::solvers
