// All pairs of ranks by a round-robin tournament: in each round every rank exchanges messages with one other, so that
// p - 1 rounds (p of an odd number) measure all p (p - 1) / 2 pairs (tournament/circle.hpp).
//
// Of two that meet, the first sends and the other answers, both stamping by their own clocks; the stamps give the time
// of each way. Where the two clocks are not one, the offset between them is that of the fastest of four round trips
// of 8 bytes within the same round, taken as equal in both directions; messages below 4096 bytes count as half of their
// round trip then. On a described machine, which repeats itself, each pair exchanges once per pass.
#pragma once

#include <array>
#include <cmath>

#include "ranks/buffers.hpp"
#include "ranks/paired_check.hpp"
#include "ranks/sampling.hpp"
#include "ranks/tournament/circle.hpp"
#include "ranks/windows.hpp"

namespace assay::ranks {

struct Tournament {
  static constexpr std::string_view record = R"record(
name = "tournament"
title = "All pairs"
part = "messages"
kind = "ranks"
from = "ranks/ten_launches.hpp"
least_ranks = 2
pairs = true
summary = "every rank with every other, all at the same time in changing pairs: slow pairs, ranks, nodes and links by name"
cost = "p ranks, a pass and length: p - 1 rounds (p of an odd number), each a barrier, between hosts 4 round trips of 8 bytes, 1 + `trips` of `bytes`; planned at 0.1 ms a message and 100 MB/s, 1,024 ranks take 26 s a pass, 13 min of 10 launches of 3"
takes = "passes * (2 * ceil(ranks / 2) - 1) * (1e-4 * ceil(log2(ranks)) + 8e-4 + 2 * (1 + trips) * (1e-4 + bytes / 1e8))"
check = "in up to 16 rounds every byte of both messages of each pair against a pattern of sender and position"
source = "effective bisection bandwidth of random pairings (Hoefler, Schneider, Lumsdaine 2008, Multistage switches are not crossbars), carried on to all pairs"

[parameter.bytes]
type = "integer"
default = [8, 262144]
min = 1
max = 16777216
unit = "B"
sweep = true
help = "length of a message: a short one for latency, a long one for bandwidth"

[parameter.trips]
type = "integer"
default = 3
described = 1
min = 1
max = 1000
unit = "1"
help = "round trips of a pair in a round that count"

[parameter.passes]
type = "integer"
default = 1
described = 6
min = 1
max = 100
unit = "1"
help = "times that all pairs meet per block; a launch has 3 blocks, on a described machine one"

[metric.time]
unit = "s"
help = "one message one way, between two ranks while all others exchange in pairs as well"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
help = "one message one way, the median of all pairs and passes"

[figure.rate]
metric = "time"
formula = "bytes / value"
unit = "B/s"
better = "higher"
headline = true
help = "bytes of a message over its time one way, of the median pair"

[headline.rate]
figure = "rate"
where = "bytes=262144"
title = "Median pair, all pairs at once"
bound = "copy_rate"
advice = "all pairs at once share links: the part on messages draws the pairs"
order = 6
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    Tournament kernel(session);
    kernel.buffers_ = Buffers(comm, session, Buffers::Way::same);
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    std::size_t bytes;
    int trips, passes;
  };
  static constexpr std::array<std::string_view, 1> metrics{"time"};
  const char* cache(const Case&) const { return "same buffer"; }
  const char* ended() const { return "all pairs met"; }
  Case at(const timing::CaseSettings& settings) const {
    return {static_cast<std::size_t>(settings.at("bytes").integer), static_cast<int>(settings.at("trips").integer),
            static_cast<int>(settings.at("passes").integer)};
  }
  template <Communicator C>
  timing::Json label(C& comm, const Case& at) const {
    timing::Json json;
    return json.integer("bytes", static_cast<std::int64_t>(at.bytes)).integer("ranks", comm.size());
  }

