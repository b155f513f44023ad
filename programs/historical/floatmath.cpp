// Floatmath (Dunigan 1991, section 3.2, Table 4): a sequence of dependent double precision operations, repeated.
//
// The paper does not print its sequence. Here one repetition is x = ((x + a) * b - c) / d, one of each of the four
// operations, every one waiting for the one before; b/d < 1, so that x settles at (a b - c) / (d - b).
#include <cmath>
#include <memory>

#include "timing/opaque.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "floatmath"
title = "Floatmath"
part = "processor"
kind = "node"
summary = "time of a sequence of dependent double precision operations: add, multiply, subtract, divide"
cost = "one operation is a repetition of the sequence: 4 flops, each waiting for the one before"
check = "the closed form of the recurrence in long double, after few repetitions and at its fixed point"
source = "Dunigan 1991, section 3.2, Table 4"
published = ["floatmath"]
unlike = { floatmath = "a sequence of operations that the report does not print there, our own here" }
historical = true
slice_quick = 0.02

[described]
kernel = "floatmath"
metric = { time = "4 * unit" }

[metric.time]
unit = "s"
help = "time of one repetition of the sequence"

[figure.time]
metric = "time"
formula = "value * 256000"
unit = "s"
better = "lower"
headline = false
help = "256 000 repetitions, as in Table 4"

[figure.rate]
metric = "time"
formula = "4 / value"
unit = "flop/s"
better = "higher"
headline = false
help = "dependent operations per second"
)record";

namespace {

using namespace assay::timing;

struct Constants {
  double a = 1.25, b = 0.9, c = 0.4, d = 1.1;
};

[[gnu::noinline]] double floatmath_kernel(double x, Constants in, std::int64_t repetitions) {
  opaque(in.a);
  opaque(in.b);
  opaque(in.c);
  opaque(in.d);
#pragma GCC unroll 8
  for (; repetitions > 0; --repetitions) {
    x = x + in.a;
    opaque(x);
    x = x * in.b;
    opaque(x);
    x = x - in.c;
    opaque(x);
    x = x / in.d;
    opaque(x);
  }
#ifdef ASSAY_BREAK
  x *= 1 + 1e-6;
#endif
  return x;
}

// x -> (b/d) x + (a b - c)/d, n times: a geometric sum.
long double closed_form(long double x, const Constants& in, int repetitions) {
  const long double ratio = in.b / static_cast<long double>(in.d);
  const long double fixed = (static_cast<long double>(in.a) * in.b - in.c) / (static_cast<long double>(in.d) - in.b);
  return fixed + std::pow(ratio, static_cast<long double>(repetitions)) * (x - fixed);
}

bool close(double result, long double expected) { return std::abs(result - expected) <= 1e-13L * std::abs(expected); }

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [](Case& at) {
    auto x = std::make_shared<double>(1);
    at.measure("time", [x](std::int64_t repetitions) { *x = floatmath_kernel(*x, {}, repetitions); });
    at.check([x] {
      bool passed = true;
      for (const int repetitions : {1, 2, 7, 30, 1000})
        passed = passed && close(floatmath_kernel(3, {}, repetitions), closed_form(3, {}, repetitions));
      passed = passed && close(floatmath_kernel(*x, {}, 300), closed_form(1, {}, 1'000'000));
      return Check{passed, "1, 2, 7, 30 and 1000 repetitions and the fixed point, to 1e-13 of the closed form"};
    });
  });
}
