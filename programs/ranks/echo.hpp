// Echo: a test rank sends a message to a partner, which receives it and sends it back; the test rank times N round
// trips.
//
// The timed loop is the plain ping-pong, blocking send and receive on both sides, nothing else. What varies beside the
// length: whether each message uses the same buffer, rotates through more memory than caches hold, or finds its buffers
// flushed; and the buffers' alignment, by the seed. The full profiles have lengths between the powers of two, where
// protocols change. Source: Dunigan 1991, section 4.1 and Appendix A (sendw/recvw, csend/crecv, nwrite/nread).
#pragma once

#include "ranks/buffers.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

struct Echo {
  static constexpr std::string_view record = R"record(
name = "echo"
title = "Echo"
part = "messages"
kind = "ranks"
summary = "a message to another rank and back: start-up, time a byte, and where protocols change"
cost = "2 messages of `bytes` bytes a round trip"
check = "before the samples of a length count, the partner compares every byte with a pattern made of seed and position, returns its complement, and the test rank compares that"
source = "Dunigan 1991, section 4.1, Figures 2 and 3, Table 6, Appendix A"
published = ["echo"]
model = "alpha_beta"
least_ranks = 2
slice_quick = 0.015
slice_standard = 0.03
slice_full = 0.05
blocks_quick = 4
blocks_standard = 6
blocks_full = 8

[parameter.bytes]
type = "integer"
default = [0, 1, 3, 7, 8, 16, 32, 33, 64, 76, 91, 100, 108, 128, 152, 181, 215, 256, 304, 362, 431, 512, 609, 724, 861, 1000, 1024, 1025, 1218, 1448, 1722, 2048, 2435, 2896, 3000, 3444, 4096, 4871, 5793, 6889, 8192, 9742, 10001, 11585, 13777, 16384, 19484, 23170, 27554, 32768, 38968, 46341, 55109, 65536, 65537, 77936, 92682, 100003, 110218, 131072, 155872, 185364, 220436, 262144, 311744, 370728, 440872, 524288, 623487, 741455, 881744, 1000003, 1048576, 1246974, 1482910, 1763488, 2097152, 2493948, 2965821, 3526975, 4194304]
quick = [0, 1, 8, 16, 32, 64, 100, 128, 256, 512, 1000, 1024, 1025, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304]
full = [0, 1, 3, 7, 8, 16, 32, 33, 64, 69, 74, 79, 84, 91, 97, 100, 104, 111, 119, 128, 137, 147, 158, 169, 181, 194, 208, 223, 239, 256, 274, 294, 315, 338, 362, 388, 416, 446, 478, 512, 549, 588, 630, 676, 724, 776, 832, 891, 955, 1000, 1024, 1025, 1097, 1176, 1261, 1351, 1448, 1552, 1663, 1783, 1911, 2048, 2195, 2353, 2521, 2702, 2896, 3000, 3104, 3327, 3566, 3822, 4096, 4390, 4705, 5043, 5405, 5793, 6208, 6654, 7132, 7643, 8192, 8780, 9410, 10001, 10086, 10809, 11585, 12417, 13308, 14263, 15287, 16384, 17560, 18820, 20171, 21619, 23170, 24834, 26616, 28526, 30574, 32768, 35120, 37641, 40342, 43238, 46341, 49667, 53232, 57052, 61147, 65536, 65537, 70240, 75281, 80684, 86475, 92682, 99334, 100003, 106464, 114105, 122295, 131072, 140479, 150562, 161369, 172951, 185364, 198668, 212927, 228210, 244589, 262144, 280959, 301124, 322737, 345901, 370728, 397336, 425854, 456419, 489178, 524288, 561918, 602249, 645474, 691802, 741455, 794672, 851708, 912838, 978356, 1000003, 1048576, 1123836, 1204498, 1290948, 1383604, 1482910, 1589344, 1703417, 1825677, 1956712, 2097152, 2247672, 2408995, 2581897, 2767209, 2965821, 3178688, 3406833, 3651354, 3913424, 4194304]
min = 0
max = 1073741824
unit = "B"
sweep = true
help = "length of the message each way"

[parameter.partner]
type = "integer"
default = 0
min = 0
max = 16777215
unit = "1"
help = "the rank that echoes to rank 0; 0: the last one"

[parameter.hops]
type = "integer"
default = 0
min = 0
max = 16777215
unit = "1"
sweep = true
help = "distance of the rank that echoes, the first so many channels from rank 0; 0: all there are, where the machine tells"

[parameter.cache]
type = "choice"
default = "same"
choices = ["same", "rotating", "flushed"]
help = "buffers: the same ones each time, rotating through 64 MiB, or flushed from the caches before each message"

[metric.round_trip]
unit = "s"
help = "from the send to the end of the receive at rank 0"

[headline.latency]
figure = "half_round_trip"
where = "bytes=8"
title = "8-byte message, one way"
says = "passes 8 bytes between two ranks in"

[headline.rate]
figure = "rate"
title = "greatest rate of one message stream"
says = "moves long messages at up to"
bound = "copy_rate"

[figure.rate]
metric = "round_trip"
formula = "bytes / (value / 2)"
unit = "B/s"
better = "higher"
headline = true
help = "one way: bytes over half a round trip"

[figure.half_round_trip]
metric = "round_trip"
formula = "value / 2"
unit = "s"
better = "lower"
headline = true
help = "one way: half a round trip"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    const auto given = session.cases().front();
    const int partner = static_cast<int>(given.at("partner").integer);
    needs(partner < comm.size(), "a partner that is one of the " + std::to_string(comm.size()) + " ranks", partner);
    Echo kernel;
    kernel.partner_ = partner == 0 ? comm.size() - 1 : partner;
    // The first rank at each distance from rank 0, which asks first.
    kernel.at_distance_ = &session.shared<std::vector<int>>([&] {
      std::vector<int> first;
      for (int to = comm.size() - 1; to > 0; --to)
        if (const auto hops = comm.rank() == 0 ? comm.hops(to) : std::nullopt) {
          if (first.size() <= static_cast<std::size_t>(*hops)) first.resize(static_cast<std::size_t>(*hops) + 1, 0);
          first[static_cast<std::size_t>(*hops)] = to;
        }
      return first;
    });
    if (partner == 0 && !kernel.at_distance_->empty())
      session.widen("hops", [&] {
        std::vector<std::int64_t> all;
        for (std::size_t hops = 1; hops < kernel.at_distance_->size(); ++hops)
          if ((*kernel.at_distance_)[hops] > 0) all.push_back(static_cast<std::int64_t>(hops));
        return all;
      });
    kernel.way_ = Buffers::way(given.at("cache").text);
    bool takes_part = comm.rank() == 0;
    for (const auto& each : session.cases()) {
      const auto hops = each.at("hops").integer;
      needs(hops == 0 || kernel.at(each).partner > 0, "a rank at that distance from rank 0 (parameter 'hops')",
            static_cast<int>(hops));
      takes_part = takes_part || kernel.at(each).partner == comm.rank();
    }
    if (takes_part) kernel.buffers_ = Buffers(comm, session, kernel.way_);
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    std::size_t bytes;
    int partner;
  };
  static constexpr std::string_view metric = "round_trip";
  std::string_view cache(const Case&) const { return Buffers::said(way_); }
  Case at(const timing::CaseSettings& settings) const {
    const auto hops = static_cast<std::size_t>(settings.at("hops").integer);
    const int partner = hops == 0 ? partner_ : hops < at_distance_->size() ? (*at_distance_)[hops] : 0;
    return {static_cast<std::size_t>(settings.at("bytes").integer), partner};
  }

  template <Communicator C>
  timing::Json label(C& comm, const Case& at) const {
    timing::Json json;
    json.integer("bytes", static_cast<std::int64_t>(at.bytes));
    const auto hops = comm.hops(at.partner);
    return hops ? json.integer("hops", *hops) : json.null("hops");
  }

  template <Communicator C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    const std::size_t bytes = at.bytes;
    const int me = comm.rank(), partner = at.partner;
    if (me != 0 && me != partner) co_return;
    if (way_ == Buffers::Way::flushed) {
      co_await operate_flushed(comm, at, run, ticks);
      co_return;
    }
    if (way_ == Buffers::Way::rotating) {
      co_await operate_rotating(comm, at, run, ticks);
      co_return;
    }
    std::byte* const out = buffers_.out(bytes).next();
    std::byte* const in = buffers_.in(bytes).next();
    if (me == 0) {
      for (std::int64_t reading = 0; reading < run.readings; ++reading) {
        const std::int64_t start = comm.now();
        for (std::int64_t i = 0; i < run.batch; ++i) {
          co_await comm.send(out, bytes, partner, tag);
          co_await comm.recv(in, bytes, partner, tag);
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

  // The same with buffers that move on with each message.
  template <Communicator C>
  Task operate_rotating(C& comm, Case at, Run run, std::int64_t* ticks) {
    const auto [bytes, partner] = at;
    Cursor out = buffers_.out(bytes), in = buffers_.in(bytes);
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        if (comm.rank() == 0) {
          co_await comm.send(out.next(), bytes, partner, tag);
          co_await comm.recv(in.next(), bytes, partner, tag);
        } else {
          co_await comm.recv(in.next(), bytes, 0, tag);
          co_await comm.send(out.next(), bytes, 0, tag);
        }
      }
      if (ticks) ticks[reading] = comm.now() - start;
    }
  }

  // Both sides flush, then say so, before each round trip; the reading is the sum of the round trips alone.
  template <Communicator C>
  Task operate_flushed(C& comm, Case at, Run run, std::int64_t* ticks) {
    const auto [bytes, partner] = at;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < run.batch; ++i) {
        buffers_.flush(bytes);
        std::byte* out = buffers_.out(bytes).next();
        std::byte* in = buffers_.in(bytes).next();
        if (comm.rank() == 0) {
          co_await comm.recv(nullptr, 0, partner, tag);
          const std::int64_t start = comm.now();
          co_await comm.send(out, bytes, partner, tag);
          co_await comm.recv(in, bytes, partner, tag);
          sum += comm.now() - start;
        } else {
          co_await comm.send(nullptr, 0, 0, tag);
          co_await comm.recv(in, bytes, 0, tag);
          co_await comm.send(out, bytes, 0, tag);
        }
      }
      if (ticks) ticks[reading] = sum;
    }
  }

  template <Communicator C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    const auto [bytes, partner] = at;
    if (comm.rank() != 0 && comm.rank() != partner) co_return;
    if (!buffers_.hold(bytes)) {
      verdict.detail = not_carried;
      co_return;
    }
    Cursor out = buffers_.out(bytes), in = buffers_.in(bytes);
    std::byte *sent = out.next(), *got = in.next();
    poison(got, bytes);
    if (comm.rank() == 0) {
      write_pattern(sent, bytes, bytes, false);
      co_await comm.send(sent, bytes, partner, tag);
      const auto echoed = co_await comm.recv(got, bytes, partner, tag);
      std::int64_t wrong = 0;  // what the partner found
      co_await comm.recv(&wrong, sizeof wrong, partner, tag);
      const std::int64_t back = wrong_bytes(got, bytes, bytes, true);
      verdict.passed = wrong == 0 && back == 0 && echoed.bytes() == bytes;
      verdict.detail = std::to_string(bytes) + " bytes there and back";
      if (!verdict.passed) {
        verdict.detail += ": " + std::to_string(wrong) + " wrong at rank " + std::to_string(partner) + ", " +
                          std::to_string(back) + " wrong on return, " + std::to_string(echoed.bytes()) + " returned";
      }
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
  int partner_ = 0;
  const std::vector<int>* at_distance_ = nullptr;
  Buffers::Way way_ = Buffers::Way::same;
  Buffers buffers_;
};

using Program = Echo;

}  // namespace assay::ranks
