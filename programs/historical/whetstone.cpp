// Whetstone (Curnow and Wichmann 1976), double precision: eight modules whose weights make one pass of them worth a
// million instructions of the Whetstone Algol interpreter. Modules 1, 5 and 10 have weight zero in the publication and
// are not here. Every module is a function of its own and starts from its own initial values; between the rounds the
// compiler knows none of them, so that nothing is computed ahead.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "historical/whetstone_modules.hpp"
#include "timing/opaque.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "whetstone"
title = "Whetstone"
part = "processor"
kind = "node"
summary = "synthetic mix of double precision arithmetic, conditionals, integers, built-in functions, subscripts and calls"
cost = "one operation is a million Whetstone instructions: the eight modules with their published weights, ten times"
check = "each module's final values against its own evaluation in long double"
source = "Curnow and Wichmann 1976; Dunigan 1991, section 3.2, Table 4"
published = ["whetstone"]
historical = true
slice_quick = 0.03

[unit.modules]
source = "historical/whetstone_modules.cpp"

[metric.time]
unit = "s"
help = "time of one million Whetstone instructions"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = false
help = "one million Whetstone instructions, as in Table 4"

[figure.mwips]
metric = "time"
formula = "1 / value"
unit = "MWIPS"
better = "higher"
headline = false
help = "millions of Whetstone instructions per second"
)record";

namespace {

using namespace assay::timing;

using namespace assay::historical;

// The check. Modules 2 and 3 are, a round, four updates of one component by a linear form: here as products of
// matrices, so that n rounds are a power. The others by their fixed points or by plain reasoning.
using Matrix = std::array<std::array<long double, 4>, 4>;

Matrix product(const Matrix& left, const Matrix& right) {
  Matrix result{};
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t column = 0; column < 4; ++column)
      for (std::size_t inner = 0; inner < 4; ++inner) result[row][column] += left[row][inner] * right[inner][column];
  return result;
}

std::array<long double, 4> linear_rounds(int rounds, long double last) {
  constexpr long double t = 0.499975;  // the double's value
  Matrix round{}, total{};
  for (std::size_t row = 0; row < 4; ++row) round[row][row] = total[row][row] = 1;
  for (std::size_t row = 0; row < 4; ++row) {  // component `row` becomes the sum of all but the one of opposite sign
    Matrix update{};
    for (std::size_t other = 0; other < 4; ++other) update[other][other] = 1;
    for (std::size_t column = 0; column < 4; ++column)
      update[row][column] = (column == 3 - row ? -1 : 1) * (row == 3 ? last : t);
    round = product(update, round);
  }
  for (; rounds > 0; rounds /= 2) {
    if (rounds % 2) total = product(total, round);
    round = product(round, round);
  }
  std::array<long double, 4> e{};
  for (std::size_t row = 0; row < 4; ++row) e[row] = total[row][0] - total[row][1] - total[row][2] - total[row][3];
  return e;
}

std::string wrong_modules(const Results& got) {
  const Weights n;
  const long double t = 0.499975, t1 = 0.50025;
  std::string wrong;
  const auto expect = [&](const char* module, long double seen, long double expected, long double tolerance) {
    if (std::abs(seen - expected) <= tolerance * std::max(1.0L, std::abs(expected))) return;
    if (wrong.find(module) == std::string::npos) wrong += std::string(wrong.empty() ? "" : ", ") + module;
  };
  const auto elements = linear_rounds(n.elements, t), parameter = linear_rounds(6 * n.parameter, 0.5L);
  for (std::size_t at = 0; at < 4; ++at) {
    expect("2 (array elements)", got.elements.e[at], elements[at], 1e-12L);
    expect("3 (array parameter)", got.parameter.e[at], parameter[at], 1e-12L);
  }
  expect("4 (conditional jumps)", got.jump, n.jumps % 2 == 0 ? 1 : 0, 0);  // 1 -> 2 -> 1 -> 0 -> 3 -> 0 -> 1
  const long double whole[] = {1, 2, 3};  // 1, 2, 3 come back to themselves every round
  for (std::size_t at = 0; at < 3; ++at) expect("6 (integers)", got.whole[at], whole[at], 0);
  expect("6 (integers)", got.integers.e[1], 6, 0);
  expect("6 (integers)", got.integers.e[0], 6, 0);
  long double x = 0.5, y = 0.5;  // module 7 with 2 sin x cos x = sin 2x and cos(x+y) + cos(x-y) = 2 cos x cos y
  for (int round = 0; round < n.trigonometry; ++round) {
    x = t * std::atan(std::sin(2 * x) / (2 * std::cos(x) * std::cos(y) - 1));
    y = t * std::atan(std::sin(2 * y) / (2 * std::cos(x) * std::cos(y) - 1));
  }
  expect("7 (trigonometry)", got.trigonometry[0], x, 1e-9L);
  expect("7 (trigonometry)", got.trigonometry[1], y, 1e-9L);
  expect("8 (calls)", got.calls[2], t * (1.5L + t), 1e-12L);  // x = 2t, y = t (2t + 1), z their mean
  const long double turned[] = {3, 2, 3};                     // 1, 2, 3 -> 2, 3, 2 -> 3, 2, 3 -> 2, 3, 2 ...
  for (std::size_t at = 0; at < 3; ++at) expect("9 (references)", got.references.e[at], turned[at], 0);
  // log x shrinks by 1/(2 t1) a round
  expect("11 (functions)", got.functions,
         std::exp(std::log(0.75L) * std::pow(1 / (2 * t1), static_cast<long double>(n.functions))), 1e-9L);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [](Case& at) {
    auto results = std::make_shared<Results>();
    at.measure("time", [results](std::int64_t passes) {
      for (; passes > 0; --passes) {
        Weights weights;
        const Weights* known = &weights;
        opaque(known);
        touched();
        *results = whetstones(*known);
        touched();
      }
    });
    at.check([results] {
      const std::string wrong = wrong_modules(*results);
      return Check{wrong.empty(), wrong.empty() ? "all eight modules as in long double" : "wrong: module " + wrong};
    });
  });
}
