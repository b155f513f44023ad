// Free processors over time to come, as steps: what conservative backfilling makes its reservations in.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "batch/job.hpp"

namespace assay::batch {

class Profile {
 public:
  explicit Profile(std::int64_t processors) : steps_{{0, processors}} {}

  /// Forget what lies before `now`.
  void advance(Seconds now) {
    if (now <= begin()) return;
    auto at = after(now);
    --at;
    at->time = now;
    steps_.erase(steps_.begin(), at);
  }

  Seconds begin() const { return steps_.front().time; }

  /// The first second from `begins` on (at least the profile's beginning) at which `processors` are free for `time`; at
  /// most `latest` is looked at, and returned where nothing before it serves.
  Seconds earliest(std::int64_t processors, Seconds time, Seconds latest, Seconds begins) const {
    const auto first = std::prev(std::upper_bound(steps_.begin() + 1, steps_.end(), begins, before));
    for (auto at = static_cast<std::size_t>(first - steps_.begin()); at < steps_.size();) {
      const Seconds from = std::max(steps_[at].time, begins);
      if (from >= latest) return latest;
      if (steps_[at].free < processors) {
        ++at;
        continue;
      }
      std::size_t to = at + 1;
      while (to < steps_.size() && steps_[to].time < from + time && steps_[to].free >= processors) ++to;
      if (to == steps_.size() || steps_[to].time >= from + time) return from;
      at = to + 1;  // the step `to` has too few
    }
    return latest;
  }

  /// Take `processors` in [from, to), or give them back where negative.
  void take(Seconds from, Seconds to, std::int64_t processors) {
    if (from == to) return;
    const std::size_t first = cut(from), last = cut(to);
    for (std::size_t at = first; at < last; ++at) steps_[at].free -= processors;
    join(last);
    join(first);
  }

 private:
  struct Step {
    Seconds time = 0;
    std::int64_t free = 0;
  };

  static bool before(Seconds wanted, const Step& step) { return wanted < step.time; }
  std::vector<Step>::iterator after(Seconds time) {
    return std::upper_bound(steps_.begin(), steps_.end(), time, before);
  }
  // A step begins at `time`: its place.
  std::size_t cut(Seconds time) {
    const auto next = after(time);
    const auto at = std::prev(next);
    if (at->time == time) return static_cast<std::size_t>(at - steps_.begin());
    const auto made = steps_.insert(next, {time, at->free});
    return static_cast<std::size_t>(made - steps_.begin());
  }
  void join(std::size_t at) {
    if (at > 0 && at < steps_.size() && steps_[at].free == steps_[at - 1].free)
      steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  std::vector<Step> steps_;  // ascending; the last one has no end
};

}  // namespace assay::batch
