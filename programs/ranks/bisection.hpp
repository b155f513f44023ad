// Effective bisection bandwidth: what a pair of ranks reaches on average while all ranks exchange in random pairs, over
// many random bisections of the machine (bisection/halves.hpp).
//
// In each pairing every pair exchanges messages both ways at once, after a barrier; a pair's bandwidth is that of one
// way, by the clock of one of its ends. The mean over a pairing's pairs is a reading; the mean over a block's pairings
// is the effective bisection bandwidth. Of some pairings one pair is also measured while all others wait: what share of
// its own is left of it among all is what the network does to random traffic, whatever pairs it joins. Each block draws
// pairings of its own; all lengths of a block have the same. Source: Hoefler, Schneider and Lumsdaine 2008, Multistage
// switches are not crossbars: effects of static routing in high-performance networks; their Netgauge (pattern ebb)
// exchanges both ways at once as well.
#pragma once

#include <algorithm>
#include <array>

#include "ranks/bisection/halves.hpp"
#include "ranks/buffers.hpp"
#include "ranks/interference/quantile.hpp"
#include "ranks/paired_check.hpp"
#include "ranks/sampling.hpp"
#include "ranks/windows.hpp"

namespace assay::ranks {

struct Bisection {
  static constexpr std::string_view record = R"record(
name = "bisection"
title = "Effective bisection bandwidth"
part = "messages"
kind = "ranks"
from = "ranks/ten_launches.hpp"
least_ranks = 2
unjudged = ["share", "low", "high", "slowest_pair"]  # the least of several quantiles or ratios bounds nothing
noise_immune = ["pairings"]
summary = "bandwidth of a pair while all ranks exchange in random pairs across random halves of the nodes: mean and spread over many pairings"
cost = "p ranks, a pairing: a barrier and 2 (1 + `exchanges`) messages of `bytes` for each of p / 2 pairs, for 2 s a block and length at most once 10 pairings are drawn; of 20 pairings one pair again alone"
takes = "min(2, pairings * (2e-4 * ceil(log2(ranks)) + (1 + exchanges) * (1e-4 + bytes / 1e8)))"
check = "in up to 8 pairings every byte of both messages of each pair against a pattern of sender and position"
source = "Hoefler, Schneider and Lumsdaine 2008, Multistage switches are not crossbars"

[parameter.bytes]
type = "integer"
default = 1048576
described = 65536
min = 1
max = 16777216
unit = "B"
sweep = true
help = "length of a message"

[parameter.pairings]
type = "integer"
default = 40
min = 1
max = 10000
unit = "1"
help = "random pairings of a block, at most; a launch has 3 blocks, on a described machine one"

[parameter.exchanges]
type = "integer"
default = 4
described = 1
min = 1
max = 1000
unit = "1"
help = "messages each way of a pair in a pairing that count; on a real machine another one goes before them"

[metric.effective]
unit = "B/s"
help = "one way of a pair, the mean over the pairs of each pairing and over the pairings of a block"

[metric.pairing]
unit = "B/s"
help = "one way of a pair, the mean over the pairs of one pairing"

[metric.low]
unit = "B/s"
help = "10th percentile of a block's pairings"

[metric.high]
unit = "B/s"
help = "90th percentile of a block's pairings"

[metric.slowest_pair]
unit = "B/s"
help = "one way of the slowest pair of any pairing of a block"

[metric.pairings]
unit = "1"
help = "pairings that a block drew"

[metric.alone]
unit = "B/s"
help = "one way of a pair while all other ranks wait, the mean over one pair of each of a block's first 20 pairings"

[metric.share]
unit = "1"
help = "of the pairs that are measured alone as well: what each has among all over what it has alone, the mean"

[figure.effective]
metric = "effective"
unit = "B/s"
better = "higher"
headline = true
help = "effective bisection bandwidth, a pair and way: the mean over random pairings of the mean over their pairs; times p / 2 it is that of the whole machine"

[figure.share]
metric = "share"
unit = "1"
better = "higher"
help = "part of a pair's bandwidth alone that is left of it on average in random pairings of all"

[figure.alone]
metric = "alone"
unit = "B/s"
better = "higher"
help = "one way of a pair while all other ranks wait, the mean over one pair of each of 20 pairings"

[figure.pairing]
metric = "pairing"
unit = "B/s"
better = "higher"
help = "the mean over the pairs of one pairing: the median pairing"

[figure.low]
metric = "low"
unit = "B/s"
better = "higher"
help = "the pairing that a tenth of all are slower than"

[figure.high]
metric = "high"
unit = "B/s"
better = "higher"
help = "the pairing that a tenth of all are faster than"

[figure.slowest_pair]
metric = "slowest_pair"
unit = "B/s"
better = "higher"
help = "the slowest pair of any pairing"

[figure.pairings]
metric = "pairings"
unit = "1"
better = "higher"
help = "random pairings drawn in a block"

[headline.effective]
figure = "effective"
title = "Pair in random pairings of all ({bytes})"
bound = "pair_alone"
advice = "pairs share links or memory: place together what talks much; `tournament` names slow pairs and links"
order = 8
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    Bisection kernel;
    const auto& table = session.shared<Table>([&] { return Table(comm, session); });
    kernel.table_ = &table;
    kernel.buffers_ = Buffers(comm, session, Buffers::Way::same);
    if (comm.rank() == 0 && table.halves.one_node())
      session.note("all ranks are on one node: its memory is what lies between the halves, no network");
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    std::size_t bytes;
    int pairings, exchanges;
  };
  static constexpr std::array<std::string_view, 8> metrics{"effective",    "pairing",  "low",   "high",
                                                           "slowest_pair", "pairings", "alone", "share"};
  const char* cache(const Case&) const { return "same buffer"; }
  const char* ended() const { return "pairings drawn, or the most of their time spent"; }
  static Case case_of(const timing::CaseSettings& settings) {
    return {static_cast<std::size_t>(settings.at("bytes").integer), static_cast<int>(settings.at("pairings").integer),
            static_cast<int>(settings.at("exchanges").integer)};
  }
  Case at(const timing::CaseSettings& settings) const { return case_of(settings); }
  template <Communicator C>
  timing::Json label(C& comm, const Case& at) const {
    timing::Json json;
    return json.integer("bytes", static_cast<std::int64_t>(at.bytes)).integer("ranks", comm.size());
  }

