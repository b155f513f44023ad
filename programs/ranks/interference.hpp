// Victim and aggressor: a pattern of messages measured alone, and again beside congestors that load what both share.
//
// Every second rank of each node is a victim, the others are aggressors (interference/sides.hpp); each side is a group
// of its own. In each block the victims are first measured while the aggressors wait, then while these send without a
// pause, from before the first operation until after the last. Each operation is timed by itself, so that percentiles
// are those of single operations; a tail is compared only where both sides of it have as many readings as an interval
// of the 99th percentile needs. `aggressor=none` does the same with aggressors that wait: what its ratios differ from 1
// by is what this method cannot tell. Source: Chunduri and others 2019, GPCNeT: Designing a Benchmark Suite for
// Inducing and Measuring Contention in HPC Networks; its congestion impact is the ratio here.
#pragma once

#include "ranks/interference/kernel.hpp"
#include "ranks/seats.hpp"

namespace assay::ranks {

struct Interference {
  static constexpr std::string_view record = R"record(
name = "interference"
title = "Victim and aggressor"
part = "messages"
kind = "ranks"
from = "ranks/ten_launches.hpp"
least_ranks = 4
unjudged = ["slowdown", "tail_slowdown", "load"]  # the least of several ratios bounds nothing
summary = "a pattern of messages alone and beside congestors on the other half of the ranks: how many times longer it takes"
cost = "p ranks, a block and case: twice 16 + `operations` round trips of p / 4 pairs (or allreduces of p / 2 ranks), for half a second each at most; beside the second rounds of congestors of at least 4 messages of `bytes` per rank, as long as it takes"
takes = "min(1, 4 * (16 + operations) * (1e-4 + bytes / 1e8))"
check = "of each case one operation of the victims and one round of the aggressors: every byte against a pattern of sender and position, the allreduce against the sum; in each block that the aggressors' messages arrived while the victims were measured"
source = "Chunduri and others 2019, GPCNeT: Designing a Benchmark Suite for Inducing and Measuring Contention in HPC Networks, in this project's own form"

[parameter.victim]
type = "choice"
default = ["latency", "bandwidth", "allreduce"]
choices = ["latency", "bandwidth", "allreduce"]
sweep = true
help = "what is measured: messages of 8 bytes or of `bytes` to and fro between pairs of victims, or an allreduce of 8 bytes by all of them"

[parameter.aggressor]
type = "choice"
default = ["none", "incast", "alltoall"]
choices = ["none", "incast", "alltoall", "broadcast", "put", "get", "accumulate"]
sweep = true
help = "what the other ranks do meanwhile: all send to one, everybody to everybody, one to all; everybody writes into, reads or adds to everybody's memory, one-sided; none: they wait"

[parameter.bytes]
type = "integer"
default = 131072
described = 16384
min = 8
max = 16777216
unit = "B"
sweep = true
help = "length of an aggressor's message, and of a victim's where bandwidth is measured"

[parameter.operations]
type = "integer"
default = 500
described = 16
min = 1
max = 100000
unit = "1"
help = "operations of each victim that are timed alone, and again beside the aggressors, in each block"

[metric.alone]
unit = "s"
help = "one operation while the aggressors wait: half a round trip of a pair, or an allreduce at the first victim"

[metric.beside]
unit = "s"
help = "the same while the aggressors send"

[metric.slowdown]
unit = "1"
help = "median of a block beside the aggressors over its median alone"

[metric.tail_slowdown]
unit = "1"
help = "99th percentile of a block beside the aggressors over that alone, where each has 368 readings or more"

[metric.load]
unit = "B/s"
help = "what arrived at all aggressors while the victims were measured"

[figure.alone]
metric = "alone"
unit = "s"
help = "one operation while the aggressors wait: half a round trip of a pair, or an allreduce"

[figure.beside]
metric = "beside"
unit = "s"
help = "one operation while the aggressors send"

[figure.slowdown]
metric = "slowdown"
unit = "1"
headline = true
help = "time beside the aggressors over time alone, by the medians of each block"

[figure.tail_slowdown]
metric = "tail_slowdown"
unit = "1"
help = "the same of the 99th percentiles"

[figure.load]
metric = "load"
unit = "B/s"
better = "higher"
help = "bytes that arrived at all aggressors per second while the victims were measured"

[headline.slowdown]
figure = "slowdown"
where = "victim=latency aggressor=incast"
title = "Slowdown of 8 bytes beside an incast"
bound = "not_slowed"
advice = "place what waits for short messages away from what sends long ones"
order = 7
)record";

  template <Communicator C>
    requires Grouped<C> && OneSided<C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 4, "4 ranks or more", comm.size());
    const auto keep = [&](const Reason& why, auto possible) {
      session.keep(
          [&](const auto& each) { return possible(named<Aggressor>(aggressor_names, each.at("aggressor").text)); }, why,
          comm.is_simulated() || comm.rank() == 0);
    };
    keep_one_sided(
        comm, keep, [](Aggressor pattern) { return one_sided(pattern); },
        [](Aggressor pattern) { return pattern == Aggressor::accumulate; });
    const auto& sides =
        session.shared<VictimsAndAggressors>([&] { return VictimsAndAggressors::of(comm, session.options().seed); });
    InterferenceKernel<Interference, C> kernel(session);
    if (comm.is_simulated() && comm.rank() == 0)
      session.note(
          "who is a victim and who an aggressor is drawn from the seed: another --seed may give other slowdowns");
    if (!comm.is_simulated() && sides.one_node) {
      std::vector<Seat> seats;
      co_await gather_seats(comm, seats);
      if (comm.rank() == 0) {
        session.note("all ranks are on one node: victims and aggressors share its memory and caches, no network");
        if (!apart(seats, seats.size()))
          session.note("ranks share hardware threads: aggressors slow victims by running, not only by their messages");
      }
    }
    co_await kernel.join(comm, sides);
    co_await sample(comm, session, kernel);
    co_await kernel.part(comm);
  }
};

using Program = Interference;

}  // namespace assay::ranks
