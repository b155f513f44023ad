#include "batch/stepping.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace assay::batch {

Stepper::Stepper(Settings settings, Jobs jobs)
    : jobs_(std::move(jobs)),
      policy_(policy_of(settings, jobs_)),
      free_(settings.processors),
      states_(jobs_.size(), State::known) {
  for (const Job& job : jobs_)
    if (job.processors < 1 || job.processors > settings.processors)
      throw std::invalid_argument("a job is wider than the machine");
}

void Stepper::adopt(std::size_t job, Seconds started, Seconds now) {
  expect(job, State::known, "adopted");
  if (started > now || now < now_) throw std::invalid_argument("a job is adopted before it started");
  now_ = now;
  Job& on = jobs_[job];
  on.started = started;
  if (end_of(job) <= now) on.requested = now + 1 - started;
  if ((free_ -= on.processors) < 0) throw std::invalid_argument("jobs that run need more than the machine has");
  states_[job] = State::running;
  ends_.emplace(end_of(job), job);
  policy_->adopt(job, now);
}

std::vector<std::size_t> Stepper::step(Seconds now, const std::vector<std::size_t>& ended,
                                       const std::vector<std::size_t>& withdrawn,
                                       const std::vector<std::size_t>& submitted) {
  if (now < now_) throw std::invalid_argument("time runs backwards");
  for (const std::size_t job : ended) expect(job, State::running, "ended");
  started_.clear();
  catch_up(now, {ended.begin(), ended.end()});
  now_ = now;
  for (const std::size_t job : ended) {
    expect(job, State::running, "ended");
    states_[job] = State::gone;
    ends_.erase({end_of(job), job});
    jobs_[job].runs = now - jobs_[job].started;
    free_ += jobs_[job].processors;
    policy_->end(job);
  }
  for (const std::size_t job : withdrawn) {
    if (job >= states_.size() || states_[job] != State::waiting) continue;  // it started a moment ago
    states_[job] = State::gone;
    policy_->withdraw(job, now);
  }
  for (const std::size_t job : submitted) {
    expect(job, State::known, "submitted");
    states_[job] = State::waiting;
    jobs_[job].submitted = now;
    policy_->submit(job);
  }
  decide(now);
  return std::move(started_);
}

void Stepper::start(std::size_t job) {
  Job& started = jobs_[job];
  started.started = now_;
  if ((free_ -= started.processors) < 0) throw std::logic_error("a policy started a job without processors for it");
  states_[job] = State::running;
  ends_.emplace(end_of(job), job);
  started_.push_back(job);
}

void Stepper::decide(Seconds now) {
  now_ = now;
  policy_->decide(now, *this);
  ++decisions_;
}

void Stepper::run_on(std::size_t job, Seconds until, Seconds now) {
  const Seconds more = until - end_of(job);
  ends_.erase({end_of(job), job});
  policy_->extend(job, more, now);
  jobs_[job].requested += more;
  ends_.emplace(end_of(job), job);
}

// Whoever asks may be late: what should have happened between the last step and `now` happens first, in order.
void Stepper::catch_up(Seconds now, const std::set<std::size_t>& ending) {
  for (;;) {
    auto late = ends_.begin();  // the first that should have ended and did not
    while (late != ends_.end() && late->first == now && ending.contains(late->second)) ++late;
    const bool overdue = late != ends_.end() && late->first <= now;
    const Seconds wakes = policy_->wakes();
    if (wakes != never && wakes < now && !(overdue && late->first <= wakes)) {
      decide(std::max(wakes, now_));
    } else if (overdue) {
      const std::size_t job = late->second;
      const Seconds grace = ending.contains(job) ? 0 : std::max<Seconds>(1, jobs_[job].requested / 10);
      run_on(job, now + std::max<Seconds>(grace, 1), late->first);
    } else {
      return;
    }
  }
}

void Stepper::expect(std::size_t job, State state, const char* what) const {
  if (job >= states_.size()) throw std::invalid_argument("there is no job " + std::to_string(job));
  if (states_[job] != state) throw std::invalid_argument("job " + std::to_string(job) + " cannot be " + what);
}

}  // namespace assay::batch
