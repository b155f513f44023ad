#include "batch/simulate.hpp"

#include <map>
#include <queue>
#include <stdexcept>
#include <tuple>

namespace assay::batch {
std::unique_ptr<Policy> policy_of(const Settings& settings, const Jobs& jobs) {
  const Machine machine{settings.processors};
  if (settings.policy == "fcfs") return fcfs(jobs, machine);
  if (settings.policy == "firstfit") return first_fit(jobs, machine);
  if (settings.policy == "easy") return easy(jobs, machine);
  if (settings.policy == "conservative") return conservative(jobs, machine);
  if (settings.policy == "priority") return priority(jobs, machine, settings.ageing);
  if (settings.policy == "fairshare") return fair_share(jobs, machine, settings.decay);
  throw std::invalid_argument("there is no policy " + settings.policy);
}

namespace {

class Simulation final : public Scheduler {
 public:
  Simulation(const Settings& settings, Jobs jobs)
      : jobs_(std::move(jobs)), policy_(policy_of(settings, jobs_)), free_(settings.processors) {}

  void start(std::size_t job) override {
    Job& started = jobs_[job];
    started.started = now_;
    free_ -= started.processors;
    if (free_ < 0) throw std::logic_error("a policy started a job for which there are too few processors");
    ends_.emplace(now_ + started.runs, job);
    const auto width = widths_.find(started.processors);
    if (--width->second == 0) widths_.erase(width);
    ++started_;
  }

  Outcome run() {
    std::size_t next = 0;
    if (!jobs_.empty()) now_ = jobs_.front().submitted;
    while (started_ < jobs_.size() || !ends_.empty()) {
      const Seconds at = next_event(next);
      pass(at - now_);
      now_ = at;
      // A job that runs for no time ends in the second of its start: decide again until nothing more happens in it.
      do {
        for (; !ends_.empty() && ends_.top().first == now_; ends_.pop()) end(ends_.top().second);
        for (; next < jobs_.size() && jobs_[next].submitted == now_; ++next) submit(next);
        policy_->decide(now_, *this);
        ++outcome_.decisions;
      } while (!ends_.empty() && ends_.top().first == now_);
    }
    outcome_.starts.reserve(jobs_.size());
    for (const Job& job : jobs_) outcome_.starts.push_back(job.started);
    return std::move(outcome_);
  }

 private:
  // Count what is free over the seconds until the next event.
  void pass(Seconds seconds) {
    const std::int64_t idle = free_ * seconds;
    if (widths_.empty())
      outcome_.idle.queue_empty += idle;
    else if (widths_.begin()->first > free_)
      outcome_.idle.none_fitted += idle;
    else
      outcome_.idle.held += idle;
  }
  void submit(std::size_t job) {
    ++widths_[jobs_[job].processors];
    policy_->submit(job);
  }
  Seconds next_event(std::size_t next) const {
    Seconds soonest = never;
    const auto consider = [&](Seconds at) {
      if (at != never && (soonest == never || at < soonest)) soonest = at;
    };
    if (next < jobs_.size()) consider(jobs_[next].submitted);
    if (!ends_.empty()) consider(ends_.top().first);
    consider(policy_->wakes());
    if (soonest == never) throw std::logic_error("jobs wait, and nothing will happen any more");
    return soonest;
  }
  void end(std::size_t job) {
    free_ += jobs_[job].processors;
    policy_->end(job);
  }

  using End = std::pair<Seconds, std::size_t>;
  Jobs jobs_;
  std::unique_ptr<Policy> policy_;
  std::int64_t free_;
  Seconds now_ = 0;
  std::size_t started_ = 0;
  std::map<std::int32_t, std::int64_t> widths_;  // of the jobs that wait: how many there are of each
  Outcome outcome_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace

Outcome simulate(const Settings& settings, Jobs jobs) { return Simulation(settings, std::move(jobs)).run(); }

}  // namespace assay::batch
