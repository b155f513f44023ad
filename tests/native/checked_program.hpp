// A check on every rank as a program, for MPI and for described machines: each rank says what it found otherwise, and
// the check passes where nobody found anything. `Check` has `check(comm, wrong)`, which appends to `wrong`.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "ranks/sampling.hpp"

namespace assay::ranks {

template <class Check, Communicator C>
Task run_checked(C& comm, Session& session) {
  std::vector<std::string> wrong;
  co_await Check::check(comm, wrong);
  std::int64_t count = static_cast<std::int64_t>(wrong.size()), room = 0;
  for (const auto& each : wrong) std::fprintf(stderr, "%s\n", each.c_str());
  co_await reduce(comm, comm.size(), &count, &room, 1, [](auto& mine, auto theirs) { mine += theirs; });
  if (comm.rank() == 0) session.check(timing::Json(), {count == 0, std::to_string(comm.size()) + " ranks"});
}

}  // namespace assay::ranks
