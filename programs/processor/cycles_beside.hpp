// Cycles of a piece of work, told by the clock kernel beside it: readings of the work, each between two chains of
// dependent additions (dependent_additions.hpp), whose time is the length of a cycle there and then. A clock that
// changes with the load, or from launch to launch, is in both. A processor whose clock falls under wide vectors lets it
// rise again a few microseconds after the last of them, and stands still meanwhile: a chain is over before that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "processor/dependent_additions.hpp"
#include "timing/clock.hpp"

namespace assay::processor {

// What programs whose arithmetic has a bound say of it, by `cycle_seconds`.
inline constexpr std::string_view clock_fragment = R"fragment(
[metric.clock]
unit = "s"
help = "length of a cycle, by a chain of dependent additions on one thread, once per block"

[figure.clock]
metric = "clock"
formula = "1 / value"
unit = "Hz"
better = "higher"
help = "cycles per second of one thread right after what is measured, from which the bound of arithmetic follows"
)fragment";

template <class Work>
double seconds_of(const Work& work) {
  const std::int64_t from = timing::now_ns();
  work();
  return 1e-9 * static_cast<double>(timing::now_ns() - from);
}

// Of two readings of one thing: their mean where they are within a fiftieth, else the lesser.
inline double agreed(double one, double other) {
  const auto [less, more] = std::minmax(one, other);
  return more < 1.02 * less ? (less + more) / 2 : less;
}

// By a chain of a microsecond, or of fifty readings of the clock, where these take longer. What is measured beside may
// have put the chain's code and the clock's out of the caches: a few additions and a reading fetch them before. An
// interruption makes a chain longer, never shorter: of two chains that disagree the shorter counts; of two that agree
// their mean, as the lesser of two would be short by what a clock that steps by 10 ns leaves open.
inline double cycle_seconds() {
  static const double reading = timing::measure_clock().overhead;
  static constexpr double at_once = additions_at_once / 4e9;  // s, at 4 GHz
  static const std::int64_t additions = additions_at_once * std::max(64, static_cast<int>(50 * reading / at_once));
  std::uint64_t sum = 1;
  const auto chain = [&](std::int64_t length) {
    return seconds_of([&] {
      sum = add_up(sum, sum, length);
      timing::opaque(sum);
    });
  };
  chain(additions_at_once);
  const double first = chain(additions);
  return (agreed(first, chain(additions)) - reading) / static_cast<double>(additions);
}

// The clock of a program whose cases are worked on at one clock: with the first of them alone, which `at` is then.
template <class Case>
void observe_clock_once(Case& at) {
  static bool done = false;
  if (!std::exchange(done, true)) at.add_metric("clock", cycle_seconds);
}

// Cycles of work in one reading, and whether the chains before and after it agreed within a hundredth.
struct CyclesReading {
  double cycles;
  bool steady;
};

// The median of the steady readings where there are three, so that one that was interrupted does not decide; of all
// readings else. Of an even number the lesser of the middle two: an interruption makes a reading longer.
inline double median_cycles(const std::vector<CyclesReading>& readings) {
  std::vector<double> steady, every;
  for (const CyclesReading& each : readings) {
    every.push_back(each.cycles);
    if (each.steady) steady.push_back(each.cycles);
  }
  std::vector<double>& found = steady.size() < 3 ? every : steady;
  const auto middle = static_cast<std::ptrdiff_t>((found.size() - 1) / 2);
  std::nth_element(found.begin(), found.begin() + middle, found.end());
  return found[static_cast<std::size_t>(middle)];
}

// Cycles of one call of `work(batch)`: of readings until five are steady, twenty readings or 3 ms; of long work three
// readings, or 30 ms.
template <class Work>
double cycles_of(const Work& work, std::int64_t batch) {
  std::vector<CyclesReading> readings;
  std::size_t steady = 0;
  double spent = 0;
  double before = cycle_seconds();
  while (steady < 5 && readings.size() < 20 && (spent < 3e-3 || (readings.size() < 3 && spent < 3e-2))) {
    const double taken = seconds_of([&] { work(batch); });
    const double after = cycle_seconds();
    const auto [less, more] = std::minmax(before, after);
    readings.push_back({taken / agreed(before, after), more < 1.01 * less});
    if (readings.back().steady) ++steady;
    before = after;
    spent += taken;
  }
  return median_cycles(readings);
}

// The least power of two times `unit` of which one call of `work` takes `seconds`.
template <class Work>
std::int64_t batch_of(const Work& work, std::int64_t unit, double seconds) {
  std::int64_t batch = unit;
  while (seconds_of([&] { work(batch); }) < seconds && batch < (std::int64_t{1} << 40)) batch *= 2;
  return batch;
}

}  // namespace assay::processor
