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
  NodeTimeline(Seconds now, Nodes nodes, std::vector<std::int64_t> used) {
    steps_.push_back({now, 0, std::move(nodes), std::move(used)});
  }

  Seconds begin() const { return steps_.front().time; }

  /// Forget what lies before `now`.
  void advance(Seconds now) {
    if (now <= begin()) return;
    const auto first = std::prev(after(now));
    first->time = now;
    first->marks = 0;
    steps_.erase(steps_.begin(), first);
  }

  /// `change(nodes, used)` of every step from `from` to `to`; without an end where `to` is never.
  template <class Change>
  void between(Seconds from, Seconds to, Change&& change) {
    if (to != never && to <= begin()) return;
    const std::size_t first = cut(std::max(from, begin()));
    const std::size_t last = to == never ? steps_.size() : cut(to);
    ++steps_[first].marks;
    if (to != never) ++steps_[last].marks;
    for (std::size_t at = first; at < last; ++at) change(steps_[at].nodes, steps_[at].used);
  }

  /// The reverse of what was done `between` the same times, as far as it is still to come: from the beginning on, where
  /// `from` has passed.
  template <class Change>
  void undo(Seconds from, Seconds to, Change&& change) {
    if (to <= begin()) return;
    const std::size_t first = place(std::max(from, begin())), last = place(to);
    for (std::size_t at = first; at < last; ++at) change(steps_[at].nodes, steps_[at].used);
    unmark(last);
    if (from >= begin()) unmark(first);
  }

  struct Found {
    Seconds from = 0;
    Placement place;
  };

  /// The first second from the beginning on, before `latest`, from which a job has one place for `time`; only a step's
  /// beginning can be the first. `allowed(used)`: whether limits have room.
  template <class Allowed>
  std::optional<Found> earliest(std::int32_t processors, const Needs& needs, Seconds time, Seconds latest,
                                Allowed&& allowed) const {
    std::size_t clear = 0;  // of the steps before this one, those from the first on could all do
    for (std::size_t first = 0; first < steps_.size() && steps_[first].time < latest;) {
      const Seconds from = steps_[first].time;
      std::size_t end = std::max(clear, first);
      while (end < steps_.size() && (steps_[end].time < from + time || end == first) &&
             steps_[end].nodes.may_hold(processors, needs) && allowed(steps_[end].used))
        ++end;
      clear = end;
      if (end < steps_.size() && (steps_[end].time < from + time || end == first)) {
        first = end + 1;  // from no step before it is there room: each would come upon it
        continue;
      }
      if (auto found = held(first, end, processors, needs)) return Found{from, std::move(*found)};
      ++first;
    }
    return std::nullopt;
  }

 private:
  struct Step {
    Seconds time = 0;
    std::int32_t marks = 0;  // how many begin or end here
    Nodes nodes;
    std::vector<std::int64_t> used;
  };

  // A place over all of some steps.
  std::optional<Placement> held(std::size_t first, std::size_t end, std::int32_t processors, const Needs& needs) const {
    const Nodes& now = steps_[first].nodes;
    if (now.takes_whole(needs)) {
      Nodes::Whole left = now.whole();
      for (std::size_t at = first + 1; at < end; ++at) steps_[at].nodes.narrow(left);
      return now.find_whole(left, processors, needs);
    }
    Nodes worst = now;
    for (std::size_t at = first + 1; at < end; ++at) worst.worst_of(steps_[at].nodes);
    return worst.find(processors, needs);
  }

  std::vector<Step>::iterator after(Seconds time) {
    return std::upper_bound(steps_.begin(), steps_.end(), time,
                            [](Seconds at, const Step& step) { return at < step.time; });
  }
  std::size_t place(Seconds time) { return static_cast<std::size_t>(after(time) - steps_.begin()) - 1; }
  // A step begins at `time`: its place.
  std::size_t cut(Seconds time) {
    const std::size_t before = place(time);
    if (steps_[before].time == time) return before;
    Step made = steps_[before];
    made.time = time;
    made.marks = 0;
    steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(before) + 1, std::move(made));
    return before + 1;
  }
  // Where nothing begins or ends a step is as the one before it.
  void unmark(std::size_t at) {
    if (--steps_[at].marks <= 0 && at > 0) steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  std::vector<Step> steps_;  // ascending; the last one has no end
};

}  // namespace assay::batch
