// What rank 0 decides for all ranks of a case in a block: how many readings to take now, of how many operations each.
//
// The ranks take a run's readings in one go, with no control messages inside; between runs rank 0 looks at the time
// that was spent. First comes the very first operation, kept apart; then the batch is doubled until a reading is
// long enough for the clock; then runs of an eighth of the slice, by the mean of this block's readings, until the slice
// is spent or the store full.
// A run cannot be cut short, and readings may become ten thousand times slower where two ranks share a hardware thread
// with others' work; windows that wait for a common start cost more than their readings, fifty times as much for a
// barrier of a microsecond. So a block's first run is a sixty-fourth of what the estimate allows, the next ones grow
// eightfold at most, a run is planned to last four slices of elapsed time at most, and a block ends after eight if it
// has readings enough for all that is said of them, after thirty-two in any case, and after its share of the launch's
// time (launch_time.hpp).
// Pure: it is given ticks and elapsed times and reads no clock, so that its rules are tested without one.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay::ranks {

struct Run {  // what rank 0 sends to all ranks; no readings: the block is over
  std::int64_t readings = 0;
  std::int64_t batch = 1;
};

struct Pacing {
  double slice = 0;                         // s to measure
  double reading = 0;                       // s that a reading should last at least
  std::optional<std::int64_t> batch;        // given instead of calibrated
  std::optional<std::int64_t> repetitions;  // given instead of a slice
  bool first = true;                        // whether a first operation is apart from the others at all
};

// What a case keeps from block to block.
struct CaseState {
  std::optional<double> first;  // s, the very first operation
  std::int64_t batch = 0;       // 0: not yet known
  double reading = 0;           // s, about, of one reading with that batch
};

class Pace {
 public:
  static constexpr std::int64_t most = std::int64_t{1} << 14;  // readings of a block that are kept

  // `share`: seconds that the block may take, of the launch's time.
  Pace(const Pacing& pacing, CaseState& state, double ticks_a_second,
       double share = std::numeric_limits<double>::infinity())
      : pacing_(pacing), state_(state), ticks_a_second_(ticks_a_second), share_(share) {}

  // `apart`: seconds that readings are apart at least, by what the kernel plans.
  Run next(double apart = 0);

  // The readings of the run that next() asked for, and the seconds that passed from its start to its end.
  void took(std::span<const std::int64_t> ticks, double elapsed);

  bool measuring() const { return step_ == Step::measure; }
  const std::vector<double>& values() const { return values_; }  // s per operation
  const std::string& ended() const { return ended_; }
  bool cut_short() const { return cut_short_; }

 private:
  enum class Step { first, calibrate, measure, over };
  static constexpr std::int64_t largest_batch = std::int64_t{1} << 40;
  static constexpr std::int64_t enough = 512;  // readings: an interval of a 99th percentile takes 368
  static constexpr double enough_elapsed = 8, most_elapsed = 32;  // slices

  std::int64_t taken() const { return static_cast<std::int64_t>(values_.size()); }
  Run now(Step step, Run run) {
    step_ = step;
    return run_ = run;
  }
  Run over(const char* why) {
    ended_ = why;
    return now(Step::over, {0, 1});
  }

  const Pacing& pacing_;
  CaseState& state_;
  double ticks_a_second_, share_;
  bool cut_short_ = false;
  Step step_ = Step::first;
  Run run_;
  std::int64_t trial_ = 1;
  bool seen_ = false;
  double spent_ = 0;                       // s, in readings
  double elapsed_ = 0, last_elapsed_ = 0;  // s, of all runs that count and of the last
  std::vector<double> values_;
  std::string ended_;
};

}  // namespace assay::ranks
