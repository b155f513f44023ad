#include "applications/orbitals/hermite.hpp"

#include <cmath>
#include <numbers>

namespace assay::applications::orbitals {
namespace {

constexpr std::size_t all = hermites(highest);

// A place, how it is reached: one derivative more along `axis` of `from`, which has `times` of them already; `before`
// has one less than `from`.
struct Step {
  std::array<int, 3> powers;
  std::size_t axis, from, before;
  double times;
};

struct Places {
  std::array<Step, all> steps{};
  std::array<std::array<std::size_t, hermites_of_pair>, all> sums{};

  Places() {
    std::size_t count = 0;
    for (int order = 0; order <= highest; ++order)
      for (int t = order; t >= 0; --t)
        for (int u = order - t; u >= 0; --u) steps[count++].powers = {t, u, order - t - u};
    for (std::size_t i = 1; i < all; ++i) {
      Step& step = steps[i];
      while (step.powers[step.axis] == 0) ++step.axis;
      auto powers = step.powers;
      --powers[step.axis];
      step.from = find(powers);
      step.times = powers[step.axis];
      step.before = step.from;
      if (powers[step.axis] > 0) --powers[step.axis], step.before = find(powers);
    }
    for (std::size_t i = 0; i < all; ++i)
      for (std::size_t j = 0; j < hermites_of_pair; ++j) {
        auto powers = steps[i].powers;
        for (std::size_t axis = 0; axis < 3; ++axis) powers[axis] += steps[j].powers[axis];
        sums[i][j] = find(powers);
      }
  }
  std::size_t find(const std::array<int, 3>& powers) const {
    for (std::size_t i = 0; i < all; ++i)
      if (steps[i].powers == powers) return i;
    return 0;  // beyond the highest: never used
  }
};
const Places places;

// Boys' functions F_m(x), m = 0 ... order: from a table by Taylor's series, and where exp(-x) vanishes from F_0.
class Boys {
 public:
  Boys() {
    for (std::size_t i = 0; i < rows; ++i) {
      const double x = static_cast<double>(i) / per_unit;
      double term = 1.0 / (2 * columns - 1), sum = 0;
      for (int k = 1; term > 1e-18 * sum; ++k) {
        sum += term;
        term *= 2 * x / (2 * static_cast<double>(columns) - 1 + 2 * k);
      }
      values_[i][columns - 1] = std::exp(-x) * sum;
      for (std::size_t m = columns - 1; m-- > 0;)
        values_[i][m] = (2 * x * values_[i][m + 1] + std::exp(-x)) / (2 * static_cast<double>(m) + 1);
    }
  }
  void operator()(int order, double x, double* found) const {
    const auto last = static_cast<std::size_t>(order);
    if (x >= far) {
      found[0] = 0.5 * std::sqrt(std::numbers::pi / x);
      for (std::size_t m = 0; m < last; ++m) found[m + 1] = found[m] * (2 * static_cast<double>(m) + 1) / (2 * x);
      return;
    }
    const auto row = static_cast<std::size_t>(x * per_unit + 0.5);
    const double step = static_cast<double>(row) / per_unit - x;
    double sum = 0;
    for (std::size_t k = terms; k-- > 0;) sum = values_[row][last + k] + sum * step / static_cast<double>(k + 1);
    found[last] = sum;
    if (last == 0) return;
    const double tail = std::exp(-x);
    for (std::size_t m = last; m-- > 0;) found[m] = (2 * x * found[m + 1] + tail) / (2 * static_cast<double>(m) + 1);
  }

 private:
  static constexpr double far = 36, per_unit = 10;
  static constexpr std::size_t rows = 362, terms = 8, columns = highest + terms + 1;
  double values_[rows][columns];
};
const Boys boys;

// Coefficients of x_A^i x_B^j as Hermite Gaussians, [i][j][t], along one axis.
using Axis = std::array<std::array<std::array<double, 3>, 2>, 2>;
Axis expanded(double a, double b, double distance) {
  const double p = a + b, to_a = -b / p * distance, to_b = a / p * distance, half = 1 / (2 * p);
  Axis e{};
  e[0][0][0] = std::exp(-a * b / p * distance * distance);
  e[1][0] = {to_a * e[0][0][0], half * e[0][0][0], 0};
  e[0][1] = {to_b * e[0][0][0], half * e[0][0][0], 0};
  e[1][1] = {to_b * e[1][0][0] + e[1][0][1], half * e[1][0][0] + to_b * e[1][0][1], half * e[1][0][1]};
  return e;
}

}  // namespace

std::size_t place_of_sum(std::size_t one, std::size_t other) { return places.sums[one][other]; }

Pair pair_of(const Complex& complex, std::size_t one, std::size_t other) {
  const Shell &a = complex.shells[one], &b = complex.shells[other];
  Pair pair{one, other, a.l + b.l, a.functions() * b.functions(), {}};
  const std::size_t count = hermites(pair.order);
  for (const Gaussian& x : a.parts) {
    for (const Gaussian& y : b.parts) {
      PairPart part{};
      part.exponent = x.exponent + y.exponent;
      std::array<Axis, 3> axes;
      for (std::size_t i = 0; i < 3; ++i) {
        part.centre[i] = (x.exponent * a.centre[i] + y.exponent * b.centre[i]) / part.exponent;
        axes[i] = expanded(x.exponent, y.exponent, a.centre[i] - b.centre[i]);
      }
      double* into = part.coefficients.data();
      for (std::size_t i = 0; i < a.functions(); ++i)
        for (std::size_t j = 0; j < b.functions(); ++j)
          for (std::size_t k = 0; k < count; ++k) {
            double value = x.coefficient * y.coefficient;
            for (std::size_t axis = 0; axis < 3; ++axis)
              value *= axes[axis][a.l == 1 && i == axis][b.l == 1 && j == axis]
                           [static_cast<std::size_t>(places.steps[k].powers[axis])];
            *into++ = value;
          }
      pair.parts.push_back(part);
    }
  }
  return pair;
}

void coulomb(int order, double exponent, const Point& distance, double* integrals) {
  double functions[highest + 1], other[all];
  const double square = distance[0] * distance[0] + distance[1] * distance[1] + distance[2] * distance[2];
  boys(order, exponent * square, functions);
  double power = 1;
  for (int m = 0; m <= order; ++m, power *= -2 * exponent) functions[m] *= power;
  // Of the highest derivative alone first; each round has all of one order more, of one derivative less.
  double *now = order % 2 == 0 ? integrals : other, *next = order % 2 == 0 ? other : integrals;
  now[0] = functions[order];
  for (int m = order - 1; m >= 0; --m) {
    next[0] = functions[m];
    for (std::size_t i = 1; i < hermites(order - m); ++i) {
      const Step& step = places.steps[i];
      next[i] = distance[step.axis] * now[step.from] + step.times * now[step.before];
    }
    std::swap(now, next);
  }
}

}  // namespace assay::applications::orbitals
