// First fit without reservation: every job that fits starts, in order of submission; a wide one may never get its turn.
// This is what PBS did on the clusters of van der Steen 2000, which had no backfilling.
#include "batch/ordered.hpp"

namespace assay::batch {
namespace {

class FirstFit final : public Ordered {
 public:
  FirstFit(const Jobs& jobs, const Machine& machine) : Ordered(jobs, machine, as_submitted(jobs)) {}
  void decide(Seconds now, Scheduler& scheduler) override { start_all_that_fit(now, scheduler); }
};

}  // namespace

std::unique_ptr<Policy> first_fit(const Jobs& jobs, const Machine& machine) {
  return std::make_unique<FirstFit>(jobs, machine);
}

}  // namespace assay::batch