  template <Communicator C>
  Task warm(C&, const Case&, std::int64_t block) {
    block_ = block;
    return {};
  }

  template <Communicator C>
  Task take(C& comm, const Case& at, std::vector<BlockLine>& lines) {
    std::vector<Rates> found, room;
    std::vector<double> alone, left;
    const std::int64_t begun = comm.now();
    for (int turn = 0; turn < at.pairings; ++turn) {
      if (!comm.is_simulated()) {
        char more = turn < least || static_cast<double>(comm.now() - begun) < most_seconds * C::ticks_a_second;
        co_await broadcast(comm, &more, 1);
        if (!more) break;
      }
      Pairing drawn;
      const Pairing& pairing = pairing_of(comm, turn, drawn);
      const int me = comm.rank(), other = pairing.partner[static_cast<std::size_t>(me)];
      Rates rates;
      double rate = 0;
      co_await step(comm);
      if (other != Pairing::rests) co_await exchange(comm, at, other, rate);
      if (me < other) rates = {rate, rate, 1};
      found.push_back(rates);
      if (turn >= measured_alone) continue;
      const bool mine = me == pairing.chosen || other == pairing.chosen;
      co_await step(comm);
      double both[2] = {rate, rate};  // of the chosen pair: among all, alone
      if (mine) co_await exchange(comm, at, other, both[1]);
      if (me == pairing.chosen && me != 0) co_await comm.send(both, sizeof both, 0, alone_tag);
      if (me == 0 && pairing.chosen != 0) co_await comm.recv(both, sizeof both, pairing.chosen, alone_tag);
      if (me != 0) continue;
      alone.push_back(both[1]);
      left.push_back(both[0] / both[1]);
    }
    room.resize(found.size());
    co_await reduce(comm, comm.size(), found.data(), room.data(), found.size(), Rates::join);
    if (comm.rank() != 0) co_return;
    write(label(comm, at), at, found, alone, left, lines);
  }

