// EASY backfilling (Mu'alem and Feitelson 2001, section 2.2): only the first waiting job has a reservation, and a later
// one may start if it ends before the reservation's second or uses processors that are extra at that second.
#include "batch/ordered.hpp"

namespace assay::batch {
namespace {

class Easy final : public Ordered {
 public:
  Easy(const Jobs& jobs, const Machine& machine) : Ordered(jobs, machine, as_submitted(jobs)) {}
  void decide(Seconds now, Scheduler& scheduler) override { start_easy(now, scheduler); }
};

}  // namespace

std::unique_ptr<Policy> easy(const Jobs& jobs, const Machine& machine) { return std::make_unique<Easy>(jobs, machine); }

}  // namespace assay::batch
