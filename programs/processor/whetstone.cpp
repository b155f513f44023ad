// Whetstone (Curnow and Wichmann 1976), double precision: eight modules whose weights make one pass of them worth a
// million instructions of the Whetstone Algol interpreter. Modules 1, 5 and 10 have weight zero in the publication and
// are not here. Every module is a function of its own and starts from its own initial values; between the rounds the
// compiler knows none of them, so that nothing is computed ahead.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

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
help = "millions of Whetstone instructions a second"
)record";

namespace {

using namespace assay::timing;

// Weights of modules 2, 3, 4, 6, 7, 8, 9, 11 (the publication's N), ten times as many as 100 000 instructions need.
struct Weights {
  int elements = 120, parameter = 140, jumps = 3450, integers = 2100, trigonometry = 320, calls = 8990,
      references = 6160, functions = 930;
};

struct Constants {
  double t = 0.499975, t1 = 0.50025, t2 = 2.0;
};

using Four = std::array<double, 4>;

// What the modules leave behind.
struct Results {
  Four elements, parameter, integers, references;
  int jump = 0;
  std::array<int, 3> whole;
  std::array<double, 2> trigonometry;
  std::array<double, 3> calls;
  double functions = 0;
};

[[gnu::noinline]] Four array_elements(int rounds, double t) {  // module 2
  Four e{1, -1, -1, -1};
  for (; rounds > 0; --rounds) {
    e[0] = (e[0] + e[1] + e[2] - e[3]) * t;
    e[1] = (e[0] + e[1] - e[2] + e[3]) * t;
    e[2] = (e[0] - e[1] + e[2] + e[3]) * t;
    e[3] = (-e[0] + e[1] + e[2] + e[3]) * t;
    touched();
  }
  return e;
}

[[gnu::noinline]] void six_rounds(double* e, double t, double t2) {
  for (int round = 0; round < 6; ++round) {
    e[0] = (e[0] + e[1] + e[2] - e[3]) * t;
    e[1] = (e[0] + e[1] - e[2] + e[3]) * t;
    e[2] = (e[0] - e[1] + e[2] + e[3]) * t;
    e[3] = (-e[0] + e[1] + e[2] + e[3]) / t2;
    touched();
  }
}

[[gnu::noinline]] void array_parameter(Four& e, int rounds, double t, double t2) {  // module 3
  for (; rounds > 0; --rounds) {
    double* elements = e.data();
    opaque(elements);
    six_rounds(elements, t, t2);
  }
}

[[gnu::noinline]] int conditional_jumps(int rounds) {  // module 4
  int j = 1;
  for (; rounds > 0; --rounds) {
    opaque(j);
    j = j == 1 ? 2 : 3;
    opaque(j);
    j = j > 2 ? 0 : 1;
    opaque(j);
    j = j < 1 ? 1 : 0;
  }
  return j;
}

[[gnu::noinline]] void integer_arithmetic(Four& e, std::array<int, 3>& whole, int rounds) {  // module 6
  int j = 1, k = 2, l = 3;
  for (; rounds > 0; --rounds) {
    opaque(j);
    opaque(k);
    opaque(l);
    j = j * (k - j) * (l - k);
    k = l * k - (l - j) * k;
    l = (l - k) * (k + j);
    e[static_cast<std::size_t>(l - 2)] = j + k + l;
    e[static_cast<std::size_t>(k - 2)] = j * k * l;
    touched();
  }
  whole = {j, k, l};
}

[[gnu::noinline]] std::array<double, 2> trigonometric_functions(int rounds, double t, double t2) {  // module 7
  double x = 0.5, y = 0.5;
  for (; rounds > 0; --rounds) {
    opaque(x);
    opaque(y);
    x = t * std::atan(t2 * std::sin(x) * std::cos(x) / (std::cos(x + y) + std::cos(x - y) - 1));
    opaque(x);
    y = t * std::atan(t2 * std::sin(y) * std::cos(y) / (std::cos(x + y) + std::cos(x - y) - 1));
  }
  return {x, y};
}

[[gnu::noinline]] void called(double x, double y, double& z, double t, double t2) {
  x = t * (x + y);
  y = t * (x + y);
  z = (x + y) / t2;
  touched();
}

[[gnu::noinline]] std::array<double, 3> procedure_calls(int rounds, double t, double t2) {  // module 8
  double x = 1, y = 1, z = 1;
  for (; rounds > 0; --rounds) {
    opaque(x);
    opaque(y);
    called(x, y, z, t, t2);
  }
  return {x, y, z};
}

[[gnu::noinline]] void rotate(double* e, int j, int k, int l) {
  e[j] = e[k];
  e[k] = e[l];
  e[l] = e[j];
  touched();
}

[[gnu::noinline]] Four array_references(int rounds) {  // module 9
  Four e{1, 2, 3, 0};
  for (; rounds > 0; --rounds) {
    int j = 0;
    double* elements = e.data();
    opaque(elements);
    opaque(j);
    rotate(elements, j, j + 1, j + 2);
  }
  return e;
}

[[gnu::noinline]] double standard_functions(int rounds, double t1) {  // module 11
  double x = 0.75;
  for (; rounds > 0; --rounds) {
    opaque(x);
    x = std::sqrt(std::exp(std::log(x) / t1));
  }
  return x;
}

Results whetstones(const Weights& n) {
  Constants c;
  opaque(c.t);
  opaque(c.t1);
  opaque(c.t2);
  Results out;
  out.elements = array_elements(n.elements, c.t);
  out.parameter = {1, -1, -1, -1};
  array_parameter(out.parameter, n.parameter, c.t, c.t2);
  out.jump = conditional_jumps(n.jumps);
  out.integers = {0, 0, 0, 0};
  integer_arithmetic(out.integers, out.whole, n.integers);
  out.trigonometry = trigonometric_functions(n.trigonometry, c.t, c.t2);
  out.calls = procedure_calls(n.calls, c.t, c.t2);
  out.references = array_references(n.references);
  out.functions = standard_functions(n.functions, c.t1);
#ifdef ASSAY_BREAK
  out.elements[2] *= 1 + 1e-6;
#endif
  return out;
}

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
    if (!(std::abs(seen - expected) <= tolerance * std::max(1.0L, std::abs(expected))))
      wrong += std::string(wrong.empty() ? "" : ", ") + module;
  };
  const auto elements = linear_rounds(n.elements, t), parameter = linear_rounds(6 * n.parameter, 0.5L);
  for (std::size_t at = 0; at < 4; ++at) {
    expect("2 (array elements)", got.elements[at], elements[at], 1e-12L);
    expect("3 (array parameter)", got.parameter[at], parameter[at], 1e-12L);
  }
  expect("4 (conditional jumps)", got.jump, n.jumps % 2 == 0 ? 1 : 0, 0);  // 1 -> 2 -> 1 -> 0 -> 3 -> 0 -> 1
  const long double whole[] = {1, 2, 3};  // 1, 2, 3 come back to themselves every round
  for (std::size_t at = 0; at < 3; ++at) expect("6 (integers)", got.whole[at], whole[at], 0);
  expect("6 (integers)", got.integers[1], 6, 0);
  expect("6 (integers)", got.integers[0], 6, 0);
  long double x = 0.5, y = 0.5;  // module 7 with 2 sin x cos x = sin 2x and cos(x+y) + cos(x-y) = 2 cos x cos y
  for (int round = 0; round < n.trigonometry; ++round) {
    x = t * std::atan(std::sin(2 * x) / (2 * std::cos(x) * std::cos(y) - 1));
    y = t * std::atan(std::sin(2 * y) / (2 * std::cos(x) * std::cos(y) - 1));
  }
  expect("7 (trigonometry)", got.trigonometry[0], x, 1e-9L);
  expect("7 (trigonometry)", got.trigonometry[1], y, 1e-9L);
  expect("8 (calls)", got.calls[2], t * (1.5L + t), 1e-12L);  // x = 2t, y = t (2t + 1), z their mean
  const long double turned[] = {3, 2, 3};                     // 1, 2, 3 -> 2, 3, 2 -> 3, 2, 3 -> 2, 3, 2 ...
  for (std::size_t at = 0; at < 3; ++at) expect("9 (references)", got.references[at], turned[at], 0);
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
