// Collectives from a common start to the last exit (method.md, rule 7): each operation begins, on all ranks, at an
// agreed moment of the global clock, and its time is that of the last exit less that of the last entry. Rank 0 agrees
// the first start and the distance of starts ("window") for a run. A rank that comes too late for a window has missed
// it. Where the entries lie more than a tenth of the operation's time apart, it counts from the first of them: who
// comes late, as others had its processor, may find done all that it waits for, and the rest is no operation's time.
// How well the clocks agree is a metric of its own; where that passes a tenth of what was measured, no figure is drawn
// from it (report/derive/resolution.py).
// Ranks may be made to enter later than the start by a lateness of their own; the time then counts from the last entry.
// Source: Hoefler, Schneider, Lumsdaine (2008), window-based timing; Hunold and Carpen-Amarie (2016).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ranks/global_clock.hpp"
#include "ranks/pace.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

inline constexpr std::string_view windows_fragment = R"fragment(
[metric.clock_error]
unit = "s"
error_of = "time"
help = "how far apart the ranks' clocks may be"
)fragment";

// What a kernel keeps of its windows from run to run, on a real machine.
struct Windows {
  double length = 1e-3;  // s; rank 0 sets it by what the operations took
  double error = 0;      // s, greatest error of the clocks seen
  std::int64_t taken = 0, missed = 0, apart = 0;
  Series clock_error{"clock_error", {}};
};
inline std::span<Series> beside(const std::unique_ptr<Windows>& windows) {
  return windows ? std::span(&windows->clock_error, 1) : std::span<Series>();
}

struct Passage {  // of one operation, in ticks of the global clock
  std::int64_t in = 0, out = 0;
};
inline constexpr auto join_passages = [](Passage& mine, const Passage& other) {
  mine.in = std::max(mine.in, other.in);
  mine.out = std::max(mine.out, other.out);
};
struct WindowPassage : Passage {
  std::int64_t first = 0, missed = 0;
  bool apart() const { return 10 * (in - first) > out - first; }
};
inline void join_windows(WindowPassage& mine, const WindowPassage& other) {
  join_passages(mine, other);
  mine.first = std::min(mine.first, other.first);
  mine.missed = std::max(mine.missed, other.missed);
}

// How many seconds after the start a rank enters, by the number of the reading, and how many at most.
struct OnTime {
  double most = 0;
  double operator()(std::int64_t) const { return 0; }
};

// Among ranks 0 … ranks - 1, on a real machine; `operation()` is the Task of one operation.
template <Communicator C, class Operation, class Lateness = OnTime>
Task in_windows(C& comm, int ranks, std::int64_t readings, std::int64_t* ticks, Windows& windows, Operation operation,
                Lateness lateness = {}) {
  if (comm.rank() >= ranks) co_return;
  GlobalClock clock;
  co_await clock.set(comm, ranks);
  const GlobalClock::Look before = clock.look();
  std::int64_t agreed[2] = {};  // the first start, the window
  if (comm.rank() == 0) {
    agreed[1] = static_cast<std::int64_t>((windows.length + lateness.most) * C::ticks_a_second);
    agreed[0] = comm.now() + std::max(agreed[1], static_cast<std::int64_t>(5e-5 * C::ticks_a_second));
  }
  co_await broadcast(comm, agreed, sizeof agreed, ranks);
  std::vector<WindowPassage> passages(static_cast<std::size_t>(readings)), room(passages.size());
  std::int64_t start = clock.own(agreed[0]);
  for (WindowPassage& passage : passages) {
    const Task task = operation();  // made before the start: its frame's allocation is not timed
    const double late = lateness(&passage - passages.data());
    Moments moments{.start = start + static_cast<std::int64_t>(late * C::ticks_a_second)};
    task.run_at(moments);
    co_await task;
    passage.missed = moments.missed;
    passage.in = moments.in;
    passage.out = moments.out;
    start += agreed[1];
  }
  co_await clock.set(comm, ranks);
  for (WindowPassage& passage : passages) {
    passage.first = passage.in = clock.between(before, passage.in);
    passage.out = clock.between(before, passage.out);
  }
  const std::int64_t own_error = std::max(before.error, clock.look().error);
  std::int64_t error = own_error, other = 0;
  co_await reduce(comm, ranks, &error, &other, 1, [](auto& mine, auto theirs) { mine = std::max(mine, theirs); });
  co_await reduce(comm, ranks, passages.data(), room.data(), passages.size(), join_windows);
  if (comm.rank() != 0) co_return;
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < passages.size(); ++i) {
    const bool apart = lateness.most == 0 && passages[i].apart();
    ticks[i] = passages[i].out - (apart ? passages[i].first : passages[i].in);
    windows.apart += apart;
    longest = std::max(longest, ticks[i]);
    windows.missed += passages[i].missed;
  }
  windows.taken += readings;
  if (error > 0) windows.clock_error.values.push_back(static_cast<double>(error) / C::ticks_a_second);
  windows.error = std::max(windows.error, static_cast<double>(error) / C::ticks_a_second);
  const double needed = 2 * static_cast<double>(longest) / C::ticks_a_second + 1e-5;
  windows.length = readings == 1 ? needed : std::clamp(needed, windows.length / 2, windows.length * 2);
}

// Said once at the end, at rank 0: how good the clocks were, and how many windows were missed.
inline void report(Session& session, const std::unique_ptr<Windows>& windows) {
  if (!windows || windows->taken == 0) return;
  const std::string of = " of " + std::to_string(windows->taken);
  if (windows->missed > 0) session.note(std::to_string(windows->missed) + of + " windows were missed by some rank");
  if (windows->apart > 0) {
    session.note(std::to_string(windows->apart) + of +
                 " operations count from the first entry: the last one was later by more than a tenth of their time");
  }
  if (windows->error > 0) {
    session.note("the ranks' clocks agree within " + std::to_string(windows->error * 1e6) + " us");
  }
}

}  // namespace assay::ranks
