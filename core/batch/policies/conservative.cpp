// Conservative backfilling with compression (Mu'alem and Feitelson 2001, section 2.1): every job has a reservation from
// its submission on, at the earliest place that delays no other's. When a job ends before it was expected to, each
// waiting job, in order of submission, is lifted out and put back at the earliest place, which is never later than it
// had; the others keep theirs. A reservation keeps what limits of queues and users have room for, too; of two queues
// the one of the higher rank goes first where reservations are made anew.
#include <limits>
#include <set>

#include "batch/profile.hpp"
#include "batch/scheduler.hpp"

namespace assay::batch {
namespace {

class Conservative final : public Policy {
 public:
  Conservative(const Jobs& jobs, const Machine& machine)
      : jobs_(jobs),
        limits_(machine.queues),
        profile_(machine.processors),
        reserved_(jobs.size()),
        waiting_(Foremost{&jobs, &limits_}) {
    for (const Limit& limit : limits_.queues().limits) limited_.emplace_back(limit.most);
  }

  void submit(std::size_t job) override {
    compress(jobs_[job].submitted);
    profile_.advance(jobs_[job].submitted);
    reserve(job, std::numeric_limits<Seconds>::max());
    waiting_.insert(job);
  }

  void end(std::size_t job) override {
    const Job& ended = jobs_[job];
    const Seconds now = ended.started + ended.runs, expected = ended.started + ended.requested;
    profile_.advance(now);
    take(ended, now, expected, -1);
    early_ = early_ || now < expected;
  }

  void withdraw(std::size_t job, Seconds now) override {
    profile_.advance(now);
    lift(job);
    waiting_.erase(job);
    early_ = true;
  }

  // The reservations were made without the time that it takes now: all are lifted out and made anew, in order.
  void extend(std::size_t job, Seconds more, Seconds now) override {
    const Job& on = jobs_[job];
    profile_.advance(now);
    for (const std::size_t other : waiting_) lift(other);
    take(on, on.started + on.requested, on.started + on.requested + more, 1);
    reserve_all();
  }

  void adopt(std::size_t job, Seconds now) override {
    profile_.advance(now);
    take(jobs_[job], now, jobs_[job].started + jobs_[job].requested, 1);
  }

  void decide(Seconds now, Scheduler& scheduler) override {
    compress(now);
    if (late(now)) begin_anew(now);
    while (!starts_.empty() && starts_.begin()->first <= now) {
      const std::size_t job = starts_.begin()->second;
      starts_.erase(starts_.begin());
      waiting_.erase(job);
      scheduler.start(job);
    }
  }

  Seconds wakes() const override { return starts_.empty() ? never : starts_.begin()->first; }

 private:
  void reserve(std::size_t job, Seconds latest) {
    const Job& of = jobs_[job];
    reserved_[job] = earliest(of, latest);
    take(of, reserved_[job], reserved_[job] + of.requested, 1);
    starts_.emplace(reserved_[job], job);
  }

  // The first second at which there are processors and every limit has room, for as long as the job requests.
  Seconds earliest(const Job& of, Seconds latest) {
    for (Seconds at = profile_.begin();;) {
      const Seconds before = at;
      at = profile_.earliest(of.processors, of.requested, latest, at);
      for (const std::int32_t limit : limits_.of(of).limits) {
        Profile& room = limited_[static_cast<std::size_t>(limit)];
        room.advance(profile_.begin());
        at = room.earliest(amount(limit, of), of.requested, latest, at);
      }
      if (at == before || at >= latest) return at;
    }
  }

  // In [from, to), of the machine and of the limits; given back where `sign` is negative.
  void take(const Job& of, Seconds from, Seconds to, std::int64_t sign) {
    profile_.take(from, to, sign * of.processors);
    for (const std::int32_t limit : limits_.of(of).limits)
      limited_[static_cast<std::size_t>(limit)].take(from, to, sign * amount(limit, of));
  }
  std::int64_t amount(std::int32_t limit, const Job& of) const {
    return limits_.queues().limits[static_cast<std::size_t>(limit)].amount(of.processors);
  }

  void reserve_all() {
    for (const std::size_t job : waiting_) reserve(job, std::numeric_limits<Seconds>::max());
  }

  // The scheduler comes after a reservation's beginning.
  bool late(Seconds now) const { return !starts_.empty() && starts_.begin()->first < now; }

  void begin_anew(Seconds now) {
    early_ = false;
    for (const std::size_t job : waiting_) lift(job);
    profile_.advance(now);
    reserve_all();
  }

  void lift(std::size_t job) {
    const Job& of = jobs_[job];
    const Seconds end = reserved_[job] + of.requested;
    take(of, std::min(std::max(reserved_[job], profile_.begin()), end), end, -1);
    starts_.erase({reserved_[job], job});
  }

  void compress(Seconds now) {
    if (!early_ || late(now)) return;
    early_ = false;
    profile_.advance(now);
    for (const std::size_t job : waiting_) {
      lift(job);
      reserve(job, reserved_[job]);
    }
  }

  struct Foremost {
    const Jobs* jobs;
    const Limits* limits;
    bool operator()(std::size_t a, std::size_t b) const {
      const auto queue = limits->queues().order((*jobs)[a], (*jobs)[b]);
      return queue != 0 ? queue < 0 : a < b;
    }
  };

  const Jobs& jobs_;
  Limits limits_;
  Profile profile_;
  std::vector<Profile> limited_;  // what is left of each limit
  std::vector<Seconds> reserved_;
  std::set<std::size_t, Foremost> waiting_;           // by queue, and in order of submission
  std::set<std::pair<Seconds, std::size_t>> starts_;  // reservations of those that wait, by time
  bool early_ = false;
};

}  // namespace

std::unique_ptr<Policy> conservative(const Jobs& jobs, const Machine& machine) {
  return std::make_unique<Conservative>(jobs, machine);
}

}  // namespace assay::batch
