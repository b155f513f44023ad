// Overlap of a collective operation and a computation: what each pays for the other.
//
// All ranks make a non-blocking operation in three ways: alone, begun and waited for; a loop alone, as long as that
// took; and the loop between begin and wait, in pieces between which the rank lets the operation go on `calls` times.
// An operation of several rounds goes on by itself only where a library or a network has a processor of its own for it:
// without calls a tree's later rounds begin when the loop ends. `communication_hidden` is the part of the operation's
// time that is not seen beside the loop, `computing_kept` the part of its speed that the loop keeps, its calls counted.
// Times are the slowest rank's, from a
// common start. Source: White and Bova 1999 (the measure); Hoefler, Lumsdaine and Rehm 2007 (collective
// operations, progress by testing).
#pragma once

#include "ranks/agreed_start.hpp"
#include "ranks/algorithms/right.hpp"
#include "ranks/overlapping.hpp"
#include "ranks/turns.hpp"

namespace assay::ranks {

// The kernel of sampling.hpp.
template <class Program, OwnBarrier C>
struct OverlapKernel {
  struct Case : CollectiveCase {
    std::int64_t calls = 0;
  };
  static constexpr std::string_view record = Program::record;
  static constexpr std::string_view metric = "together";
  explicit OverlapKernel(int ranks) : ranks_(ranks) {}
  std::string_view cache(const Case&) const { return "same buffer"; }
  bool single(const Case&) const { return true; }
  std::vector<Series>& beside() { return beside_.all(); }
  Case at(const timing::CaseSettings& settings) const {
    return {{operation_of(settings), algorithm_of(settings), bytes_of(settings), 0, ranks_, 0, false},
            settings.at("calls").integer};
  }
  timing::Json label(C&, const Case& at) const { return labelled(at).integer("calls", at.calls); }

  // Of a reading, in ticks of the slowest rank's clock.
  struct Times {
    std::int64_t communicating = 0, computing = 0, inside = 0, outside = 0, together = 0;
    std::int64_t missed = 0;  // whether it came too late for a common start
    static void join(Times& mine, const Times& other) {
      for (const auto part : {&Times::communicating, &Times::computing, &Times::inside, &Times::outside,
                              &Times::together, &Times::missed})
        mine.*part = std::max(mine.*part, other.*part);
    }
  };

  Task operate(C& comm, Case at, Run run, std::int64_t* ticks) {
    Exchange x{.block = at.bytes};
    const bool real = !comm.is_simulated();
    if (real) {
      x = held_.exchange(at.bytes, 0);
      co_await start_.set(comm);
    }
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      Times times, other;
      const Task alone = at_once(comm, &levels_.of(at.operation), at.operation, at.algorithm, x);
      Moments moments;
      if (real) {
        alone.run_at(moments);
        co_await start_.agree(comm, moments.start);
      } else {
        co_await together(comm, comm.size());
      }
      std::int64_t start = comm.now();
      co_await alone;
      times.communicating = real ? moments.out - moments.in : comm.now() - start;
      times.missed = moments.missed;
      co_await together(comm, comm.size());  // who is done early sends nothing into what is timed
      co_await reduce(comm, comm.size(), &times, &other, 1, Times::join);
      co_await broadcast(comm, &times, sizeof times);
      const std::int64_t turns = turns_in(comm, static_cast<double>(times.communicating) / C::ticks_a_second);
      start = comm.now();
      co_await busy(comm, turns, wrong_);
      times.computing = comm.now() - start;
      const auto beside = prepared(comm, at, x);  // not before `alone`: its library would find the heap in pieces
      const Task both = around(comm, *beside, turns, at.calls, &times.inside);
      Moments whole;
      if (real) {
        both.run_at(whole);
        co_await start_.agree(comm, whole.start);
      } else {
        co_await together(comm, comm.size());
      }
      start = comm.now();
      co_await both;
      times.together = real ? whole.out - whole.in : comm.now() - start;
      times.outside = times.together - times.inside;
      times.missed = std::max<std::int64_t>(times.missed, whole.missed);
      co_await together(comm, comm.size());
      co_await reduce(comm, comm.size(), &times, &other, 1, Times::join);
      if (comm.rank() != 0) continue;
      start_.counts(times.missed != 0);
      ticks[reading] = times.together;
      const auto seconds = [](std::int64_t ticks_) { return static_cast<double>(ticks_) / C::ticks_a_second; };
      beside_.add(
          {seconds(times.communicating), seconds(times.computing), seconds(times.inside), seconds(times.outside)});
    }
  }

  Task verify(C& comm, const Case& at, Verdict& verdict) {
    const auto on = [this, &comm, at](Exchange x) { return once(comm, at, x); };
    if (at.operation == Operation::barrier) return verify_late(comm, ranks_, verdict, [on] { return on({}); });
    return verify_data(comm, at, held_, wrong_, ", around a loop", verdict, on);
  }