  template <Communicator C>
  Task take(C& comm, const Case& at, std::vector<BlockLine>& lines) {
    const auto ranks = static_cast<std::size_t>(comm.size());
    BlockLine line{"time", label(comm, at), at.trips, {}};
    std::vector<OneWay> mine(ranks), all(comm.rank() == 0 ? ranks * ranks : 0);
    for (int pass = 0; pass < at.passes; ++pass) {
      const Circle circle(comm.size(), next_seed(at));
      for (int turn = 0; turn < circle.rounds(); ++turn) {
        if (comm.is_simulated()) {
          co_await together(comm, comm.size());
        } else {
          co_await barrier(comm);
        }
        const int other = circle.partner(comm.rank(), turn);
        if (other == Circle::no_partner) continue;
        if (circle.leads(comm.rank(), other)) {
          co_await lead(comm, at, other, mine[static_cast<std::size_t>(other)]);
        } else {
          co_await answer(comm, at, other);
        }
      }
      co_await gather(comm, mine.data(), mine.size() * sizeof(OneWay), all.data());
      if (comm.rank() == 0) keep(comm, at, circle, all, line.values);
    }
    if (comm.rank() != 0) co_return;
    thin(line.values);
    lines.push_back(std::move(line));
  }

  template <Communicator C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    const Circle circle(comm.size(), session_.options().seed);
    const auto partner = [&](int turn) { return circle.partner(comm.rank(), turn); };
    co_await verify_pairs(comm, buffers_, at.bytes, std::min(16, circle.rounds()), "rounds", check_tag, partner,
                          verdict);
  }

 private:
  static constexpr int message_tag = 21, stamps_tag = 22, check_tag = 23;
  static constexpr int settling = 4;               // round trips of 8 bytes that begin a round
  static constexpr std::size_t told_apart = 4096;  // bytes from which two clocks tell the ways apart
  static constexpr auto most = static_cast<std::size_t>(Pace::most);
  struct OneWay {
    double there = 0, back = 0;  // s; nothing where the other led
  };
  struct Stamps {
    std::int64_t sent, returned;
  };

  explicit Tournament(Session& session) : session_(session) {}

  // A new one for each pass of each length, alike on every rank of a launch.
  std::uint64_t next_seed(const Case& at) {
    return session_.options().seed * 1000003 + 7919 * passes_++ + static_cast<std::uint64_t>(at.bytes);
  }
  // The round trips of a round: those of 8 bytes that two clocks need, one that does not count, those that do.
  struct Trips {
    int settle, idle, all;
  };
  template <Communicator C>
  static Trips trips_of(const C& comm, const Case& at, int other) {
    if (comm.is_simulated()) return {0, 0, at.trips};
    const int settle = comm.same_clock(other) ? 0 : settling;
    return {settle, settle + 1, settle + 1 + at.trips};
  }
  static std::size_t length(const Case& at, const Trips& trips, int i) {
    return i < trips.settle ? std::min<std::size_t>(8, at.bytes) : at.bytes;
  }

  template <Communicator C>
  Task lead(C& comm, Case at, int other, OneWay& found) {
    const Trips trips = trips_of(comm, at, other);
    std::byte *const out = buffers_.out(at.bytes).next(), *const in = buffers_.in(at.bytes).next();
    std::vector<Stamps> stamps(static_cast<std::size_t>(trips.all));
    std::vector<std::int64_t> reached(stamps.size());
    for (int i = 0; i < trips.all; ++i) {
      const std::size_t bytes = length(at, trips, i);
      Stamps& stamp = stamps[static_cast<std::size_t>(i)];
      stamp.sent = comm.now();
      co_await comm.send(out, bytes, other, message_tag);
      co_await comm.recv(in, bytes, other, message_tag);
      stamp.returned = comm.now();
    }
    co_await comm.recv(reached.data(), reached.size() * sizeof reached[0], other, stamps_tag);
    double offset = 0;
    std::int64_t least = INT64_MAX;
    for (int i = 0; i < trips.settle; ++i) {
      const Stamps& stamp = stamps[static_cast<std::size_t>(i)];
      if (stamp.returned - stamp.sent >= least) continue;
      least = stamp.returned - stamp.sent;
      offset = static_cast<double>(reached[static_cast<std::size_t>(i)] - stamp.sent) - static_cast<double>(least) / 2;
    }
    double there = 0, both = 0;
    for (int i = trips.idle; i < trips.all; ++i) {
      const Stamps& stamp = stamps[static_cast<std::size_t>(i)];
      there += static_cast<double>(reached[static_cast<std::size_t>(i)] - stamp.sent) - offset;
      both += static_cast<double>(stamp.returned - stamp.sent);
    }
    // an offset that was off by more than a message takes says nothing of the ways
    const bool apart = (trips.settle == 0 || at.bytes >= told_apart) && there > 0 && there < both;
    const double scale = 1 / (C::ticks_a_second * at.trips);
    found.there = (apart ? there : both / 2) * scale;
    found.back = (apart ? both - there : both / 2) * scale;
  }

  template <Communicator C>
  Task answer(C& comm, Case at, int other) {
    const Trips trips = trips_of(comm, at, other);
    std::byte *const out = buffers_.out(at.bytes).next(), *const in = buffers_.in(at.bytes).next();
    std::vector<std::int64_t> reached(static_cast<std::size_t>(trips.all));
    for (int i = 0; i < trips.all; ++i) {
      const std::size_t bytes = length(at, trips, i);
      co_await comm.recv(in, bytes, other, message_tag);
      reached[static_cast<std::size_t>(i)] = comm.now();
      co_await comm.send(out, bytes, other, message_tag);
    }
    co_await comm.send(reached.data(), reached.size() * sizeof reached[0], other, stamps_tag);
  }

  // A pass, at rank 0: all times as one event, from rank by rank to the others in order; and in order of rounds as
  // readings.
  template <Communicator C>
  void keep(C& comm, const Case& at, const Circle& circle, const std::vector<OneWay>& all,
            std::vector<double>& readings) {
    const int ranks = comm.size();
    const auto one_way = [&](int from, int to) {
      const bool leads = circle.leads(from, to);
      const auto row = static_cast<std::size_t>(leads ? from : to),
                 column = static_cast<std::size_t>(leads ? to : from);
      const OneWay& met = all[row * static_cast<std::size_t>(ranks) + column];
      return leads ? met.there : met.back;
    };
    std::vector<double> seconds;
    seconds.reserve(all.size());
    for (int from = 0; from < ranks; ++from)
      for (int to = 0; to < ranks; ++to)
        if (from != to) seconds.push_back(five_digits(one_way(from, to)));
    for (int turn = 0; turn < circle.rounds(); ++turn)
      for (int from = 0; from < ranks; ++from)
        if (const int to = circle.partner(from, turn); to != Circle::no_partner) readings.push_back(one_way(from, to));
    std::string places;
    for (const int rank : circle.ranks_by_place()) places += (places.empty() ? "[" : ",") + std::to_string(rank);
    session_.write(timing::Json()
                       .text("event", "pairs")
                       .integer("pass", passes_ - 1)
                       .object("case", label(comm, at))
                       .raw("places", places + "]")
                       .numbers("seconds", seconds));
  }

  // A million pairs are written in each pass; half of that is digits beyond what is known.
  static double five_digits(double value) {
    const double scale = value > 0 ? std::pow(10.0, 4 - std::floor(std::log10(value))) : 1;
    return std::round(value * scale) / scale;
  }

  // Of very many readings every so-manyth; the event above has them all.
  static void thin(std::vector<double>& readings) {
    const std::size_t step = (readings.size() + most - 1) / most;
    if (step < 2) return;
    const std::size_t kept = (readings.size() + step - 1) / step;
    for (std::size_t i = 0; i < kept; ++i) readings[i] = readings[i * step];
    readings.resize(kept);
  }

  Session& session_;
  Buffers buffers_;
  std::uint64_t passes_ = 0;
};

using Program = Tournament;

}  // namespace assay::ranks
