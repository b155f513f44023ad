// What policies share whose order of the waiting jobs does not change while they wait: places, the index, the running
// jobs, and the two ways of filling a machine, from the front and behind the front's reservation.
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "batch/grouped.hpp"
#include "batch/running.hpp"
#include "batch/scheduler.hpp"

namespace assay::batch {

inline std::vector<std::size_t> as_submitted(const Jobs& jobs) {
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// The same order within each queue; of two queues the one of the higher rank goes first.
inline std::vector<std::size_t> by_queue(const Jobs& jobs, const Queues& queues, std::vector<std::size_t> order) {
  if (queues.groups.size() > 1)
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return queues.order(jobs[a], jobs[b]) < 0; });
  return order;
}

class Ordered : public Policy {
 public:
  /// `order`: the jobs' indices, the first one of its queue foremost.
  Ordered(const Jobs& jobs, const Machine& machine, std::vector<std::size_t> order)
      : jobs_(jobs),
        free_(machine.processors),
        limits_(machine.queues),
        order_(by_queue(jobs, machine.queues, std::move(order))),
        places_(jobs.size()),
        waiting_(order_, limits_.groups(), [&](std::size_t job) { return jobs[job].group; }) {
    for (std::size_t place = 0; place < order_.size(); ++place) places_[order_[place]] = place;
  }

  void submit(std::size_t job) final { waiting_.add(places_[job], jobs_[job].processors, jobs_[job].requested); }
  void end(std::size_t job) final {
    free_ += jobs_[job].processors;
    limits_.ends(jobs_[job]);
    running_.remove(jobs_[job].started + jobs_[job].requested, jobs_[job].processors);
  }
  void withdraw(std::size_t job, Seconds) final { waiting_.remove(places_[job]); }
  void extend(std::size_t job, Seconds more, Seconds) final {
    const Seconds end = jobs_[job].started + jobs_[job].requested;
    running_.remove(end, jobs_[job].processors);
    running_.add(end + more, jobs_[job].processors);
  }
  void adopt(std::size_t job, Seconds) final {
    free_ -= jobs_[job].processors;
    limits_.begins(jobs_[job]);
    running_.add(jobs_[job].started + jobs_[job].requested, jobs_[job].processors);
  }

 protected:
  void start(std::size_t place, Seconds now, Scheduler& scheduler) {
    const std::size_t job = order_[place];
    waiting_.remove(place);
    free_ -= jobs_[job].processors;
    limits_.begins(jobs_[job]);
    running_.add(now + jobs_[job].requested, jobs_[job].processors);
    scheduler.start(job);
  }

  /// Start jobs in order until one does not fit: its place, or none where no limit allows any that waits.
  std::size_t start_from_the_front(Seconds now, Scheduler& scheduler) {
    std::size_t head = first();
    for (; head != Waiting::none && jobs_[order_[head]].processors <= free_; head = first())
      start(head, now, scheduler);
    return head;
  }

  /// Start jobs behind `head`, which does not fit, as long as its reservation holds.
  void backfill(std::size_t head, Seconds now, Scheduler& scheduler) {
    const Job& first = jobs_[order_[head]];
    Shadow shadow = running_.shadow(free_, first.processors, now);
    limits_.begins(first);  // so that none starts by which a limit would keep it back
    for (std::size_t place = head;;) {
      place = waiting_.next(limits_, place + 1, narrow(free_), shadow.time - now, narrow(shadow.extra));
      if (place == Waiting::none) break;
      const Job& job = jobs_[order_[place]];
      if (now + job.requested > shadow.time) shadow.extra -= job.processors;
      start(place, now, scheduler);
    }
    limits_.ends(first);
  }

  /// EASY in this order: from the front, then behind the reservation of the first that does not fit.
  void start_easy(Seconds now, Scheduler& scheduler) {
    const std::size_t head = start_from_the_front(now, scheduler);
    if (head != Waiting::none) backfill(head, now, scheduler);
  }

  /// Start every job that fits, in order.
  void start_all_that_fit(Seconds now, Scheduler& scheduler) {
    for (std::size_t place = waiting_.next(limits_, 0, narrow(free_), any, 0); place != Waiting::none;
         place = waiting_.next(limits_, place + 1, narrow(free_), any, 0))
      start(place, now, scheduler);
  }

 private:
  static constexpr Seconds any = std::numeric_limits<Seconds>::max() - 1;

  std::size_t first() const { return waiting_.next(limits_, 0, narrow(any), any, 0); }
  static std::int32_t narrow(std::int64_t processors) {
    return static_cast<std::int32_t>(std::min<std::int64_t>(processors, std::numeric_limits<std::int32_t>::max() - 1));
  }

  const Jobs& jobs_;
  std::int64_t free_;
  Limits limits_;
  std::vector<std::size_t> order_, places_;
  GroupedWaiting waiting_;
  Running running_;
};

}  // namespace assay::batch
