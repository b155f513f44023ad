// Common starts on a simulated machine, which has one clock: ranks meet without messages, at a time when nothing is
// under way any more, so that no case sees what the one before it left and no exit is disturbed by a rank that left
// earlier.
#pragma once

#include <algorithm>

#include "ranks/collectives.hpp"
#include "ranks/pace.hpp"

namespace assay::ranks {

// So many ranks, whichever, go on together some time after the last of them has come. Its frame is small, as there may
// be a million. On a real machine nobody waits.
template <Communicator C>
Task together(C& comm, int ranks) {
  if constexpr (requires { comm.meet(ranks); }) co_await comm.meet(ranks);
}

struct Passage {  // of one operation, in ticks of the global clock
  std::int64_t in = 0, out = 0;
};
inline constexpr auto join_passages = [](Passage& mine, const Passage& other) {
  mine.in = std::max(mine.in, other.in);
  mine.out = std::max(mine.out, other.out);
};

// Readings from a common start to the last exit of ranks 0 to `ranks` - 1. `all`: how many ranks call it; those that
// are none of them have a part in the operation, and no say in its end. The sampling loop begins each case together.
template <Communicator C, class Operation>
Task to_last_exit(C& comm, int all, int ranks, Run run, std::int64_t* ticks, Operation operation) {
  for (std::int64_t reading = 0; reading < run.readings; ++reading) {
    if (reading > 0) co_await together(comm, all);
    Passage passage{comm.now(), 0}, other;
    for (std::int64_t i = 0; i < run.batch; ++i) co_await operation();
    passage.out = comm.now();
    co_await together(comm, all);
    co_await reduce(comm, ranks, &passage, &other, 1, join_passages);
    if (ticks) ticks[reading] = passage.out - passage.in;
  }
}

}  // namespace assay::ranks
