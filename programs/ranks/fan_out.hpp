// Fan-out: the rate at which one rank sends to 1 to p of its neighbours at once.
//
// The sender starts a message to each neighbour in turn by immediate sends, a window of 16 to each, and waits for all;
// the time ends when every neighbour has acknowledged its window by a 0-byte message. Source: the counterpart of
// Dunigan's fan-in (1991, section 4.4, Figure 9).
#pragma once

#include "ranks/fan.hpp"

namespace assay::ranks {

struct FanOut : Fan {
  static constexpr std::string_view record = R"record(
name = "fan-out"
title = "Fan-out"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 3
summary = "the aggregate rate at which one rank sends to 1 to p neighbours at once"
cost = "16 messages of `bytes` bytes to each neighbour, 1 of none from each, an operation"
check = "every byte of a window to each neighbour is compared with a pattern of sender, place in the window and position"
source = "the counterpart of Dunigan 1991, section 4.4, Figure 9"

[parameter.bytes]
from = "ranks/fan.hpp"

[parameter.neighbours]
from = "ranks/fan.hpp"

[parameter.middle]
from = "ranks/fan.hpp"

[metric.time]
unit = "s"
help = "a window to each, to the last word back"

[figure.rate]
metric = "time"
formula = "16 * neighbours * bytes / value"
unit = "B/s"
better = "higher"
headline = true
help = "all bytes sent over the time"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    FanOut kernel;
    kernel.prepare(comm, session);
    co_await sample(comm, session, kernel);
  }

  template <Communicator C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    const std::size_t bytes = at.bytes;
    const int count = at.count;
    if (!takes_part(comm.rank(), at) && comm.rank() != 0) co_return;
    const bool in_the_middle = comm.rank() == middle_;
    std::byte* const data = in_the_middle ? buffers_.out(bytes).next() : buffers_.in(bytes).next();
    struct Sent {
      int to;
      typename C::SendRequest request;
    };
    std::vector<Sent> sent;  // to each in turn; whom to is not worked out in the timed loop
    for (int k = 0; in_the_middle && k < window * count; ++k) {
      sent.push_back({(*around_)[static_cast<std::size_t>(k % count)], {}});
    }
    std::vector<typename C::ReceiveRequest> due(static_cast<std::size_t>(in_the_middle ? 0 : window));
    std::vector<std::int64_t> mine(in_the_middle ? static_cast<std::size_t>(run.readings) : 0);
    for (std::int64_t reading = 0; takes_part(comm.rank(), at) && reading < run.readings; ++reading) {
      const std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        for (auto& request : due) request = co_await comm.irecv(data, bytes, middle_, stream_tag);
        for (auto& each : sent) each.request = co_await comm.isend(data, bytes, each.to, stream_tag);
        for (auto& request : due) co_await comm.wait(request);
        for (auto& each : sent) co_await comm.wait(each.request);
        if (!in_the_middle) {
          co_await comm.send(nullptr, 0, middle_, credit_tag);
        } else {
          for (int left = count; left > 0; --left) co_await comm.recv(nullptr, 0, any_source, credit_tag);
        }
      }
      if (in_the_middle) mine[static_cast<std::size_t>(reading)] = comm.now() - start;
    }
    if (in_the_middle && ticks) std::ranges::copy(mine, ticks);
    co_await forward(comm, ticks ? ticks : mine.data(), static_cast<std::size_t>(run.readings));
  }

  template <Communicator C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    if (!takes_part(comm.rank(), at) && comm.rank() != 0) co_return;
    if (!buffers_.hold(at.bytes)) {
      verdict = {true, not_carried};
      co_return;
    }
    std::int64_t wrong = 0;
    if (comm.rank() == middle_) {
      for (const int to : chosen(at)) co_await send_checked(comm, buffers_.out(at.bytes).next(), at.bytes, to, window);
      for (int left = at.count; left > 0; --left) {
        std::int64_t theirs = 0;
        co_await comm.recv(&theirs, sizeof theirs, any_source, credit_tag);
        wrong += theirs;
      }
    } else if (takes_part(comm.rank(), at)) {
      const std::vector<int> from(1, middle_);
      co_await receive_checked(comm, buffers_.in(at.bytes).next(), at.bytes, from, window, wrong);
      co_await comm.send(&wrong, sizeof wrong, middle_, credit_tag);
      if (comm.rank() == 0) wrong = 0;  // the middle counts it
    }
    co_await forward(comm, &wrong, 1);
    verdict = judged(at, wrong);
  }
};

using Program = FanOut;

}  // namespace assay::ranks
