// Numerical integration (Dunigan 1995, section 3, Table 3.4): pi as the integral of 4 / (1 + x^2) over 0..1 by the
// midpoint rule, each thread a part of the range. Everything stays in registers, so that it should scale with p.
#include <cmath>

#include "threads/crew.hpp"

constexpr std::string_view record = R"record(
name = "integration"
title = "Numerical integration"
part = "kernels"
kind = "node"
from = "kernels/by_threads.hpp"
profiles = ["standard", "full"]
summary = "midpoint rule on 1 to p threads: all in registers"
cost = "an interval takes 6 flops, one of them a division; no memory"
check = "against pi, within the midpoint rule's own error of h^2/12 and rounding"
source = "Dunigan 1995, section 3, Table 3.4"
published = ["kernel.integration-c"]

[parameter.by]
from = "threads/parameters.hpp"
described = "threads"

[parameter.threads]
from = "threads/parameters.hpp"

[parameter.intervals]
type = "integer"
default = 200000
min = 100
max = 1000000000
unit = "1"
help = "intervals that the range is cut into"

# On a described machine: all in registers, so that no bus is in the way.
[described]
kernel = "integration"
only = { by = ["threads"] }
metric = { time = "unit * 6 * intervals" }

[metric.time]
unit = "s"
help = "time of one integration"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time of one integration"

[figure.rate]
metric = "time"
formula = "6 * intervals / value"
unit = "flop/s"
better = "higher"
headline = true
help = "6 flops an interval"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

struct alignas(threads::line_bytes) Partial {
  double sum = 0;
};

[[gnu::noinline]] double integrate(std::int64_t from, std::int64_t to, double width) {
  double sum = 0;
  for (std::int64_t i = from; i < to; ++i) {
    const double x = (static_cast<double>(i) + 0.5) * width;
    sum += 4 / (1 + x * x);
  }
  return sum * width;
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  return run_program(record, argc, argv, [&](Case& at) {
    threads::with_crew(at, team, [&](const auto& crew) {
      const std::int64_t intervals = at.integer("intervals");
      auto parts = std::make_shared<std::vector<Partial>>(static_cast<std::size_t>(at.integer("threads")));
      auto result = std::make_shared<double>(0);
      const auto work = [=](std::int64_t operations) {
        for (; operations > 0; --operations) {
          crew->run([&](const auto& member) {
            double width = 1.0 / static_cast<double>(intervals);
            opaque(width);
            (*parts)[static_cast<std::size_t>(member.rank)].sum =
                integrate(member.from(intervals), member.to(intervals), width);
          });
          *result = 0;
          for (const Partial& part : *parts) *result += part.sum;
#ifdef ASSAY_BREAK
          *result -= parts->back().sum / static_cast<double>(intervals);
#endif
        }
      };
      at.measure("time", work, {.reading = threads::least_reading});
      at.check([=] {
        const double error = std::abs(*result - M_PI), width = 1.0 / static_cast<double>(intervals);
        return Check{error < width * width / 4 + 1e-11, "pi to " + Json::write(error)};
      });
    });
  });
}
