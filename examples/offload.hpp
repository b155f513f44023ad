// Offload: ranks 0 and 1 exchange the borders of arrays that are in their devices' memory, by way of the host, and then
// run a kernel on each array. On a described machine its [device] says what transfers, launch and kernel take; on real
// ranks these take nothing, and the messages alone are timed.
#pragma once

#include "ranks/buffers.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

struct Offload {
  static constexpr std::string_view record = R"record(
name = "offload"
title = "Offload"
part = "messages"
kind = "ranks"
least_ranks = 2
computes = ["device_link", "device_launch", "device_memory"]
summary = "two ranks exchange borders of arrays in their devices' memory, and run a triad on them"
cost = "out of the device, a message each way at the same time, into the device: `bytes` each; a launch; 24 bytes of device memory for each of `points`"
check = "each side compares every byte of the border with the other's pattern"
source = "docs/devices.md"

[parameter.bytes]
type = "integer"
default = [1024, 65536]
min = 1
max = 1048576
unit = "B"
sweep = true
help = "length of a border"

[parameter.points]
type = "integer"
default = 1000000
min = 0
max = 1000000000
unit = "1"
help = "elements of the triad a = b + 3 c, in float64"

[metric.time]
unit = "s"
help = "of a step, at rank 0"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
headline = true
help = "of a step: transfers, messages, launch and kernel"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    Offload kernel;
    if (comm.rank() < 2) kernel.buffers_ = Buffers(comm, session, Buffers::Way::same);
    co_await sample(comm, session, kernel);
  }

  struct Case {
    std::size_t bytes;
    std::int64_t points;
  };
  static constexpr std::string_view metric = "time";
  std::string_view cache(const Case&) const { return "same buffer"; }
  Case at(const timing::CaseSettings& settings) const {
    return {static_cast<std::size_t>(settings.at("bytes").integer), settings.at("points").integer};
  }
  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    return timing::Json().integer("bytes", static_cast<std::int64_t>(at.bytes)).integer("points", at.points);
  }

  template <Communicator C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    const int me = comm.rank(), other = 1 - me;
    if (me > 1) co_return;
    std::byte *const out = buffers_.out(at.bytes).next(), *const in = buffers_.in(at.bytes).next();
    const auto border = static_cast<double>(at.bytes), array = 24.0 * static_cast<double>(at.points);
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        co_await comm.compute(Work{"device_link", border}, [] {});
        co_await comm.sendrecv(out, at.bytes, other, in, at.bytes, other, 1);
        co_await comm.compute(Work{"device_link", border}, [] {});
        co_await comm.compute(Work{"device_launch", 1}, [] {});
        co_await comm.compute(Work{"device_memory", array}, [] {});
      }
      if (ticks) ticks[reading] = comm.now() - start;
    }
  }

  template <Communicator C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    const int me = comm.rank(), other = 1 - me;
    if (me > 1) co_return;
    std::byte *const out = buffers_.out(at.bytes).next(), *const in = buffers_.in(at.bytes).next();
    write_pattern(out, at.bytes, static_cast<std::uint64_t>(me), true);
    poison(in, at.bytes);
    co_await comm.sendrecv(out, at.bytes, other, in, at.bytes, other, 1);
    std::int64_t wrong = wrong_bytes(in, at.bytes, static_cast<std::uint64_t>(other), true), theirs = 0;
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

using Program = Offload;

}  // namespace assay::ranks
