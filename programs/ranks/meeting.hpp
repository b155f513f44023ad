// Common starts on a simulated machine, which has one clock: ranks meet without messages, when all that were sent have
// been received, so that no case sees what the one before it left and no exit is disturbed by a rank that left earlier.
#pragma once

#include "ranks/communicator.hpp"
#include "ranks/pace.hpp"

namespace assay::ranks {

// So many ranks, whichever, go on together when the last of them has come; `greatest`: a value of this rank's, and then
// the greatest of theirs. `quiet`: after so many seconds, as the disks may have work left when all messages have come.
// On a real machine nobody waits.
template <Communicator C>
Task together(C& comm, int ranks, std::int64_t* greatest = nullptr, double quiet = 0) {
  if constexpr (requires { comm.meet(ranks, std::int64_t{}, std::int64_t{}); }) {
    const auto ticks = static_cast<std::int64_t>(quiet * C::ticks_a_second);
    const std::int64_t found = co_await comm.meet(ranks, greatest ? *greatest : 0, ticks);
    if (greatest) *greatest = found;
  }
}

// Readings from a common start to the last exit of the ranks that call it; `counts`: whether this one's exit is looked
// at, or it has a part in the operation alone. The sampling loop begins each case together.
template <Communicator C, class Operation>
Task to_last_exit(C& comm, int ranks, bool counts, Run run, std::int64_t* ticks, Operation operation) {
  for (std::int64_t reading = 0; reading < run.readings; ++reading) {
    if (reading > 0) co_await together(comm, ranks);
    const std::int64_t start = comm.now();
    for (std::int64_t i = 0; i < run.batch; ++i) co_await operation();
    std::int64_t last = counts ? comm.now() : 0;
    co_await together(comm, ranks, &last);
    if (ticks) ticks[reading] = last - start;
  }
}

}  // namespace assay::ranks
