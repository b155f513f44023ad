// All-to-all by pairwise exchange: every rank sends every other one message of its own, in ranks - 1 steps.
//
// Step k: for a power of two rank r and r ^ k exchange; else r sends to r + k and receives from r - k. From a common
// start to the last exit. Each message's first bytes name sender and receiver, so that every message that was timed was
// also looked at; a check compares all bytes. On a described machine one block serves for all messages, as ranks - 1
// blocks of so many ranks would not fit. Source: the pairwise-exchange algorithm of MPI libraries (Thakur,
// Rabenseifner, Gropp 2005).
#pragma once

#include <bit>
#include <cstring>

#include "ranks/buffers.hpp"
#include "ranks/sampling.hpp"
#include "ranks/windows.hpp"

namespace assay::ranks {

struct AllToAll {
  static constexpr std::string_view record = R"record(
name = "alltoall"
title = "All to all, pairwise"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
first_look = true
ranks = "all"
least_ranks = 3
summary = "every rank sends every other a message of its own, by pairwise exchange: the network under full load"
cost = "ranks * (ranks - 1) messages of `bytes` bytes"
check = "each message timed names its sender and receiver; a further exchange compares every byte with a pattern of both and position"
source = "Thakur, Rabenseifner, Gropp 2005, pairwise exchange"

[parameter.bytes]
type = "integer"
default = [8, 64, 512, 1024, 4096, 32768, 262144]
quick = [8, 1024, 65536]
described = 1024
min = 1
max = 16777216
unit = "B"
sweep = true
help = "length of each message"

[metric.time]
unit = "s"
help = "from the common start to the last exit"

[metric.clock_error]
from = "ranks/windows.hpp"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
help = "one exchange of all with all"

[figure.rate]
metric = "time"
formula = "(ranks - 1) * bytes / value"
unit = "B/s"
better = "higher"
headline = true
help = "what each rank sends, over the time of the whole"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    AllToAll kernel;
    kernel.prepare(comm, session);
    if (!comm.is_simulated()) kernel.windows_ = std::make_unique<Windows>();
    co_await sample(comm, session, kernel);
    if (comm.rank() == 0) report(session, kernel.windows_);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  using Case = std::size_t;  // bytes
  static constexpr std::string_view metric = "time";
  std::span<Series> beside() { return ranks::beside(windows_); }
  double spacing() const { return windows_->length; }
  std::string_view cache(Case) const { return "one block a rank"; }
  bool single(const Case&) const { return true; }
  Case at(const timing::CaseSettings& settings) const { return static_cast<std::size_t>(settings.at("bytes").integer); }
  template <Communicator C>
  timing::Json label(C& comm, Case bytes) const {
    timing::Json json;
    return json.integer("bytes", static_cast<std::int64_t>(bytes)).integer("ranks", comm.size());
  }

  template <Communicator C>
  Task operate(C& comm, const Case& bytes, Run run, std::int64_t* ticks) {
    if (comm.is_simulated()) return described(comm, bytes, run, ticks, !std::exchange(begun_, true));
    return in_windows(comm, comm.size(), run.readings, ticks, *windows_, [&] { return exchange(comm, bytes); });
  }

  template <Communicator C>
  Task exchange(C& comm, std::size_t bytes) {
    const int me = comm.rank(), ranks = comm.size();
    const bool paired = std::has_single_bit(static_cast<unsigned>(ranks));
    for (int k = 1; k < ranks; ++k) {
      const int to = paired ? me ^ k : me + k < ranks ? me + k : me + k - ranks;
      const int from = paired ? to : me >= k ? me - k : me - k + ranks;
      std::byte* const out = out_.get() + (one_block_ ? 0 : static_cast<std::size_t>(to) * bytes);
      std::byte* const in = in_.get() + (one_block_ ? 0 : static_cast<std::size_t>(from) * bytes);
      stamp(out, bytes, me, to);
      co_await comm.sendrecv(out, bytes, to, in, bytes, from, tag);
      wrong_ += !stamped(in, bytes, from, me);
    }
  }

  // Every byte, with one block at a time; described machines of many ranks are spared what costs as much as the test.
  template <Communicator C>
  Task verify(C& comm, Case bytes, Verdict& verdict) {
    const int me = comm.rank(), ranks = comm.size();
    const bool whole = !comm.is_simulated() || ranks <= 128;
    for (int k = 1; whole && k < ranks; ++k) {
      const int to = (me + k) % ranks, from = (me - k + ranks) % ranks;
      write_pattern(out_.get(), bytes, salt(me, to), true);
      poison(in_.get(), bytes);
      co_await comm.sendrecv(out_.get(), bytes, to, in_.get(), bytes, from, tag);
      wrong_ += wrong_bytes(in_.get(), bytes, salt(from, me), true) > 0;
    }
    std::int64_t wrong = std::exchange(wrong_, 0), room = 0;
    co_await reduce(comm, ranks, &wrong, &room, 1, [](auto& mine, auto theirs) { mine += theirs; });
    verdict.passed = wrong == 0;
    verdict.detail = std::to_string(ranks) + " ranks' messages, " + (whole ? "every byte" : "sender and receiver");
    if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " messages wrong";
  }

 private:
  static std::uint64_t salt(int from, int to) {
    return static_cast<std::uint64_t>(from) << 32 | static_cast<unsigned>(to);
  }
  // As many bytes of (sender, receiver) as the message has room for.
  static void stamp(std::byte* data, std::size_t bytes, int from, int to) {
    const std::uint64_t value = salt(from, to);
    std::memcpy(data, &value, std::min(bytes, sizeof value));
  }
  static bool stamped(const std::byte* data, std::size_t bytes, int from, int to) {
    const std::uint64_t value = salt(from, to);
    return std::memcmp(data, &value, std::min(bytes, sizeof value)) == 0;
  }

  template <Communicator C>
  void prepare(const C& comm, const Session& session) {
    std::size_t most = 1;
    for (const auto& each : session.cases()) most = std::max(most, at(each));
    one_block_ = comm.is_simulated();
    if (!one_block_) most *= static_cast<std::size_t>(comm.size());
    out_ = std::make_unique<std::byte[]>(most);
    in_ = std::make_unique<std::byte[]>(most);
  }

  template <Communicator C>
  Task described(C& comm, Case bytes, Run run, std::int64_t* ticks, bool first) {
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      if (!first || reading > 0) co_await together(comm, comm.size());
      Passage passage{comm.now(), 0}, room;
      for (std::int64_t i = 0; i < run.batch; ++i) co_await exchange(comm, bytes);
      passage.out = comm.now();
      co_await reduce(comm, comm.size(), &passage, &room, 1, join_passages);
      if (ticks) ticks[reading] = passage.out - passage.in;
    }
  }

  static constexpr int tag = 1;
  std::unique_ptr<std::byte[]> out_, in_;
  bool one_block_ = false, begun_ = false;
  std::int64_t wrong_ = 0;
  std::unique_ptr<Windows> windows_;
};

using Program = AllToAll;

}  // namespace assay::ranks
