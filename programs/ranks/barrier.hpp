// Barrier: no rank leaves before the last has entered; by number of ranks and by algorithm.
//
// Dissemination (Hensgen, Finkel, Manber 1988): in round k rank r sends to r + 2^k and receives from r - 2^k. Recursive
// doubling: in round k ranks r and r ^ 2^k exchange messages at once. Dimension exchange: the same pairs from the
// highest dimension of the cube down, the lower rank sending first, as suits channels that carry one way at a time.
// Tree: up a binomial tree to rank 0 and down again. Beyond a power of two the last two kinds fold the surplus ranks
// onto the first ones. Library: the machine's own. A message carries 8 bytes: which of 64 witnesses (another 64 in each
// run) are known to have entered, so that every barrier that was timed was also checked. Source: Dunigan, DELTA,
// Table 3.2 (gsync).
#pragma once

#include <bit>
#include <limits>

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
check = "each message names the witnesses known to have entered, and every rank must know all at its exit, in every barrier timed; then one rank comes late, and none may leave before it"
source = "Dunigan 1991 (DELTA), section 3.1, Table 3.2"
published = ["barrier"]

[parameter.algorithm]
type = "choice"
default = ["dissemination", "recursive doubling", "tree", "dimension exchange", "library"]
choices = ["dissemination", "recursive doubling", "tree", "dimension exchange", "library"]
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
help = "from a common start to the last exit on a global clock, or one barrier after the other at rank 0"

[metric.time]
unit = "s"
help = "one barrier"

[metric.clock_error]
from = "ranks/windows.hpp"

