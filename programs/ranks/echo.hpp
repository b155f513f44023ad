// Echo: a test rank sends a message to a partner, which receives it and sends it back; the test rank times N round
// trips. Its partners are one for each distance that the machine has: on the same node, on another node behind the same
// router or switch (0 hops), and for each number of hops; or, on a real machine, one for each placement that can be
// found out: on the same core complex, socket, node, switch.
//
// The timed loop is the plain ping-pong, blocking send and receive on both sides, nothing else. What varies beside the
// length: whether each message uses the same buffer, rotates through more memory than caches hold, or finds its buffers
// flushed; and the buffers' alignment, by the seed. The full profiles have lengths between the powers of two, where
// protocols change. Source: Dunigan 1991, section 4.1 and Appendix A (sendw/recvw, csend/crecv, nwrite/nread).
#pragma once

#include "ranks/buffers.hpp"
#include "ranks/paths.hpp"
#include "ranks/round_trip.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

struct Echo {
  static constexpr std::string_view record = R"record(
name = "echo"
title = "Echo"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
first_look = true
summary = "a message to another rank and back: start-up, time per byte, and where protocols change"
cost = "2 messages of `bytes` bytes a round trip"
check = "before the samples of a length count, the partner compares every byte with a pattern made of seed and position, returns its complement, and the test rank compares that"
source = "Dunigan 1991, section 4.1, Figures 2 and 3, Table 6, Appendix A"
published = ["echo"]
model = "alpha_beta"
least_ranks = 2
slice_quick = 0.015
blocks_quick = 4

[parameter.bytes]
from = "ranks/round_trip.hpp"
default = [0, 1, 3, 7, 8, 16, 32, 33, 64, 76, 91, 100, 108, 128, 152, 181, 215, 256, 304, 362, 431, 512, 609, 724, 861, 1000, 1024, 1025, 1218, 1448, 1722, 2048, 2435, 2896, 3000, 3444, 4096, 4871, 5793, 6889, 8192, 9742, 10001, 11585, 13777, 16384, 19484, 23170, 27554, 32768, 38968, 46341, 55109, 65536, 65537, 77936, 92682, 100003, 110218, 131072, 155872, 185364, 220436, 262144, 311744, 370728, 440872, 524288, 623487, 741455, 881744, 1000003, 1048576, 1246974, 1482910, 1763488, 2097152, 2493948, 2965821, 3526975, 4194304]
quick = [0, 1, 8, 16, 32, 64, 100, 128, 256, 512, 1000, 1024, 1025, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304]
full = [0, 1, 3, 7, 8, 16, 32, 33, 64, 69, 74, 79, 84, 91, 97, 100, 104, 111, 119, 128, 137, 147, 158, 169, 181, 194, 208, 223, 239, 256, 274, 294, 315, 338, 362, 388, 416, 446, 478, 512, 549, 588, 630, 676, 724, 776, 832, 891, 955, 1000, 1024, 1025, 1097, 1176, 1261, 1351, 1448, 1552, 1663, 1783, 1911, 2048, 2195, 2353, 2521, 2702, 2896, 3000, 3104, 3327, 3566, 3822, 4096, 4390, 4705, 5043, 5405, 5793, 6208, 6654, 7132, 7643, 8192, 8780, 9410, 10001, 10086, 10809, 11585, 12417, 13308, 14263, 15287, 16384, 17560, 18820, 20171, 21619, 23170, 24834, 26616, 28526, 30574, 32768, 35120, 37641, 40342, 43238, 46341, 49667, 53232, 57052, 61147, 65536, 65537, 70240, 75281, 80684, 86475, 92682, 99334, 100003, 106464, 114105, 122295, 131072, 140479, 150562, 161369, 172951, 185364, 198668, 212927, 228210, 244589, 262144, 280959, 301124, 322737, 345901, 370728, 397336, 425854, 456419, 489178, 524288, 561918, 602249, 645474, 691802, 741455, 794672, 851708, 912838, 978356, 1000003, 1048576, 1123836, 1204498, 1290948, 1383604, 1482910, 1589344, 1703417, 1825677, 1956712, 2097152, 2247672, 2408995, 2581897, 2767209, 2965821, 3178688, 3406833, 3651354, 3913424, 4194304]
described = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304]

[parameter.hops]
type = "integer"
default = 0
min = 0
max = 16777216
unit = "1"
sweep = true
help = "hops to the partner, on a real machine 1 for the nearest placement there is, 2 for the next; 0: a partner for each distance that there is, also within the node and on another node behind the same switch"

[parameter.partner]
type = "integer"
default = 0
min = 0
max = 16777215
unit = "1"
help = "the rank that echoes to rank 0, whatever its hops; 0: by hops"

[parameter.cache]
type = "choice"
default = "same"
choices = ["same", "rotating", "flushed"]
help = "buffers: the same ones each time, rotating through 64 MiB, or flushed from the caches before each message"

[metric.round_trip]
from = "ranks/round_trip.hpp"

[headline.latency]
figure = "half_round_trip"
where = "bytes=8"
across_nodes = true
title = "8-byte message, half a round trip"
says = "passes 8 bytes between two ranks in"
bound = "line_transfers"
advice = "MPI's software path takes the rest: another transport or MPI may be faster"
described_advice = "the way between the two ranks takes the rest"
order = 1

[headline.rate]
figure = "rate"
across_nodes = true
title = "greatest rate, messages of {bytes}"
says = "moves messages of {bytes} at up to"
bound = "copy_rate"
advice = "MPI's software path takes the rest: another transport or MPI may be faster"
described_advice = "start-ups, and parts of the way that follow one another, take the rest"
order = 2

