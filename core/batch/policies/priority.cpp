// Priority with ageing, and EASY backfilling in that order. A job's priority is its own plus so much for each second
// that it waits. As all age alike, the order of two jobs never changes while both wait: it is that of their priority
// less the ageing of their submission.
#include "batch/ordered.hpp"

namespace assay::batch {
namespace {

std::vector<std::size_t> by_priority(const Jobs& jobs, Ageing ageing) {
  std::vector<std::size_t> order = as_submitted(jobs);
  const auto key = [&](std::size_t job) {
    return jobs[job].priority - ageing.per_second * static_cast<double>(jobs[job].submitted);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  return order;
}

class Priority final : public Ordered {
 public:
  Priority(const Jobs& jobs, const Machine& machine, Ageing ageing)
      : Ordered(jobs, machine, by_priority(jobs, ageing)) {}
  void decide(Seconds now, Scheduler& scheduler) override { start_easy(now, scheduler); }
};

}  // namespace

std::unique_ptr<Policy> priority(const Jobs& jobs, const Machine& machine, Ageing ageing) {
  return std::make_unique<Priority>(jobs, machine, ageing);
}

}  // namespace assay::batch
