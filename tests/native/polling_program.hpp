// check_polling() as a program, for MPI and for described machines.
#pragma once

#include "polling_checks.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

struct Polling {
  static constexpr std::string_view record = R"record(
name = "polling"
)record";
  template <Testing C>
  static Task run(C& comm, Session& session) {
    std::vector<std::string> wrong;
    co_await check_polling(comm, wrong);
    std::int64_t count = static_cast<std::int64_t>(wrong.size()), room = 0;
    for (const auto& each : wrong) std::fprintf(stderr, "%s\n", each.c_str());
    co_await reduce(comm, comm.size(), &count, &room, 1, [](auto& mine, auto theirs) { mine += theirs; });
    if (comm.rank() == 0) session.check(timing::Json(), {count == 0, std::to_string(comm.size()) + " ranks"});
  }
};

using Program = Polling;

}  // namespace assay::ranks
