// What a machine's queues allow at once: limits on the jobs that run, or on their processors, of a queue, of a user in
// a queue, or of a user on the whole machine. A job that a limit keeps back is not looked at until the limit has room.
// And which queue goes first.
#pragma once
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "batch/job.hpp"

namespace assay::batch {

struct Limit {
  std::int64_t most = 0;    // that run at once: jobs,
  bool processors = false;  // or processors of jobs

  std::int64_t amount(std::int32_t width) const { return processors ? width : 1; }
};

/// Whether the limits at the places `at` have room for one more job.
inline bool allow(const std::vector<Limit>& limits, const std::vector<std::int64_t>& used,
                  const std::vector<std::int32_t>& at, std::int32_t width) {
  return std::all_of(at.begin(), at.end(), [&](std::int32_t each) {
    const Limit& of = limits[static_cast<std::size_t>(each)];
    return used[static_cast<std::size_t>(each)] + of.amount(width) <= of.most;
  });
}
inline void count_towards(const std::vector<Limit>& limits, std::vector<std::int64_t>& used,
                          const std::vector<std::int32_t>& at, std::int64_t sign, std::int32_t width) {
  for (const std::int32_t each : at)
    used[static_cast<std::size_t>(each)] += sign * limits[static_cast<std::size_t>(each)].amount(width);
}

/// Jobs to which the same limits apply: those of one queue, and of one user where users are limited.
struct Group {
  double rank = 0;                   // of its queue: a higher one goes first
  std::vector<std::int32_t> limits;  // by their places among all
};

struct Queues {
  std::vector<Limit> limits;
  std::vector<Group> groups;  // none: one without limits

  /// Less where the queue of `a` goes before that of `b`: the one of the higher rank does.
  std::partial_ordering order(const Job& a, const Job& b) const { return rank(b) <=> rank(a); }

 private:
  double rank(const Job& job) const { return groups.empty() ? 0 : groups[static_cast<std::size_t>(job.group)].rank; }
};

/// The limits with what counts towards them now.
class Limits {
 public:
  explicit Limits(Queues queues) : queues_(std::move(queues)), used_(queues_.limits.size()) {
    if (queues_.groups.empty()) queues_.groups.emplace_back();
  }

  const Queues& queues() const { return queues_; }
  std::size_t groups() const { return queues_.groups.size(); }
  const Group& of(const Job& job) const { return queues_.groups[static_cast<std::size_t>(job.group)]; }

  void begins(const Job& job) { count(job, 1); }
  void ends(const Job& job) { count(job, -1); }

  /// How many processors one more job of a group may have; 0 where none may run.
  std::int64_t room(std::size_t group) const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const std::int32_t at : queues_.groups[group].limits) {
      const Limit& limit = queues_.limits[static_cast<std::size_t>(at)];
      const std::int64_t left = limit.most - used_[static_cast<std::size_t>(at)];
      if (left <= 0) return 0;
      if (limit.processors) least = std::min(least, left);
    }
    return least;
  }
  bool allow(const Job& job) const { return job.processors <= room(static_cast<std::size_t>(job.group)); }

 private:
  void count(const Job& job, std::int64_t sign) {
    for (const std::int32_t at : of(job).limits)
      used_[static_cast<std::size_t>(at)] += sign * queues_.limits[static_cast<std::size_t>(at)].amount(job.processors);
  }

  Queues queues_;
  std::vector<std::int64_t> used_;
};

}  // namespace assay::batch
