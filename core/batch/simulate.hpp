// A batch system under a workload: jobs in order of submission, then of their number.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "batch/progress.hpp"
#include "batch/scheduler.hpp"

namespace assay::batch {

struct Settings {
  std::int64_t processors = 1;
  std::string policy = "fcfs";
  Ageing ageing;
  Decay decay;
  // How long the scheduler takes for each decision: it knows what had happened when it began, and the jobs on which it
  // decides start when it is done. Whatever happens meanwhile waits for its next decision.
  Seconds decision_cost = 0;
  Queues queues;
  SharedResources shared;  // by which jobs slow one another down; of nodes none
};

/// The policy that `settings` names, over jobs that stay where they are; std::invalid_argument for none.
std::unique_ptr<Policy> policy_of(const Settings& settings, const Jobs& jobs);

/// Processor seconds that nobody used between the first submission and the last end, by why.
struct Idle {
  std::int64_t queue_empty = 0;  // no job waited
  std::int64_t none_fitted = 0;  // every waiting job needs more processors than were free
  std::int64_t held = 0;         // a waiting job would have fitted, and the policy kept it back
  std::int64_t scheduler = 0;    // a waiting job would have fitted, and the scheduler was deciding
  std::int64_t limited = 0;      // only jobs would have fitted that a limit of their queue or user kept back
};

struct Outcome {
  std::vector<Seconds> starts;  // of each job
  std::vector<Seconds> ends;    // where jobs slow one another down
  std::vector<bool> killed;     // which of these were ended at their limit
  Idle idle;
  std::uint64_t decisions = 0;
};

/// Jobs must be in order of submission and fit the machine.
Outcome simulate(const Settings& settings, Jobs jobs);

}  // namespace assay::batch
