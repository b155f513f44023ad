// Dhrystone, a program of its own with the statement mix that Weicker published (CACM 27, 1984): a pass executes 100
// statements, of them 53 assignments, 32 control statements and 15 calls with 1.9 parameters on average (a loop counts
// once an iteration); operands are integers, characters, enumerations, strings of 30 letters, pointers, arrays of one
// and two dimensions and records; local, global, parameters and constants; no floating point.
// Times compare with the original's only as far as the mix decides them. The statements: dhrystone_pass.cpp.
#include <cstring>
#include <memory>

#include "historical/dhrystone_pass.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "dhrystone"
title = "Dhrystone mix"
part = "processor"
kind = "node"
summary = "synthetic mix of integer and character assignments, conditionals, pointers, records, strings and calls"
cost = "one operation is a pass of 100 statements: 53 assignments, 32 control statements, 15 calls; no floating point"
check = "the final state of every variable against values derived by hand, the passes counted in memory"
source = "Weicker 1984 (the mix); Dunigan 1991, section 3.2, Table 4"
published = ["dhrystone"]
unlike = { dhrystone = "Dhrystone's own text there, its mix of statements written anew here" }
historical = true
slice_quick = 0.02

# On a described machine: each statement and each of the calls' 28.5 parameters takes an integer addition's time.
[described]
kernel = "integer"
metric = { time = "128.5 * unit" }

[unit.passes]
source = "historical/dhrystone_pass.cpp"

[metric.time]
unit = "s"
help = "time of one pass"

[figure.time]
metric = "time"
formula = "value * 50000"
unit = "s"
better = "lower"
headline = false
help = "50 000 passes, as in Table 4"

[figure.dhrystones]
metric = "time"
formula = "1 / value"
unit = "1/s"
better = "higher"
headline = false
help = "passes per second"

[figure.dmips]
metric = "time"
formula = "1 / value / 1757"
unit = "DMIPS"
better = "higher"
headline = false
help = "passes per second over the 1757 of a VAX 11/780"
)record";

namespace {

using namespace assay::timing;

using namespace assay::historical;

Parcel parcels[2];
const char morning[31] = "A PARCEL OF THE MORNING, NO. 1";

void begin() {
  depot = {};
  depot.head = &parcels[0];
  parcels[0] = {&parcels[1], Kind::medium, 40, {}};
  parcels[1] = {};
  std::memcpy(parcels[0].label, morning, sizeof morning);
}

// What `passes` passes leave, worked out by hand. total: 5*1 + 2 = 7; settle: work 7 + 10 - 1 = 16, total 16 - 2 = 14,
// add_offset 14 + 18 = 32; then 32 * 2 = 64, 64/7 = 9, 64 - 9 = 55. The next parcel's weight: 4 from its label, 10
// after 6 more, 22 after add_offset (10 + 12).
std::string differences(std::int64_t passes) {
  std::string wrong;
  const auto expect = [&](const char* what, std::int64_t seen, std::int64_t expected) {
    if (seen != expected)
      wrong += std::string(wrong.empty() ? "" : "; ") + what + " is " + std::to_string(seen) + ", not " +
               std::to_string(expected);
  };
  expect("total", depot.total, 55);
  expect("letters", depot.letters, 4);
  expect("open", depot.open, 1);
  expect("bay", depot.bay, 'B');
  expect("shelf[5]", depot.shelf[5], 2);
  expect("shelf[6]", depot.shelf[6], 7);
  const int counted = static_cast<int>(static_cast<unsigned>(passes));
  std::int64_t sum = 0;
  for (const auto& row : depot.hall)
    for (const int each : row) sum += each;
  expect("hall[5][4], the passes", depot.hall[5][4], counted);
  expect("hall[6][5], the passes", depot.hall[6][5], counted);
  expect("the hall's sum", sum, 22 + 2 * std::int64_t{counted});
  expect("head's weight", parcels[0].weight, 5);
  expect("head's kind", static_cast<int>(parcels[0].kind), static_cast<int>(Kind::medium));
  expect("next's weight", parcels[1].weight, 22);
  expect("next's kind", static_cast<int>(parcels[1].kind), static_cast<int>(Kind::large));
  expect("next's label", std::string_view(parcels[1].label) == std::string_view(morning), 1);
  expect("links", parcels[0].next == &parcels[1] && parcels[1].next == &parcels[0], 1);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [](Case& at) {
    begin();
    auto passes = std::make_shared<std::int64_t>(0);
    at.measure("time", [passes](std::int64_t more) {
      for (std::int64_t left = more; left > 0; --left) dhrystone_pass();
      *passes += more;
    });
    at.check([passes] {
      const std::string wrong = differences(*passes);
      return Check{wrong.empty(),
                   wrong.empty() ? "every variable as derived, after " + std::to_string(*passes) + " passes" : wrong};
    });
  });
}
