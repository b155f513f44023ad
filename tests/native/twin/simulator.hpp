// The twin's clockwork. In every tick:
//   1. requests: messages generated now, and heads ready now to leave the buffer that they are in, ask for their next
//      link; those of one tick join the link's queue in order of message id, then stage;
//   2. until nothing changes any more: a free channel is granted to the first of its link's queue, whose head crosses
//   at
//      once; every other flit that may cross its next wire does so; what has become free is freed.
// A channel can be granted in the very tick in which it becomes free. Nothing is predicted, nothing is known ahead.
#pragma once
#include <cstdint>
#include <vector>

#include "plan.hpp"

namespace twin {

struct Outcome {
  bool deadlock = false;
  std::int64_t ticks = 0;      // the last one simulated
  std::int64_t crossings = 0;  // flits over links
};

/// Fills in head and tail of the plan's messages.
Outcome simulate(Plan& plan);

}  // namespace twin
