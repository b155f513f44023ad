// LogGP's parameters between two ranks, each by a probe of its own with delays put in (method.md, rule 12).
//
// LogGP says that a message of N bytes keeps its sender's processor busy for o_s, its receiver's for o_r, is on its way
// for L between them, and that a sender can send the next one after a gap of g + N G. Four things are timed in turn:
//   an exchange    a message there and one back: R = 2 (o_s + L + o_r), N G counted to whom it keeps busy
//   a burst        16 messages there, then one back: R + 15 gaps, or 15 o_s where these are longer
//   with delays    the same burst with a loop of twice the gap before each message but the first: R + 15 (loop + o_s)
//   a late receive a message there; its answer is fetched only after a loop of two R, when it has long come: o_r
// so that gap = (burst - R) / 15, o_s = (with delays - loops - R) / 15, L = R / 2 - o_s - o_r, of each reading. The
// line through the gaps has g at its start and G as its slope. Both messages of an exchange have N bytes, so that L
// holds the bytes' own time on the way. Calls are blocking: beyond an MPI's eager length a send waits for its receiver,
// and o_s and gap then hold that, too, which is what a program of blocking calls pays. Source: Alexandrov, Ionescu,
// Schauser and Scheiman 1995 (LogGP); Hoefler, Lichei and Rehm 2007 (the delays between sends); Kielmann, Bal and
// Verstoep 2000 (the late receive).
#pragma once

#include <array>
#include <vector>

#include "ranks/by_length.hpp"
#include "ranks/streams.hpp"
#include "ranks/turns.hpp"

namespace assay::ranks {

struct LogGP : ByLength {
  static constexpr std::string_view record = R"record(
name = "loggp"
title = "LogGP parameters"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
needs = ["progress"]
computes = ["turn"]
least_ranks = 2
profiles = ["full"]
summary = "what a message costs its sender, its receiver and the way between them, and how soon the next can follow"
cost = "37 messages of `bytes` bytes between two ranks, and loops between them"
check = "every byte of a burst each way is compared with a pattern of sender, place in the burst and position; the loops' results with their closed form"
source = "Alexandrov and others 1995; Hoefler, Lichei and Rehm 2007; Kielmann, Bal and Verstoep 2000"
model = "alpha_beta"

[parameter.bytes]
type = "integer"
default = [0, 8, 64, 256, 1024, 4096, 16384, 65536, 262144]
described = [8, 64, 100, 256, 1024, 4096, 8192]
min = 0
max = 67108864
unit = "B"
sweep = true
help = "length of a message"

[metric.round_trip]
unit = "s"
help = "a message there and one back"

[metric.gap]
unit = "s"
difference = true
help = "from one message of a burst to the next"

[metric.send_overhead]
unit = "s"
difference = true
help = "the sender's processor, where sends are further apart than the gap"

[metric.receive_overhead]
unit = "s"
help = "the receiver's processor, for a message that has come before"

[metric.latency]
unit = "s"
difference = true
help = "half a round trip less both overheads"

[figure.gap]
metric = "gap"
unit = "s"
headline = true
help = "between messages of a burst: g + N G"

[figure.send_overhead]
metric = "send_overhead"
unit = "s"
help = "o_s, what a message costs its sender"

[figure.receive_overhead]
metric = "receive_overhead"
unit = "s"
help = "o_r, what a message costs its receiver"

[figure.latency]
metric = "latency"
unit = "s"
help = "L, on the way: neither processor's time; not given where they leave nothing of half a round trip: a send that returns when the message is through holds the way itself"
positive = "o_s and o_r hold the way itself, and more than half a round trip: calls carry the data where memory is shared, and wait beyond the eager length"

[figure.round_trip]
metric = "round_trip"
unit = "s"
help = "a message there and one back: 2 (o_s + L + o_r)"
)record";

  static constexpr int burst = 16;
  // Seconds, the grain of simulated time. Where a description has no such cost (a processor that carries each message
  // itself leaves nothing for the way), the parameter is left out: 0 would be read as measured.
  static constexpr double shortest = 1e-12;
  static constexpr std::array steps = {1, burst, burst, 1};  // messages there before one comes back

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    LogGP kernel;
    kernel.prepare(comm, session);
    co_await sample(comm, session, kernel);
    if (kernel.all_overhead_ == 0) co_return;
    session.note("latency is left out of " + std::to_string(kernel.all_overhead_) +
                 " readings: the overheads are all of half a round trip");
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  static constexpr std::string_view metric = "round_trip";
  std::vector<Series>& beside() { return beside_; }

