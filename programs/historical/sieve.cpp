// Sieve of Eratosthenes over 1..size, integers only (Dunigan 1991, section 3.2): one operation is one whole pass, which
// clears the table of flags, strikes the multiples of every prime up to the root and counts what is left.
#include <algorithm>
#include <memory>

#include "timing/opaque.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "sieve"
title = "Sieve of Eratosthenes"
part = "processor"
kind = "node"
summary = "time to find the primes up to a bound by striking out multiples, integer arithmetic only"
cost = "one operation is a pass: about n ln ln n byte stores for the bound n; no floating point"
check = "the number of primes against a count by trial division, their sum as well"
source = "Dunigan 1991, section 3.2, Table 4"
published = ["sieve"]
historical = true
slice_quick = 0.02

[parameter.size]
type = "integer"
default = 8190
min = 10
max = 100000000
unit = "1"
sweep = true
help = "primes are sought from 1 to this number"

# On a described machine: a table of size + 1 flags is cleared and counted, and n (ln ln n + M - ln 2) - n / ln n of its
# flags are struck from the primes' squares on (Mertens's constant M = 0.2615): each an addition and its assignment.
[described]
kernel = "integer"
metric = { time = "unit * size * (2 + 0.693147 * log2(0.693147 * log2(size)) - 0.4316 - 1.442695 / log2(size))" }

[metric.time]
unit = "s"
help = "time of one pass"

[figure.time]
metric = "time"
formula = "value * 100"
unit = "s"
better = "lower"
headline = false
help = "100 passes, as in Table 4"
)record";

namespace {

struct Sieve {
  explicit Sieve(int bound) : size(bound), composite(static_cast<std::size_t>(bound) + 1) {}
  int size;
  std::vector<unsigned char> composite;
  int count = 0;
};

// Kept out of line so that its instructions can be found and counted.
[[gnu::noinline]] int sieve_pass(unsigned char* composite, int size) {
  std::fill(composite, composite + size + 1, 0);
  for (int number = 2; number * number <= size; ++number)
    if (!composite[number])
      for (int multiple = number * number; multiple <= size; multiple += number) composite[multiple] = 1;
  int count = 0;
  for (int number = 2; number <= size; ++number) count += !composite[number];
#ifdef ASSAY_BREAK
  ++count;
#endif
  return count;
}

bool prime_by_division(std::int64_t number) {
  for (std::int64_t divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return false;
  return number >= 2;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace assay::timing;
  return run_program(record, argc, argv, [](Case& at) {
    auto state = std::make_shared<Sieve>(static_cast<int>(at.integer("size")));
    at.measure("time", [state](std::int64_t passes) {
      for (; passes > 0; --passes) {
        unsigned char* flags = state->composite.data();
        opaque(flags);
        state->count = sieve_pass(flags, state->size);
        touched();
      }
    });
    at.check([state] {
      int count = 0;
      std::int64_t sum = 0, kept = 0;
      for (int number = 1; number <= state->size; ++number) {
        if (number >= 2 && !state->composite[static_cast<std::size_t>(number)]) kept += number;
        if (!prime_by_division(number)) continue;
        ++count;
        sum += number;
      }
      return Check{count == state->count && sum == kept, std::to_string(state->count) + " primes up to " +
                                                             std::to_string(state->size) + "; by trial division " +
                                                             std::to_string(count)};
    });
  });
}
