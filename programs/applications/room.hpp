// Whether the data of a case fit into memory: asked before they are made, so that no rank is killed for them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "applications/player.hpp"
#include "ranks/collectives.hpp"
#include "timing/memory_limits.hpp"

namespace assay::applications {

inline constexpr double usable_memory = 0.9;  // of what is free: a rank's buffers and the library's are in the rest

struct Least {
  void operator()(std::int64_t& mine, std::int64_t theirs) const { mine = std::min(mine, theirs); }
};

// How many bytes the ranks can have together if each has as much: those of the host with the least for each of its own.
// Simulated ranks share this process.
template <ranks::Communicator C>
ranks::Task free_memory(C& comm, ranks::Session& session, std::int64_t& bytes) {
  if (comm.is_simulated()) {
    bytes = session.shared<std::int64_t>([] { return memory::read_headroom().bytes; });
  } else {
    std::int64_t beside = 0, least = 0;
    for (int rank = 0; rank < comm.size(); ++rank) beside += comm.same_node(comm.rank(), rank);
    std::int64_t mine = memory::read_headroom().bytes / std::max<std::int64_t>(1, beside);
    co_await ranks::reduce(comm, comm.size(), &mine, &least, 1, Least());
    co_await ranks::broadcast(comm, &mine, sizeof mine);
    bytes = mine > std::numeric_limits<std::int64_t>::max() / comm.size() ? mine : mine * comm.size();
  }
  bytes = static_cast<std::int64_t>(usable_memory * static_cast<double>(bytes));
}

// Leaves out the cases whose data, bytes(settings) of all ranks together, do not fit; refuses where none does. `most`:
// the greatest value of the parameter `key` that fits so many bytes. Simulated ranks have data where --verify asks.
template <ranks::Communicator C, class Bytes, class Most>
ranks::Task keep_fitting(C& comm, ranks::Session& session, std::string_view key, Bytes bytes, Most most) {
  if (comm.is_simulated() && !session.options().verify) co_return;
  std::int64_t room = 0;
  co_await free_memory(comm, session, room);
  const std::string gigabytes = timing::Json::write(std::round(static_cast<double>(room) / 1e8) / 10);
  session.keep([&](const auto& each) { return bytes(each) <= static_cast<double>(room); },
               {"does not fit into memory, of which the ranks can have " + gigabytes + " GB", key,
                "up to " + std::to_string(most(static_cast<double>(room))) + ", or more memory"},
               comm.rank() == 0);
}

}  // namespace assay::applications