[figure.rate]
from = "ranks/round_trip.hpp"
headline = true

[figure.half_round_trip]
from = "ranks/round_trip.hpp"
headline = true
)record";

  // Partners by hops: on a machine without hops by placement, nearest first; where that is unknown too, the last rank.
  struct Partner {
    std::int64_t hops;  // what chooses it: 1 where there is one distance only, below 0 where no hops are between
    int rank;
  };
  static constexpr std::int64_t same_node = -2, same_router = -1;
  template <Communicator C>
  static std::vector<Partner> partners(const C& comm, int given) {
    if (given > 0) return {{comm.hops(0, given).value_or(1), given}};
    std::vector<Partner> all;
    int within = 0, beside = 0;  // the last rank of rank 0's own node, and of other nodes no hop away
    for (int rank = 1; rank < comm.size(); ++rank) {
      if (comm.hops(0, rank) != 0) continue;
      (comm.same_node(0, rank) ? within : beside) = rank;
    }
    const std::vector<std::int64_t> hops = hop_counts(comm);
    if (within > 0) all.push_back({beside > 0 || !hops.empty() ? same_node : 1, within});
    if (beside > 0) all.push_back({hops.empty() ? 1 : same_router, beside});
    for (const std::int64_t each : hops) all.push_back({each, at_hops(comm, 0, each)});
    if (!all.empty()) return all;
    for (const char* near :
         {"same core", "same core complex", "same socket", "same node", "same switch", "other node"}) {
      for (int rank = comm.size() - 1; rank > 0; --rank) {
        if (comm.placement(0, rank) != near) continue;
        all.push_back({static_cast<std::int64_t>(all.size()) + 1, rank});
        break;
      }
    }
    if (all.empty()) all.push_back({1, comm.size() - 1});
    return all;
  }

  static std::string hops_of(const std::vector<Partner>& all) {
    std::string listed = "0 (each)";
    for (const Partner& each : all)
      if (each.hops > 0) listed += ", " + std::to_string(each.hops);  // the others have no number of their own
    return listed;
  }

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    const int given = static_cast<int>(session.cases().front().at("partner").integer);
    if (given >= comm.size())
      refuse("partner", "no such rank", std::to_string(given), "0 (by hops) to " + std::to_string(comm.size() - 1));
    Echo kernel;
    kernel.partners_ = &session.shared<std::vector<Partner>>([&] { return partners(comm, given); });
    session.widen("hops", [&] {
      std::vector<std::int64_t> all;
      for (const Partner& each : *kernel.partners_) all.push_back(each.hops);
      return all;
    });
    session.keep([&](const auto& each) { return kernel.at(each).partner > 0; },
                 {"no partner at so many hops from rank 0", "hops", hops_of(*kernel.partners_)}, comm.rank() == 0);
    kernel.way_ = Buffers::way(session.cases().front().at("cache").text);
    const auto takes_part = [&](const auto& each) { return kernel.at(each).partner == comm.rank(); };
    if (comm.rank() == 0 || std::ranges::any_of(session.cases(), takes_part)) {
      kernel.buffers_ = Buffers(comm, session, kernel.way_);
    }
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    std::size_t bytes;
    int partner;
  };
  static constexpr std::string_view metric = "round_trip";
  std::string_view cache(const Case&) const { return Buffers::label(way_); }
  Case at(const timing::CaseSettings& settings) const {
    const std::int64_t hops = settings.at("hops").integer;
    const auto found = std::ranges::find(*partners_, hops, &Partner::hops);
    return {static_cast<std::size_t>(settings.at("bytes").integer), found == partners_->end() ? -1 : found->rank};
  }

  template <Communicator C>
  timing::Json label(C& comm, const Case& at) const {
    timing::Json json;
    json.integer("bytes", static_cast<std::int64_t>(at.bytes));
    const auto hops = comm.hops(0, at.partner);
    hops ? json.integer("hops", *hops) : json.null("hops");
    std::string_view near = comm.placement(0, at.partner);
    if (hops && std::ranges::any_of(*partners_, [&](const Partner& each) { return comm.same_node(0, each.rank); }))
      near = comm.same_node(0, at.partner) ? "same node" : "other node";
    return near.empty() ? json.null("placement") : json.text("placement", near);
  }

  template <Communicator C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    if (way_ == Buffers::Way::flushed) return operate_flushed(comm, at.bytes, at.partner, run, ticks);
    if (way_ == Buffers::Way::rotating) return operate_rotating(comm, at.bytes, at.partner, run, ticks);
    return operate_same(comm, at.bytes, at.partner, run, ticks);
  }

  template <Communicator C>
  Task operate_same(C& comm, std::size_t bytes, int partner, Run run, std::int64_t* ticks) {
    const int me = comm.rank();
    if (me != 0 && me != partner) co_return;
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
  Task operate_rotating(C& comm, std::size_t bytes, int partner, Run run, std::int64_t* ticks) {
    if (comm.rank() != 0 && comm.rank() != partner) co_return;
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
  Task operate_flushed(C& comm, std::size_t bytes, int partner, Run run, std::int64_t* ticks) {
    if (comm.rank() != 0 && comm.rank() != partner) co_return;
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
  Task verify(C& comm, Case at, Verdict& verdict) {
    const std::size_t bytes = at.bytes;
    const int partner = at.partner;
    if (comm.rank() != 0 && comm.rank() != partner) co_return;
    if (!buffers_.hold(bytes)) {
      verdict = {true, not_carried};
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
  const std::vector<Partner>* partners_ = nullptr;
  Buffers::Way way_ = Buffers::Way::same;
  Buffers buffers_;
};

using Program = Echo;

}  // namespace assay::ranks