  template <Communicator C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    Pairing drawn;
    const auto partner = [&](int turn) {
      return pairing_of(comm, turn, drawn).partner[static_cast<std::size_t>(comm.rank())];
    };
    co_await verify_pairs(comm, buffers_, at.bytes, std::min(8, at.pairings), "pairings", check_tag, partner, verdict);
  }

 private:
  static constexpr int exchange_tag = 24, alone_tag = 25, check_tag = 26;
  static constexpr int least = 10, measured_alone = 20;  // pairings
  static constexpr double most_seconds = 2;              // of a block, once the least are drawn
  // Of one pairing, in B/s.
  struct Rates {
    double sum = 0, slowest = 0;
    std::int64_t pairs = 0;
    static void join(Rates& mine, const Rates& other) {
      if (other.pairs > 0 && (mine.pairs == 0 || other.slowest < mine.slowest)) mine.slowest = other.slowest;
      mine.sum += other.sum;
      mine.pairs += other.pairs;
    }
  };
  // The ranks of a simulated machine share all pairings; real ones draw each as it comes.
  struct Table {
    template <Communicator C>
    Table(const C& comm, const Session& session) : halves(comm), seed(session.options().seed) {
      int most = 0;
      for (const auto& each : session.cases()) most = std::max(most, case_of(each).pairings);
      for (int turn = 0; comm.is_simulated() && turn < most; ++turn) drawn.push_back(halves.draw(seed_of(0, turn)));
    }
    std::uint64_t seed_of(std::int64_t block, int turn) const {
      return seed * 1000003 + 7919 * static_cast<std::uint64_t>(block) + (static_cast<std::uint64_t>(turn) << 32U);
    }
    Halves halves;
    std::uint64_t seed;
    std::vector<Pairing> drawn;
  };

  template <Communicator C>
  const Pairing& pairing_of(const C& comm, int turn, Pairing& drawn) const {
    if (comm.is_simulated()) return table_->drawn[static_cast<std::size_t>(turn)];
    return drawn = table_->halves.draw(table_->seed_of(block_, turn));
  }
  template <Communicator C>
  static Task step(C& comm) {
    if (comm.is_simulated()) return together(comm, comm.size());
    return barrier(comm);
  }
  // B/s of one way of this rank's pair.
  template <Communicator C>
  Task exchange(C& comm, Case at, int other, double& rate) {
    std::byte *const out = buffers_.out(at.bytes).next(), *const in = buffers_.in(at.bytes).next();
    if (!comm.is_simulated()) co_await comm.sendrecv(out, at.bytes, other, in, at.bytes, other, exchange_tag);
    const std::int64_t start = comm.now();
    for (int i = 0; i < at.exchanges; ++i)
      co_await comm.sendrecv(out, at.bytes, other, in, at.bytes, other, exchange_tag);
    const auto ticks = static_cast<double>(std::max<std::int64_t>(1, comm.now() - start));
    rate = static_cast<double>(at.bytes) * at.exchanges * C::ticks_a_second / ticks;
  }

  static double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  static void write(const timing::Json& label, const Case& at, const std::vector<Rates>& found,
                    const std::vector<double>& alone, const std::vector<double>& left, std::vector<BlockLine>& lines) {
    std::vector<double> pairings;
    double slowest = found.front().slowest;
    for (const Rates& rates : found) {
      pairings.push_back(rates.sum / static_cast<double>(rates.pairs));
      slowest = std::min(slowest, rates.slowest);
    }
    const double effective = mean(pairings);
    const auto add = [&](std::string_view metric, std::vector<double> values) {
      lines.push_back({metric, label, at.exchanges, std::move(values)});
    };
    add("effective", {effective});
    add("share", {mean(left)});
    add("low", {quantile(pairings, 0.1)});
    add("high", {quantile(pairings, 0.9)});
    add("slowest_pair", {slowest});
    add("pairings", {static_cast<double>(pairings.size())});
    add("alone", {mean(alone)});
    add("pairing", std::move(pairings));
  }

  const Table* table_ = nullptr;
  std::int64_t block_ = 0;
  Buffers buffers_;
};

using Program = Bisection;

}  // namespace assay::ranks
