// The jobs that wait, by the groups that a policy tells apart (those to which the same limits apply): an index
// (waiting.hpp) for each, so that a group that its limits keep back is passed over as a whole.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "batch/limits.hpp"
#include "batch/waiting.hpp"

namespace assay::batch {

class GroupedWaiting {
 public:
  static constexpr std::size_t none = Waiting::none;

  /// `order`: the jobs' indices, the first one foremost; a place is an index into it. `group_of`: of a job's index.
  template <class GroupOf>
  GroupedWaiting(const std::vector<std::size_t>& order, std::size_t groups, GroupOf&& group_of)
      : places_(groups), within_(order.size()), group_(order.size()) {
    for (std::size_t place = 0; place < order.size(); ++place) {
      const auto group = static_cast<std::size_t>(group_of(order[place]));
      group_[place] = static_cast<std::uint32_t>(group);
      within_[place] = static_cast<std::uint32_t>(places_[group].size());
      places_[group].push_back(place);
    }
    for (const std::vector<std::size_t>& own : places_) waiting_.emplace_back(own.size());
  }

  void add(std::size_t place, std::int32_t processors, Seconds requested) {
    waiting_[group_[place]].add(within_[place], processors, requested);
  }
  void remove(std::size_t place) { waiting_[group_[place]].remove(within_[place]); }

  /// The first from `from` on that its limits allow, that needs at most `processors` and either requests at most `time`
  /// or needs at most `extra` processors; none where there is none.
  std::size_t next(const Limits& limits, std::size_t from, std::int32_t processors, Seconds time,
                   std::int32_t extra) const {
    std::size_t first = none;
    for (std::size_t group = 0; group < waiting_.size(); ++group) {
      if (waiting_[group].size() == 0) continue;
      const auto widest = static_cast<std::int32_t>(std::min<std::int64_t>(processors, limits.room(group)));
      if (widest <= 0) continue;
      const std::vector<std::size_t>& own = places_[group];
      const auto begin = from == 0 ? own.begin() : std::lower_bound(own.begin(), own.end(), from);
      const auto at = waiting_[group].next(static_cast<std::size_t>(begin - own.begin()), widest, time, extra);
      if (at != none) first = std::min(first, own[at]);
    }
    return first;
  }

  /// The same of one group from its first on, whatever its limits.
  std::size_t first_of(std::size_t group, std::int32_t processors, Seconds time, std::int32_t extra) const {
    const auto at = waiting_[group].next(0, processors, time, extra);
    return at == none ? none : places_[group][at];
  }

 private:
  std::vector<std::vector<std::size_t>> places_;  // of each group, ascending
  std::vector<std::uint32_t> within_, group_;     // of each place
  std::vector<Waiting> waiting_;
};

}  // namespace assay::batch
