#include "batch/simulate.hpp"

#include <map>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "events/stop.hpp"

namespace assay::batch {
std::unique_ptr<Policy> policy_of(const Settings& settings, const Jobs& jobs) {
  const Machine machine{settings.processors, settings.queues};
  if (settings.policy == "fcfs") return fcfs(jobs, machine);
  if (settings.policy == "firstfit") return first_fit(jobs, machine);
  if (settings.policy == "easy") return easy(jobs, machine);
  if (settings.policy == "conservative") return conservative(jobs, machine);
  if (settings.policy == "priority") return priority(jobs, machine, settings.ageing);
  if (settings.policy == "fairshare") return fair_share(jobs, machine, settings.decay);
  throw std::invalid_argument("there is no policy " + settings.policy);
}

namespace {

// When running jobs end, the soonest first. An end that was set anew leaves the old one behind, which is passed over.
class Ends {
 public:
  explicit Ends(std::size_t jobs) : end_(jobs, never) {}

  bool empty() const { return queue_.empty(); }
  std::pair<Seconds, std::size_t> top() const { return queue_.top(); }
  void set(std::size_t job, Seconds end) {
    end_[job] = end;
    queue_.emplace(end, job);
    pass_over();
  }
  void pop() {
    end_[queue_.top().second] = never;
    queue_.pop();
    pass_over();
  }

 private:
  using End = std::pair<Seconds, std::size_t>;
  void pass_over() {
    while (!queue_.empty() && end_[queue_.top().second] != queue_.top().first) queue_.pop();
  }

  std::vector<Seconds> end_;  // of each job that runs
  std::priority_queue<End, std::vector<End>, std::greater<>> queue_;
};

class Simulation final : public Scheduler {
 public:
  Simulation(const Settings& settings, Jobs jobs)
      : jobs_(std::move(jobs)),
        policy_(policy_of(settings, jobs_)),
        free_(settings.processors),
        cost_(settings.decision_cost),
        limits_(settings.queues),
        widths_(limits_.groups()),
        progress_(settings.shared, jobs_),
        ends_(jobs_.size()) {
    if (progress_.slows()) outcome_.ends.resize(jobs_.size());
  }

  void start(std::size_t job) override {
    jobs_[job].started = now_ + cost_;
    if (cost_ == 0)
      begin(job);
    else
      decided_.push_back(job);
  }

  Outcome run() {
    if (!jobs_.empty()) now_ = jobs_.front().submitted;
    if (cost_ == 0)
      decide_at_once();
    else
      decide_in_time();
    outcome_.starts.reserve(jobs_.size());
    for (const Job& job : jobs_) outcome_.starts.push_back(job.started);
    outcome_.killed = progress_.killed();
    return std::move(outcome_);
  }

 private:
  void begin(std::size_t job) {
    Job& started = jobs_[job];
    free_ -= started.processors;
    if (free_ < 0) throw std::logic_error("a policy started a job for which there are too few processors");
    if (progress_.slows())
      progress_.start(job, now_);
    else
      ends_.set(job, started.started + started.runs);
    limits_.begins(started);
    std::map<std::int32_t, std::int64_t>& widths = widths_[static_cast<std::size_t>(started.group)];
    const auto width = widths.find(started.processors);
    if (--width->second == 0) widths.erase(width);
    --waiting_;
    ++started_;
  }

  void decide_at_once() {
    std::size_t next = 0;
    for (events::Paced paced; started_ < jobs_.size() || !ends_.empty(); paced.step()) {
      advance(next_event(next));
      // A job that runs for no time ends in the second of its start: decide again until nothing more happens in it.
      do {
        for (; !ends_.empty() && ends_.top().first == now_; ends_.pop()) end(ends_.top().second);
        for (; next < jobs_.size() && jobs_[next].submitted == now_; ++next) submit(next);
        policy_->decide(now_, *this);
        ++outcome_.decisions;
        settle();
      } while (!ends_.empty() && ends_.top().first == now_);
    }
  }

