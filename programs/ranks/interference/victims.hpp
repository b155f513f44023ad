// What is measured: one operation after the other among the victims, each timed by itself.
//
// Pairs: of m victims in order the first half exchange a message with those of the second, so that the two are on
// unlike nodes where there are two; the one in the middle of an odd number waits. Each of the first half times its
// round trips. Allreduce: of one 64-bit word by all victims, by recursive doubling, timed by the first.
#pragma once

#include "ranks/algorithms/all.hpp"
#include "ranks/buffers.hpp"
#include "ranks/collectives.hpp"

namespace assay::ranks {

enum class Victim : std::uint8_t { latency, bandwidth, allreduce };
inline constexpr std::array<std::string_view, 3> victim_names = {"latency", "bandwidth", "allreduce"};

struct VictimPlace {
  int partner = -1;
  bool leads = false;

  template <Communicator C>
  static VictimPlace of(const C& group) {
    const int me = group.rank(), half = group.size() / 2, apart = group.size() - half;
    if (me < half) return {me + apart, true};
    return {me >= apart ? me - apart : -1, false};
  }
};

// One operation, on every victim.
template <Communicator C>
Task exchange_of_pair(C& group, VictimPlace place, std::byte* out, std::byte* in, std::size_t bytes) {
  if (place.partner < 0) co_return;
  if (place.leads) {
    co_await group.send(out, bytes, place.partner, collective_tag);
    co_await group.recv(in, bytes, place.partner, collective_tag);
  } else {
    co_await group.recv(in, bytes, place.partner, collective_tag);
    co_await group.send(out, bytes, place.partner, collective_tag);
  }
}

struct VictimLimits {
  std::int64_t operations = 0;
  std::int64_t settling = 1;  // operations before the first that is timed
  double seconds = 0;         // no further stretch is begun after so long; 0: no limit
};

// `operation()` is the Task of one. At the first victim: the seconds of each timed operation of each pair (or of its
// own), in order of time; nobody leaves before the last is done. Between two looks at the clock lies a stretch of
// operations, of which the first is not timed: in it one waits for another that learnt later of the stretch.
template <Communicator C, class Operation>
Task time_victims(C& group, VictimLimits limits, bool pairs, Operation operation, std::vector<double>& seconds) {
  constexpr std::int64_t stretch = 32;
  std::vector<std::int64_t> ticks;
  const std::int64_t begun = group.now();
  for (std::int64_t done = 0; done < limits.operations;) {
    std::int64_t now = std::min(stretch, limits.operations - done);
    const double passed = static_cast<double>(group.now() - begun) / C::ticks_a_second;
    if (limits.seconds > 0 && passed > limits.seconds && done > 0) now = 0;
    co_await broadcast(group, &now, sizeof now);
    if (now == 0) break;
    for (std::int64_t i = done == 0 ? -limits.settling : -1; i < now; ++i) {
      const Task task = operation();  // made before the clock is read: its frame's allocation is not timed
      const std::int64_t start = group.now();
      co_await task;
      if (i >= 0) ticks.push_back(group.now() - start);
    }
    done += now;
  }
  const std::size_t each = ticks.size(), leads = pairs ? static_cast<std::size_t>(group.size() / 2) : 1;
  std::vector<std::int64_t> all(group.rank() == 0 ? each * static_cast<std::size_t>(group.size()) : 0);
  co_await gather(group, ticks.data(), each * sizeof(std::int64_t), all.data());
  if (group.rank() != 0) co_return;
  const double scale = 1 / (C::ticks_a_second * (pairs ? 2 : 1));
  seconds.clear();
  for (std::size_t reading = 0; reading < each; ++reading)
    for (std::size_t rank = 0; rank < leads; ++rank)
      seconds.push_back(static_cast<double>(all[rank * each + reading]) * scale);
}

}  // namespace assay::ranks
