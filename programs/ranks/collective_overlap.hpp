// Overlap of a collective operation and a computation: what each pays for the other.
//
// All ranks make a non-blocking operation in three ways: alone, begun and waited for; a loop alone, as long as that
// took; and the loop between begin and wait, in pieces between which the rank lets the operation go on `calls` times.
// An operation of several rounds goes on by itself only where a library or a network has a processor of its own for it:
// without calls a tree's later rounds begin when the loop ends. `communication_hidden` is the part of the operation's
// time that is not seen beside the loop, `computing_kept` the part of its speed that the loop keeps, its calls counted.
// Times are the slowest rank's. Source: White and Bova 1999 (the measure); Hoefler, Lumsdaine and Rehm 2007 (collective
// operations, progress by testing).
#pragma once

#include "ranks/algorithms/data.hpp"
#include "ranks/algorithms/in_background.hpp"
#include "ranks/algorithms/timed.hpp"
#include "ranks/sampling.hpp"
#include "ranks/turns.hpp"

namespace assay::ranks {

struct CollectiveOverlap {
  static constexpr std::string_view record = R"record(
name = "collective-overlap"
title = "Overlap with collectives"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
needs = ["progress"]
computes = ["turn"]
least_ranks = 2
summary = "a non-blocking collective operation and a computation at once, by the library and by explicit algorithms"
cost = "the operation's messages (`collective` has them), and a loop as long as they take, each alone and both at once"
check = "of each case one operation around a loop: every byte of every rank against a pattern of sender, receiver and position; the loop's result is compared with its closed form"
source = "White and Bova 1999; Hoefler, Lumsdaine and Rehm 2007"

[parameter.operation]
type = "choice"
default = ["broadcast", "allreduce", "alltoall"]
choices = ["broadcast", "reduce", "allreduce", "gather", "scatter", "allgather", "reduce-scatter", "alltoall", "alltoallv", "scan"]
sweep = true
help = "collective operation"

[parameter.algorithm]
type = "choice"
default = ["library", "linear", "binomial", "recursive-doubling", "ring", "pairwise"]
choices = ["library", "linear", "binomial", "recursive-doubling", "recursive-halving", "rabenseifner", "ring", "pairwise", "bruck", "scatter-allgather"]
sweep = true
help = "algorithm, where the operation has it; library: MPI's own"

[parameter.bytes]
type = "integer"
default = [1024, 65536]
min = 8
max = 16777216
unit = "B"
sweep = true
help = "length of a block: what a rank gives to each, alltoallv in the mean (reductions take whole 8-byte words)"

[parameter.calls]
type = "integer"
default = [0, 16]
min = 0
max = 100000
unit = "1"
sweep = true
help = "calls in each rank, while it computes, that let the operation go on (MPI_Test)"

[metric.together]
unit = "s"
help = "operation and loop at once"

[metric.communicating]
unit = "s"
help = "the operation alone"

[metric.computing]
unit = "s"
help = "the loop alone"

[metric.computing_kept]
unit = "1"
difference = true
help = "time of the loop alone over its time inside the operation"

[metric.communication_hidden]
unit = "1"
difference = true
help = "1 less the operation's time outside the loop over its time alone"

[figure.together]
metric = "together"
unit = "s"
help = "operation and loop at once"

[figure.communicating]
metric = "communicating"
unit = "s"
help = "the operation alone"

[figure.computing]
metric = "computing"
unit = "s"
help = "the loop alone"

[figure.computing_kept]
metric = "computing_kept"
unit = "1"
better = "higher"
help = "part of its speed that computing keeps beside the operation"

[figure.communication_hidden]
metric = "communication_hidden"
unit = "1"
better = "higher"
headline = true
help = "part of the operation that computing hides"
)record";

