// The steady clock, in integer nanoseconds, with its resolution and its cost measured when a program starts.
#pragma once

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

ClockQuality measure_clock();  // takes a millisecond

}  // namespace assay::timing
