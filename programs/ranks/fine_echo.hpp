// Fine echo: EuroBen's mod1j, a ping-pong in fine steps of length between two ranks.
//
// A blocking send and receive on both sides, between rank 0 and the last rank, with the same buffers each time. Lengths
// run from 4 to 4,000,000 bytes, evenly by ratio. The paper gives the greatest rate,
// r_max, and a latency with its error, so from a fit; ours is the intercept of a least-squares line over the lengths up
// to 1,000 bytes, where a message goes in one piece (assumed: the paper does not say over which).
// The timer's least step is stated: the paper met one of milliseconds.
// Source: van der Steen 2000, sections 3.1, 4.1.1 and 6.2.2.2, Table 6.15.
#pragma once

#include <limits>

#include "ranks/buffers.hpp"
#include "ranks/round_trip.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

struct FineEcho {
  static constexpr std::string_view record = R"record(
name = "fine-echo"
title = "Ping-pong in fine steps"
part = "messages"
kind = "ranks"
profiles = ["full"]
least_ranks = 2
ranks = 2
summary = "half a round trip by length, 4 to 4,000,000 bytes in fine steps, as in EuroBen's mod1j: r_max and latency"
cost = "2 messages of `bytes` bytes a round trip"
check = "before the samples of a length count, the partner compares every byte with a pattern made of seed and position, returns its complement, and the test rank compares that"
source = "van der Steen 2000, sections 4.1.1 and 6.2.2.2, Table 6.15"
published = ["euroben.mod1j"]
model = "alpha_beta"
slice_quick = 0.01
slice_standard = 0.02
slice_full = 0.03
blocks_quick = 3
blocks_standard = 6
blocks_full = 8

[parameter.bytes]
from = "ranks/round_trip.hpp"
default = [4, 8, 12, 16, 20, 24, 32, 36, 40, 48, 56, 64, 76, 88, 104, 120, 144, 164, 192, 228, 264, 308, 360, 420, 492, 576, 672, 784, 916, 1068, 1248, 1460, 1704, 1988, 2324, 2712, 3168, 3700, 4324, 5048, 5896, 6888, 8044, 9392, 10972, 12812, 14964, 17480, 20412, 23840, 27844, 32520, 37984, 44360, 51812, 60512, 70672, 80000, 82540, 96400, 112588, 131496, 153580, 179368, 209488, 244668, 285756, 333740, 389784, 455240, 531688, 620972, 725248, 847036, 989280, 1155404, 1349428, 1576036, 1840692, 2149796, 2510804, 2932436, 3424872, 4000000]
quick = [4, 8, 12, 24, 44, 80, 148, 268, 488, 892, 1624, 2964, 5400, 9848, 17956, 32740, 59700, 80000, 108852, 198476, 361896, 659860, 1203152, 2193768, 4000000]
full = [4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80, 84, 92, 96, 100, 108, 116, 120, 128, 136, 144, 152, 160, 172, 180, 192, 204, 216, 228, 244, 256, 272, 288, 304, 324, 344, 364, 384, 408, 432, 456, 484, 512, 544, 576, 612, 648, 688, 728, 772, 816, 864, 916, 972, 1028, 1088, 1156, 1224, 1296, 1372, 1456, 1540, 1632, 1728, 1832, 1944, 2056, 2180, 2308, 2448, 2592, 2748, 2912, 3084, 3268, 3460, 3668, 3888, 4116, 4364, 4620, 4896, 5188, 5496, 5824, 6172, 6540, 6928, 7340, 7776, 8240, 8728, 9248, 9800, 10384, 11000, 11656, 12348, 13084, 13860, 14688, 15560, 16488, 17468, 18508, 19608, 20776, 22012, 23320, 24708, 26180, 27736, 29388, 31136, 32988, 34952, 37032, 39236, 41572, 44044, 46668, 49444, 52384, 55504, 58808, 62304, 66012, 69940, 74104, 78512, 80000, 83188, 88136, 93380, 98940, 104828, 111064, 117672, 124676, 132096, 139956, 148284, 157108, 166460, 176364, 186860, 197980, 209760, 222244, 235468, 249480, 264328, 280060, 296724, 314380, 333092, 352912, 373912, 396164, 419740, 444720, 471184, 499224, 528932, 560408, 593756, 629088, 666528, 706192, 748216, 792740, 839916, 889900, 942856, 998964, 1058412, 1121396, 1188128, 1258832, 1333744, 1413112, 1497208, 1586304, 1680704, 1780720, 1886688, 1998964, 2117920, 2243956, 2377488, 2518972, 2668872, 2827692, 2995968, 3174252, 3363148, 3563288, 3775336, 4000000]
described = [4, 8, 12, 16, 20, 24, 32, 36, 40, 48, 56, 64, 76, 88, 104, 120, 144, 164, 192, 228, 264, 308, 360, 420, 492, 576, 672, 784, 916, 1068, 1248, 1460, 1704, 1988, 2324, 2712, 3168, 3700, 4324, 5048, 5896, 6888, 8044, 9392, 10972, 12812, 14964, 17480, 20412, 23840, 27844, 32520, 37984, 44360, 51812, 60512, 70672, 80000, 82540, 96400, 112588, 131496, 153580, 179368, 209488, 244668, 285756, 333740, 389784, 455240, 531688, 620972, 725248, 847036, 989280, 1155404, 1349428, 1576036, 1840692, 2149796, 2510804, 2932436, 3424872, 4000000]

[metric.round_trip]
from = "ranks/round_trip.hpp"

[figure.rate]
from = "ranks/round_trip.hpp"
headline = true

[figure.half_round_trip]
from = "ranks/round_trip.hpp"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    FineEcho kernel;
    if (takes_part(comm)) kernel.buffers_ = Buffers(comm, session, Buffers::Way::same);
    co_await sample(comm, session, kernel);
    if (comm.rank() == 0 && !comm.is_simulated())
      session.note("the timer's steps are " + std::to_string(1e9 * step(comm) / C::ticks_a_second) + " ns or less");
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  using Case = std::size_t;  // bytes
  static constexpr std::string_view metric = "round_trip";
  std::string_view cache(Case) const { return "same buffer"; }
  Case at(const timing::CaseSettings& settings) const { return static_cast<Case>(settings.at("bytes").integer); }
  template <Communicator C>
  timing::Json label(C& comm, Case bytes) const {
    const std::string_view near = comm.placement(0, comm.size() - 1);
    timing::Json json;
    json.integer("bytes", static_cast<std::int64_t>(bytes));
    return near.empty() ? json.null("placement") : json.text("placement", near);
  }

