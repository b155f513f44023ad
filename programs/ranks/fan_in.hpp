// Fan-in: the rate at which one rank receives when 1 to p of its neighbours send to it at once.
//
// The receiver sends every neighbour a start message; each then sends a window of 16 messages, which the receiver takes
// in the order of their arrival. The time runs from the first arrival to the last: the start messages are outside it.
// Source: Dunigan 1991,
// section 4.4, Figure 9; Dunigan 1991 (DELTA), section 3.3, Figure 3.6.
#pragma once

#include "ranks/fan.hpp"

namespace assay::ranks {

struct FanIn : Fan {
  static constexpr std::string_view record = R"record(
name = "fan-in"
title = "Fan-in"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 3
summary = "the aggregate rate at which one rank receives from 1 to p neighbours that send at once"
cost = "16 messages of `bytes` bytes from each neighbour, 2 of none to each, an operation"
check = "every byte of a window from each neighbour is compared with a pattern of sender, place in the window and position"
source = "Dunigan 1991, section 4.4, Figure 9; Dunigan 1991 (DELTA), section 3.3, Figure 3.6"
published = ["fan-in"]

[parameter.bytes]
from = "ranks/fan.hpp"

[parameter.neighbours]
from = "ranks/fan.hpp"

[parameter.middle]
from = "ranks/fan.hpp"

[metric.time]
unit = "s"
help = "from the end of the first quarter of all arrivals to the last"

[figure.rate]
metric = "time"
formula = "12 * neighbours * bytes / value"
unit = "B/s"
better = "higher"
headline = true
help = "bytes received in that time over it"
)record";

  static constexpr int lead = window / 4;

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    FanIn kernel;
    kernel.prepare(comm, session);
    co_await sample(comm, session, kernel);
  }

  template <Communicator C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    const std::size_t bytes = at.bytes;
    const int count = at.count;
    std::vector<std::int64_t> mine(comm.rank() == middle_ ? static_cast<std::size_t>(run.readings) : 0);
    for (std::int64_t reading = 0; takes_part(comm.rank(), at) && reading < run.readings; ++reading) {
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < run.batch; ++i) {
        if (comm.rank() != middle_) {
          std::byte* const out = buffers_.out(bytes).next();
          co_await comm.recv(nullptr, 0, middle_, credit_tag);
          for (int left = window; left > 0; --left) co_await comm.send(out, bytes, middle_, stream_tag);
          continue;
        }
        std::byte* const in = buffers_.in(bytes).next();
        for (int k = 0; k < count; ++k) {
          const int to = (*around_)[static_cast<std::size_t>(k)];
          co_await comm.send(nullptr, 0, to, credit_tag);
        }
        for (int left = lead * count; left > 0; --left) co_await comm.recv(in, bytes, any_source, stream_tag);
        const std::int64_t start = comm.now();
        for (int left = (window - lead) * count; left > 0; --left) {
          co_await comm.recv(in, bytes, any_source, stream_tag);
        }
        sum += comm.now() - start;
      }
      if (comm.rank() == middle_) mine[static_cast<std::size_t>(reading)] = sum;
    }
    if (comm.rank() == middle_ && ticks) std::ranges::copy(mine, ticks);
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
      const std::vector<int> senders = chosen(at);
      co_await receive_checked(comm, buffers_.in(at.bytes).next(), at.bytes, senders, window, wrong);
    } else if (takes_part(comm.rank(), at)) {
      co_await send_checked(comm, buffers_.out(at.bytes).next(), at.bytes, middle_, window);
    }
    co_await forward(comm, &wrong, 1);
    verdict = judged(at, wrong);
  }
};

using Program = FanIn;

}  // namespace assay::ranks
