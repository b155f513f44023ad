// What is free on each node over time to come, as steps: what conservative backfilling over places reserves in.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "batch/limits.hpp"
#include "batch/placed/nodes.hpp"

namespace assay::batch {

class NodeTimeline {
 public:
  /// As it is at `now`, until something is said of later: `used` of each limit.
  NodeTimeline(Seconds now, Nodes nodes, std::vector<std::int64_t> used)
      : steps_{{now, std::move(nodes), std::move(used)}} {}

  /// `change(nodes, used)` of every step from `from` to `to`; without an end where `to` is never.
  template <class Change>
  void between(Seconds from, Seconds to, Change&& change) {
    if (to != never && to <= steps_.front().time) return;
    const std::size_t first = cut(std::max(from, steps_.front().time));
    const std::size_t last = to == never ? steps_.size() : cut(to);
    for (std::size_t at = first; at < last; ++at) change(steps_[at].nodes, steps_[at].used);
  }

  struct Found {
    Seconds from = 0;
    Placement place;
  };

  /// The first second from the beginning on, before `latest` (never: whenever), from which a job has one place for
  /// `time`; only a step's beginning can be the first. `allowed(used)`: whether limits have room.
  template <class Allowed>
  std::optional<Found> earliest(std::int32_t processors, const Needs& needs, Seconds time, Seconds latest,
                                Allowed&& allowed) const {
    for (std::size_t first = 0; first < steps_.size(); ++first) {
      const Seconds from = steps_[first].time;
      if (latest != never && from >= latest) break;
      Nodes worst = steps_[first].nodes;
      bool room = allowed(steps_[first].used);
      for (std::size_t at = first + 1; room && at < steps_.size() && steps_[at].time < from + time; ++at) {
        worst.worst_of(steps_[at].nodes);
        room = allowed(steps_[at].used);
      }
      if (!room) continue;
      if (auto place = worst.find(processors, needs)) return Found{from, std::move(*place)};
    }
    return std::nullopt;
  }

 private:
  struct Step {
    Seconds time = 0;
    Nodes nodes;
    std::vector<std::int64_t> used;
  };

  // A step begins at `time`: its place.
  std::size_t cut(Seconds time) {
    const auto next = std::upper_bound(steps_.begin(), steps_.end(), time,
                                       [](Seconds at, const Step& step) { return at < step.time; });
    const auto before = static_cast<std::size_t>(next - steps_.begin()) - 1;
    if (steps_[before].time == time) return before;
    Step made = steps_[before];
    made.time = time;
    steps_.insert(next, std::move(made));
    return before + 1;
  }

  std::vector<Step> steps_;  // ascending; the last one has no end
};

}  // namespace assay::batch