  template <Communicator C>
  Task operate(C& comm, Case bytes, Run run, std::int64_t* ticks) {
    if (!takes_part(comm)) co_return;
    const int other = comm.rank() == 0 ? comm.size() - 1 : 0;
    std::byte* const out = buffers_.out(bytes).next();
    std::byte* const in = buffers_.in(bytes).next();
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        if (comm.rank() == 0) co_await comm.send(out, bytes, other, tag);
        co_await comm.recv(in, bytes, other, tag);
        if (comm.rank() > 0) co_await comm.send(out, bytes, other, tag);
      }
      if (ticks) ticks[reading] = comm.now() - start;
    }
  }

  template <Communicator C>
  Task verify(C& comm, Case bytes, Verdict& verdict) {
    if (!takes_part(comm)) co_return;
    if (!buffers_.hold(bytes)) {
      verdict = {true, not_carried};
      co_return;
    }
    const int other = comm.rank() == 0 ? comm.size() - 1 : 0;
    Cursor out = buffers_.out(bytes), in = buffers_.in(bytes);
    std::byte *sent = out.next(), *got = in.next();
    poison(got, bytes);
    std::int64_t wrong = 0, theirs = 0;
    if (comm.rank() == 0) {
      write_pattern(sent, bytes, bytes, false);
      co_await comm.send(sent, bytes, other, tag);
      const auto back = co_await comm.recv(got, bytes, other, tag);
      wrong = wrong_bytes(got, bytes, bytes, true) + (back.bytes() == bytes ? 0 : 1);
      co_await comm.recv(&theirs, sizeof theirs, other, tag);
      verdict.passed = wrong == 0 && theirs == 0;
      verdict.detail = std::to_string(bytes) + " bytes there and back";
      if (!verdict.passed)
        verdict.detail += ": " + std::to_string(theirs) + " wrong there, " + std::to_string(wrong) + " on return";
    } else {
      const auto arrived = co_await comm.recv(got, bytes, other, tag);
      wrong = wrong_bytes(got, bytes, bytes, false) + (arrived.bytes() == bytes ? 0 : 1);
      write_pattern(sent, bytes, bytes, true);
      co_await comm.send(sent, bytes, other, tag);
      co_await comm.send(&wrong, sizeof wrong, other, tag);
    }
  }

 private:
  static constexpr int tag = 1;
  template <Communicator C>
  static bool takes_part(const C& comm) {
    return comm.rank() == 0 || comm.rank() == comm.size() - 1;
  }
  // The least step (ticks) that the clock is seen to make.
  template <Communicator C>
  static double step(const C& comm) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int steps = 0; steps < 100; ++steps) {
      const std::int64_t before = comm.now();
      std::int64_t after = comm.now();
      while (after == before) after = comm.now();
      least = std::min(least, after - before);
    }
    return static_cast<double>(least);
  }
  Buffers buffers_;
};

using Program = FineEcho;

}  // namespace assay::ranks
