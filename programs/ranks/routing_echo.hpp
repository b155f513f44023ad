// Routing echo: a message two hops away and back while both nodes in between compute, and while they rest.
//
// Where messages are passed on by the nodes' processors, a busy one may keep them waiting; where a router passes them
// it should not matter. While the ranks in between run loops, rank 0 echoes until each has ended its own: all echoes of
// a reading but its last lie within the loops. Source: Dunigan 1991, section 4.2.
#pragma once

#include "ranks/bystanders.hpp"
#include "ranks/round_trip.hpp"
#include "ranks/sampling.hpp"
#include "ranks/turns.hpp"

namespace assay::ranks {

struct RoutingEcho {
  static constexpr std::string_view record = R"record(
name = "routing-echo"
title = "Echo through busy nodes"
part = "messages"
kind = "ranks"
from = "ranks/bystanders.hpp"
computes = ["turn"]
most_ranks = 4
summary = "an echo over two hops while the nodes in between compute, beside the same with idle ones"
cost = "2 messages of `bytes` bytes a round trip"
check = "the partner compares every byte of an echo with a pattern of position; the loops' sums are compared with their closed form"
source = "Dunigan 1991, section 4.2"
published = ["routing-echo"]

[parameter.bytes]
from = "ranks/bystanders.hpp"

[parameter.between]
type = "choice"
default = ["idle", "computing"]
choices = ["idle", "computing"]
sweep = true
help = "what the ranks in between do meanwhile"

[metric.round_trip]
unit = "s"
help = "one echo of those that a reading covers"

[figure.rate]
from = "ranks/round_trip.hpp"
headline = true

[figure.half_round_trip]
from = "ranks/round_trip.hpp"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 3, "3 ranks or more", comm.size());
    RoutingEcho kernel{Bystanders(comm, session)};
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    std::size_t bytes;
    bool computing;
  };
  static constexpr std::string_view metric = "round_trip";
  std::string_view cache(const Case&) const { return "same buffer"; }
  bool single(const Case&) const { return true; }
  Case at(const timing::CaseSettings& settings) const {
    return {static_cast<std::size_t>(settings.at("bytes").integer), settings.at("between").text == "computing"};
  }
  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    timing::Json json;
    json.integer("bytes", static_cast<std::int64_t>(at.bytes));
    return json.text("between", at.computing ? "computing" : "idle");
  }

  // A reading is the mean of the echoes that fit while the loops last, the same number whether they run or not.
  template <Communicator C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    if (comm.rank() == 0) return lead(comm, at, run, ticks);
    if (comm.rank() == who_.partner()) return follow(comm, at, run);
    if (at.computing && who_.stands_by(comm.rank())) return loop(comm, run);
    return {};
  }

  template <Communicator C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    return who_.verify(comm, at.bytes, wrong_, verdict);
  }

 private:
  explicit RoutingEcho(Bystanders who) : who_(std::move(who)) {}
  static constexpr int trips = 8;  // of an idle reading

  template <Communicator C>
  Task lead(C& comm, Case at, Run run, std::int64_t* ticks) {
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      std::int64_t start = comm.now(), times = trips;
      co_await who_.echo(comm, at.bytes, trips);
      if (at.computing) {  // that was idle, and says how long the loops must be
        double lasting = 2 * static_cast<double>(comm.now() - start) / C::ticks_a_second;
        for (const int each : who_.between())
          co_await comm.send(&lasting, sizeof lasting, each, Bystanders::report_tag);
        for (const int each : who_.between()) co_await comm.recv(nullptr, 0, each, Bystanders::report_tag);
        start = comm.now();
        times = 0;
        co_await who_.echo_until_end(comm, at.bytes, times);
      }
      ticks[reading] = (comm.now() - start) / times;
    }
  }

  template <Communicator C>
  Task follow(C& comm, Case at, Run run) {
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      co_await who_.reply(comm, at.bytes, trips, 0);
      if (at.computing) co_await who_.reply(comm, at.bytes, 0, static_cast<int>(who_.between().size()));
    }
  }

  template <Communicator C>
  Task loop(C& comm, Run run) {
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      double lasting = 0;
      co_await comm.recv(&lasting, sizeof lasting, 0, Bystanders::report_tag);
      co_await comm.send(nullptr, 0, 0, Bystanders::report_tag);
      co_await busy(comm, turns_in(comm, lasting), wrong_);
      co_await who_.send_end(comm);
    }
  }

  Bystanders who_;
  std::int64_t wrong_ = 0;
};

using Program = RoutingEcho;

}  // namespace assay::ranks
