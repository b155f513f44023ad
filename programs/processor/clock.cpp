// The processor's clock, found by work of known length in cycles: a chain of integer additions, register to register,
// each waiting for the one before, takes one cycle an addition on every processor model that this runs on.
#include <memory>

#include "processor/dependent_additions.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "clock"
title = "Processor clock"
part = "processor"
kind = "node"
first_look = true
summary = "clock rate of a processor at work, from a chain of dependent integer additions"
cost = "one operation is one 64-bit integer addition that waits for the one before: one cycle"
check = "the sum against a product, modulo 2^64"
source = "McVoy and Staelin 1996, lmbench mhz"
statistics = ["median", "best"]
slice_quick = 0.01

[metric.time]
unit = "s"
help = "time of one dependent addition: a cycle"

[figure.frequency]
metric = "time"
formula = "1 / value"
unit = "Hz"
better = "higher"
headline = true
help = "cycles per second while this ran; the frequency that the processor states may differ"

[roof]
clock = "frequency"
)record";

int main(int argc, char** argv) {
  using namespace assay::timing;
  return run_program(record, argc, argv, [](Case& at) {
    auto sum = std::make_shared<std::uint64_t>(0);
    auto added = std::make_shared<std::uint64_t>(0);
    std::uint64_t step = 0x9e3779b97f4a7c15;
    opaque(step);
    const auto work = [=](std::int64_t additions) {
      *sum = assay::processor::add_up(*sum, step, additions);
#ifdef ASSAY_BREAK
      ++*sum;
#endif
      *added += static_cast<std::uint64_t>(additions);
    };
    at.measure("time", work, {.unit = assay::processor::additions_at_once});
    at.check([=] { return Check{*sum == *added * step, std::to_string(*added) + " additions"}; });
  });
}
