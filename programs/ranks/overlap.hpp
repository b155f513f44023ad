// Overlap: an exchange of messages and a computation at once, and what each side pays for the other.
//
// Rank 0 and its partner exchange a message each way by immediate calls. Three things in turn: the exchange alone, a
// loop alone, and the loop between the calls that begin the exchange and the wait that ends it. The loop is set so that
// it takes as long alone as the exchange does. With perfect overlap both together take no longer than either.
// `computing_kept` is the part of its speed that the loop keeps beside the exchange, `communication_hidden` the part of
// the exchange's time that is not seen beside the loop.
// Source: White and Bova, Where's the overlap? (1999); Dunigan 1991, section 4.2 asks it of routing nodes.
#pragma once

#include "ranks/by_length.hpp"
#include "ranks/overlapping.hpp"
#include "ranks/turns.hpp"

namespace assay::ranks {

struct Overlap : ByLength {
  static constexpr std::string_view record = R"record(
name = "overlap"
title = "Overlap"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
needs = ["progress"]
computes = ["turn"]
least_ranks = 2
summary = "computing and communicating at once, and each side's share of what is lost"
cost = "2 messages of `bytes` bytes, and a loop as long as they take, each alone and both at once"
check = "both sides compare every byte with a pattern of seed, sender and position; the loop's result is compared with its closed form"
source = "White and Bova 1999; Dunigan 1991, section 4.2"

[parameter.bytes]
type = "integer"
default = [8, 1024, 8192, 65536, 262144, 1048576, 4194304]
quick = [1024, 1048576]
described = [8, 128, 1024, 8192, 65536]
min = 0
max = 1073741824
unit = "B"
sweep = true
help = "length of the message each way"

[metric.together]
unit = "s"
help = "exchange and loop at once, at rank 0"

[metric.communicating]
from = "ranks/overlapping.hpp"

[metric.computing]
from = "ranks/overlapping.hpp"

[metric.computing_kept]
from = "ranks/overlapping.hpp"

[metric.communication_hidden]
from = "ranks/overlapping.hpp"

[figure.together]
from = "ranks/overlapping.hpp"

[figure.communicating]
from = "ranks/overlapping.hpp"

[figure.computing]
from = "ranks/overlapping.hpp"

[figure.computing_kept]
from = "ranks/overlapping.hpp"

[figure.communication_hidden]
from = "ranks/overlapping.hpp"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    Overlap kernel;
    kernel.prepare(comm, session);
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  static constexpr std::string_view metric = "together";
  std::vector<Series>& beside() { return beside_.all(); }

  template <Communicator C>
  Task operate(C& comm, const Case& bytes, Run run, std::int64_t* ticks) {
    const int me = comm.rank(), other = 1 - me;
    if (me > 1) co_return;
    std::byte* const out = buffers_.out(bytes).next();
    std::byte* const in = buffers_.in(bytes).next();
    const auto batch = static_cast<double>(run.batch) * C::ticks_a_second;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      co_await together(comm, 2);
      std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        auto due = co_await comm.irecv(in, bytes, other, tag);
        auto sent = co_await comm.isend(out, bytes, other, tag);
        co_await comm.wait(due);
        co_await comm.wait(sent);
      }
      const double communicating = static_cast<double>(comm.now() - start) / batch;
      const std::int64_t turns = turns_in(comm, communicating);
      start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        co_await busy(comm, turns, wrong_);
      }
      const double computing = static_cast<double>(comm.now() - start) / batch;
      std::int64_t inside = 0;
      // The two begin what follows together, as one may have been longer at its loop.
      if (comm.is_simulated()) {
        co_await together(comm, 2);
      } else {
        co_await comm.sendrecv(nullptr, 0, other, nullptr, 0, other, tag);
      }
      start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        auto due = co_await comm.irecv(in, bytes, other, tag);
        auto sent = co_await comm.isend(out, bytes, other, tag);
        const std::int64_t entered = comm.now();
        co_await busy(comm, turns, wrong_);
        inside += comm.now() - entered;
        co_await comm.wait(due);
        co_await comm.wait(sent);
      }
      const std::int64_t both = comm.now() - start;
      if (me != 0) continue;
      ticks[reading] = both;
      const auto seconds = [batch](std::int64_t taken) { return static_cast<double>(taken) / batch; };
      // Ticks are subtracted, not seconds: what is not hidden at all takes exactly as long as alone.
      beside_.add({communicating, computing, seconds(inside), seconds(both - inside)});
    }
  }

  template <Communicator C>
  Task verify(C& comm, const Case& bytes, Verdict& verdict) {
    const int me = comm.rank(), other = 1 - me;
    if (me > 1) co_return;
    if (!buffers_.hold(bytes)) {
      verdict = {true, not_carried};
      co_return;
    }
    std::byte *const out = buffers_.out(bytes).next(), *const in = buffers_.in(bytes).next();
    poison(in, bytes);
    write_pattern(out, bytes, bytes + static_cast<std::uint64_t>(me), true);
    auto due = co_await comm.irecv(in, bytes, other, tag);
    auto sent = co_await comm.isend(out, bytes, other, tag);
    co_await busy(comm, 1000, wrong_);
    const auto arrived = co_await comm.wait(due);
    co_await comm.wait(sent);
    wrong_ += wrong_bytes(in, bytes, bytes + static_cast<std::uint64_t>(other), true) + (arrived.bytes() != bytes);
    std::int64_t theirs = 0;
    if (me == 1) {
      co_await comm.send(&wrong_, sizeof wrong_, 0, tag);
    } else {
      co_await comm.recv(&theirs, sizeof theirs, 1, tag);
      verdict.passed = wrong_ + theirs == 0;
      verdict.detail = std::to_string(bytes) + " bytes each way around a loop";
      if (!verdict.passed) verdict.detail += ": " + std::to_string(wrong_ + theirs) + " wrong";
    }
    wrong_ = 0;
  }

 private:
  static constexpr int tag = 1;
  std::int64_t wrong_ = 0;
  OverlapSeries beside_;
};

using Program = Overlap;

}  // namespace assay::ranks
