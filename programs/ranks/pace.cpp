#include "ranks/pace.hpp"

#include <algorithm>

namespace assay::ranks {

Run Pace::next(double apart) {
  if (pacing_.first && !state_.first) return now(Step::first, {1, 1});
  if (state_.batch == 0) {
    if (!pacing_.first)
      state_.batch = pacing_.batch.value_or(1);
    else
      return now(Step::calibrate, {1, pacing_.batch.value_or(trial_)});
  }
  const std::int64_t room = std::min(most, pacing_.repetitions.value_or(most)) - taken();
  if (pacing_.repetitions && taken() >= *pacing_.repetitions) return over("repetitions done");
  if (!pacing_.repetitions && taken() > 0 && spent_ >= pacing_.slice) return over("slice spent");
  const double slices = taken() >= enough ? enough_elapsed : most_elapsed;
  if (!pacing_.repetitions && elapsed_ >= slices * pacing_.slice) return over("elapsed time spent");
  if (!pacing_.repetitions && taken() > 0 && elapsed_ >= share_) {
    cut_short_ = true;
    return over("launch's time spent");
  }
  if (room <= 0) return over("sample store full");
  if (pacing_.repetitions) return now(Step::measure, {room, state_.batch});
  const double reading = taken() > 0 ? spent_ / static_cast<double>(taken()) : state_.reading;
  double share = std::min(pacing_.slice / 8 / std::max(reading, 1e-12), 1e9);
  if (taken() == 0) {
    share /= 64;
  } else {
    share = std::min(share, 8 * static_cast<double>(run_.readings));
    apart = std::max(apart, last_elapsed_ / static_cast<double>(run_.readings));
  }
  share = std::min(share, std::min(4 * pacing_.slice, share_) / std::max(apart, 1e-12));
  return now(Step::measure, {std::clamp(static_cast<std::int64_t>(share), std::int64_t{1}, room), state_.batch});
}

void Pace::took(std::span<const std::int64_t> ticks, double elapsed) {
  const double last = static_cast<double>(ticks.back()) / ticks_a_second_;
  switch (step_) {
    case Step::first:
      state_.first = last;
      break;
    case Step::calibrate:
      // Not ended by one disturbance: the second look at the same batch must be long enough too.
      if (pacing_.batch || trial_ >= largest_batch ||
          (last >= pacing_.reading && (seen_ || last >= 8 * pacing_.reading))) {
        state_.batch = run_.batch;
        state_.reading = last;
      } else if (last >= pacing_.reading) {
        seen_ = true;
      } else {
        trial_ *= 2;
        seen_ = false;
      }
      break;
    case Step::measure:
      elapsed_ += last_elapsed_ = elapsed;
      for (const std::int64_t each : ticks) {
        spent_ += static_cast<double>(each) / ticks_a_second_;
        values_.push_back(static_cast<double>(each) / (ticks_a_second_ * static_cast<double>(run_.batch)));
      }
      break;
    case Step::over:
      break;
  }
}

}  // namespace assay::ranks
