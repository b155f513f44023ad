// Reservations of conservative backfilling over places: every job that waits has a second and a place, the earliest at
// which one place was free for all that it requests, beside those of others.
//
// Where something becomes free earlier than was expected, a job that waits can have an earlier place only at seconds
// whose time there reaches into what became free since it was looked at last: all others were tried then, and
// reservations made since only took room away.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "batch/placed/timeline.hpp"
#include "batch/scheduler.hpp"
#include "events/stop.hpp"

namespace assay::batch {

class Reservations {
 public:
  Reservations(const Jobs& jobs, const std::vector<Needs>& needs, const std::vector<Limit>& limits)
      : jobs_(jobs), needs_(needs), limits_(limits) {}

  bool has(std::size_t job) const { return plans_.contains(job); }
  /// The first second that is reserved; `never` where none is.
  Seconds first() const { return begins_.empty() ? never : begins_.begin()->first; }
  /// Whether what is known of times to come still holds, but for what was said of it since.
  bool current() const { return line_.has_value(); }
  void forget() { line_.reset(); }

  /// From what is expected of running jobs and of nodes; reservations are kept, and any may become earlier.
  void renew(NodeTimeline line) {
    line_.emplace(std::move(line));
    for (const auto& [job, plan] : plans_) hold(job, plan.found);
    freed_.assign(1, {++turn_, std::numeric_limits<Seconds>::max()});
  }
  /// None is left.
  void clear() {
    plans_.clear();
    begins_.clear();
  }

  void advance(Seconds now) { line_->advance(now); }
  /// A job that was to hold its place until `end` is gone.
  void ended_early(std::size_t job, const Placement& place, Seconds end) {
    line_->undo(std::min(line_->begin(), end) - 1, end, [&](Nodes& nodes, std::vector<std::int64_t>& used) {
      nodes.give(place, needs_[job]);
      count(used, job, -1);
    });
    freed(end);
  }

  /// Each job, in order, is lifted out and put back where it has a place earlier than it had; else it keeps both. And
  /// so again, until none moves.
  void compress(const std::vector<std::size_t>& order) {
    events::Paced paced;
    while (pass(order, paced)) {
    }
  }

  /// The earliest that there is; none where nodes have failed, and nobody knows when they return.
  void reserve(std::size_t job) {
    auto found = earliest(job, std::numeric_limits<Seconds>::max());
    if (!found) return;
    hold(job, *found);
    begins_.emplace(found->from, job);
    plans_.emplace(job, Plan{std::move(*found), turn_});
  }

  /// The job's place where its time has come by `now`: it runs from now on, and keeps what it held.
  std::optional<Placement> starts(std::size_t job, Seconds now) {
    const auto at = plans_.find(job);
    if (at == plans_.end() || at->second.found.from > now) return std::nullopt;
    Placement place = std::move(at->second.found.place);
    begins_.erase({at->second.found.from, job});
    plans_.erase(at);
    return place;
  }

 private:
  struct Plan {
    NodeTimeline::Found found;
    std::uint64_t looked_at = 0;  // the turn
  };
  struct Freed {
    std::uint64_t turn = 0;
    Seconds end = 0;
  };

  // Whether any has moved.
  bool pass(const std::vector<std::size_t>& order, events::Paced& paced) {
    bool moved = false;
    for (const std::size_t job : order) {
      paced.step();
      const auto at = plans_.find(job);
      if (at == plans_.end()) continue;
      Plan& plan = at->second;
      const Seconds until = std::min(plan.found.from, freed_since(plan.looked_at));
      if (until <= line_->begin()) continue;
      lift(job, plan.found);
      if (auto found = earliest(job, until)) {
        begins_.erase({plan.found.from, job});
        moved = true;
        freed(plan.found.from + jobs_[job].requested);
        plan.found = std::move(*found);
        begins_.emplace(plan.found.from, job);
      }
      hold(job, plan.found);
      plan.looked_at = turn_;
    }
    return moved;
  }

  // Something is free until `end` that was not: kept by turn, of which the ends fall.
  void freed(Seconds end) {
    while (!freed_.empty() && freed_.back().end <= end) freed_.pop_back();
    freed_.push_back({++turn_, end});
  }
  Seconds freed_since(std::uint64_t turn) const {
    const auto at = std::upper_bound(freed_.begin(), freed_.end(), turn,
                                     [](std::uint64_t last, const Freed& each) { return last < each.turn; });
    return at == freed_.end() ? std::numeric_limits<Seconds>::min() : at->end;
  }

  std::optional<NodeTimeline::Found> earliest(std::size_t job, Seconds before) const {
    const Job& of = jobs_[job];
    return line_->earliest(
        of.processors, needs_[job], of.requested, before,
        [&](const std::vector<std::int64_t>& used) { return allow(limits_, used, needs_[job].limits, of.processors); });
  }

  void hold(std::size_t job, const NodeTimeline::Found& plan) {
    if (jobs_[job].requested == 0) return;
    line_->between(plan.from, plan.from + jobs_[job].requested, [&](Nodes& nodes, std::vector<std::int64_t>& used) {
      nodes.take(plan.place, needs_[job]);
      count(used, job, 1);
    });
  }
  void lift(std::size_t job, const NodeTimeline::Found& plan) {
    if (jobs_[job].requested == 0) return;
    line_->undo(plan.from, plan.from + jobs_[job].requested, [&](Nodes& nodes, std::vector<std::int64_t>& used) {
      nodes.give(plan.place, needs_[job]);
      count(used, job, -1);
    });
  }
  void count(std::vector<std::int64_t>& used, std::size_t job, std::int64_t sign) const {
    count_towards(limits_, used, needs_[job].limits, sign, jobs_[job].processors);
  }

  const Jobs& jobs_;
  const std::vector<Needs>& needs_;
  const std::vector<Limit>& limits_;
  std::optional<NodeTimeline> line_;
  std::map<std::size_t, Plan> plans_;
  std::set<std::pair<Seconds, std::size_t>> begins_;
  std::vector<Freed> freed_;
  std::uint64_t turn_ = 0;
};

}  // namespace assay::batch
