// check_groups() as a program, for MPI.
#pragma once

#include "checked_program.hpp"
#include "group_checks.hpp"

namespace assay::ranks {

struct Groups {
  static constexpr std::string_view record = R"record(
name = "groups"
)record";
  template <OwnBarrier C>
  static Task check(C& comm, std::vector<std::string>& wrong) {
    return check_groups(comm, 10, wrong);
  }
  template <OwnBarrier C>
  static Task run(C& comm, Session& session) {
    return run_checked<Groups>(comm, session);
  }
};

using Program = Groups;

}  // namespace assay::ranks
