// How many readings rank 0 asks for: no run lasts long, however much slower readings become than they were.
#include "ranks/pace.hpp"

#include <cstdio>
#include <functional>

#include "ranks/launch_time.hpp"

namespace {

using assay::ranks::CaseState;
using assay::ranks::LaunchTime;
using assay::ranks::Pace;
using assay::ranks::Pacing;
using assay::ranks::Run;

struct Taken {
  std::int64_t readings = 0, most = 0;  // in all, and of the longest run
  double elapsed = 0, longest = 0;      // s, of the block's runs that count, and of the longest
  std::string ended;
};

// A block of 30 ms in nanoseconds, of a case whose readings were calibrated at `estimate` seconds. `reading(n)` is what
// the n-th takes; they are `apart` seconds apart at least, which the kernel plans, or only the elapsed time tells.
// `share`: what the block may take of the launch's time.
Taken block(double estimate, const std::function<double(std::int64_t)>& reading, double apart = 0, bool plans = false,
            double share = 1e9) {
  const Pacing pacing{.slice = 0.03, .reading = 0.0002, .batch = 1, .repetitions = {}};
  CaseState state{1e-6, 1, estimate};
  Pace pace(pacing, state, 1e9, share);
  Taken taken;
  for (Run run = pace.next(plans ? apart : 0); run.readings > 0; run = pace.next(plans ? apart : 0)) {
    std::vector<std::int64_t> ticks;
    double elapsed = 0;
    for (std::int64_t i = 0; i < run.readings; ++i) {
      const double seconds = reading(taken.readings++);
      ticks.push_back(static_cast<std::int64_t>(seconds * 1e9));
      elapsed += std::max(seconds, apart);
    }
    pace.took(ticks, elapsed);
    taken.most = std::max(taken.most, run.readings);
    taken.elapsed += elapsed;
    taken.longest = std::max(taken.longest, elapsed);
  }
  taken.ended = pace.ended();
  return taken;
}

bool passed = true;
void expect(bool right, const char* what, const Taken& seen) {
  if (right) return;
  passed = false;
  std::printf("%s: %lld readings, at most %lld a run; %g s, at most %g s; %s\n", what,
              static_cast<long long>(seen.readings), static_cast<long long>(seen.most), seen.elapsed, seen.longest,
              seen.ended.c_str());
}

}  // namespace

int main() {
  const auto always = [](double seconds) { return [seconds](std::int64_t) { return seconds; }; };
  Taken seen = block(5e-6, always(5e-6));
  expect(seen.readings >= 6000 && seen.readings <= 7000 && seen.most == 750 && seen.ended == "slice spent",
         "as calibrated: runs of an eighth of the slice", seen);
  seen = block(5e-6, always(6e-3));
  expect(seen.longest < 0.1 && seen.ended == "slice spent", "a thousand times slower than calibrated", seen);
  seen = block(0.1, always(5e-6));
  expect(seen.readings >= 6000 && seen.most >= 700, "calibrated in a disturbance, and fast again", seen);
  seen = block(5e-6, [](std::int64_t n) { return n < 20 ? 5e-6 : 6e-3; });
  expect(seen.longest < 0.7, "slower from one run to the next", seen);
  seen = block(1e-6, always(1e-6), 5e-5);
  expect(seen.elapsed < 0.36 && seen.readings >= 512 && seen.ended == "elapsed time spent",
         "windows fifty times as long", seen);
  seen = block(1e-6, always(1e-6), 5e-4);
  expect(seen.elapsed < 0.4 && seen.readings >= 512, "a 99th percentile needs more readings than eight slices have",
         seen);
  seen = block(1e-6, always(1e-6), 1e-3);
  expect(seen.longest < 0.6 && seen.elapsed < 1.2 && seen.ended == "elapsed time spent", "windows far apart", seen);
  seen = block(1e-6, always(1e-6), 0.04, true);
  expect(seen.longest < 0.13 && seen.elapsed < 1.2 && seen.ended == "elapsed time spent", "windows planned apart",
         seen);
  seen = block(1e-6, always(1e-6), 1e-3, false, 0.2);
  expect(seen.elapsed >= 0.2 && seen.elapsed < 0.5 && seen.ended == "launch's time spent", "a share of the launch",
         seen);
  seen = block(5e-6, always(6e-3), 0, false, 0);
  expect(seen.readings >= 1 && seen.elapsed < 0.1 && seen.ended == "launch's time spent", "no time left", seen);
  seen = block(5e-6, always(5e-6), 0, false, 1);
  expect(seen.readings >= 6000 && seen.ended == "slice spent", "a share that is never needed", seen);
  LaunchTime time(0.2, 8);  // 19.2 s
  const bool begun = time.most() > 19.19 && time.most() < 19.21 && !time.over(19.1) && time.over(19.3);
  const double first = time.share(0);
  time.measured(true);
  time.measured(false);
  const double third = time.share(13.2), late = time.share(20);
  const std::string cut = time.cut();
  if (!begun || first < 4.79 || first > 4.81 || third < 1.99 || third > 2.01 || late != 0 ||
      cut !=
          "cut short, as measuring takes at most 19.2 s in a launch: 2 of 8 blocks were measured, 1 of them not for "
          "their whole slice" ||
      LaunchTime(0.01, 3).most() != LaunchTime::least || LaunchTime(0.1, 0).cut() != "") {
    std::printf("a launch's time: %g, %g, %g s; %s\n", first, third, late, cut.c_str());
    passed = false;
  }
  return passed ? 0 : 1;
}
