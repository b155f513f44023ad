// Conservative backfilling with compression (Mu'alem and Feitelson 2001, section 2.1): every job has a reservation from
// its submission on, at the earliest place that delays no other's. When a job ends before it was expected to, each
// waiting job, in order of submission, is lifted out and put back at the earliest place, which is never later than it
// had; the others keep theirs.
#include <limits>
#include <set>

#include "batch/profile.hpp"
#include "batch/scheduler.hpp"

namespace assay::batch {
namespace {

class Conservative final : public Policy {
 public:
  Conservative(const Jobs& jobs, Machine machine) : jobs_(jobs), profile_(machine.processors), reserved_(jobs.size()) {}

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
    profile_.take(now, expected, -ended.processors);
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
    profile_.take(on.started + on.requested, on.started + on.requested + more, on.processors);
    reserve_all();
  }

  void adopt(std::size_t job, Seconds now) override {
    profile_.advance(now);
    profile_.take(now, jobs_[job].started + jobs_[job].requested, jobs_[job].processors);
  }

  void decide(Seconds now, Scheduler& scheduler) override {
    compress(now);
    if (!starts_.empty() && starts_.begin()->first < now) begin_anew(now);  // the scheduler comes too late
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
    reserved_[job] = profile_.earliest(of.processors, of.requested, latest);
    profile_.take(reserved_[job], reserved_[job] + of.requested, of.processors);
    starts_.emplace(reserved_[job], job);
  }

  void reserve_all() {
    for (const std::size_t job : waiting_) reserve(job, std::numeric_limits<Seconds>::max());
  }

  void begin_anew(Seconds now) {
    for (const std::size_t job : waiting_) lift(job);
    profile_.advance(now);
    reserve_all();
  }

  void lift(std::size_t job) {
    const Job& of = jobs_[job];
    const Seconds end = reserved_[job] + of.requested;
    profile_.take(std::min(std::max(reserved_[job], profile_.begin()), end), end, -of.processors);
    starts_.erase({reserved_[job], job});
  }

  void compress(Seconds now) {
    if (!early_) return;
    early_ = false;
    profile_.advance(now);
    for (const std::size_t job : waiting_) {
      lift(job);
      reserve(job, reserved_[job]);
    }
  }

  const Jobs& jobs_;
  Profile profile_;
  std::vector<Seconds> reserved_;
  std::set<std::size_t> waiting_;                     // in order of submission
  std::set<std::pair<Seconds, std::size_t>> starts_;  // reservations of those that wait, by time
  bool early_ = false;
};

}  // namespace

std::unique_ptr<Policy> conservative(const Jobs& jobs, Machine machine) {
  return std::make_unique<Conservative>(jobs, machine);
}

}  // namespace assay::batch
