// Latency from hardware thread to hardware thread: two threads, each held on one, hand a number back and forth in one
// cache line, for every pair of hardware threads; the order of hardware threads is the team's, one of each core before
// any second.
#include <algorithm>
#include <numeric>

#include "threads/team.hpp"

constexpr std::string_view record = R"record(
name = "core-to-core"
title = "Core to core"
part = "threads"
kind = "node"
first_look = true
summary = "time for one hardware thread to see what another wrote, for pairs of hardware threads"
cost = "one operation is a round trip: two hand-overs, each a store and the loads that wait for it"
check = "each side waits for the very next number, and the last one is twice the round trips made"
source = "Dunigan 1995, section 3 (shared variables); McVoy and Staelin 1996"
matrix = ["first", "second"]
apart = ["first", "second"]
slice_quick = 0.005
slice_standard = 0.005
slice_full = 0.01
blocks_quick = 2
blocks_standard = 3
blocks_full = 4

[parameter.first]
type = "integer"
default = "sixteen"
quick = "four"
full = "each"
words = ["four", "sixteen", "each"]
min = 0
max = 4095
sweep = true
help = "one hardware thread, counted among those that this process may use; sixteen: the first of them, each: all"

[parameter.second]
type = "integer"
default = "sixteen"
quick = "four"
full = "each"
words = ["four", "sixteen", "each"]
min = 0
max = 4095
sweep = true
help = "the other; pairs are measured once, the lesser first; the same: one hardware thread by itself"

[metric.round_trip]
unit = "s"
help = "time of a round trip"

[figure.time]
metric = "round_trip"
formula = "value / 2"
unit = "s"
better = "lower"
headline = true
help = "one way: from a store by one hardware thread to a load that sees it on the other"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

std::vector<std::int64_t> first_of(std::int64_t most) {
  const auto usable = static_cast<std::int64_t>(threads::find_processors().usable());
  std::vector<std::int64_t> found(static_cast<std::size_t>(std::min(most, usable)));
  std::iota(found.begin(), found.end(), std::int64_t{0});
  return found;
}

const bool named = name_values("four", [] { return first_of(4); }) &&
                   name_values("sixteen", [] { return first_of(16); }) &&
                   name_values("each", [] { return first_of(4096); });

struct alignas(threads::line_bytes) Ball {
  std::atomic<std::int64_t> number{0};
  std::int64_t trips = 0;
};

[[gnu::noinline]] void play(std::atomic<std::int64_t>& number, std::int64_t from, std::int64_t trips, bool serves) {
  for (std::int64_t trip = from; trip < from + trips; ++trip) {
    if (serves) number.store(2 * trip + 1, std::memory_order_release);
    while (number.load(std::memory_order_acquire) != 2 * trip + (serves ? 2 : 1)) threads::pause();
    if (!serves) number.store(2 * trip + 2, std::memory_order_release);
  }
#ifdef ASSAY_BREAK
  if (serves) number.store(2 * (from + trips) - 1);  // a number that nobody waits for
#endif
}

void play_alone(std::atomic<std::int64_t>& number, std::int64_t from, std::int64_t trips) {
  for (std::int64_t hand_over = 2 * from; hand_over < 2 * (from + trips); ++hand_over)
    number.store(number.load(std::memory_order_acquire) == hand_over ? hand_over + 1 : -1, std::memory_order_release);
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  bool noted = false;
  return run_program(record, argc, argv, [&](Case& at) {
    const int most = at.profile() == "full" ? 4096 : at.profile() == "quick" ? 4 : 16;
    if (team->processors().usable() > most && !std::exchange(noted, true))
      at.note("pairs of the first " + std::to_string(most) +
              " hardware threads; --profile full, or --set first=each and " + "second=each, measures those of all " +
              std::to_string(team->processors().usable()));
    const int first = static_cast<int>(at.integer("first")), second = static_cast<int>(at.integer("second"));
    const int there = team->processors().usable();
    if (std::max(first, second) >= there) {  // asked for by its number
      const std::string key = first >= there ? "first" : "second";
      return at.skip("no hardware thread of that number for this process", key,
                     key + " from 0 to " + std::to_string(there - 1));
    }
    if (first > second || !team->holds(at, second + 1)) return;
    auto ball = std::make_shared<Ball>();
    const auto work = [=](std::int64_t trips) {
      const std::int64_t from = ball->trips;
      team->run(second + 1, [&](int rank) {
        if (rank == first && first == second) return play_alone(ball->number, from, trips);
        if (rank == first || rank == second) play(ball->number, from, trips, rank == first);
      });
      ball->trips += trips;
    };
    at.measure("round_trip", work, {.reading = threads::least_reading});
    at.check([=] {
      const std::int64_t last = ball->number;
      return Check{last == 2 * ball->trips, std::to_string(ball->trips) + " round trips between hardware threads " +
                                                std::to_string(team->cpu(first)) + " and " +
                                                std::to_string(team->cpu(second))};
    });
  });
}
