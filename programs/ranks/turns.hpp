// A loop that keeps a hardware thread busy and nothing else: no memory, no library, one dependent operation a turn,
// whose result has a closed form, so that no compiler leaves it out and a check sees that it ran.
//
// Turn i adds i to a sum, through a register that the compiler must take as changed. On a described machine a turn is
// charged what its [compute] states for the kernel "turn", else `seconds_a_turn`: those who use it set their loops by
// time, so that only the grain of a turn shows. A real one's turn is measured once a process.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ranks/communicator.hpp"
#include "timing/clock.hpp"
#include "timing/opaque.hpp"

namespace assay::ranks {

inline constexpr double seconds_a_turn = 1e-9;

// Runs so many turns; whether the sum came out right. There is one copy of it, whatever is known of the count where it
// is called: the loop of another copy may take half the time, or twice as long.
#ifndef __clang__  // which makes no such copies, and does not know the word
[[gnu::noclone]]
#endif
[[gnu::noinline]] inline bool turn(std::int64_t turns) {
  timing::opaque(turns);
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < turns; ++i) {
    sum += static_cast<std::uint64_t>(i);
    timing::opaque(sum);
  }
  const auto n = static_cast<std::uint64_t>(turns);
  return turns <= 0 || sum == (n % 2 == 0 ? n / 2 * (n - 1) : n * ((n - 1) / 2));
}

// Turns that take about so many seconds; on this hardware thread as it was at the first call.
inline std::int64_t real_turns_in(double seconds) {
  static const double turns_a_second = [] {
    constexpr std::int64_t turns = 100'000;
    std::int64_t fastest = 1 << 30;
    for (int probe = 0; probe < 5; ++probe) {
      const std::int64_t start = timing::now_ns();
      const bool right = turn(turns);
      if (const std::int64_t taken = timing::now_ns() - start; right && taken > 0) fastest = std::min(fastest, taken);
    }
    return static_cast<double>(turns) / (1e-9 * static_cast<double>(fastest));
  }();
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds * turns_a_second));
}

template <Communicator C>
double cost_of_a_turn(const C& comm) {
  return comm.cost_of("turn").value_or(seconds_a_turn);
}
template <Communicator C>
std::int64_t turns_in(const C& comm, double seconds) {
  return comm.is_simulated() ? std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds / cost_of_a_turn(comm)))
                             : real_turns_in(seconds);
}
// So many turns of this rank's hardware thread; on a described machine they cost their time and are not done.
template <Communicator C>
auto busy(C& comm, std::int64_t turns, std::int64_t& wrong) {
  return comm.compute(static_cast<double>(turns) * cost_of_a_turn(comm),
                      [&comm, &wrong, turns] { wrong += !turn(comm.is_simulated() ? 1 : turns); });
}

}  // namespace assay::ranks
