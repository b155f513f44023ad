// A policy asked step by step, as things happen: what a real batch system (throughput/systems/local.py) decides by is
// the same code as what a simulated one does. Time is whole ticks of any length from an origin.
#pragma once
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "batch/simulate.hpp"

namespace assay::batch {

class Stepper final : private Scheduler {
 public:
  /// `jobs`: all that will ever be submitted, in the order of their numbers, each of which fits the machine. Of each,
  /// `submitted` is when it is meant to be: what orders jobs of one priority. std::invalid_argument for a job that does
  /// not fit, and for an unknown policy.
  Stepper(Settings settings, Jobs jobs);
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  /// A job that ran before this scheduler did, since `started`; before the first step.
  void adopt(std::size_t job, Seconds started, Seconds now);

  /// What happened since the last step, all of it taken to happen at `now`: ends, then jobs that were taken back, then
  /// submissions; the policy decides after them, and the jobs that start are returned in the order of its decisions. A
  /// job that runs on past its request is expected to end a tenth of the request later. std::invalid_argument for a job
  /// that cannot end, be taken back or be submitted as it is.
  std::vector<std::size_t> step(Seconds now, const std::vector<std::size_t>& ended,
                                const std::vector<std::size_t>& withdrawn, const std::vector<std::size_t>& submitted);

  /// The next tick at which the policy must be asked although nothing happens; `never` where there is none.
  Seconds wakes() const { return policy_->wakes(); }
  std::uint64_t decisions() const { return decisions_; }
  std::int64_t free() const { return free_; }

 private:
  enum class State : std::uint8_t { known, waiting, running, gone };

  void start(std::size_t job) override;
  void decide(Seconds now);
  void run_on(std::size_t job, Seconds until, Seconds now);
  void catch_up(Seconds now, const std::set<std::size_t>& ending);
  void expect(std::size_t job, State state, const char* what) const;
  Seconds end_of(std::size_t job) const { return jobs_[job].started + jobs_[job].requested; }

  Jobs jobs_;
  std::unique_ptr<Policy> policy_;
  std::int64_t free_;
  Seconds now_ = 0;
  std::uint64_t decisions_ = 0;
  std::vector<State> states_;
  std::set<std::pair<Seconds, std::size_t>> ends_;  // of running jobs, as expected
  std::vector<std::size_t> started_;
};

}  // namespace assay::batch
