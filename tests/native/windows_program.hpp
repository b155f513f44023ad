// in_windows() on real ranks, one of which enters some operations late, as others had its processor: a message that
// went before it came must not be taken for one that needs no time.
#pragma once

#include <chrono>
#include <thread>

#include "checked_program.hpp"
#include "ranks/windows.hpp"

namespace assay::ranks {

struct EnteredLate {
  static constexpr std::string_view record = R"record(
name = "windows"
)record";
  static constexpr auto nap = std::chrono::milliseconds(200);

  template <Communicator C>
  static Task pass_on(C& comm) {
    std::byte word{};
    if (comm.rank() > 0) co_await comm.recv(&word, 1, comm.rank() - 1, 1);
    if (comm.rank() + 1 < comm.size()) co_await comm.send(&word, 1, comm.rank() + 1, 1);
  }

  // The last rank sleeps before every second start, longer than a window.
  template <Communicator C, class Lateness>
  static Task measure(C& comm, Windows& windows, std::vector<std::int64_t>& ticks, Lateness lateness) {
    bool sleeps = false;
    co_await in_windows(
        comm, comm.size(), static_cast<std::int64_t>(ticks.size()), ticks.data(), windows,
        [&comm, sleeps]() mutable {
          if (sleeps && comm.rank() + 1 == comm.size()) std::this_thread::sleep_for(nap);
          sleeps = !sleeps;
          return pass_on(comm);
        },
        lateness);
  }

  template <Communicator C>
  static Task check(C& comm, std::vector<std::string>& wrong) {
    Windows windows, skewed;
    std::vector<std::int64_t> ticks(2), from_last(2);
    co_await measure(comm, windows, ticks, OnTime{});
    co_await measure(comm, skewed, from_last, OnTime{1e-6});
    if (comm.rank() != 0) co_return;
    // the first rank enters after a window of 1 ms, and not before another processor has it, the last one after 200 ms
    const auto least = static_cast<std::int64_t>(5e-2 * C::ticks_a_second);
    if (ticks[1] < least) wrong.push_back("entered late: " + std::to_string(ticks[1]) + " ticks");
    if (windows.apart < 1 || windows.missed < 1) wrong.push_back("neither missed nor apart");
    if (skewed.apart != 0) wrong.push_back("skewed entries count from the last one");
  }

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    return run_checked<EnteredLate>(comm, session);
  }
};

using Program = EnteredLate;

}  // namespace assay::ranks
