// What a message takes between the first and the last rank, by length: half of the median of some round trips.
//
// A few milliseconds beside a run, so that its parts and its whole are of one launch; `echo` measures messages
// properly.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "applications/account.hpp"
#include "ranks/communicator.hpp"
#include "ranks/task.hpp"

namespace assay::applications {

inline constexpr std::array<std::size_t, 7> message_lengths = {8, 64, 512, 4096, 32768, 262144, 2097152};

template <ranks::Communicator C>
ranks::Task message_times(C& comm, std::vector<MessageTime>& found) {
  constexpr int tag = 40, trips = 11;
  const int last = comm.size() - 1;
  if (last == 0 || (comm.rank() != 0 && comm.rank() != last)) co_return;
  const bool leads = comm.rank() == 0;
  const int other = leads ? last : 0;
  std::vector<char> out(message_lengths.back()), in(out.size());
  std::array<std::int64_t, trips> took{};
  for (const std::size_t bytes : message_lengths) {
    for (int trip = -1; trip < trips; ++trip) {
      const std::int64_t start = comm.now();
      if (leads) co_await comm.send(out.data(), bytes, other, tag);
      co_await comm.recv(in.data(), bytes, other, tag);
      if (!leads) co_await comm.send(out.data(), bytes, other, tag);
      if (trip >= 0) took[static_cast<std::size_t>(trip)] = comm.now() - start;
    }
    std::sort(took.begin(), took.end());
    found.push_back({bytes, static_cast<double>(took[trips / 2]) / C::ticks_a_second / 2});
  }
}

}  // namespace assay::applications