  template <OwnBarrier C>
    requires Testing<C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    session.shared<bool>([&] { return keep_possible(comm, session); });
    CollectiveOverlap kernel;
    std::size_t most = 0;
    for (const auto& each : session.cases()) {
      const Case at = kernel.at(each);
      most = std::max(most, blocks(at.operation, comm.size()) * at.bytes);
    }
    if (!comm.is_simulated()) kernel.held_ = Held(most);
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    Operation operation;
    Algorithm algorithm;
    std::size_t bytes;
    std::int64_t calls;
  };
  static constexpr std::string_view metric = "together";
  std::string_view cache(const Case&) const { return "same buffer"; }
  bool single(const Case&) const { return true; }
  std::vector<Series>& beside() { return beside_; }
  Case at(const timing::CaseSettings& settings) const {
    return {named<Operation>(operation_names, settings.at("operation").text),
            named<Algorithm>(algorithm_names, settings.at("algorithm").text),
            static_cast<std::size_t>(settings.at("bytes").integer), settings.at("calls").integer};
  }
  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    timing::Json json;
    json.text("operation", operation_names[static_cast<std::size_t>(at.operation)]);
    json.text("algorithm", algorithm_names[static_cast<std::size_t>(at.algorithm)]);
    return json.integer("bytes", static_cast<std::int64_t>(at.bytes)).integer("calls", at.calls);
  }

  // Of a reading, in ticks of the slowest rank's clock.
  struct Times {
    std::int64_t communicating = 0, computing = 0, inside = 0, outside = 0, together = 0;
    static void join(Times& mine, const Times& other) {
      for (const auto part :
           {&Times::communicating, &Times::computing, &Times::inside, &Times::outside, &Times::together})
        mine.*part = std::max(mine.*part, other.*part);
    }
  };

  template <class C>
  Task operate(C& comm, Case at, Run run, std::int64_t* ticks) {
    Exchange x{.block = at.bytes};
    if (!comm.is_simulated()) x = held_.exchange(at.bytes, 0);
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      Times times, other;
      co_await barrier(comm);
      std::int64_t start = comm.now();
      {
        InBackground<C> operation;
        co_await operation.begin(comm, nullptr, at.operation, at.algorithm, x);
        co_await operation.finish();
      }
      times.communicating = comm.now() - start;
      co_await reduce(comm, comm.size(), &times, &other, 1, Times::join);
      co_await broadcast(comm, &times, sizeof times);
      const std::int64_t turns = turns_in(comm, static_cast<double>(times.communicating) / C::ticks_a_second);
      start = comm.now();
      co_await busy(comm, turns, wrong_);
      times.computing = comm.now() - start;
      co_await barrier(comm);
      start = comm.now();
      InBackground<C> operation;
      co_await operation.begin(comm, nullptr, at.operation, at.algorithm, x);
      const std::int64_t entered = comm.now();
      co_await compute(comm, operation, turns, at.calls);
      times.inside = comm.now() - entered;
      co_await operation.finish();
      times.together = comm.now() - start;
      times.outside = times.together - times.inside;
      co_await reduce(comm, comm.size(), &times, &other, 1, Times::join);
      if (comm.rank() != 0) continue;
      ticks[reading] = times.together;
      const auto seconds = [](std::int64_t ticks_) { return static_cast<double>(ticks_) / C::ticks_a_second; };
      beside_[0].values.push_back(seconds(times.communicating));
      beside_[1].values.push_back(seconds(times.computing));
      beside_[2].values.push_back(ratio(times.computing, times.inside));
      beside_[3].values.push_back(times.communicating > 0 ? 1 - ratio(times.outside, times.communicating) : 1);
    }
  }

  template <class C>
  Task verify(C& comm, Case at, Verdict& verdict) {
    const int me = comm.rank(), ranks = comm.size();
    const std::size_t bytes = blocks(at.operation, ranks) * at.bytes;
    Held own;
    if (comm.is_simulated()) own = Held(bytes);
    Held& held = comm.is_simulated() ? own : held_;
    const Exchange x = held.exchange(at.bytes, 0);
    put_data(at.operation, x, held.in().data(), me, ranks);
    InBackground<C> operation;
    co_await operation.begin(comm, nullptr, at.operation, at.algorithm, x);
    co_await compute(comm, operation, 1000, at.calls);
    co_await operation.finish();
    std::int64_t wrong = wrong_data(at.operation, x, me, ranks) + std::exchange(wrong_, 0), other = 0;
    co_await reduce(comm, ranks, &wrong, &other, 1, [](auto& mine, auto theirs) { mine += theirs; });
    verdict.passed = wrong == 0;
    verdict.detail = std::to_string(ranks) + " ranks, every byte, around a loop";
    if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " wrong";
  }

 private:
  static double ratio(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 1;
  }
  // So many turns in calls + 1 pieces; between them the operation goes on.
  template <class C>
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
  // Skips what the table does not have and this machine cannot do; once for all ranks that share a session.
  template <class C>
  static bool keep_possible(const C& comm, Session& session) {
    const CollectiveOverlap kernel;
    const bool says = comm.is_simulated() || comm.rank() == 0;
    const auto keep = [&](const std::string& why, bool reported, auto possible) {
      session.keep([&](const auto& each) { return possible(kernel.at(each)); }, why, reported);
    };
    keep("left out: the table has no such algorithm for the operation", false, [](const Case& at) {
      return at.algorithm == Algorithm::library || row_of<C>(at.operation, at.algorithm) != nullptr;
    });
    keep("left out: no non-blocking operations of a library on this machine", says,
         [](const Case& at) { return OwnNonBlocking<C> || at.algorithm != Algorithm::library; });
    keep("left out: reductions take whole 8-byte words", says,
         [](const Case& at) { return !reduces(at.operation) || at.bytes % 8 == 0; });
    return true;
  }

  std::int64_t wrong_ = 0;
  Held held_;
  std::vector<Series> beside_{
      {"communicating", {}}, {"computing", {}}, {"computing_kept", {}}, {"communication_hidden", {}}};
};

using Program = CollectiveOverlap;

}  // namespace assay::ranks
