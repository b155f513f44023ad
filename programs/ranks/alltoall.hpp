// All-to-all: every rank sends every other one message of its own, by pairwise exchange unless another algorithm of the
// one table (algorithms/rows.hpp) or the library's own is asked for; from a common start to the last exit. A rank's
// block to itself stays where it is. Source: Thakur, Rabenseifner, Gropp 2005.
#pragma once

#include "ranks/algorithms/timed.hpp"

namespace assay::ranks {

struct AllToAll {
  static constexpr std::string_view record = R"record(
name = "alltoall"
title = "All to all"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
first_look = true
ranks = "all"
least_ranks = 3
summary = "every rank sends every other a message of its own, by pairwise exchange: the network under full load"
cost = "ranks * (ranks - 1) messages of `bytes` bytes"
check = "of each case one exchange on data of its own: every byte of every rank against a pattern of sender, receiver and position"
source = "Thakur, Rabenseifner, Gropp 2005, pairwise exchange"

[parameter.bytes]
type = "integer"
default = [8, 64, 512, 1024, 4096, 32768, 262144]
quick = [8, 1024, 65536]
described = 1024
min = 1
max = 16777216
unit = "B"
sweep = true
help = "length of each message"

[parameter.algorithm]
type = "choice"
default = "pairwise"
choices = ["pairwise", "linear", "bruck", "library"]
sweep = true
help = "pairwise exchange, all messages posted at once, Bruck's rounds, or MPI's own; cases without it are by pairwise exchange"

[metric.time]
unit = "s"
help = "from the common start to the last exit"

[metric.clock_error]
from = "ranks/windows.hpp"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
help = "one exchange of all with all"

[figure.rate]
metric = "time"
formula = "(ranks - 1) * bytes / value"
unit = "B/s"
better = "higher"
headline = true
help = "what each rank sends, over the time of the whole"
)record";

  template <OwnBarrier C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    session.keep(
        [&](const auto& each) {
          return has_collectives(comm) || case_of(each, comm.size()).algorithm != Algorithm::library;
        },
        {"no library's own on this machine", "algorithm", table_of<C>(Operation::alltoall)},
        comm.is_simulated() || comm.rank() == 0);
    CollectiveKernel<AllToAll, C> kernel;
    kernel.all_ = comm.size();
    if (!comm.is_simulated()) {
      std::size_t most = 1;
      bool spare = false;
      for (const auto& each : session.cases()) {
        const CollectiveCase at = case_of(each, comm.size());
        most = std::max(most, blocks(at.operation, at.among) * at.bytes);
        spare = spare || at.algorithm == Algorithm::bruck;
      }
      kernel.held_ = Held(most, spare);
      kernel.windows_ = std::make_unique<Windows>();
    }
    co_await sample(comm, session, kernel);
    if (comm.rank() == 0) report(session, kernel.windows_);
  }

  // --- for the kernel of algorithms/timed.hpp -----------------------------------------------------------------------
  static constexpr bool copies_own = false, non_blocking = false;  // the rate counts what is sent
  static CollectiveCase case_of(const timing::CaseSettings& settings, int ranks) {
    return {Operation::alltoall, algorithm_of(settings), bytes_of(settings), 0, ranks};
  }
  static timing::Json label(const CollectiveCase& at) {
    timing::Json json;
    json.integer("bytes", static_cast<std::int64_t>(at.bytes)).integer("ranks", at.among);
    if (at.algorithm == Algorithm::pairwise) return json;  // as these cases were named before there were others
    return json.text("algorithm", algorithm_names[static_cast<std::size_t>(at.algorithm)]);
  }
};

using Program = AllToAll;

}  // namespace assay::ranks
