#include "timing/clock.hpp"

#include <algorithm>

namespace assay::timing {

ClockQuality measure_clock() {
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
