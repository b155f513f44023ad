// What a hardware thread does beside our work, seen from within: detours, found by two methods.
//
// Fixed work: the same piece of work again and again; a piece that takes longer than the median piece by `least` or
// more held a detour of that difference. Fixed time: how many small units of work fit into each of many equal spans; a
// span with fewer than the median span lost their time, and spans that follow each other are one detour. Sources:
// Petrini, Kerbyson and Pakin 2003; Sottile and Minnich 2004 (fixed time quanta); Beckman et al. 2006.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "timing/clock.hpp"
#include "timing/opaque.hpp"

namespace assay::threads {

// The work: steps of a linear congruential generator, each waiting for the one before.
struct Chain {
  static constexpr std::uint64_t factor = 6364136223846793005, addend = 1442695040888963407;
  std::uint64_t state = 1;
  std::int64_t steps = 0;

  [[gnu::noinline]] void work(std::int64_t count) {
    std::uint64_t x = state;
    for (std::int64_t i = 0; i < count; ++i) {
      x = x * factor + addend;
      timing::opaque(x);
    }
    state = x;
    steps += count;
  }
  // Where `count` steps from 1 lead, by squaring the step (Brown 1994): shares nothing with work().
  static std::uint64_t after(std::int64_t count) {
    std::uint64_t a = factor, c = addend, to_a = 1, to_c = 0;
    for (auto left = static_cast<std::uint64_t>(count); left > 0; left >>= 1) {
      if (left & 1) {
        to_a *= a;
        to_c = to_c * a + c;
      }
      c *= a + 1;
      a *= a;
    }
    return to_a + to_c;
  }
};

struct Detour {
  std::int64_t start, length;  // ns; the start counts from the watch's
};

struct Watch {                        // one thread's, over one block
  std::int64_t begun = 0, ended = 0;  // ns
  double began_unix = 0;              // s since 1970
  double typical = 0;                 // of a fixed piece of work, s; of a fixed span, units
  std::vector<Detour> detours;
  std::vector<std::uint32_t> readings;  // ns a piece, or units a span

  double seconds() const { return 1e-9 * static_cast<double>(ended - begun); }
  double lost() const {
    std::int64_t sum = 0;
    for (const Detour& each : detours) sum += each.length;
    return sum > 0 ? static_cast<double>(sum) / static_cast<double>(ended - begun) : 0;
  }
};

inline double median(std::vector<std::uint32_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Of the spans that were not mostly lost: where others have the hardware thread for long, half of all spans may be
// empty.
inline double typical_units(std::vector<std::uint32_t> units) {
  const std::uint32_t most = units.empty() ? 0 : *std::max_element(units.begin(), units.end());
  std::erase_if(units, [&](std::uint32_t each) { return each < most - most / 2; });
  return median(std::move(units));
}

// On purpose something else, for so long and so often, to see that it is found; period 0: never.
struct Interruption {
  std::int64_t period = 0, length = 0, next = 0;  // ns
  std::vector<std::int64_t> made = {};            // when, on the clock

  void perhaps() {
    if (period == 0) return;
    const std::int64_t now = timing::now_ns();
    if (next == 0) next = now + period;
    if (now < next) return;
    while (timing::now_ns() < now + length) continue;
    made.push_back(now);
    next = now + period;
  }
};

// `readings` has room already, touched; so many pieces of `steps` as fit into `span` ns.
inline void watch_work(Watch& watch, Chain& chain, std::int64_t steps, std::int64_t span, std::int64_t least,
                       Interruption& interruption) {
  chain.work(steps);
  std::size_t count = 0;
  watch.began_unix = timing::unix_time();
  watch.begun = timing::now_ns();
  std::int64_t last = watch.begun;
  while (last < watch.begun + span && count < watch.readings.size()) {
    chain.work(steps);
    interruption.perhaps();
    const std::int64_t now = timing::now_ns();
    watch.readings[count++] = static_cast<std::uint32_t>(std::min<std::int64_t>(now - last, UINT32_MAX));
    last = now;
  }
  watch.ended = last;
  watch.readings.resize(count);
  const double typical = median(watch.readings);
  watch.typical = 1e-9 * typical;
  std::int64_t at = 0;
  for (const std::uint32_t each : watch.readings) {
    std::int64_t over = each - static_cast<std::int64_t>(typical);
#ifdef ASSAY_BREAK
    over = 0;
#endif
    if (over >= least) watch.detours.push_back({at, over});
    at += each;
  }
}

// Spans of `quantum` ns, of units of `steps`.
inline void watch_time(Watch& watch, Chain& chain, std::int64_t steps, std::int64_t quantum, std::int64_t span,
                       std::int64_t least, Interruption& interruption) {
  chain.work(steps);
  std::size_t count = 0;
  const auto spans = std::min(static_cast<std::size_t>(span / quantum), watch.readings.size());
  watch.began_unix = timing::unix_time();
  watch.begun = timing::now_ns();
  for (std::int64_t edge = watch.begun + quantum; count < spans; edge += quantum) {
    std::uint32_t units = 0;
    for (; timing::now_ns() < edge; ++units) {
      chain.work(steps);
      interruption.perhaps();
    }
    watch.readings[count++] = units;
  }
  watch.ended = watch.begun + static_cast<std::int64_t>(count) * quantum;
  watch.readings.resize(count);
  watch.typical = typical_units(watch.readings);
  const double unit = static_cast<double>(quantum) / std::max(1.0, watch.typical);  // ns
  const std::int64_t counts = std::max(least, static_cast<std::int64_t>(2 * unit));
  bool before = false;
  for (std::size_t i = 0; i < count; ++i) {
    auto over = static_cast<std::int64_t>((watch.typical - watch.readings[i]) * unit);
#ifdef ASSAY_BREAK
    over = 0;
#endif
    const bool here = over >= counts;
    if (here && before) watch.detours.back().length += over;
    if (here && !before) watch.detours.push_back({static_cast<std::int64_t>(i) * quantum, over});
    before = here;
  }
}

}  // namespace assay::threads