  void decide_in_time() {
    std::size_t next = 0;
    std::vector<std::size_t> ended, submitted;  // since the last decision began
    events::Paced paced;
    for (Seconds done = never; started_ < jobs_.size() || !ends_.empty(); paced.step()) {
      settle();
      const bool deciding = done != never;
      Seconds at = soonest_of(next);
      if (deciding)
        at = at == never ? done : std::min(at, done);
      else if (const Seconds wakes = policy_->wakes(); wakes != never)  // done when a reservation begins
        at = std::max(now_, at == never ? wakes - cost_ : std::min(at, wakes - cost_));
      if (at == never) throw std::logic_error("jobs wait, and nothing will happen any more");
      advance(at, deciding);
      gather(ended);
      for (; next < jobs_.size() && jobs_[next].submitted == now_; ++next) {
        arrives(next);
        submitted.push_back(next);
      }
      if (now_ == done) {
        for (const std::size_t job : std::exchange(decided_, {})) begin(job);
        done = never;
        settle();
        gather(ended);  // those that run for no time
      }
      const Seconds wakes = policy_->wakes();
      const bool due = !ended.empty() || !submitted.empty() || (wakes != never && wakes - cost_ <= now_);
      if (done != never || !due) continue;
      done = now_ + cost_;
      // To the policy what it learns of happens in the second for which it decides.
      for (const std::size_t job : std::exchange(ended, {})) {
        Job& of = jobs_[job];
        of.runs = std::min(of.requested, done - of.started);
        policy_->end(job);
      }
      for (const std::size_t job : std::exchange(submitted, {})) {
        jobs_[job].submitted = done;
        policy_->submit(job);
      }
      policy_->decide(done, *this);
      ++outcome_.decisions;
    }
  }

  void gather(std::vector<std::size_t>& ended) {
    for (; !ends_.empty() && ends_.top().first == now_; ends_.pop()) {
      ended.push_back(ends_.top().second);
      leaves(ended.back());
    }
  }

  void settle() {
    progress_.settle(now_, [this](std::size_t job, Seconds end) { ends_.set(job, end); });
  }

  void advance(Seconds to, bool deciding = false) {
    pass(to - now_, deciding);
    now_ = to;
  }

  // Count what is free over the seconds until the next event.
  void pass(Seconds seconds, bool deciding) {
    const std::int64_t idle = free_ * seconds;
    bool fits = false, allowed = false;
    for (std::size_t group = 0; group < widths_.size() && waiting_ > 0 && !allowed && idle > 0; ++group) {
      if (widths_[group].empty() || widths_[group].begin()->first > free_) continue;
      fits = true;
      allowed = widths_[group].begin()->first <= limits_.room(group);
    }
    if (waiting_ == 0)
      outcome_.idle.queue_empty += idle;
    else if (!fits)
      outcome_.idle.none_fitted += idle;
    else if (!allowed)
      outcome_.idle.limited += idle;
    else if (deciding)
      outcome_.idle.scheduler += idle;
    else
      outcome_.idle.held += idle;
  }
  void arrives(std::size_t job) {
    ++widths_[static_cast<std::size_t>(jobs_[job].group)][jobs_[job].processors];
    ++waiting_;
  }
  void leaves(std::size_t job) {
    free_ += jobs_[job].processors;
    limits_.ends(jobs_[job]);
    if (!progress_.slows()) return;
    progress_.end(job);
    jobs_[job].runs = now_ - jobs_[job].started;
    outcome_.ends[job] = now_;
  }
  void submit(std::size_t job) {
    arrives(job);
    policy_->submit(job);
  }
  // The next end or submission; `never` where there is none.
  Seconds soonest_of(std::size_t next) const {
    if (next == jobs_.size()) return ends_.empty() ? never : ends_.top().first;
    return ends_.empty() ? jobs_[next].submitted : std::min(jobs_[next].submitted, ends_.top().first);
  }
  Seconds next_event(std::size_t next) const {
    Seconds soonest = soonest_of(next);
    const Seconds wakes = policy_->wakes();
    if (wakes != never && (soonest == never || wakes < soonest)) soonest = wakes;
    if (soonest == never) throw std::logic_error("jobs wait, and nothing will happen any more");
    return soonest;
  }
  void end(std::size_t job) {
    leaves(job);
    policy_->end(job);
  }

  Jobs jobs_;
  std::unique_ptr<Policy> policy_;
  std::int64_t free_;
  Seconds cost_, now_ = 0;
  std::vector<std::size_t> decided_;  // jobs that start when the scheduler is done
  std::size_t started_ = 0, waiting_ = 0;
  Limits limits_;
  std::vector<std::map<std::int32_t, std::int64_t>>
      widths_;  // of each group's waiting jobs: how many there are of each
  Outcome outcome_;
  Progress progress_;
  Ends ends_;
};

}  // namespace

Outcome simulate(const Settings& settings, Jobs jobs) { return Simulation(settings, std::move(jobs)).run(); }

}  // namespace assay::batch
