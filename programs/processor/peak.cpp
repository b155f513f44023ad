// The most that a processor computes: chains of multiply-adds that need nothing but registers, in the widest vectors
// that it has, more of them side by side than its units can hold in flight. The flat part of the roof.
#include <algorithm>

#include "processor/native_vectors.hpp"
#include "timing/opaque.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "peak"
title = "Peak of arithmetic"
part = "processor"
kind = "node"
first_look = true
summary = "multiply-adds in registers, in the widest vectors: the most that one hardware thread computes"
cost = "one operation is one flop; no memory"
check = "every lane of every chain against the whole number that so many additions of a constant give"
source = "Williams, Waterman and Patterson 2009"
statistics = ["median", "best"]
slice_quick = 0.01
blocks_quick = 3

[parameter.type]
type = "choice"
default = ["float32", "float64"]
choices = ["float32", "float64"]
sweep = true
help = "precision"

[metric.time]
unit = "s"
help = "time of a flop"

[figure.rate]
metric = "time"
formula = "1 / value"
unit = "flop/s"
better = "higher"
headline = true
help = "flops per second of one hardware thread"

[headline.peak]
figure = "rate"
where = "type=float64"
title = "arithmetic peak (float64, one thread)"
says = "computes at up to"
bound = "peak_float64"
advice = "wide vectors lower the clock of some processors, and another thread of the core has a share of its units"
order = 1

[roof]
ceiling = "rate"
where = "type=float64"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr int chains = 12;  // two units of four or five cycles each, and some to spare

template <class T>
struct Sums {
  Vector<T> of[chains] = {};
  std::int64_t added = 0;
};

// times x (sum = sum * one + step), with one = 1, so that the sums stay whole numbers.
template <class T>
[[gnu::noinline]] void add_up(Sums<T>& sums, T one, T step, std::int64_t times) {
  const Vector<T> factor = one - Vector<T>{}, term = step - Vector<T>{};
  Vector<T> held[chains];
  for (int k = 0; k < chains; ++k) held[k] = sums.of[k];
  for (std::int64_t i = 0; i < times; ++i)
#pragma GCC unroll 12
    for (int k = 0; k < chains; ++k) held[k] = held[k] * factor + term;
  for (int k = 0; k < chains; ++k) sums.of[k] = held[k];
  sums.added += times;
#ifdef ASSAY_BREAK
  sums.of[3] += 1;
#endif
}

template <class T>
void set_up(Case& at) {
  const std::int64_t flops = 2 * lanes<T> * chains;
  const auto work = [=](std::int64_t operations) {
    T one = 1, step = 1;
    opaque(one);
    opaque(step);
    for (std::int64_t left = operations / flops; left > 0;) {  // sums start anew before they pass what is exact
      Sums<T> sums;
      const std::int64_t now = std::min<std::int64_t>(left, 1 << 22);
      add_up(sums, one, step, now);
      Sums<T>* made = &sums;
      opaque(made);
      touched();
      left -= now;
    }
  };
  at.measure("time", work, {.unit = flops, .cache = "registers"});
  at.check([] {
    Sums<T> sums;
    T one = 1, step = 3;
    opaque(one);
    opaque(step);
    add_up(sums, one, step, 1001);
    bool right = true;
    for (const Vector<T>& each : sums.of)
      for (std::int64_t lane = 0; lane < lanes<T>; ++lane) right = right && each[lane] == 3003;
    return Check{right, "1001 additions of 3 in " + std::to_string(chains) + " chains"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [](Case& at) {
    if (at.choice("type") == "float32") return set_up<float>(at);
    set_up<double>(at);
  });
}
