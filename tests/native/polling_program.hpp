// check_polling() as a program, for MPI and for described machines.
#pragma once

#include "checked_program.hpp"
#include "polling_checks.hpp"

namespace assay::ranks {

struct Polling {
  static constexpr std::string_view record = R"record(
name = "polling"
)record";
  template <Testing C>
  static Task check(C& comm, std::vector<std::string>& wrong) {
    return check_polling(comm, wrong);
  }
  template <Testing C>
  static Task run(C& comm, Session& session) {
    return run_checked<Polling>(comm, session);
  }
};

using Program = Polling;

}  // namespace assay::ranks
