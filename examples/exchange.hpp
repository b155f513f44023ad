// Exchange: ranks 0 and 1 send each other a message at the same time.
#pragma once

#include "ranks/buffers.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

struct Exchange {
  static constexpr std::string_view record = R"record(
name = "exchange"
title = "Exchange"
part = "messages"
kind = "ranks"
least_ranks = 2
summary = "two ranks send each other a message at the same time"
cost = "2 messages of `bytes` bytes per operation"
check = "each side compares every byte with the other's pattern"
source = "the tutorial"

[parameter.bytes]
type = "integer"
default = [8, 1024, 65536]
min = 0
max = 1048576
unit = "B"
sweep = true
help = "length of each message"

[metric.time]
unit = "s"
help = "from the calls to the end of the waits, at rank 0"

[figure.rate]
metric = "time"
formula = "2 * bytes / value"
unit = "B/s"
better = "higher"
headline = true
help = "both messages' bytes over the time"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    Exchange kernel;
    if (comm.rank() < 2) kernel.buffers_ = Buffers(comm, session, Buffers::Way::same);
    co_await sample(comm, session, kernel);
  }

  // What the sampling loop needs of a kernel: a case's parameters, the metric, the labels of its samples.
  using Case = std::size_t;  // bytes
  static constexpr std::string_view metric = "time";
  std::string_view cache(Case) const { return "same buffer"; }
  Case at(const timing::CaseSettings& settings) const { return static_cast<std::size_t>(settings.at("bytes").integer); }
  template <Communicator C>
  timing::Json label(C&, Case bytes) const {
    return timing::Json().integer("bytes", static_cast<std::int64_t>(bytes));
  }

  // `run.readings` times `run.batch` operations on every rank; only rank 0 keeps what they took.
  template <Communicator C>
  Task operate(C& comm, const Case& bytes, Run run, std::int64_t* ticks) {
    const int me = comm.rank(), other = 1 - me;
    if (me > 1) co_return;
    std::byte *const out = buffers_.out(bytes).next(), *const in = buffers_.in(bytes).next();
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        co_await comm.sendrecv(out, bytes, other, in, bytes, other, 1);
      }
      if (ticks) ticks[reading] = comm.now() - start;
    }
  }

  // Untimed: verify the data; rank 0 reports the result.
  template <Communicator C>
  Task verify(C& comm, const Case& bytes, Verdict& verdict) {
    const int me = comm.rank(), other = 1 - me;
    if (me > 1) co_return;
    std::byte *const out = buffers_.out(bytes).next(), *const in = buffers_.in(bytes).next();
    write_pattern(out, bytes, static_cast<std::uint64_t>(me), true);
    poison(in, bytes);
    co_await comm.sendrecv(out, bytes, other, in, bytes, other, 1);
    std::int64_t wrong = wrong_bytes(in, bytes, static_cast<std::uint64_t>(other), true), theirs = 0;
    if (me == 1) {
      co_await comm.send(&wrong, sizeof wrong, 0, 1);
      co_return;
    }
    co_await comm.recv(&theirs, sizeof theirs, 1, 1);
    verdict.passed = wrong + theirs == 0;
    verdict.detail = std::to_string(wrong + theirs) + " bytes wrong";
  }

 private:
  Buffers buffers_;
};

using Program = Exchange;  // the name by which it is found

}  // namespace assay::ranks