[headline.barrier]
figure = "time"
where = "algorithm=library timing=window"
most = "ranks"
title = "barrier of all ranks (the library's)"
says = "holds a barrier of all ranks in"
bound = "line_transfers"
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
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    session.widen("ranks", [&] { return counts(comm.size()); });
    for (const auto& each : session.cases()) {
      const int among = static_cast<int>(each.at("ranks").integer);
      needs(among >= 2 && among <= comm.size(), "2 to " + std::to_string(comm.size()) + " ranks to take part", among);
    }
    Barrier kernel(session.options().seed);
    if (!comm.is_simulated()) kernel.windows_ = std::make_unique<Windows>();
    co_await sample(comm, session, kernel);
    if (comm.rank() == 0) report(session, kernel.windows_);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  enum class Algorithm : std::uint8_t { dissemination, doubling, tree, dimensions, library };
  struct Case {
    int among;
    Algorithm algorithm;
    bool window;
  };
  static constexpr std::string_view metric = "time";
  std::span<Series> beside() { return ranks::beside(windows_); }
  double spacing() const { return windows_->length; }
  std::string_view cache(const Case&) const { return "none"; }
  bool single(const Case& at) const { return at.window; }
  Case at(const timing::CaseSettings& settings) const {
    const std::string_view name = settings.at("algorithm").text;
    const Algorithm algorithm = name == "dissemination"        ? Algorithm::dissemination
                                : name == "recursive doubling" ? Algorithm::doubling
                                : name == "tree"               ? Algorithm::tree
                                : name == "library"            ? Algorithm::library
                                                               : Algorithm::dimensions;
    return {static_cast<int>(settings.at("ranks").integer), algorithm, settings.at("timing").text == "window"};
  }

  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    static constexpr const char* names[] = {"dissemination", "recursive doubling", "tree", "dimension exchange",
                                            "library"};
    timing::Json json;
    json.text("algorithm", names[static_cast<int>(at.algorithm)]).integer("ranks", at.among);
    return json.text("timing", at.window ? "window" : "back to back");
  }

  // No coroutine of its own: the frame of a rank is the algorithm's.
  template <OwnBarrier C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    ++turn_;
    if (comm.is_simulated()) return described(comm, at, run, ticks, !std::exchange(begun_, true));
    return at.window ? in_windows(comm, at.among, run.readings, ticks, *windows_, [&] { return barriers(comm, at); })
                     : barriers(comm, at, run, ticks);
  }

  template <OwnBarrier C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    const bool few = !comm.is_simulated() || at.among <= most_checked_late;
    return few ? verify_late(comm, at, verdict) : verify_said(comm, at, verdict);
  }

 private:
  explicit Barrier(std::uint64_t seed) : turn_(seed) {}

  // One rank enters late; on the global clock no rank may leave before it. Then the verdict of all witnesses so far.
  template <OwnBarrier C>
  Task verify_late(C& comm, const Case& at, Verdict& verdict) {
    if (comm.rank() >= at.among) co_return;
    GlobalClock clock;
    co_await clock.set(comm, at.among);
    const auto delay = static_cast<std::int64_t>(2e-4 * C::ticks_a_second);
    if (comm.rank() == static_cast<int>(turn_ % static_cast<std::uint64_t>(at.among))) {
      const std::int64_t until = comm.now() + delay;
      co_await comm.compute(2e-4, [&] {
        while (!comm.is_simulated() && comm.now() < until) {
        }
      });
    }
    const std::int64_t in = clock.global(comm.now()) - clock.look().error;
    co_await barriers(comm, at);
    Stay stay{in, clock.global(comm.now()) + clock.look().error, std::exchange(wrong_, 0)}, room;
    co_await reduce(comm, at.among, &stay, &room, 1, join);
    if (comm.rank() != 0) co_return;
    judge(at.among, stay.wrong, ", one of them late", verdict);
    if (stay.first_out >= stay.last_in) co_return;
    verdict.passed = false;
    verdict.detail += ": a rank left before the late one came";
  }
  // The verdict of all witnesses so far, and no more, in a frame that is small.
  template <OwnBarrier C>
  Task verify_said(C& comm, const Case& at, Verdict& verdict) {
    if (comm.rank() >= at.among) co_return;
    std::int64_t wrong = std::exchange(wrong_, 0), room = 0;
    co_await reduce(comm, at.among, &wrong, &room, 1, [](std::int64_t& mine, std::int64_t other) { mine += other; });
    if (comm.rank() == 0) judge(at.among, wrong, "", verdict);
  }
  static void judge(int among, std::int64_t wrong, std::string_view how, Verdict& verdict) {
    verdict.passed = wrong == 0;
    verdict.detail = std::to_string(among) + " ranks" + std::string(how);
    if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " exits before all had entered";
  }

  static std::vector<std::int64_t> counts(int ranks) {
    std::vector<std::int64_t> all;
    for (std::int64_t among = 2; among < ranks && ranks <= 4096; among *= 2) all.push_back(among);
    all.push_back(ranks);
    return all;
  }

  // The witnesses are evenly spaced; a rank's bit, none where it is no witness.
  std::uint64_t witness(int rank, int among) const {
    if (among <= 64) return std::uint64_t{1} << rank;
    const int stride = among / 64, place = rank - static_cast<int>(turn_ % static_cast<std::uint64_t>(stride));
    return place < 0 || place % stride != 0 || place / stride >= 64 ? 0 : std::uint64_t{1} << (place / stride);
  }
  void count(std::uint64_t seen, int among) {
    wrong_ += seen != (among >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << among) - 1);
  }

  template <OwnBarrier C>
  Task barriers(C& comm, const Case& at, Run run = {1, 1}, std::int64_t* ticks = nullptr) {
    switch (at.algorithm) {
      case Algorithm::dissemination:
        return disseminate(comm, at.among, run, ticks);
      case Algorithm::doubling:
        return exchange<true>(comm, at.among, run, ticks);
      case Algorithm::dimensions:
        return exchange<false>(comm, at.among, run, ticks);
      case Algorithm::tree:
        return up_and_down(comm, at.among, run, ticks);
      default:
        return library(comm, at.among, run, ticks);
    }
  }

  template <Communicator C>
  Task disseminate(C& comm, int among, Run run, std::int64_t* ticks) {
    const int me = comm.rank();
    if (me >= among) co_return;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        std::uint64_t seen = witness(me, among), received = 0;
        for (int step = first_step; step < among; step *= 2) {
          co_await comm.sendrecv(&seen, sizeof seen, me + step < among ? me + step : me + step - among, &received,
                                 sizeof received, me < step ? me - step + among : me - step, tag);
          seen |= received;
        }
        count(seen, among);
      }
      if (ticks) ticks[reading] = comm.now() - start;
    }
  }

  // `doubling`: distances grow and both send at once; else they shrink and the lower rank sends first.
  template <bool doubling, Communicator C>
  Task exchange(C& comm, int among, Run run, std::int64_t* ticks) {
    const int me = comm.rank(), cube = static_cast<int>(std::bit_floor(static_cast<unsigned>(among)));
    if (me >= among) co_return;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        std::uint64_t seen = witness(me, among), received = 0;
        if (me >= cube) {
          co_await comm.send(&seen, sizeof seen, me - cube, tag);
          co_await comm.recv(&seen, sizeof seen, me - cube, tag);
          count(seen, among);
          continue;
        }
        if (me + cube < among) {
          co_await comm.recv(&received, sizeof received, me + cube, tag);
          seen |= received;
        }
        for (int step = first_step; step < cube; step *= 2) {
          const int other = me ^ (doubling ? step : cube / 2 / step);
          if (doubling) {
            co_await comm.sendrecv(&seen, sizeof seen, other, &received, sizeof received, other, tag);
          } else if (me < other) {
            co_await comm.send(&seen, sizeof seen, other, tag);
            co_await comm.recv(&received, sizeof received, other, tag);
          } else {
            co_await comm.recv(&received, sizeof received, other, tag);
            co_await comm.send(&seen, sizeof seen, other, tag);
          }
          seen |= received;
        }
        if (me + cube < among) co_await comm.send(&seen, sizeof seen, me + cube, tag);
        count(seen, among);
      }
      if (ticks) ticks[reading] = comm.now() - start;
    }
  }

  template <Communicator C>
  Task up_and_down(C& comm, int among, Run run, std::int64_t* ticks) {
    const int me = comm.rank();
    if (me >= among) co_return;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        std::uint64_t seen = witness(me, among), received = 0;
        int bit = first_step;
        for (; bit < among && (me & bit) == 0; bit *= 2) {
          if (me + bit >= among) continue;
          co_await comm.recv(&received, sizeof received, me + bit, tag);
          seen |= received;
        }
        if (me != 0 && bit < among) {
          co_await comm.send(&seen, sizeof seen, me & ~bit, tag);
          co_await comm.recv(&seen, sizeof seen, me & ~bit, tag);
        }
        for (bit /= 2; bit >= first_step; bit /= 2) {
          if (me + bit < among) co_await comm.send(&seen, sizeof seen, me + bit, tag);
        }
        count(seen, among);
      }
      if (ticks) ticks[reading] = comm.now() - start;
    }
  }

  template <OwnBarrier C>
  Task library(C& comm, int among, Run run, std::int64_t* ticks) {
    if (comm.rank() >= among) co_return;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        if (first_step == 1) co_await comm.barrier(among);
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

  // On a described machine: each barrier from a common start to the last exit, or from rank 0's call to its return.
  template <OwnBarrier C>
  Task described(C& comm, Case at, Run run, std::int64_t* ticks, bool first) {
    if (comm.rank() >= at.among) co_return;
    if (!at.window) {
      co_await barriers(comm, at, run, ticks);
      co_return;
    }
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      if (!first || reading > 0) co_await together(comm, at.among);
      Passage passage{comm.now(), 0}, room;
      co_await barriers(comm, at, {1, run.batch});
      passage.out = comm.now();
      co_await reduce(comm, at.among, &passage, &room, 1, join_passages);
      if (ticks) ticks[reading] = passage.out - passage.in;
    }
  }

  static constexpr int tag = 1;
  static constexpr int most_checked_late = 1 << 16;  // on described machines, where that costs as much as the test
#ifdef ASSAY_BREAK                                   // the tests' saboteur: a round is left out
  static constexpr int first_step = 2;
#else
  static constexpr int first_step = 1;
#endif
  std::uint64_t turn_;
  std::int64_t wrong_ = 0;
  bool begun_ = false;
  std::unique_ptr<Windows> windows_;
};

using Program = Barrier;

}  // namespace assay::ranks
