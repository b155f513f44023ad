// Fair share with decay, and EASY backfilling in its order: the user who has used least goes first, and of one user's
// jobs the one submitted first.
//
// Our choices. What a job uses is charged to its user when it starts, by what it requested, and set right when it ends;
// it counts half after the half-life. The order is made anew after every start, so that no user fills the machine in
// one second; a reservation stays, within one decision, with the job that it was made for. Of two queues the one of the
// higher rank goes first, whoever used what.
#include <cmath>
#include <deque>
#include <iterator>
#include <map>

#include "batch/running.hpp"
#include "batch/scheduler.hpp"

namespace assay::batch {
namespace {

class FairShare final : public Policy {
 public:
  FairShare(const Jobs& jobs, const Machine& machine, Decay decay)
      : jobs_(jobs), free_(machine.processors), limits_(machine.queues), decay_(decay) {}

  void submit(std::size_t job) override { waiting_[jobs_[job].user].push_back(job); }

  void end(std::size_t job) override {
    const Job& ended = jobs_[job];
    free_ += ended.processors;
    limits_.ends(ended);
    running_.remove(ended.started + ended.requested, ended.processors);
    charge(ended, static_cast<double>(ended.runs - ended.requested));
  }

  void withdraw(std::size_t job, Seconds) override { forget(job); }

  void extend(std::size_t job, Seconds more, Seconds) override {
    const Job& on = jobs_[job];
    running_.remove(on.started + on.requested, on.processors);
    running_.add(on.started + on.requested + more, on.processors);
    charge(on, static_cast<double>(more));
  }

  void adopt(std::size_t job, Seconds) override {
    free_ -= jobs_[job].processors;
    limits_.begins(jobs_[job]);
    running_.add(jobs_[job].started + jobs_[job].requested, jobs_[job].processors);
    charge(jobs_[job], static_cast<double>(jobs_[job].requested));
  }

  void decide(Seconds now, Scheduler& scheduler) override {
    std::vector<std::size_t> order = in_order();
    while (!order.empty() && jobs_[order.front()].processors <= free_) {
      start(order.front(), now, scheduler);
      order = in_order();
    }
    if (order.empty()) return;
    const std::size_t head = order.front();
    Shadow shadow = running_.shadow(free_, jobs_[head].processors, now);
    limits_.begins(jobs_[head]);  // so that none starts by which a limit would keep it back
    order = in_order();
    for (std::size_t at = 0; at < order.size();) {
      const std::size_t job = order[at++];
      const bool early = now + jobs_[job].requested <= shadow.time;
      if (job == head || jobs_[job].processors > free_ || !(early || jobs_[job].processors <= shadow.extra)) continue;
      if (!early) shadow.extra -= jobs_[job].processors;
      start(job, now, scheduler);
      order = in_order();
      at = 0;
    }
    limits_.ends(jobs_[head]);
  }

 private:
  static constexpr double finest = 1e9;  // shares of all use are compared to nine digits: rounding makes no order

  // Usage as it will count at the second 0: dividing all of it by the same decay changes no order.
  void charge(const Job& job, double seconds) {
    used_[job.user] += job.processors * seconds * std::exp2(static_cast<double>(job.started) / decay_.half_life);
  }

  void forget(std::size_t job) {
    std::deque<std::size_t>& own = waiting_[jobs_[job].user];
    own.erase(std::find(own.begin(), own.end(), job));
  }

  void start(std::size_t job, Seconds now, Scheduler& scheduler) {
    forget(job);
    free_ -= jobs_[job].processors;
    limits_.begins(jobs_[job]);
    running_.add(now + jobs_[job].requested, jobs_[job].processors);
    scheduler.start(job);
    charge(jobs_[job], static_cast<double>(jobs_[job].requested));
  }

  // Those that limits allow.
  std::vector<std::size_t> in_order() {
    std::vector<std::size_t> order;
    for (const auto& [user, jobs] : waiting_)
      std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(order),
                   [&](std::size_t job) { return limits_.allow(jobs_[job]); });
    double total = 0;
    for (const auto& [user, used] : used_) total += used;
    std::map<std::int32_t, std::int64_t> share;
    for (const auto& [user, used] : used_) share[user] = total > 0 ? std::llround(finest * used / total) : 0;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (const auto queue = limits_.queues().order(jobs_[a], jobs_[b]); queue != 0) return queue < 0;
      const std::int64_t first = share[jobs_[a].user], second = share[jobs_[b].user];
      return first != second ? first < second : a < b;
    });
    return order;
  }

  const Jobs& jobs_;
  std::int64_t free_;
  Limits limits_;
  Decay decay_;
  Running running_;
  std::map<std::int32_t, std::deque<std::size_t>> waiting_;  // of each user, as submitted
  std::map<std::int32_t, double> used_;                      // processor seconds of each user
};

}  // namespace

std::unique_ptr<Policy> fair_share(const Jobs& jobs, const Machine& machine, Decay decay) {
  return std::make_unique<FairShare>(jobs, machine, decay);
}

}  // namespace assay::batch
