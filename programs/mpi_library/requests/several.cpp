#include "mpi_library/requests/several.hpp"

#include <algorithm>

namespace assay::abi {

void wait_all(std::span<const MPI_Request> requests) {
  bool any = false;
  for (const MPI_Request each : requests) {
    if (each == MPI_REQUEST_NULL) continue;
    Request& its = request(each);
    if (!its.active || !its.under_way) continue;
    add_wait(its.pending);
    any = true;
  }
  if (any) flush();
}

Several::Several(std::span<const MPI_Request> requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    const Request& its = request(requests[i]);
    if (its.active) (its.under_way ? listed_ : over_).push_back(static_cast<int>(i));
  }
  if (listed_.empty()) return;
  list_ = take(listed_.size() * sizeof(Listed));
  result_ = take(sizeof(Result));
  for (std::size_t i = 0; i < listed_.size(); ++i) {
    const Pending& pending = request(requests[static_cast<std::size_t>(listed_[i])]).pending;
    (&in_arena<Listed>(list_))[i] = {pending.slot, 0, pending.result};
  }
}
Several::~Several() {
  give(list_);
  give(result_);
}

void Several::ask(Does does, TestMode mode) {
  if (listed_.empty()) return;
  Op& op = add(does);
  op.mode = static_cast<std::uint8_t>(mode);
  op.at = list_;
  op.bytes = listed_.size();
  op.result = result_;
  flush();
  const Listed* const all = &in_arena<Listed>(list_);
  for (std::size_t i = 0; i < listed_.size(); ++i)
    if (all[i].over) over_.push_back(listed_[i]);
  std::ranges::sort(over_);
}

void Several::wait(TestMode mode) {
  if (over_.empty()) return ask(Does::wait_any, mode);
  if (mode == TestMode::some) ask(Does::test, mode);
}
void Several::test(TestMode mode) {
  if (mode != TestMode::any || over_.empty()) ask(Does::test, mode);
}

}  // namespace assay::abi
