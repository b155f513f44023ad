// Self: a rank sends to itself, so that nothing is on the way: what is left is the software's own cost of a message.
//
// An immediate send, a blocking receive, then the wait, all by rank 0; other ranks have nothing to do.
// Source: Dunigan 1991, section 4.1 and Figure 4; Appendix A's column "self".
#pragma once

#include "ranks/buffers.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

struct Self {
  static constexpr std::string_view record = R"record(
name = "self"
title = "Self"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = 1
summary = "a message of a rank to itself: the software's own cost, as nothing has to travel"
cost = "1 message of `bytes` bytes per operation"
check = "every byte received is compared with a pattern made of seed and position"
source = "Dunigan 1991, section 4.1, Figure 4, Appendix A"
needs = ["self"]
published = ["echo-self"]
model = "alpha_beta"

[parameter.bytes]
type = "integer"
default = [0, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304]
quick = [0, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304]
full = [0, 1, 3, 7, 8, 16, 32, 33, 64, 76, 91, 100, 108, 128, 152, 181, 215, 256, 304, 362, 431, 512, 609, 724, 861, 1000, 1024, 1025, 1218, 1448, 1722, 2048, 2435, 2896, 3000, 3444, 4096, 4871, 5793, 6889, 8192, 9742, 10001, 11585, 13777, 16384, 19484, 23170, 27554, 32768, 38968, 46341, 55109, 65536, 65537, 77936, 92682, 100003, 110218, 131072, 155872, 185364, 220436, 262144, 311744, 370728, 440872, 524288, 623487, 741455, 881744, 1000003, 1048576, 1246974, 1482910, 1763488, 2097152, 2493948, 2965821, 3526975, 4194304]
min = 0
max = 1073741824
unit = "B"
sweep = true
help = "length of the message"

[parameter.cache]
type = "choice"
default = "same"
choices = ["same", "rotating"]
help = "buffers: the same ones each time, or rotating through 64 MiB"

[metric.time]
unit = "s"
help = "from the immediate send to the end of its wait, the receive in between"

[figure.rate]
metric = "time"
formula = "bytes / value"
unit = "B/s"
better = "higher"
help = "bytes over the time of one message to oneself"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "one message to oneself"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    Self kernel;
    kernel.way_ = Buffers::way(session.cases().front().at("cache").text);
    if (comm.rank() == 0) {
      kernel.buffers_ = Buffers(comm, session, kernel.way_);
    }
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  using Case = std::size_t;  // bytes
  static constexpr std::string_view metric = "time";
  std::string_view cache(Case) const { return Buffers::label(way_); }
  Case at(const timing::CaseSettings& settings) const { return static_cast<std::size_t>(settings.at("bytes").integer); }

  template <Communicator C>
  timing::Json label(C&, Case bytes) const {
    return timing::Json().integer("bytes", static_cast<std::int64_t>(bytes));
  }

  template <Communicator C>
  Task operate(C& comm, Case bytes, Run run, std::int64_t* ticks) {
    return way_ == Buffers::Way::rotating ? messages<true>(comm, bytes, run, ticks)
                                          : messages<false>(comm, bytes, run, ticks);
  }

  // Apart, as the step of a buffer that moves on is seen beside so short a message.
  template <bool rotating, Communicator C>
  Task messages(C& comm, Case bytes, Run run, std::int64_t* ticks) {
    if (comm.rank() != 0) co_return;
    Cursor outs = buffers_.out(bytes), ins = buffers_.in(bytes);
    std::byte *out = outs.next(), *in = ins.next();
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        auto sent = co_await comm.isend(out, bytes, 0, tag);
        co_await comm.recv(in, bytes, 0, tag);
        co_await comm.wait(sent);
        if constexpr (rotating) {
          out = outs.next();
          in = ins.next();
        }
      }
      ticks[reading] = comm.now() - start;
    }
  }

  template <Communicator C>
  Task verify(C& comm, Case bytes, Verdict& verdict) {
    if (comm.rank() != 0) co_return;
    if (!buffers_.hold(bytes)) {
      verdict = {true, not_carried};
      co_return;
    }
    std::byte *out = buffers_.out(bytes).next(), *got = buffers_.in(bytes).next();
    poison(got, bytes);
    write_pattern(out, bytes, bytes, true);
    auto sent = co_await comm.isend(out, bytes, 0, tag);
    const auto arrived = co_await comm.recv(got, bytes, 0, tag);
    co_await comm.wait(sent);
    const std::int64_t wrong = wrong_bytes(got, bytes, bytes, true);
    verdict.passed = wrong == 0 && arrived.bytes() == bytes && arrived.source() == 0;
    verdict.detail = std::to_string(bytes) + " bytes to oneself";
    if (!verdict.passed) verdict.detail += ": " + std::to_string(wrong) + " wrong";
  }

 private:
  static constexpr int tag = 1;
  Buffers::Way way_ = Buffers::Way::same;
  Buffers buffers_;
};

using Program = Self;

}  // namespace assay::ranks
