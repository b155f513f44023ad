// Barrier: no rank leaves before the last has entered; by number of ranks and by algorithm.
//
// The algorithms are those of the one table (algorithms/rows.hpp, algorithms/barriers.hpp); library: the machine's own.
// Every message names the witnesses that are known to have entered. Source: Dunigan, DELTA, Table 3.2 (gsync).
#pragma once

#include <limits>

#include "ranks/algorithms/rows.hpp"
#include "ranks/sampling.hpp"
#include "ranks/windows.hpp"

namespace assay::ranks {

struct Barrier {
  static constexpr std::string_view record = R"record(
name = "barrier"
title = "Barrier of ranks"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
first_look = true
ranks = "all"
least_ranks = 2
summary = "the time until all ranks know that all have come, by algorithm and number of ranks"
cost = "dissemination: ranks * ceil(log2(ranks)) messages of 8 bytes; tree: 2 * (ranks - 1); the library's own: unknown"
check = "each message names the witnesses known to have entered, and every rank must know all at its exit, in every barrier timed; then one rank comes late, and none may leave before it (beyond 65,536 ranks of a described machine: of the library's barrier alone)"
source = "Dunigan 1991 (DELTA), section 3.1, Table 3.2"
published = ["barrier"]

[parameter.algorithm]
type = "choice"
default = ["dissemination", "recursive doubling", "tree", "dimension exchange", "library"]
choices = ["dissemination", "recursive doubling", "tree", "dimension exchange", "library", "linear"]
sweep = true
help = "barrier algorithm"

[parameter.ranks]
type = "integer"
default = 0
min = 0
max = 16777216
unit = "1"
sweep = true
help = "how many ranks take part, the first ones; 0: every power of two, and all (beyond 4,096 only all)"

[parameter.timing]
type = "choice"
default = ["window", "back to back"]
described = "window"
choices = ["window", "back to back"]
sweep = true
help = "from a common start to the last exit on a global clock, or one barrier after the other at rank 0 (of a described machine from a common start to the last exit as well)"

[metric.time]
unit = "s"
help = "one barrier"

[metric.clock_error]
from = "ranks/windows.hpp"

[headline.barrier]
figure = "time"
where = "algorithm=library timing=window"
most = "ranks"
title = "barrier of {ranks} ranks (the library's)"
says = "holds a barrier of {ranks} ranks in"
bound = "line_transfers"
advice = "synchronise less often, or compare the algorithms in the part on messages"
order = 3

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = true
help = "one barrier"
)record";

  template <OwnBarrier C>
  static Task run(C& comm, Session& session) {
    if (comm.is_simulated())
      return sample_described<Barrier>(comm, session, Barrier(session.options().seed));  // a frame less per rank
    return measured(comm, session);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Name {  // of a row of the table
    std::string_view word;
    Algorithm algorithm;
  };
  static constexpr std::array<Name, 6> names = {{{"dissemination", Algorithm::dissemination},
                                                 {"recursive doubling", Algorithm::recursive_doubling},
                                                 {"tree", Algorithm::binomial},
                                                 {"dimension exchange", Algorithm::dimension_exchange},
                                                 {"library", Algorithm::library},
                                                 {"linear", Algorithm::linear}}};
  struct Case {
    int among;
    Algorithm algorithm;
    bool window;
  };
  static constexpr std::string_view metric = "time";
  static constexpr bool ends_together = true;
  std::span<Series> beside() { return ranks::beside(windows_); }
  double spacing() const { return windows_->length; }
  std::string_view cache(const Case&) const { return "none"; }
  bool single(const Case& at) const { return at.window; }
  Case at(const timing::CaseSettings& settings) const {
    const Algorithm algorithm = std::ranges::find(names, settings.at("algorithm").text, &Name::word)->algorithm;
    return {static_cast<int>(settings.at("ranks").integer), algorithm, settings.at("timing").text == "window"};
  }

  template <Communicator C>
  void admit(C& comm, Session& session) const {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    session.widen("ranks", [&] { return counts(comm.size()); });
    for (const auto& each : session.cases()) {
      const int among = static_cast<int>(each.at("ranks").integer);
      if (among < 2 || among > comm.size())
        refuse("ranks", "no number of ranks to take part", std::to_string(among),
               "0 (all), 2 to " + std::to_string(comm.size()));
    }
  }

  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    timing::Json json;
    json.text("algorithm", std::ranges::find(names, at.algorithm, &Name::algorithm)->word).integer("ranks", at.among);
    return json.text("timing", at.window ? "window" : "back to back");
  }

