// Spin: how much slower a loop runs on a node that others' messages pass through.
//
// Rank 0 and a rank two hops away echo messages without pause; the ranks in between run a loop, once with the echo at
// rest and once with it going, one right after the other. The slowdown is the second time over the first, less one; its
// greatest among the ranks in between is kept. Where messages are stored and forwarded by the node's processor it costs
// computing, where a router passes them it costs nothing. Source: Dunigan 1991, Table 2 ("spincom"), section 4.2,
// Figure 6.
#pragma once

#include "ranks/bystanders.hpp"
#include "ranks/sampling.hpp"
#include "ranks/turns.hpp"

namespace assay::ranks {

struct Spin {
  static constexpr std::string_view record = R"record(
name = "spin"
title = "Computing beside passing messages"
part = "messages"
kind = "ranks"
from = "ranks/bystanders.hpp"
computes = ["turn"]
most_ranks = 4
summary = "how much slower a loop runs on a node that others' messages pass through"
cost = "a loop of `loop` seconds twice, and as many echoes of `bytes` bytes as fit into one of them"
check = "the loop's sum is compared with its closed form; one echo's bytes with a pattern of position"
source = "Dunigan 1991, Table 2, section 4.2, Figure 6"
published = ["spincom"]

[parameter.bytes]
from = "ranks/bystanders.hpp"

[parameter.loop]
type = "real"
default = 0.002
described = 0.2
min = 1e-5
max = 100
unit = "s"
help = "how long the loop takes alone"

[metric.time]
unit = "s"
help = "the loop while messages pass, on the slowest of the ranks in between"

[metric.alone]
unit = "s"
help = "the same loop with the echo at rest"

[metric.slowdown]
unit = "1"
difference = true
help = "time over alone, less one"

[metric.echoes]
unit = "1/s"
help = "round trips per second that passed"

[figure.slowdown]
metric = "slowdown"
unit = "1"
better = "lower"
headline = true
help = "part by which the loop slowed"

[figure.time]
metric = "time"
unit = "s"
help = "the loop while messages pass"

[figure.echoes]
metric = "echoes"
unit = "1/s"
better = "higher"
help = "round trips per second that passed"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 3, "3 ranks or more", comm.size());
    Spin kernel{Bystanders(comm, session)};
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    std::size_t bytes;
    double loop;
  };
  static constexpr std::string_view metric = "time";
  std::string_view cache(const Case&) const { return "same buffer"; }
  bool single(const Case&) const { return true; }
  std::vector<Series>& beside() { return beside_; }
  Case at(const timing::CaseSettings& settings) const {
    return {static_cast<std::size_t>(settings.at("bytes").integer), settings.at("loop").real};
  }
  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    return timing::Json().integer("bytes", static_cast<std::int64_t>(at.bytes));
  }

  template <Communicator C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    if (comm.rank() == 0) return lead(comm, at, run, ticks);
    if (comm.rank() == who_.partner()) return follow(comm, at, run);
    if (who_.stands_by(comm.rank())) return loop(comm, at, run);
    return {};
  }

  // One echo with its bytes checked; what the loops found wrong is counted.
  template <Communicator C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    return who_.verify(comm, at.bytes, wrong_, verdict);
  }

 private:
  explicit Spin(Bystanders who) : who_(std::move(who)) {}

  template <Communicator C>
  Task lead(C& comm, Case at, Run run, std::int64_t* ticks) {
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      // All that was sent before has come here: nothing passes while the ranks in between loop alone.
      for (const int each : who_.between()) co_await comm.send(nullptr, 0, each, Bystanders::report_tag);
      for (const int each : who_.between()) co_await comm.recv(nullptr, 0, each, Bystanders::report_tag);
      for (const int each : who_.between()) co_await comm.send(nullptr, 0, each, Bystanders::report_tag);
      const std::int64_t start = comm.now();
      std::int64_t times = 0;
      co_await who_.echo_until_end(comm, at.bytes, times);
      const double lasted = static_cast<double>(comm.now() - start) / C::ticks_a_second;
      std::int64_t slowest[2] = {0, 0};  // with the echo, alone
      for (const int each : who_.between()) {
        std::int64_t theirs[2];
        co_await comm.recv(theirs, sizeof theirs, each, Bystanders::report_tag);
        // The greater of two ratios, without dividing.
        if (slowest[1] == 0 || static_cast<double>(theirs[0]) * static_cast<double>(slowest[1]) >
                                   static_cast<double>(slowest[0]) * static_cast<double>(theirs[1])) {
          slowest[0] = theirs[0];
          slowest[1] = theirs[1];
        }
      }
      ticks[reading] = slowest[0];
      beside_[0].values.push_back(static_cast<double>(slowest[1]) / C::ticks_a_second);
      beside_[1].values.push_back(static_cast<double>(slowest[0]) / static_cast<double>(slowest[1]) - 1);
      beside_[2].values.push_back(lasted > 0 ? static_cast<double>(times) / lasted : 0);
    }
  }

  template <Communicator C>
  Task follow(C& comm, Case at, Run run) {
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      co_await who_.reply(comm, at.bytes, 0, static_cast<int>(who_.between().size()));
    }
  }

  template <Communicator C>
  Task loop(C& comm, Case at, Run run) {
    const std::int64_t turns = turns_in(comm, at.loop);
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      std::int64_t times[2] = {0, 0};
      for (const int alone : {1, 0}) {
        if (alone == 0) co_await comm.send(nullptr, 0, 0, Bystanders::report_tag);
        co_await comm.recv(nullptr, 0, 0, Bystanders::report_tag);
        const std::int64_t start = comm.now();
        co_await busy(comm, turns, wrong_);
        times[alone] = comm.now() - start;
      }
      co_await who_.send_end(comm);
      co_await comm.send(times, sizeof times, 0, Bystanders::report_tag);
    }
  }

  Bystanders who_;
  std::int64_t wrong_ = 0;
  std::vector<Series> beside_{{"alone", {}}, {"slowdown", {}}, {"echoes", {}}};
};

using Program = Spin;

}  // namespace assay::ranks
