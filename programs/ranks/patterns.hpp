// The eleven communication patterns of EuroBen's mod1h, on any number of ranks, real and described.
//
// Ping-pongs are timed at rank 0, between the first and the last rank; everything else from a common start to the last
// exit (windows.hpp). What each rate counts is said in patterns/counts.hpp. Source: van der Steen 2000, sections 4.1.1
// and 6.1.2.2, Tables 6.2, 6.5, 6.8 and 6.9.
#pragma once

#include "ranks/buffers.hpp"
#include "ranks/patterns/data.hpp"
#include "ranks/sampling.hpp"
#include "ranks/windows.hpp"

namespace assay::ranks {

struct Patterns {
  static constexpr std::string_view record = R"record(
name = "patterns"
title = "Communication patterns"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 2
computes = ["pack", "maximum", "copy", "rearrange", "gather"]
profiles = ["full"]
summary = "ping-pong, broadcast, collect, reduction, transposition, bisection and nearest neighbours as in EuroBen's mod1h"
cost = "bytes over the wire, of messages of m bytes among p ranks: pingpong 2 m; broadcast and collect (p - 1) m; reduction (p - 1) m, and as many comparisons of doubles; transposition (p - 1) / p of the matrix; bisection 2 m a pair; neighbours 2 d m a rank"
check = "of each case one operation on data of their own: every byte against a pattern of sender and position (strided: the words between as well), the greatest and the transpose against numbers computed anew"
source = "van der Steen 2000, sections 4.1.1, 6.1.2.2 and 6.4.3, Tables 6.2, 6.5, 6.8 and 6.9"
constants_mean = "Messages of `bytes` bytes. The paper's rate counts `each` in all, `rounds` for every doubling of the ranks and `others` for every other rank; on the wire are `across` in all, `joined` for every other rank, two for every two ranks where `pairs` is 1, and `crossed` for every rank: the directions in which it has a neighbour, which the cases of neighbour-1d, -2d and -3d name. `matrix` is in bytes: what a rank holds of the matrix, which the cases of transposition name"

[parameter.pattern]
type = "choice"
default = ["pingpong", "pingpong-strided", "broadcast", "collect", "reduction", "transposition", "bisection-regular", "bisection-random", "neighbour-1d", "neighbour-2d", "neighbour-3d"]
choices = ["pingpong", "pingpong-strided", "broadcast", "collect", "reduction", "transposition", "bisection-regular", "bisection-random", "neighbour-1d", "neighbour-2d", "neighbour-3d"]
sweep = true
help = "communication pattern"

[parameter.bytes]
type = "integer"
default = [1024, 16384, 65536, 262144, 1048576]
quick = [1024, 1048576]
min = 8
max = 16777216
unit = "B"
sweep = true
help = "length of a message; transposition: the part of the matrix that a rank holds, at most"

[parameter.stride]
type = "integer"
default = 8
min = 1
max = 1024
unit = "1"
help = "of pingpong-strided: 8-byte words from one that is sent to the next (assumed: the paper does not say)"

[metric.time]
unit = "s"
help = "one operation: the round trip of a ping-pong, else from the common start to the last exit"

[metric.clock_error]
from = "ranks/windows.hpp"

[constants.pattern]
pingpong = { each = 2, rounds = 0, others = 0, across = 2, joined = 0, pairs = 0, crossed = 0, matrix = 0 }
pingpong-strided = { each = 2, rounds = 0, others = 0, across = 2, joined = 0, pairs = 0, crossed = 0, matrix = 0 }
broadcast = { each = 0, rounds = 1, others = 0, across = 0, joined = 1, pairs = 0, crossed = 0, matrix = 0 }
collect = { each = 0, rounds = 0, others = 1, across = 0, joined = 1, pairs = 0, crossed = 0, matrix = 0 }
reduction = { each = 0, rounds = 2, others = 0, across = 0, joined = 1, pairs = 0, crossed = 0, matrix = 0 }
transposition = { each = 0, rounds = 0, others = 0, across = 0, joined = 0, pairs = 0, crossed = 0, matrix = 0 }
bisection-regular = { each = 2, rounds = 0, others = 0, across = 0, joined = 0, pairs = 1, crossed = 0, matrix = 0 }
bisection-random = { each = 2, rounds = 0, others = 0, across = 0, joined = 0, pairs = 1, crossed = 0, matrix = 0 }
neighbour-1d = { each = 2, rounds = 0, others = 0, across = 0, joined = 0, pairs = 0, crossed = 0, matrix = 0 }
neighbour-2d = { each = 4, rounds = 0, others = 0, across = 0, joined = 0, pairs = 0, crossed = 0, matrix = 0 }
neighbour-3d = { each = 6, rounds = 0, others = 0, across = 0, joined = 0, pairs = 0, crossed = 0, matrix = 0 }

[figure.rate]
metric = "time"
formula = "(bytes * (each + rounds * ceil(log2(ranks)) + others * (ranks - 1)) + matrix) / value"
unit = "B/s"
better = "higher"
headline = true
help = "as the paper seems to count (inferred from its tables), for m bytes, p ranks, one operation: pingpong and bisection one way and a pair's own; broadcast ceil(log2 p) m; collect (p - 1) m; reduction 2 ceil(log2 p) m; transposition a rank's part of the matrix; neighbours 2 m a dimension"

[figure.wire_rate]
metric = "time"
formula = "(bytes * (across + joined * (ranks - 1) + pairs * 2 * ceil((ranks - 1) / 2) + crossed * ranks) + matrix * (ranks - 1)) / value"
unit = "B/s"
better = "higher"
help = "all bytes that ranks pass to one another, over the time"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
help = "one operation: the round trip of a ping-pong, else from the common start to the last exit"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    Patterns kernel;
    session.keep([&](const auto& each) { return whole(kernel.at(each)); },
                 {"pingpong-strided and reduction send whole 8-byte words", "bytes", "a multiple of 8"},
                 comm.rank() == 0);
    kernel.stride_ = static_cast<std::size_t>(session.cases().front().at("stride").integer);
    kernel.pairs_ = &session.shared<Pairs>([&] {
      const std::uint64_t seed = session.options().seed;
      return Pairs{halves(comm.size(), false, seed), halves(comm.size(), true, seed)};
    });
    if (!comm.is_simulated()) {
      Room most;
      for (const auto& each : session.cases()) {
        const Room here = kernel.needed(comm, kernel.at(each));
        most = {std::max(most.out, here.out), std::max(most.in, here.in), std::max(most.pack, here.pack)};
      }
      kernel.held_ = Held(most, Placed::drawn_from(session.options().seed, comm.rank()));
      kernel.windows_ = std::make_unique<Windows>();
    }
    co_await sample(comm, session, kernel);
    if (comm.rank() == 0) report(session, kernel.windows_);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    Pattern pattern;
    std::size_t bytes;
  };
  static constexpr std::string_view metric = "time";
  std::span<Series> beside() { return ranks::beside(windows_); }
  double spacing() const { return windows_->length; }
  std::string_view cache(const Case&) const { return "same buffer"; }
  bool single(const Case& at) const { return !pingpong(at); }
  Case at(const timing::CaseSettings& settings) const {
    return {pattern_of(settings.at("pattern").text), static_cast<std::size_t>(settings.at("bytes").integer)};
  }
  template <Communicator C>
  timing::Json label(C& comm, const Case& at) const {
    const bool near = dimensions(at.pattern) > 0, transposes = at.pattern == Pattern::transposition;
    timing::Json json;
    json.text("pattern", pattern_names[static_cast<std::size_t>(at.pattern)]);
    json.integer("bytes", static_cast<std::int64_t>(at.bytes)).integer("ranks", comm.size());
    if (near) json.integer("crossed", crossed(at.pattern, comm.size()));
    if (transposes) json.integer("matrix", static_cast<std::int64_t>(matrix(at.bytes, comm.size())));
    return json;
  }

