// Which host, process and processors each rank really has, gathered by rank 0 before anything is timed.
#pragma once

#include <cstring>
#include <vector>

#include "mpi/communicator.hpp"
#include "timing/launch.hpp"

namespace assay::mpi {

inline constexpr std::size_t longest_mask = 8192;  // processors a host

struct PlaceOnTheWire {
  char host[256] = "";
  std::int64_t pid = 0, cpu = 0;
  unsigned char allowed[longest_mask / 8] = {};
};

// At every rank, in order of rank: all need to know who is on which host.
inline std::vector<timing::Placement> gather_placement(const Communicator& comm) {
  const timing::Placement mine = timing::here(comm.rank());
  PlaceOnTheWire out;
  std::strncpy(out.host, mine.host.c_str(), sizeof out.host - 1);
  out.pid = mine.pid;
  out.cpu = mine.cpu;
  for (const std::int64_t cpu : mine.cpus) {
    if (cpu < static_cast<std::int64_t>(longest_mask)) out.allowed[cpu / 8] |= static_cast<unsigned char>(1 << cpu % 8);
  }
  std::vector<PlaceOnTheWire> all(static_cast<std::size_t>(comm.size()));
  MPI_Allgather(&out, sizeof out, MPI_BYTE, all.data(), sizeof out, MPI_BYTE, comm.handle());
  std::vector<timing::Placement> places(all.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    timing::Placement& place = places[rank];
    place.rank = static_cast<std::int64_t>(rank);
    place.host = all[rank].host;
    place.pid = all[rank].pid;
    place.cpu = all[rank].cpu;
    for (std::size_t cpu = 0; cpu < longest_mask; ++cpu) {
      if (all[rank].allowed[cpu / 8] >> cpu % 8 & 1) place.cpus.push_back(static_cast<std::int64_t>(cpu));
    }
  }
  return places;
}

}  // namespace assay::mpi
