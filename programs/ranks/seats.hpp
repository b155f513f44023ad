// Whether ranks have hardware threads of their own: where two must share one, what they do at once is not at once.
#pragma once

#include <algorithm>
#include <bitset>
#include <functional>
#include <vector>

#include "ranks/collectives.hpp"
#include "timing/launch.hpp"

namespace assay::ranks {

struct Seat {
  static constexpr std::size_t most = 8192;  // hardware threads per host
  std::size_t host = 0;                      // a hash of its name
  std::bitset<most> allowed;
  std::int64_t cpu = 0;  // where it is now

  static Seat here() {
    const timing::Placement place = timing::here(0);
    Seat seat;
    seat.host = std::hash<std::string>()(place.host);
    seat.cpu = place.cpu;
    for (const std::int64_t cpu : place.cpus)
      if (cpu < static_cast<std::int64_t>(most)) seat.allowed.set(static_cast<std::size_t>(cpu));
    return seat;
  }
};

// Of every rank, at rank 0.
template <Communicator C>
Task gather_seats(C& comm, std::vector<Seat>& seats) {
  const Seat mine = Seat::here();
  if (comm.rank() == 0) seats.resize(static_cast<std::size_t>(comm.size()));
  co_await gather(comm, &mine, sizeof mine, seats.data());
}

// Hardware threads of the first rank's host that the first `ranks` use: where they are, and where two are at one,
// others that they may have as well.
inline std::vector<int> processors_of(const std::vector<Seat>& seats, std::size_t ranks) {
  std::vector<int> cpus;
  std::size_t here = 0;
  const auto add = [&](std::int64_t cpu) {
    const int number = static_cast<int>(cpu);
    if (cpus.size() < here && std::ranges::find(cpus, number) == cpus.end()) cpus.push_back(number);
  };
  ranks = std::min(ranks, seats.size());
  for (std::size_t rank = 0; rank < ranks; ++rank) here += seats[rank].host == seats[0].host;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (seats[rank].host == seats[0].host) add(seats[rank].cpu);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (std::size_t cpu = 0; seats[rank].host == seats[0].host && cpu < Seat::most; ++cpu)
      if (seats[rank].allowed[cpu]) add(static_cast<std::int64_t>(cpu));
  return cpus;
}

// Whether the first `ranks` of them can each have a hardware thread to itself: a matching by augmenting paths.
inline bool apart(const std::vector<Seat>& seats, std::size_t ranks) {
#ifdef ASSAY_CROWDED  // the tests': on fewer hardware threads, to see that data come through
  if (seats.size() >= ranks) return true;
#endif
  std::vector<std::pair<std::size_t, std::size_t>> taken;  // hardware thread and its rank
  std::bitset<Seat::most> tried;
  const std::function<bool(std::size_t)> place = [&](std::size_t rank) {
    for (std::size_t cpu = 0; cpu < Seat::most; ++cpu) {
      if (!seats[rank].allowed[cpu] || tried[cpu]) continue;
      tried.set(cpu);
      const auto by = std::ranges::find_if(
          taken, [&](const auto& each) { return each.first == cpu && seats[each.second].host == seats[rank].host; });
      if (by == taken.end()) {
        taken.emplace_back(cpu, rank);
        return true;
      }
      const std::size_t other = by->second, at = static_cast<std::size_t>(by - taken.begin());
      if (place(other)) {  // took another: its old hardware thread is ours
        taken[at].second = rank;
        return true;
      }
    }
    return false;
  };
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    tried.reset();
    if (!place(rank)) return false;
  }
  return true;
}

}  // namespace assay::ranks
