// Collectives: the library's own and explicit algorithms, side by side, from a common start to the last exit.
//
// What each operation gives is said in algorithms/table.hpp, which algorithm is which beside its code. Source: Thakur,
// Rabenseifner and Gropp 2005, and what the algorithms' files name.
#pragma once

#include "ranks/algorithms/data.hpp"
#include "ranks/algorithms/rows.hpp"
#include "ranks/sampling.hpp"
#include "ranks/windows.hpp"

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
default = ["library", "linear", "binomial", "recursive-doubling", "recursive-halving", "rabenseifner", "ring", "pairwise", "bruck", "dissemination", "scatter-allgather"]
choices = ["library", "linear", "binomial", "recursive-doubling", "recursive-halving", "rabenseifner", "ring", "pairwise", "bruck", "dissemination", "scatter-allgather"]
sweep = true
help = "algorithm, where the operation has it; library: MPI's own (on a described machine its own barrier, no other)"

[parameter.bytes]
type = "integer"
default = [8, 1024, 65536]
min = 8
max = 16777216
unit = "B"
sweep = true
help = "length of a block: what a rank gives to each, alltoallv in the mean (a barrier sends none; reductions take whole 8-byte words)"

[parameter.root]
type = "integer"
default = 0
min = 0
max = 16777215
unit = "1"
sweep = true
help = "rank that a broadcast or scatter starts from and a reduce or gather ends at; the other operations have none"

