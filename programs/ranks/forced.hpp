// Forced messages: the echo of echo.hpp with ready sends, whose receive is known to be posted, so that a protocol need
// not ask for room first (Intel's FORCE_TYPE, MPI_Rsend).
//
// Both sides post the receive for the next message before they send: rank 0 that of the reply before its message, the
// partner that of the next message before its reply. A 0-byte word from the partner says that its first one is there.
// Source: Dunigan 1991 (DELTA), section 3.1, Figure 3.3.
#pragma once

#include "ranks/buffers.hpp"
#include "ranks/round_trip.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

struct Forced {
  static constexpr std::string_view record = R"record(
name = "forced"
title = "Forced messages"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
least_ranks = 2
needs = ["forced"]
summary = "a message and back by ready sends beside ordinary ones: what asking for room costs"
cost = "2 messages of `bytes` bytes a round trip"
check = "the partner compares every byte with a pattern of seed and position, returns its complement, and the test rank compares that"
source = "Dunigan 1991 (DELTA), section 3.1, Figure 3.3"
published = ["echo-force-type"]

[parameter.bytes]
from = "ranks/round_trip.hpp"
default = [0, 8, 64, 100, 128, 256, 476, 512, 1024, 2048, 2856, 3000, 4096, 8192, 16384, 32768, 65536, 100000, 262144, 1048576, 4194304]
quick = [8, 1024, 65536, 1048576]
described = [8, 16, 32, 64, 100, 101, 128, 256, 476, 477, 512, 1024, 2048, 2856, 2857, 4096, 8192, 16384, 32768, 65536, 100000]

[parameter.send]
type = "choice"
default = ["ready", "ordinary"]
choices = ["ready", "ordinary"]
sweep = true
help = "ready sends, or ordinary ones with the same receives posted beforehand"

[metric.round_trip]
from = "ranks/round_trip.hpp"

[figure.rate]
from = "ranks/round_trip.hpp"

[figure.half_round_trip]
from = "ranks/round_trip.hpp"
)record";

  template <ReadySend C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    Forced kernel;
    if (comm.rank() < 2) kernel.buffers_ = Buffers(comm, session, Buffers::Way::same);
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    std::size_t bytes;
    bool ready;
  };
  static constexpr std::string_view metric = "round_trip";
  std::string_view cache(const Case&) const { return Buffers::label(Buffers::Way::same); }
  Case at(const timing::CaseSettings& settings) const {
    return {static_cast<std::size_t>(settings.at("bytes").integer), settings.at("send").text == "ready"};
  }
  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    timing::Json json;
    return json.integer("bytes", static_cast<std::int64_t>(at.bytes)).text("send", at.ready ? "ready" : "ordinary");
  }

  template <ReadySend C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    return at.ready ? trips<true>(comm, at.bytes, run, ticks) : trips<false>(comm, at.bytes, run, ticks);
  }

  template <bool ready, ReadySend C>
  Task trips(C& comm, std::size_t bytes, Run run, std::int64_t* ticks) {
    const int me = comm.rank();
    if (me > 1) co_return;
    std::byte* const out = buffers_.out(bytes).next();
    std::byte* const in = buffers_.in(bytes).next();
    if (me == 0) {
      co_await comm.recv(nullptr, 0, 1, tag);
      for (std::int64_t reading = 0; reading < run.readings; ++reading) {
        const std::int64_t start = comm.now();
        for (std::int64_t i = 0; i < run.batch; ++i) {
          auto due = co_await comm.irecv(in, bytes, 1, tag);
          if constexpr (ready) {
            co_await comm.rsend(out, bytes, 1, tag);
          } else {
            co_await comm.send(out, bytes, 1, tag);
          }
          co_await comm.wait(due);
        }
        ticks[reading] = comm.now() - start;
      }
    } else {
      auto due = co_await comm.irecv(in, bytes, 0, tag);
      co_await comm.send(nullptr, 0, 0, tag);
      for (std::int64_t left = run.readings * run.batch; left > 0; --left) {
        co_await comm.wait(due);
        if (left > 1) due = co_await comm.irecv(in, bytes, 0, tag);
        if constexpr (ready) {
          co_await comm.rsend(out, bytes, 0, tag);
        } else {
          co_await comm.send(out, bytes, 0, tag);
        }
      }
    }
  }

  template <ReadySend C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    const std::size_t bytes = at.bytes;
    if (comm.rank() > 1) co_return;
    if (!buffers_.hold(bytes)) {
      verdict = {true, not_carried};
      co_return;
    }
    std::byte *sent = buffers_.out(bytes).next(), *got = buffers_.in(bytes).next();
    poison(got, bytes);
    if (comm.rank() == 0) {
      write_pattern(sent, bytes, bytes, false);
      auto due = co_await comm.irecv(got, bytes, 1, tag);
      co_await comm.recv(nullptr, 0, 1, ready_tag);
      co_await comm.rsend(sent, bytes, 1, tag);
      const auto echoed = co_await comm.wait(due);
      std::int64_t wrong = 0;
      co_await comm.recv(&wrong, sizeof wrong, 1, ready_tag);
      const std::int64_t back = wrong_bytes(got, bytes, bytes, true);
      verdict.passed = wrong == 0 && back == 0 && echoed.bytes() == bytes;
      verdict.detail = std::to_string(bytes) + " bytes there and back, forced";
      if (!verdict.passed) verdict.detail += ": " + std::to_string(wrong + back) + " wrong";
    } else {
      auto due = co_await comm.irecv(got, bytes, 0, tag);
      co_await comm.send(nullptr, 0, 0, ready_tag);
      const auto arrived = co_await comm.wait(due);
      const std::int64_t wrong = wrong_bytes(got, bytes, bytes, false) + (arrived.bytes() == bytes ? 0 : 1);
      write_pattern(sent, bytes, bytes, true);
      co_await comm.rsend(sent, bytes, 0, tag);
      co_await comm.send(&wrong, sizeof wrong, 0, ready_tag);
    }
  }

 private:
  static constexpr int tag = 1, ready_tag = 2;
  Buffers buffers_;
};

using Program = Forced;

}  // namespace assay::ranks
