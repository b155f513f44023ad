// The jobs that run, by the second at which each is expected to end: what it requested, as the scheduler cannot know
// more.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "batch/job.hpp"

namespace assay::batch {

// When the first waiting job can start at the latest, and the processors that are free beside it at that second.
struct Shadow {
  Seconds time = 0;
  std::int64_t extra = 0;
};

class Running {
 public:
  struct Expected {
    Seconds end = 0;
    std::int32_t processors = 0;
    friend auto operator<=>(const Expected&, const Expected&) = default;
  };

  void add(Seconds end, std::int32_t processors) {
    const Expected added{end, processors};
    ends_.insert(std::upper_bound(ends_.begin(), ends_.end(), added, std::greater<>()), added);
  }
  void remove(Seconds end, std::int32_t processors) {
    ends_.erase(std::lower_bound(ends_.begin(), ends_.end(), Expected{end, processors}, std::greater<>()));
  }

  /// The shadow of a job of `processors`, with `free` processors at `now` (Mu'alem and Feitelson 2001, section 2.2):
  /// all that end by the shadow second count towards the extra processors; what should have ended before `now` ends
  /// then. The job must fit the machine and not fit now.
  Shadow shadow(std::int64_t free, std::int32_t processors, Seconds now) const {
    auto at = ends_.rbegin();
    while (free < processors) free += (at++)->processors;
    const Seconds time = std::max(std::prev(at)->end, now);
    for (; at != ends_.rend() && at->end <= time; ++at) free += at->processors;
    return {time, free - processors};
  }

  const std::vector<Expected>& descending() const { return ends_; }

 private:
  std::vector<Expected> ends_;  // the earliest last: most that is added or removed is near it
};

}  // namespace assay::batch
