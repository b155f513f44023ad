// Late receives: what becomes of a message in ready mode whose receive is posted a millisecond after it has come.
//
// Rank 1 says that it is there and computes; rank 0 sends the message, and an empty ordinary one with the same tag.
// What rank 1's receive gets, the message or the empty one, says whether the message was lost; it reports that to rank
// 0. To MPI a ready send without a receive is erroneous: where ranks are real only ordinary messages are sent. Source:
// Dunigan 1991 (DELTA), section 3.1: if a receive is not pending, the message will be lost.
#pragma once

#include "ranks/by_length.hpp"

namespace assay::ranks {

struct LateReceive : ByLength {
  static constexpr std::string_view record = R"record(
name = "late-receive"
title = "Late receives"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
least_ranks = 2
needs = ["forced"]
summary = "whether a message is lost whose receive is posted a millisecond late: in ready mode (FORCE_TYPE) on described machines, and ordinary ones"
cost = "a message of `bytes` bytes, 3 of at most 1 byte and a millisecond of computing per operation"
check = "an ordinary message is compared byte by byte with a pattern of seed and position"
source = "Dunigan 1991 (DELTA), section 3.1"
exact = ["lost"]

[parameter.bytes]
type = "integer"
default = [8, 65536]
min = 1
max = 4194304
unit = "B"
sweep = true
help = "length of a message"

[parameter.send]
type = "choice"
default = ["ordinary"]
described = ["ready", "ordinary"]
choices = ["ready", "ordinary"]
sweep = true
help = "ready sends, on described machines alone, or ordinary ones"

[metric.time]
unit = "s"
help = "from rank 1's word that it is there to its report, the computing included"

[metric.lost]
unit = "1"
help = "part of the messages that were lost"

[figure.lost]
metric = "lost"
unit = "1"
better = "lower"
headline = true
help = "part of the messages that were lost"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
help = "from rank 1's word that it is there to its report, the computing included"
)record";

  template <ReadySend C>
  static Task run(C& comm, Session& session) {
    LateReceive kernel;
    kernel.prepare(comm, session);
    for (const auto& each : session.cases())
      if (!comm.is_simulated() && each.at("send").text == "ready")
        refuse("send", "is erroneous without a receive where ranks are real", "ready", "ordinary");
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    std::size_t bytes;
    bool ready;
  };
  static constexpr std::string_view metric = "time";
  std::vector<Series>& beside() { return beside_; }
  std::string_view cache(const Case&) const { return Buffers::label(Buffers::Way::same); }
  Case at(const timing::CaseSettings& settings) const {
    return {ByLength::at(settings), settings.at("send").text == "ready"};
  }
  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    timing::Json json;
    return json.integer("bytes", static_cast<std::int64_t>(at.bytes)).text("send", at.ready ? "ready" : "ordinary");
  }

  template <ReadySend C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    static constexpr double late = 1e-3;  // s
    const int me = comm.rank();
    if (me > 1) co_return;
    std::byte* const out = buffers_.out(at.bytes).next();
    std::byte* const in = buffers_.in(at.bytes).next();
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      std::int64_t lost = 0, start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        char word = 0;
        if (me == 0) {
          co_await comm.recv(nullptr, 0, 1, word_tag);
          if (at.ready) {
            co_await comm.rsend(out, at.bytes, 1, tag);
          } else {
            co_await comm.send(out, at.bytes, 1, tag);
          }
          co_await comm.send(nullptr, 0, 1, tag);
          co_await comm.recv(&word, 1, 1, word_tag);
          lost += word;
        } else {
          co_await comm.send(nullptr, 0, 0, word_tag);
          const std::int64_t until = comm.now() + static_cast<std::int64_t>(late * C::ticks_a_second);
          co_await comm.compute(late, [&] {
            while (!comm.is_simulated() && comm.now() < until) {
            }
          });
          const auto got = co_await comm.recv(in, at.bytes, 0, tag);
          word = got.bytes() == 0;
          if (word == 0) co_await comm.recv(nullptr, 0, 0, tag);
          co_await comm.send(&word, 1, 0, word_tag);
        }
      }
      if (me == 0) beside_[0].values.push_back(static_cast<double>(lost) / static_cast<double>(run.batch));
      if (ticks) ticks[reading] = comm.now() - start;
    }
  }

  template <ReadySend C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    if (comm.rank() > 1) co_return;
    if (!buffers_.hold(at.bytes)) {
      verdict = {true, not_carried};
      co_return;
    }
    if (comm.rank() == 0) {
      write_pattern(buffers_.out(at.bytes).next(), at.bytes, at.bytes, false);
      co_await comm.send(buffers_.out(at.bytes).next(), at.bytes, 1, tag);
      std::int64_t wrong = 0;
      co_await comm.recv(&wrong, sizeof wrong, 1, word_tag);
      verdict = {wrong == 0, std::to_string(at.bytes) + " bytes"};
      if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " wrong";
    } else {
      std::byte* const got = buffers_.in(at.bytes).next();
      poison(got, at.bytes);
      co_await comm.recv(got, at.bytes, 0, tag);
      const std::int64_t wrong = wrong_bytes(got, at.bytes, at.bytes, false);
      co_await comm.send(&wrong, sizeof wrong, 0, word_tag);
    }
  }

 private:
  static constexpr int tag = 1, word_tag = 2;
  std::vector<Series> beside_{{"lost", {}}};
};

using Program = LateReceive;

}  // namespace assay::ranks
