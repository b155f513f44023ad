// A batch system whose jobs are placed on nodes: what a policy would start may find no room although enough processors
// are free, and jobs may exclude one another. Policies are written over places instead of counts; on a machine of one
// node they are those of `simulate`. Each decision looks at every job that waits: tens of thousands of jobs, not
// millions.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "batch/placed/nodes.hpp"
#include "batch/simulate.hpp"

namespace assay::batch {

/// Nodes that nobody gets in [from, to). `known`: a reservation, which jobs that would run into it respect; else a
/// failure, at which the jobs of its nodes end.
struct Closure {
  std::vector<std::int32_t> nodes;
  Seconds from = 0, to = 0;
  bool known = true;
};

struct PlacedSettings {
  Layout layout;
  std::string policy = "fcfs";
  Ageing ageing;
  Decay decay;
  std::vector<Limit> limits;  // on the jobs that count towards each
  std::vector<Closure> closures;
  SharedResources shared;  // by which jobs slow one another down
  bool again = false;      // a job that a failure ended is queued again, in its old place
  Seconds decision_cost = 0;
};

/// Processor seconds without work, by why; over the first submission to the last end.
struct PlacedIdle {
  Idle none;                    // as in `simulate`
  std::int64_t fragmented = 0;  // enough processors were free for a job that waited, and no place for it
  std::int64_t closed = 0;      // of nodes that had failed or were reserved
  std::int64_t lost = 0;        // of runs that a failure ended
  std::int64_t unused = 0;      // held by jobs that do not use them
};

struct PlacedOutcome {
  std::vector<Seconds> starts, ends;
  std::vector<Placement> places;
  std::vector<bool> killed;            // where jobs slow one another down: which were ended at their limit
  std::vector<std::int32_t> failures;  // how often a failure of its nodes ended each job
  PlacedIdle idle;
  std::uint64_t decisions = 0;
};

/// Jobs in order of submission, and what each needs. std::invalid_argument where the queue cannot be emptied: it names
/// the job.
PlacedOutcome simulate_placed(const PlacedSettings& settings, Jobs jobs, std::vector<Needs> needs);

class PlacedQueue;

/// The same asked step by step, where something else runs the jobs and says when each ends. Time is whole ticks of any
/// length. Failures of nodes are no part of it.
class PlacedStepper {
 public:
  /// `jobs` in order of submission, each of which fits the empty machine; `runs` is not looked at.
  PlacedStepper(const PlacedSettings& settings, Jobs jobs, std::vector<Needs> needs);
  ~PlacedStepper();
  PlacedStepper(const PlacedStepper&) = delete;
  PlacedStepper& operator=(const PlacedStepper&) = delete;

  /// What happened since the last step, at `now`: ends, then submissions in order; then the policy decides. Returns the
  /// jobs that start, in the order of its decisions. std::invalid_argument for a job that cannot end or be submitted.
  std::vector<std::size_t> step(Seconds now, const std::vector<std::size_t>& ended,
                                const std::vector<std::size_t>& submitted);
  const Placement& place(std::size_t job) const;
  /// The next tick at which the policy must decide although nothing happens; `never` where there is none.
  Seconds wakes() const;
  /// So far.
  const PlacedOutcome& outcome() const;

 private:
  std::unique_ptr<PlacedQueue> queue_;
};

/// Whether each job has a place on the empty machine.
std::vector<bool> placeable(const Layout& layout, const Jobs& jobs, const std::vector<Needs>& needs);

}  // namespace assay::batch
