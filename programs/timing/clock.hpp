// The steady clock, in integer nanoseconds, with its resolution and its cost measured when a program starts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace assay::timing {

inline std::int64_t now_ns() {
  timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * std::int64_t{1'000'000'000} + at.tv_nsec;
}

inline double unix_time() {  // seconds since 1970
  timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  return static_cast<double>(at.tv_sec) + 1e-9 * static_cast<double>(at.tv_nsec);
}

struct ClockQuality {
  double resolution;  // s, the least step seen between two readings that differ
  double overhead;    // s, one reading; the least of several means, as interruptions only lengthen it
};

inline ClockQuality measure_clock() {
  std::int64_t step = 1'000'000'000;
  for (int trial = 0; trial < 200; ++trial) {
    const std::int64_t from = now_ns();
    std::int64_t to = now_ns();
    while (to == from) to = now_ns();
    step = std::min(step, to - from);
  }
  // A reading takes longer than a tick of a fine clock, so the step above bounds the tick from above; the kernel's own
  // figure may be finer.
  timespec stated{};
  if (clock_getres(CLOCK_MONOTONIC, &stated) == 0)
    step = std::min(step, std::max<std::int64_t>(1, stated.tv_sec * std::int64_t{1'000'000'000} + stated.tv_nsec));
  std::int64_t least = 1'000'000'000;
  constexpr int readings = 256;
  for (int trial = 0; trial < 16; ++trial) {
    const std::int64_t from = now_ns();
    std::int64_t to = from;
    for (int reading = 0; reading < readings; ++reading) to = now_ns();
    least = std::min(least, to - from);
  }
  return {1e-9 * static_cast<double>(step), 1e-9 * static_cast<double>(least) / readings};
}

}  // namespace assay::timing