  template <Communicator C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    if (pingpong(at)) return at_rank_0(comm, at, run, ticks);
    if (comm.is_simulated()) return described(comm, at, run, ticks);
    return in_windows(comm, comm.size(), run.readings, ticks, *windows_,
                      [this, &comm, &at] { return times(comm, at, held_.area(), 1); });
  }

  template <Communicator C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    const Room here = needed(comm, at);
    const int ranks = comm.size();
    constexpr std::size_t most = std::size_t{128} << 20;  // of all ranks in one process
    const Room root = room(at.pattern, at.bytes, stride_, 0, ranks),
               other = room(at.pattern, at.bytes, stride_, 1, ranks);
    const std::size_t all = total(root) + total(other) * static_cast<std::size_t>(ranks - 1);
    if (comm.is_simulated() && all > most) {
      verdict = {true, not_carried};
      co_return;
    }
    Held own;
    if (comm.is_simulated()) own = Held(here);
    const Area area = comm.is_simulated() ? own.area() : held_.area();
    const Sample of{at.pattern, at.bytes, stride_, comm.rank(), ranks, partner(comm, at)};
    const bool idle = pingpong(at) && comm.rank() > 0 && comm.rank() < ranks - 1;
    if (!idle) put_data(of, area, here);
    co_await times(comm, at, area, 1);
    std::int64_t wrong = idle ? 0 : wrong_data(of, area, here), theirs = 0;
    co_await reduce(comm, ranks, &wrong, &theirs, 1, [](auto& mine, auto others) { mine += others; });
    verdict.passed = wrong == 0;
    verdict.detail = std::to_string(at.bytes) + " bytes, " + std::to_string(ranks) + " ranks";
    if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " wrong";
  }

 private:
  struct Pairs {
    std::vector<int> regular, random;
  };
  // Memory of an area, aligned for doubles, written once; what is packed lies where the allocator put it.
  class Held {
   public:
    Held() = default;
    explicit Held(const Room& room) : out_(room.out), in_(room.in), pack_(room.pack) {}
    Held(const Room& room, std::uint64_t state) : out_(room.out, state), in_(room.in, state), pack_(room.pack) {}
    Area area() { return {out_.start(), in_.start(), pack_.start()}; }

   private:
    Placed out_, in_, pack_;
  };
  static std::size_t total(const Room& room) { return room.out + room.in + room.pack; }
  static bool whole(const Case& at) {
    return (at.pattern != Pattern::strided && at.pattern != Pattern::reduction) || at.bytes % 8 == 0;
  }
  static bool pingpong(const Case& at) { return at.pattern <= Pattern::strided; }
  template <Communicator C>
  Room needed(const C& comm, const Case& at) const {
    return room(at.pattern, at.bytes, stride_, comm.rank(), comm.size());
  }
  template <Communicator C>
  int partner(const C& comm, const Case& at) const {
    if (pingpong(at)) return comm.rank() == 0 ? comm.size() - 1 : 0;
    const auto& pairs = at.pattern == Pattern::bisection_random ? pairs_->random : pairs_->regular;
    return pairs[static_cast<std::size_t>(comm.rank())];
  }

  // An operation; of a ping-pong so many of them.
  template <Communicator C>
  Task times(C& comm, Case at, Area area, std::int64_t trips) {
    const int me = comm.rank(), other = partner(comm, at);
    const bool first = me < other;
    switch (at.pattern) {
      case Pattern::pingpong:
        if (me == 0 || me == comm.size() - 1) return there_and_back(comm, area, at.bytes, other, first, trips);
        return {};
      case Pattern::strided:
        if (me == 0 || me == comm.size() - 1)
          return strided_there_and_back(comm, area, at.bytes, stride_, other, first, trips);
        return {};
      case Pattern::broadcast:
        return broadcast(comm, area.out, at.bytes);
      case Pattern::collect:
        return collect(comm, area, at.bytes);
      case Pattern::reduction:
        return greatest(comm, area, at.bytes);
      case Pattern::transposition:
        return transpose(comm, area, rows(at.bytes, comm.size()));
      case Pattern::bisection_regular:
      case Pattern::bisection_random:
        if (other != me) return there_and_back(comm, area, at.bytes, other, first, 1);
        return {};
      default:
        return neighbours(comm, area, at.bytes, Shifts(comm.size(), me, dimensions(at.pattern)));
    }
  }

  template <Communicator C>
  Task at_rank_0(C& comm, Case at, Run run, std::int64_t* ticks) {
    const Area area = comm.is_simulated() ? Area{} : held_.area();
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::int64_t start = comm.now();
      co_await times(comm, at, area, run.batch);
      if (ticks) ticks[reading] = comm.now() - start;
    }
  }

  // On a described machine: from a common start to the last exit, without carrying data.
  template <Communicator C>
  Task described(C& comm, Case at, Run run, std::int64_t* ticks) {
    return to_last_exit(comm, comm.size(), true, run, ticks, [this, &comm, at] { return times(comm, at, {}, 1); });
  }

  std::size_t stride_ = 1;
  const Pairs* pairs_ = nullptr;
  Held held_;
  std::unique_ptr<Windows> windows_;
};

using Program = Patterns;

}  // namespace assay::ranks
