// What a policy sees and does: the machine's free processors, the jobs that wait in its order, those that run. A policy
// decides once after all that happens at one second: ends first, then submissions (ids by rank in the policy's order).
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "batch/job.hpp"
#include "batch/limits.hpp"

namespace assay::batch {

class Scheduler {  // of one simulation: starts what its policy decides on
 public:
  virtual ~Scheduler() = default;
  virtual void start(std::size_t job) = 0;
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual void submit(std::size_t job) = 0;
  virtual void end(std::size_t job) = 0;
  /// A waiting job was taken back before it started, at `now`.
  virtual void withdraw(std::size_t job, Seconds now) = 0;
  /// At `now` a running job has used what it requested and runs on: it is expected to end `more` later than it was.
  /// Called before the job's `requested` grows by as much.
  virtual void extend(std::size_t job, Seconds more, Seconds now) = 0;
  /// A job that ran before this policy was asked: it started at `job.started`. Before any other waits.
  virtual void adopt(std::size_t job, Seconds now) = 0;
  /// Decide at `now`, after all of this second's ends and submissions.
  virtual void decide(Seconds now, Scheduler& scheduler) = 0;
  /// The next second at which it must decide although nothing happens; `never` where there is none.
  virtual Seconds wakes() const { return never; }
};

struct Machine {
  std::int64_t processors = 1;
  Queues queues;
};
struct Ageing {  // priority: a job's own, and so much for each second that it waits
  double per_second = 1.0 / 3600;
};
struct Decay {  // fair share: what a user has used counts half after so many seconds
  double half_life = 7 * 24 * 3600.0;
};

using Jobs = std::vector<Job>;
std::unique_ptr<Policy> fcfs(const Jobs& jobs, const Machine& machine);
std::unique_ptr<Policy> first_fit(const Jobs& jobs, const Machine& machine);
std::unique_ptr<Policy> easy(const Jobs& jobs, const Machine& machine);
std::unique_ptr<Policy> conservative(const Jobs& jobs, const Machine& machine);
std::unique_ptr<Policy> priority(const Jobs& jobs, const Machine& machine, Ageing ageing);
std::unique_ptr<Policy> fair_share(const Jobs& jobs, const Machine& machine, Decay decay);

}  // namespace assay::batch
