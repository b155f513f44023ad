// Collectives: the library's own and explicit algorithms, side by side, from a common start to the last exit.
//
// What each operation gives is said in algorithms/table.hpp, which algorithm is which beside its code. Source: Thakur,
// Rabenseifner and Gropp 2005, and what the algorithms' files name.
#pragma once

#include "ranks/algorithms/timed.hpp"

namespace assay::ranks {

struct Collective {
  static constexpr std::string_view record = R"record(
name = "collective"
title = "Collectives by algorithm"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 2
profiles = ["full"]
summary = "barrier, broadcast, reduce, allreduce, gather, scatter, allgather, reduce-scatter, all-to-all, alltoallv and scan: the library's own and explicit algorithms"
cost = "of p ranks and blocks of m bytes: broadcast, reduce, gather, scatter and scan (p - 1) m; gather and scatter by a tree m for each set bit of the numbers below p; scan and allreduce by recursive doubling p m log2 p; allreduce 2 (p - 1) m by a tree, a ring or Rabenseifner's; allgather, reduce-scatter and all-to-all p (p - 1) m, all-to-all by Bruck's rounds p m for each set bit of the numbers below p; the library's own: unknown"
computes = ["maximum", "gather"]
check = "of each case one operation on data of its own: every byte of every rank against a pattern of sender, receiver and position, sums of 64-bit words against sums computed anew; a barrier with one rank late, which none may leave before"
source = "Thakur, Rabenseifner and Gropp 2005; Bruck and others 1997; Hensgen, Finkel and Manber 1988"
blocks_full = 4

[parameter.operation]
type = "choice"
default = ["barrier", "broadcast", "reduce", "allreduce", "gather", "scatter", "allgather", "reduce-scatter", "alltoall", "alltoallv", "scan"]
choices = ["barrier", "broadcast", "reduce", "allreduce", "gather", "scatter", "allgather", "reduce-scatter", "alltoall", "alltoallv", "scan"]
sweep = true
help = "collective operation"

[parameter.algorithm]
type = "choice"
default = ["library", "linear", "binomial", "recursive-doubling", "recursive-halving", "rabenseifner", "ring", "pairwise", "bruck", "dissemination", "dimension-exchange", "scatter-allgather", "two-level"]
choices = ["library", "linear", "binomial", "recursive-doubling", "recursive-halving", "rabenseifner", "ring", "pairwise", "bruck", "dissemination", "dimension-exchange", "scatter-allgather", "two-level"]
sweep = true
help = "algorithm, where the operation has it; library: MPI's own (on a described machine its own barrier, and what its [mpi] personality gives)"

[parameter.bytes]
type = "integer"
default = [8, 1024, 65536]
min = 8
max = 16777216
unit = "B"
sweep = true
help = "length of a block: what a rank gives to each, alltoallv in the mean (a barrier sends none; reductions take whole 8-byte words)"

[parameter.call]
type = "choice"
default = "blocking"
choices = ["blocking", "non-blocking"]
sweep = true
help = "blocking, or begun by one call and waited for at once by another: what that costs (what it hides: `collective-overlap`)"

[parameter.root]
type = "integer"
default = 0
min = 0
max = 16777215
unit = "1"
sweep = true
help = "rank that a broadcast or scatter starts from and a reduce or gather ends at; the other operations have none"

[parameter.ranks]
type = "integer"
default = 0
min = 0
max = 16777216
unit = "1"
sweep = true
help = "how many ranks take part, the first ones, as a group of their own; 0: all"

[parameter.node_ranks]
from = "ranks/algorithms/possible.hpp"

[parameter.skew]
type = "real"
default = 0
min = 0
max = 1
unit = "s"
sweep = true
help = "the ranks enter at random moments of so long after the common start"

[metric.time]
unit = "s"
help = "from the last entry to the last exit; from the first entry where the last is late by more than a tenth of that (no skew)"

[metric.clock_error]
from = "ranks/windows.hpp"

[choice]
figure = "time"
across = "algorithm"
own = "library"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
headline = true
help = "one operation, from the last entry to the last exit, or from the first entry (metric time)"
)record";

  template <OwnBarrier C>
    requires Grouped<C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 1, "1 rank or more", comm.size());
    session.widen("ranks", [&] { return std::vector<std::int64_t>{comm.size()}; });
    for (const auto& each : session.cases()) {
      const Case at = case_of(each);
      if (at.among > comm.size())
        refuse("ranks", "more than there are", std::to_string(at.among), "0 (all) to " + std::to_string(comm.size()));
      if (at.root >= comm.size())
        refuse("root", "no such rank", std::to_string(at.root), "0 to " + std::to_string(comm.size() - 1));
    }
    const auto case_of_settings = [](const timing::CaseSettings& each) { return case_of(each); };
    const Nodes& nodes = session.shared<Nodes>([&] { return keep_possible(comm, session, case_of_settings); });
    CollectiveKernel<Collective, C> kernel;
    kernel.seed_ = session.options().seed;
    for (const auto& each : session.cases()) {
      const Case at = case_of(each);
      kernel.longest_skew_ = std::max(kernel.longest_skew_, at.skew);
      co_await kernel.join(comm, nodes, at);
    }
    if (!comm.is_simulated()) {
      kernel.held_ = Held(most_bytes(session, case_of_settings));
      kernel.windows_ = std::make_unique<Windows>();
    }
    co_await sample(comm, session, kernel);
    if (comm.rank() == 0) report(session, kernel.windows_);
    co_await kernel.part(comm);
  }

  using Case = CollectiveCase;
  static constexpr bool copies_own = true, non_blocking = true;
  static Case case_of(const timing::CaseSettings& settings, int = 0) {
    return {operation_of(settings),
            algorithm_of(settings),
            bytes_of(settings),
            static_cast<int>(settings.at("root").integer),
            static_cast<int>(settings.at("ranks").integer),
            settings.at("skew").real,
            settings.at("call").text == "blocking"};
  }
  static timing::Json label(const Case& at) {
    timing::Json json = labelled(at);
    json.integer("root", at.root).integer("ranks", at.among);
    if (at.skew > 0) json.number("skew", at.skew);
    if (!at.blocking) json.text("call", "non-blocking");
    return json;
  }
};

using Program = Collective;

}  // namespace assay::ranks
