// Message rate: how many short messages pass in a second, by number of pairs that send at once.
//
// Rank i < pairs sends windows of messages to rank i + ranks/2, by immediate sends to posted receives, each window
// answered by a 0-byte word. All pairs start after a common barrier; rank 0 stops its clock when it knows, up a tree of
// the senders, that all are done. On nodes with several ranks the placement of ranks decides what lies between.
#pragma once

#include "ranks/paths.hpp"
#include "ranks/sampling.hpp"
#include "ranks/streams.hpp"

namespace assay::ranks {

struct MessageRate {
  static constexpr std::string_view record = R"record(
name = "message-rate"
title = "Message rate"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
first_look = true
ranks = "all"
least_ranks = 2
summary = "short messages per second, by number of pairs that send at once"
cost = "64 messages of `bytes` bytes and one of none a pair and operation"
check = "every byte of a window of each pair is compared with a pattern of sender, place in the window and position"
source = "the multiple-pair message rate test of the OSU and Sandia suites, in this project's own form"

[parameter.bytes]
type = "integer"
default = [0, 8, 64, 512, 4096]
quick = [8, 4096]
min = 0
max = 1048576
unit = "B"
sweep = true
help = "length of a message"

[parameter.pairs]
type = "integer"
default = 0
min = 0
max = 8388608
unit = "1"
sweep = true
help = "pairs that send at once; 0: 1 to 8, powers of two beyond, and all"

[metric.time]
unit = "s"
help = "one window of 64 messages of every pair, to the last acknowledgement"

[figure.message_rate]
metric = "time"
formula = "pairs * 64 / value"
unit = "1/s"
better = "higher"
headline = true
help = "messages of all pairs per second"

[headline.message_rate]
figure = "message_rate"
where = "bytes=8"
title = "8-byte messages (pairs: {pairs})"
says = "passes short messages at up to"
bound = "start_ups"
advice = "fewer, longer messages, or another transport or MPI"
described_advice = "fewer, longer messages"
order = 4
)record";

  static constexpr int window = 64;

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    const int most = comm.size() / 2;
    session.widen("pairs", [&] { return steps_up_to(most); });
    session.keep([&](const auto& each) { return each.at("pairs").integer <= most; }, more_pairs_than(most),
                 comm.rank() == 0);
    MessageRate kernel;
    kernel.half_ = most;
    if (comm.rank() < 2 * most) kernel.buffers_ = Buffers(comm, session, Buffers::Way::same);
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    std::size_t bytes;
    int pairs;
  };
  static constexpr std::string_view metric = "time";
  std::string_view cache(const Case&) const { return Buffers::label(Buffers::Way::same); }
  Case at(const timing::CaseSettings& settings) const {
    return {static_cast<std::size_t>(settings.at("bytes").integer), static_cast<int>(settings.at("pairs").integer)};
  }
  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    timing::Json json;
    return json.integer("bytes", static_cast<std::int64_t>(at.bytes)).integer("pairs", at.pairs);
  }

  template <Communicator C>
  Task operate(C& comm, Case at, Run run, std::int64_t* ticks) {
    const int me = comm.rank(), pairs = at.pairs;
    const bool sends = me < pairs, receives = me >= half_ && me < half_ + pairs;
    if (!sends && !receives) co_return;
    Ends<C> ends{sends,
                 sends ? me + half_ : me - half_,
                 at.bytes,
                 sends ? buffers_.out(at.bytes).next() : buffers_.in(at.bytes).next(),
                 std::vector<typename C::SendRequest>(sends ? window : 0),
                 std::vector<typename C::ReceiveRequest>(sends ? 0 : window)};
    if (comm.is_simulated()) {
      co_await to_last_exit(comm, 2 * pairs, sends, run, ticks, [&] { return windows(comm, ends, 1); });
      co_return;
    }
    char done = 0, room = 0;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      if (sends) co_await broadcast(comm, &done, 1, pairs);  // the common start
      const std::int64_t start = comm.now();
      co_await windows(comm, ends, run.batch);
      if (sends) co_await reduce(comm, pairs, &done, &room, 1, [](char&, char) {});
      if (ticks) ticks[reading] = comm.now() - start;
    }
  }

  template <Communicator C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    const int me = comm.rank();
    const bool sends = me < at.pairs, receives = me >= half_ && me < half_ + at.pairs;
    if (!sends && !receives) co_return;
    std::int64_t wrong = 0, room = 0;
    if (!buffers_.hold(at.bytes)) {
      verdict = {true, not_carried};
      co_return;
    }
    if (receives) {
      const std::vector<int> from(1, me - half_);
      co_await receive_checked(comm, buffers_.in(at.bytes).next(), at.bytes, from, window, wrong);
      co_await comm.send(&wrong, sizeof wrong, me - half_, credit_tag);
      co_return;
    }
    co_await send_checked(comm, buffers_.out(at.bytes).next(), at.bytes, me + half_, window);
    co_await comm.recv(&wrong, sizeof wrong, me + half_, credit_tag);
    co_await reduce(comm, at.pairs, &wrong, &room, 1, [](auto& mine, auto theirs) { mine += theirs; });
    verdict.passed = wrong == 0;
    verdict.detail = std::to_string(at.pairs) + " pairs, a window each";
    if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " wrong";
  }

 private:
  // One end of a pair, and what it keeps of a window.
  template <Communicator C>
  struct Ends {
    bool sends;
    int other;
    std::size_t bytes;
    std::byte* data;
    std::vector<typename C::SendRequest> sent;
    std::vector<typename C::ReceiveRequest> due;
  };
  template <Communicator C>
  static Task windows(C& comm, Ends<C>& ends, std::int64_t batch) {
    std::byte* const data = ends.data;
    const std::size_t bytes = ends.bytes;
    const int other = ends.other;
    for (std::int64_t i = 0; i < batch; ++i) {
      for (auto& request : ends.sent) request = co_await comm.isend(data, bytes, other, stream_tag);
      for (auto& request : ends.due) request = co_await comm.irecv(data, bytes, other, stream_tag);
      for (auto& request : ends.sent) co_await comm.wait(request);
      for (auto& request : ends.due) co_await comm.wait(request);
      if (ends.sends) {
        co_await comm.recv(nullptr, 0, other, credit_tag);
      } else {
        co_await comm.send(nullptr, 0, other, credit_tag);
      }
    }
  }

  int half_ = 0;
  Buffers buffers_;
};

using Program = MessageRate;

}  // namespace assay::ranks