[metric.time]
unit = "s"
help = "from the common start to the last exit"

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
help = "one operation, from the common start to the last exit"
)record";

  template <OwnBarrier C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 1, "1 rank or more", comm.size());
    Collective kernel;
    const Case first = kernel.at(session.cases().front());
    const bool says = comm.rank() == 0;
    const auto keep = [&](const std::string& why, bool reported, auto possible) {
      session.keep([&](const auto& each) { return possible(kernel.at(each)); }, why, reported);
    };
    keep("left out: the table has no such algorithm for the operation", false, [](const Case& at) {
      return at.algorithm == Algorithm::library || function_of<C>(at.operation, at.algorithm) != nullptr;
    });
    keep("left out: no library's own on this machine", says, [&comm](const Case& at) {
      return has_collectives(comm) || at.algorithm != Algorithm::library || at.operation == Operation::barrier;
    });
    keep("left out: reductions take whole 8-byte words", says,
         [](const Case& at) { return !reduces(at.operation) || at.bytes % 8 == 0; });
    const auto repeats = [&](const Case& at) {  // a barrier is the same at every length, and most have no root
      return (at.operation == Operation::barrier && at.bytes != first.bytes) ||
             (!rooted(at.operation) && at.root != first.root);
    };
    keep("left out: the same as another case", false, [&](const Case& at) { return !repeats(at); });
    std::size_t most = 0;
    for (const auto& each : session.cases()) {
      const Case at = kernel.at(each);
      needs(at.root < comm.size(), "a root that is one of the " + std::to_string(comm.size()) + " ranks", at.root);
      most = std::max(most, blocks(at.operation, comm.size()) * at.bytes);
    }
    if (!comm.is_simulated()) {
      kernel.held_ = Held(most);
      kernel.windows_ = std::make_unique<Windows>();
    }
    co_await sample(comm, session, kernel);
    if (comm.rank() == 0) report(session, kernel.windows_);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    Operation operation;
    Algorithm algorithm;
    std::size_t bytes;
    int root;
  };
  static constexpr std::string_view metric = "time";
  std::span<Series> beside() { return ranks::beside(windows_); }
  double spacing() const { return windows_->length; }
  std::string_view cache(const Case&) const { return "same buffer"; }
  bool single(const Case&) const { return true; }
  Case at(const timing::CaseSettings& settings) const {
    return {named<Operation>(operation_names, settings.at("operation").text),
            named<Algorithm>(algorithm_names, settings.at("algorithm").text),
            static_cast<std::size_t>(settings.at("bytes").integer), static_cast<int>(settings.at("root").integer)};
  }
  template <Communicator C>
  timing::Json label(C& comm, const Case& at) const {
    timing::Json json;
    json.text("operation", operation_names[static_cast<std::size_t>(at.operation)]);
    json.text("algorithm", algorithm_names[static_cast<std::size_t>(at.algorithm)]);
    json.integer("bytes", static_cast<std::int64_t>(at.bytes)).integer("root", at.root);
    return json.integer("ranks", comm.size());
  }

  template <OwnBarrier C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    if (comm.is_simulated()) return described(comm, at, run, ticks);
    return in_windows(comm, comm.size(), run.readings, ticks, *windows_,
                      [this, &comm, &at] { return once(comm, at, held_.exchange(at.bytes, at.root)); });
  }

  template <OwnBarrier C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    return at.operation == Operation::barrier ? verify_late(comm, at, verdict) : verify_data(comm, at, verdict);
  }

 private:
  template <class Value>
  static Value named(const auto& names, std::string_view name) {
    return static_cast<Value>(std::ranges::find(names, name) - names.begin());
  }
  // Memory of one rank: `in`, `out` and twice as much to spare.
  class Held {
   public:
    Held() = default;
    explicit Held(std::size_t bytes) : in_(bytes + 8), out_(bytes + 8), spare_(2 * bytes + 8) {}
    Exchange exchange(std::size_t block, int root) { return {in_.data(), out_.data(), spare_.data(), block, root}; }
    std::vector<std::byte>& in() { return in_; }

   private:
    std::vector<std::byte> in_, out_, spare_;
  };

  template <OwnBarrier C>
  Task once(C& comm, Case at, Exchange x) {
    if (at.algorithm == Algorithm::library) return library(comm, at.operation, x);
#ifdef ASSAY_BREAK  // the tests' saboteur: nobody waits
    if (at.operation == Operation::barrier) return {};
#endif
    return function_of<C>(at.operation, at.algorithm)(comm, x);
  }
  template <OwnBarrier C>
  Task library(C& comm, Operation operation, Exchange x) {
    if (operation == Operation::barrier) {
      co_await comm.barrier(comm.size());
    } else if constexpr (OwnCollectives<C>) {
      co_await comm.collective(operation, x.in, x.out, x.block, x.root);
    }
  }

  template <OwnBarrier C>
  Task verify_data(C& comm, Case at, Verdict& verdict) {
    const int me = comm.rank(), ranks = comm.size();
    const std::size_t bytes = blocks(at.operation, ranks) * at.bytes;
    constexpr std::size_t most = std::size_t{128} << 20;  // of all ranks in one process
    if (comm.is_simulated() && 4 * bytes * static_cast<std::size_t>(ranks) > most) {
      verdict = {true, not_carried};
      co_return;
    }
    Held own;
    if (comm.is_simulated()) own = Held(bytes);
    Held& held = comm.is_simulated() ? own : held_;
    const Exchange x = held.exchange(at.bytes, at.root);
    put_data(at.operation, x, held.in().data(), me, ranks);
    co_await once(comm, at, x);
    std::int64_t wrong = wrong_data(at.operation, x, me, ranks), other = 0;
    co_await reduce(comm, ranks, &wrong, &other, 1, [](auto& mine, auto theirs) { mine += theirs; });
    verdict.passed = wrong == 0;
    verdict.detail = std::to_string(ranks) + " ranks, every byte";
    if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " wrong";
  }

  // The last rank enters late; on the global clock no rank may leave before it.
  template <OwnBarrier C>
  Task verify_late(C& comm, Case at, Verdict& verdict) {
    constexpr double late = 2e-4;
    GlobalClock clock;
    co_await clock.set(comm, comm.size());
    if (comm.rank() == comm.size() - 1) {
      const std::int64_t until = comm.now() + static_cast<std::int64_t>(late * C::ticks_a_second);
      co_await comm.compute(late, [&] {
        while (!comm.is_simulated() && comm.now() < until) {
        }
      });
    }
    Passage stay{clock.global(comm.now()) - clock.look().error, 0}, other;
    co_await once(comm, at, {});
    stay.out = clock.global(comm.now()) + clock.look().error;
    co_await reduce(comm, comm.size(), &stay, &other, 1, [](Passage& mine, const Passage& theirs) {
      mine.in = std::max(mine.in, theirs.in);
      mine.out = std::min(mine.out, theirs.out);
    });
    verdict.passed = stay.out >= stay.in;
    verdict.detail = std::to_string(comm.size()) + " ranks, one of them late";
    if (!verdict.passed) verdict.detail += ": a rank left before the late one came";
  }

  // On a described machine: from a common start to the last exit, without carrying data.
  template <OwnBarrier C>
  Task described(C& comm, Case at, Run run, std::int64_t* ticks) {
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      co_await together(comm, comm.size());
      Passage passage{comm.now(), 0}, other;
      for (std::int64_t i = 0; i < run.batch; ++i) co_await once(comm, at, {.block = at.bytes, .root = at.root});
      passage.out = comm.now();
      co_await reduce(comm, comm.size(), &passage, &other, 1, join_passages);
      co_await broadcast(comm, &passage, sizeof passage);  // who is done early sends nothing into what is timed
      if (ticks) ticks[reading] = passage.out - passage.in;
    }
  }

  Held held_;
  std::unique_ptr<Windows> windows_;
};

using Program = Collective;

}  // namespace assay::ranks