  // No coroutine of its own: the frame of a rank is the algorithm's.
  template <OwnBarrier C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    witnesses_.next();
    if (comm.is_simulated()) return described(comm, at, run, ticks);
    if (!at.window) return barriers(comm, at, run, ticks);
    return in_windows(comm, at.among, run.readings, ticks, *windows_, [&] { return barriers(comm, at); });
  }

  template <OwnBarrier C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    const bool late = !comm.is_simulated() || at.among <= most_checked_late || at.algorithm == Algorithm::library;
    if (late) return verify_late(comm, at, verdict);  // the library's carries no witnesses
    if (comm.rank() == 0) judge(at.among, std::exchange(early_, 0), "", verdict, " of the readings had exits");
    return {};
  }

 private:
  explicit Barrier(std::uint64_t seed) : witnesses_(seed) {}

  template <OwnBarrier C>
  static Task measured(C& comm, Session& session) {
    Barrier kernel(session.options().seed);
    kernel.windows_ = std::make_unique<Windows>();
    co_await sample(comm, session, kernel);
    if (comm.rank() == 0) report(session, kernel.windows_);
  }

  // One rank enters late; on the global clock no rank may leave before it. Then the verdict of all witnesses so far.
  template <OwnBarrier C>
  Task verify_late(C& comm, const Case& at, Verdict& verdict) {
    if (comm.rank() >= at.among) co_return;
    GlobalClock clock;
    co_await clock.set(comm, at.among);
    const auto delay = static_cast<std::int64_t>(2e-4 * C::ticks_a_second);
    if (comm.rank() == static_cast<int>(witnesses_.turn() % static_cast<std::uint64_t>(at.among))) {
      const std::int64_t until = comm.now() + delay;
      co_await comm.compute(2e-4, [&] {
        while (!comm.is_simulated() && comm.now() < until) {
        }
      });
    }
    const std::int64_t in = clock.global(comm.now()) - clock.look().error;
    co_await barriers(comm, at);
    Stay stay{in, clock.global(comm.now()) + clock.look().error, witnesses_.take_wrong()}, room;
    co_await reduce(comm, at.among, &stay, &room, 1, join);
    if (comm.rank() != 0) co_return;
    judge(at.among, stay.wrong, ", one of them late", verdict);
    if (stay.first_out >= stay.last_in) co_return;
    verdict.passed = false;
    verdict.detail += ": a rank left before the late one came";
  }
  static void judge(int among, std::int64_t wrong, std::string_view how, Verdict& verdict,
                    std::string_view what = " exits") {
    verdict.passed = wrong == 0;
    verdict.detail = std::to_string(among) + " ranks" + std::string(how);
    if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + std::string(what) + " before all had entered";
  }

  static std::vector<std::int64_t> counts(int ranks) {
    std::vector<std::int64_t> all;
    for (std::int64_t among = 2; among < ranks && ranks <= 4096; among *= 2) all.push_back(among);
    all.push_back(ranks);
    return all;
  }

  template <OwnBarrier C>
  Task barriers(C& comm, const Case& at, Run run = {1, 1}, std::int64_t* ticks = nullptr) {
    if (at.algorithm == Algorithm::library) return library(comm, at.among, run, ticks);
    return row_of<C>(Operation::barrier, at.algorithm)->barriers(comm, {at.among, run, ticks, &witnesses_});
  }

  template <OwnBarrier C>
  Task library(C& comm, int among, Run run, std::int64_t* ticks) {
    if (comm.rank() >= among) co_return;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        if (Barriers::first_step == 1) co_await comm.barrier(among);
      }
      if (ticks) ticks[reading] = comm.now() - start;
    }
  }

  // What a rank saw, and what all saw together.
  struct Stay {
    std::int64_t last_in = 0, first_out = std::numeric_limits<std::int64_t>::max(), wrong = 0;
  };
  static void join(Stay& mine, const Stay& other) {
    mine.last_in = std::max(mine.last_in, other.last_in);
    mine.first_out = std::min(mine.first_out, other.first_out);
    mine.wrong += other.wrong;
  }

  // On a described machine, several in a row as well: from a common start to the last exit. Among very many ranks an
  // exit that came too early has no time, so that nobody need be asked for it again.
  template <OwnBarrier C>
  Task described(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    if (comm.rank() >= at.among) co_return;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      // a task that is awaited where it is made keeps room in the frame, of which there may be a million: they share it
      Task step;
      if (reading > 0) {
        step = together(comm, at.among);
        co_await step;
        step = {};
      }
      const std::int64_t start = comm.now();
      step = barriers(comm, at, {1, run.batch});
      co_await step;
      step = {};
      std::int64_t last = at.among > most_checked_late && witnesses_.take_wrong() > 0 ? too_early : comm.now();
      step = together(comm, at.among, &last);
      co_await step;
      if (comm.rank() == 0) early_ += last == too_early;
      if (ticks) ticks[reading] = last - start;
    }
  }

  static constexpr std::int64_t too_early = std::numeric_limits<std::int64_t>::max();
  static constexpr int most_checked_late = 1 << 16;  // on described machines, where that costs as much as the test
  Witnesses witnesses_;
  std::int64_t early_ = 0;  // at rank 0: barriers that somebody left too early, among very many ranks
  std::unique_ptr<Windows> windows_;
};

using Program = Barrier;

}  // namespace assay::ranks
