// First come, first served: no job starts before one that was submitted earlier.
#include "batch/ordered.hpp"

namespace assay::batch {
namespace {

class Fcfs final : public Ordered {
 public:
  Fcfs(const Jobs& jobs, const Machine& machine) : Ordered(jobs, machine, as_submitted(jobs)) {}
  void decide(Seconds now, Scheduler& scheduler) override { start_from_the_front(now, scheduler); }
};

}  // namespace

std::unique_ptr<Policy> fcfs(const Jobs& jobs, const Machine& machine) { return std::make_unique<Fcfs>(jobs, machine); }

}  // namespace assay::batch