  std::unique_ptr<Prepared<C>> prepared(C& comm, const Case& at, Exchange x) {
    return std::make_unique<Prepared<C>>(comm, &levels_.of(at.operation), at.operation, at.algorithm, x);
  }
  // It is begun before a loop of so many turns and waited for after it; `inside`: how long the loop took.
  Task around(C& comm, Prepared<C>& prepared, std::int64_t turns, std::int64_t calls, std::int64_t* inside) {
    co_await prepared.begin;
    const std::int64_t entered = comm.now();
    co_await compute(comm, prepared.steps, turns, calls);
    if (inside) *inside = comm.now() - entered;
    co_await prepared.finish;
  }
  Task once(C& comm, Case at, Exchange x) {
    const auto operation = prepared(comm, at, x);
    co_await around(comm, *operation, 1000, at.calls, nullptr);
  }
  // The turns in calls + 1 pieces; between them the operation goes on.
  Task compute(C& comm, InBackground<C>& operation, std::int64_t turns, std::int64_t calls) {
    bool over = false;
    std::int64_t done = 0;
    for (std::int64_t piece = 1; piece <= calls + 1; ++piece) {
      const auto until = static_cast<std::int64_t>(static_cast<double>(turns) * static_cast<double>(piece) /
                                                   static_cast<double>(calls + 1));
      co_await busy(comm, until - done, wrong_);
      done = until;
      if (piece <= calls && !over) co_await operation.advance(over);
    }
  }

  int ranks_;
  std::int64_t wrong_ = 0;
  Held held_;
  BothLevels<C> levels_;
  AgreedStart start_;
  OverlapSeries beside_;
};

struct CollectiveOverlap {
  static constexpr std::string_view record = R"record(
name = "collective-overlap"
title = "Overlap with collectives"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
needs = ["progress"]
computes = ["turn", "maximum", "gather"]
least_ranks = 2
summary = "a non-blocking collective operation and a computation at once, by the library and by explicit algorithms"
cost = "the operation's messages (`collective` has them), and a loop as long as they take, each alone and both at once"
check = "of each case one operation around a loop: every byte of every rank against a pattern of sender, receiver and position; a barrier with one rank late, which none may leave before; the loop's result is compared with its closed form"
source = "White and Bova 1999; Hoefler, Lumsdaine and Rehm 2007"

[parameter.operation]
type = "choice"
default = ["broadcast", "allreduce", "alltoall"]
choices = ["barrier", "broadcast", "reduce", "allreduce", "gather", "scatter", "allgather", "reduce-scatter", "alltoall", "alltoallv", "scan"]
sweep = true
help = "collective operation"

[parameter.algorithm]
type = "choice"
default = ["library", "linear", "binomial", "recursive-doubling", "ring", "pairwise"]
choices = ["library", "linear", "binomial", "recursive-doubling", "recursive-halving", "rabenseifner", "ring", "pairwise", "bruck", "dissemination", "dimension-exchange", "scatter-allgather", "two-level"]
sweep = true
help = "algorithm, where the operation has it; library: MPI's own (what is described of libraries has no non-blocking operations)"

[parameter.bytes]
type = "integer"
default = [1024, 65536]
min = 8
max = 16777216
unit = "B"
sweep = true
help = "length of a block: what a rank gives to each, alltoallv in the mean (a barrier sends none; reductions take whole 8-byte words)"

[parameter.calls]
type = "integer"
default = [0, 16]
min = 0
max = 100000
unit = "1"
sweep = true
help = "calls in each rank, while it computes, that let the operation go on (MPI_Test)"

[parameter.node_ranks]
from = "ranks/algorithms/possible.hpp"

[metric.together]
unit = "s"
help = "operation and loop at once"

[metric.communicating]
from = "ranks/overlapping.hpp"

[metric.computing]
from = "ranks/overlapping.hpp"

[metric.computing_kept]
from = "ranks/overlapping.hpp"

[metric.communication_hidden]
from = "ranks/overlapping.hpp"

[figure.together]
from = "ranks/overlapping.hpp"

[figure.communicating]
from = "ranks/overlapping.hpp"

[figure.computing]
from = "ranks/overlapping.hpp"

[figure.computing_kept]
from = "ranks/overlapping.hpp"

[figure.communication_hidden]
from = "ranks/overlapping.hpp"
)record";

  template <OwnBarrier C>
    requires Testing<C> && Grouped<C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    const auto case_of = [&](const timing::CaseSettings& each) -> CollectiveCase {
      return {operation_of(each), algorithm_of(each), bytes_of(each), 0, comm.size(), 0, false};
    };
    const Nodes& nodes = session.shared<Nodes>([&] { return keep_possible(comm, session, case_of); });
    OverlapKernel<CollectiveOverlap, C> kernel(comm.size());
    if (!comm.is_simulated()) kernel.held_ = Held(most_bytes(session, case_of));
    for (const auto& each : session.cases())
      if (algorithm_of(each) == Algorithm::two_level) co_await kernel.levels_.make(comm, nodes, operation_of(each));
    co_await sample(comm, session, kernel);
    if (comm.rank() == 0) kernel.start_.report(session);
    co_await kernel.levels_.release(comm);
  }
};

using Program = CollectiveOverlap;

}  // namespace assay::ranks