  template <Communicator C>
  Task operate(C& comm, const Case& bytes, Run run, std::int64_t* ticks) {
    if (comm.rank() > 1) co_return;
    std::byte* const out = buffers_.out(bytes).next();
    std::byte* const in = buffers_.in(bytes).next();
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      if (comm.rank() == 1) {
        for (const int messages : steps)
          for (std::int64_t i = 0; i < run.batch; ++i) {
            for (int k = 0; k < messages; ++k) co_await comm.recv(in, bytes, 0, stream_tag);
            co_await comm.send(out, bytes, 0, stream_tag);
          }
        continue;
      }
      const auto seconds = [&](std::int64_t ticks_taken) {
        return static_cast<double>(ticks_taken) / (static_cast<double>(run.batch) * C::ticks_a_second);
      };
      std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        co_await comm.send(out, bytes, 1, stream_tag);
        co_await comm.recv(in, bytes, 1, stream_tag);
      }
      ticks[reading] = comm.now() - start;
      const double round_trip = seconds(ticks[reading]);

      start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        for (int k = 0; k < burst; ++k) co_await comm.send(out, bytes, 1, stream_tag);
        co_await comm.recv(in, bytes, 1, stream_tag);
      }
      const double gap = (seconds(comm.now() - start) - round_trip) / (burst - 1);

      const std::int64_t pause = turns_in(comm, 2 * std::max(gap, 0.0));
      std::int64_t paused = 0;
      start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        co_await comm.send(out, bytes, 1, stream_tag);
        for (int k = 1; k < burst; ++k) {
          const std::int64_t entered = comm.now();
          co_await busy(comm, pause, wrong_);
          paused += comm.now() - entered;
          co_await comm.send(out, bytes, 1, stream_tag);
        }
        co_await comm.recv(in, bytes, 1, stream_tag);
      }
      const double sending = (seconds(comm.now() - start - paused) - round_trip) / (burst - 1);

      const std::int64_t while_it_comes = turns_in(comm, 2 * round_trip);
      std::int64_t fetching = 0;
      for (std::int64_t i = 0; i < run.batch; ++i) {
        co_await comm.send(out, bytes, 1, stream_tag);
        co_await busy(comm, while_it_comes, wrong_);
        const std::int64_t entered = comm.now();
        co_await comm.recv(in, bytes, 1, stream_tag);
        fetching += comm.now() - entered;
      }
      const double receiving = seconds(fetching);
      const std::array found = {gap, sending, receiving, round_trip / 2 - sending - receiving};
      if (comm.is_simulated()) all_overhead_ += found.back() <= shortest;
      for (std::size_t which = 0; which < found.size(); ++which)
        if (!comm.is_simulated() || found[which] > shortest) beside_[which].values.push_back(found[which]);
    }
  }

  template <Communicator C>
  Task verify(C& comm, const Case& bytes, Verdict& verdict) {
    if (comm.rank() > 1) co_return;
    if (!buffers_.hold(bytes)) {
      verdict = {true, not_carried};
      co_return;
    }
    std::byte *const out = buffers_.out(bytes).next(), *const in = buffers_.in(bytes).next();
    const std::vector<int> from(1, 1 - comm.rank());
    if (comm.rank() == 1) {
      co_await receive_checked(comm, in, bytes, from, burst, wrong_);
      co_await send_checked(comm, out, bytes, 0, burst);
      co_await comm.send(&wrong_, sizeof wrong_, 0, credit_tag);
    } else {
      std::int64_t theirs = 0;
      co_await send_checked(comm, out, bytes, 1, burst);
      co_await receive_checked(comm, in, bytes, from, burst, wrong_);
      co_await comm.recv(&theirs, sizeof theirs, 1, credit_tag);
      verdict.passed = wrong_ + theirs == 0;
      verdict.detail = std::to_string(burst) + " messages of " + std::to_string(bytes) + " bytes each way";
      if (!verdict.passed) verdict.detail += ": " + std::to_string(wrong_ + theirs) + " wrong";
    }
    wrong_ = 0;
  }

 private:
  std::int64_t wrong_ = 0;
  int all_overhead_ = 0;  // readings at rank 0, on a described machine
  std::vector<Series> beside_{{"gap", {}}, {"send_overhead", {}}, {"receive_overhead", {}}, {"latency", {}}};
};

using Program = LogGP;

}  // namespace assay::ranks
