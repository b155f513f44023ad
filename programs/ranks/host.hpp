// Host: an echo between rank 0 and the host processor, or on a real machine a process that the job starts beside its
// ranks, as a launching program does: its messages cross what joins two separately started programs.
//
// The timed loop is echo.hpp's, the test rank being rank 0. Source: Dunigan 1991, section 4.1, Figure 5, Appendix A
// (column "host").
#pragma once

#include "ranks/buffers.hpp"
#include "ranks/round_trip.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

struct Host {
  static constexpr std::string_view record = R"record(
name = "host"
title = "Host"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
needs = ["host"]
host = true
ranks = 1
summary = "a message between rank 0 and the host processor, or a process started beside the job's ranks, and back"
cost = "2 messages of `bytes` bytes a round trip"
check = "the host compares every byte with a pattern of position, returns its complement, and rank 0 compares that"
source = "Dunigan 1991, section 4.1, Figure 5, Appendix A"
published = ["echo-host"]

[parameter.bytes]
from = "ranks/round_trip.hpp"
default = [0, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 262144, 1048576, 4194304]
quick = [8, 1024, 65536, 1048576]
described = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304]

[metric.round_trip]
from = "ranks/round_trip.hpp"

[figure.rate]
from = "ranks/round_trip.hpp"

[figure.half_round_trip]
from = "ranks/round_trip.hpp"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    Host kernel;
    if constexpr (Hosted<C>) {
      kernel.host_ = comm.host().value_or(-1);
    }
    if (kernel.host_ < 0) {
      if (comm.rank() == 0) session.skip("this machine has no host, or its MPI starts no process beside a job's ranks");
      co_return;
    }
    if (comm.rank() == 0 || comm.rank() == kernel.host_) {
      kernel.buffers_ = Buffers(comm, session, Buffers::Way::same);
    }
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  using Case = std::size_t;  // bytes
  static constexpr std::string_view metric = "round_trip";
  std::string_view cache(Case) const { return Buffers::label(Buffers::Way::same); }
  Case at(const timing::CaseSettings& settings) const { return static_cast<std::size_t>(settings.at("bytes").integer); }
  template <Communicator C>
  timing::Json label(C&, Case bytes) const {
    return timing::Json().integer("bytes", static_cast<std::int64_t>(bytes));
  }

  template <Communicator C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    const std::size_t bytes = at;
    const int me = comm.rank(), host = host_;
    if (me != 0 && me != host) co_return;
    std::byte* const out = buffers_.out(bytes).next();
    std::byte* const in = buffers_.in(bytes).next();
    if (me == 0) {
      for (std::int64_t reading = 0; reading < run.readings; ++reading) {
        const std::int64_t start = comm.now();
        for (std::int64_t i = 0; i < run.batch; ++i) {
          co_await comm.send(out, bytes, host, tag);
          co_await comm.recv(in, bytes, host, tag);
        }
        ticks[reading] = comm.now() - start;
      }
    } else {
      for (std::int64_t left = run.readings * run.batch; left > 0; --left) {
        co_await comm.recv(in, bytes, 0, tag);
        co_await comm.send(out, bytes, 0, tag);
      }
    }
  }

  template <Communicator C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    const std::size_t bytes = at;
    if (comm.rank() != 0 && comm.rank() != host_) co_return;
    if (!buffers_.hold(bytes)) {
      verdict = {true, not_carried};
      co_return;
    }
    std::byte *const sent = buffers_.out(bytes).next(), *const got = buffers_.in(bytes).next();
    poison(got, bytes);
    if (comm.rank() == 0) {
      write_pattern(sent, bytes, bytes, false);
      co_await comm.send(sent, bytes, host_, tag);
      const auto echoed = co_await comm.recv(got, bytes, host_, tag);
      std::int64_t wrong = 0;
      co_await comm.recv(&wrong, sizeof wrong, host_, tag);
      wrong += wrong_bytes(got, bytes, bytes, true);
      verdict.passed = wrong == 0 && echoed.bytes() == bytes;
      verdict.detail = std::to_string(bytes) + " bytes to the host and back";
      if (!verdict.passed) verdict.detail += ": " + std::to_string(wrong) + " wrong";
    } else {
      const auto arrived = co_await comm.recv(got, bytes, 0, tag);
      const std::int64_t wrong = wrong_bytes(got, bytes, bytes, false) + (arrived.bytes() == bytes ? 0 : 1);
      write_pattern(sent, bytes, bytes, true);
      co_await comm.send(sent, bytes, 0, tag);
      co_await comm.send(&wrong, sizeof wrong, 0, tag);
    }
  }

 private:
  static constexpr int tag = 1;
  int host_ = -1;
  Buffers buffers_;
};

using Program = Host;

}  // namespace assay::ranks
