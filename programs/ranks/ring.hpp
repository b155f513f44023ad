// Ring: messages round a Gray-code ring of all ranks, whose neighbours are one hop apart on a hypercube
// (gray_ring.hpp).
//
// `token`: one message goes once round, each rank sending it on when it has it; rank 0 times the circuit.
// `shift`: all ranks send to their successor at once and receive from their predecessor; rank 0 times the step. As a
// rank cannot start a step before its predecessor has ended the one before, many steps keep the ring in step by
// themselves. Readings of a step follow one another without a common start, on described machines as on real ones:
// where ways share links, ranks drift apart, and a step may take several times as long as one from a common start.
// Source: Dunigan 1991, Table 2 names the test ("ring"); no result is printed.
#pragma once

#include <cstring>

#include "ranks/buffers.hpp"
#include "ranks/gray_ring.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

struct Ring {
  static constexpr std::string_view record = R"record(
name = "ring"
title = "Gray-code ring"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
summary = "messages round a ring of all ranks, neighbours one hop apart on a hypercube"
cost = "token: as many messages of `bytes` bytes as there are ranks, one after the other; shift: as many at once"
check = "token: each rank adds its number to every word, so that rank 0 finds the sum of all; shift: each rank compares every byte with its predecessor's pattern"
source = "Dunigan 1991, Table 2"
published = ["ring"]
slice_quick = 0.02

[parameter.bytes]
type = "integer"
default = [0, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304]
quick = [8, 1024, 65536, 1048576]
min = 0
max = 1073741824
unit = "B"
sweep = true
help = "length of a message"

[parameter.scheme]
type = "choice"
default = ["token", "shift"]
choices = ["token", "shift"]
sweep = true
help = "one message goes round, or all ranks send at once"

[metric.time]
unit = "s"
help = "token: the circuit; shift: one step of all ranks"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = false
help = "token: the circuit; shift: one step of all ranks"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    Ring kernel;
    {
      // Every rank's place in the ring; the table is made once a process.
      const auto& order = session.shared<std::vector<int>>([&] { return gray_ring(comm.size()); });
      const auto here = std::ranges::find(order, comm.rank());
      kernel.next_ = here + 1 == order.end() ? order.front() : here[1];
      kernel.previous_ = here == order.begin() ? order.back() : here[-1];
    }
    kernel.buffers_ = Buffers(comm, session, Buffers::Way::same);
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    std::size_t bytes;
    bool token;
  };
  static constexpr std::string_view metric = "time";
  std::string_view cache(const Case&) const { return Buffers::label(Buffers::Way::same); }
  Case at(const timing::CaseSettings& settings) const {
    return {static_cast<std::size_t>(settings.at("bytes").integer), settings.at("scheme").text == "token"};
  }

  template <Communicator C>
  timing::Json label(C& comm, const Case& at) const {
    timing::Json json;
    json.integer("bytes", static_cast<std::int64_t>(at.bytes)).text("scheme", at.token ? "token" : "shift");
    return json.integer("ranks", comm.size());
  }

  template <Communicator C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    const std::size_t bytes = at.bytes;
    std::byte *out = buffers_.out(bytes).next(), *in = buffers_.in(bytes).next();
    const int next = next_, previous = previous_;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      if (reading > 0 && at.token) co_await together(comm, comm.size());  // steps follow one another, as on real ranks
      const std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        if (!at.token) {
          co_await comm.sendrecv(out, bytes, next, in, bytes, previous, tag);
        } else if (comm.rank() == 0) {
          co_await comm.send(out, bytes, next, tag);
          co_await comm.recv(in, bytes, previous, tag);
        } else {
          co_await comm.recv(in, bytes, previous, tag);
          co_await comm.send(in, bytes, next, tag);
        }
      }
      if (ticks) ticks[reading] = comm.now() - start;
    }
  }

  // A token of 64-bit words to which every rank adds its number, then, whatever the scheme, the shift's own pattern;
  // the number of wrong bytes goes round as well, so that rank 0 knows of all.
  template <Communicator C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    const std::size_t bytes = at.bytes, words = bytes / sizeof(std::uint64_t);
    std::byte *out = buffers_.out(bytes).next(), *in = buffers_.in(bytes).next();
    const int me = comm.rank(), ranks = comm.size();
    std::int64_t wrong = 0;
    if (!buffers_.hold(bytes)) {
      verdict = {true, not_carried};
      co_return;
    }
    poison(in, bytes);
    if (at.token) {
      std::fill_n(out, bytes, std::byte{0});
      if (me == 0) {
        co_await comm.send(out, bytes, next_, tag);
        co_await comm.recv(in, bytes, previous_, tag);
        const auto sum = static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(ranks - 1) / 2;
        for (std::size_t word = 0; word < words; ++word) wrong += read(in, word) != sum ? 8 : 0;
        for (std::size_t i = 8 * words; i < bytes; ++i) wrong += in[i] != std::byte{0};
      } else {
        co_await comm.recv(in, bytes, previous_, tag);
        for (std::size_t word = 0; word < words; ++word) add(in, word, static_cast<std::uint64_t>(me));
        co_await comm.send(in, bytes, next_, tag);
      }
    } else {
      write_pattern(out, bytes, static_cast<std::uint64_t>(me), true);
      const auto arrived = co_await comm.sendrecv(out, bytes, next_, in, bytes, previous_, tag);
      wrong = wrong_bytes(in, bytes, static_cast<std::uint64_t>(previous_), true) + (arrived.bytes() != bytes);
    }
    std::int64_t all = 0;  // the count, gathered on the way round
    if (me == 0) {
      co_await comm.send(&wrong, sizeof wrong, next_, tag);
      co_await comm.recv(&all, sizeof all, previous_, tag);
      verdict.passed = all == 0;
      verdict.detail = std::to_string(bytes) + " bytes " + (at.token ? "once round " : "a step along ") +
                       std::to_string(ranks) + " ranks";
      if (all != 0) verdict.detail += ": " + std::to_string(all) + " wrong";
    } else {
      co_await comm.recv(&all, sizeof all, previous_, tag);
      all += wrong;
      co_await comm.send(&all, sizeof all, next_, tag);
    }
  }

 private:
  static std::uint64_t read(const std::byte* data, std::size_t word) {
    std::uint64_t value;
    std::memcpy(&value, data + 8 * word, sizeof value);
    return value;
  }
  static void add(std::byte* data, std::size_t word, std::uint64_t number) {
    const std::uint64_t value = read(data, word) + number;
    std::memcpy(data + 8 * word, &value, sizeof value);
  }

  static constexpr int tag = 1;
  int next_ = 0, previous_ = 0;
  Buffers buffers_;
};

using Program = Ring;

}  // namespace assay::ranks
