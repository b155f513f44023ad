// Which host, process and hardware threads each rank really has, gathered by rank 0 before anything is timed.
#pragma once

#include <cstring>
#include <vector>

#include "mpi/communicator.hpp"
#include "timing/launch.hpp"

namespace assay::mpi {

inline constexpr std::size_t longest_mask = 8192;  // hardware threads per host

struct PlaceOnTheWire {
  char host[256] = "";
  std::int64_t pid = 0, cpu = 0;
  timing::Span span;
  unsigned char allowed[longest_mask / 8] = {};
};

// At every rank, in order of rank: all need to know who is on which host.
inline std::vector<timing::Placement> gather_placement(const Communicator& comm) {
  const timing::Placement mine = timing::here(comm.rank());
  PlaceOnTheWire out;
  std::strncpy(out.host, mine.host.c_str(), sizeof out.host - 1);
  out.pid = mine.pid;
  out.cpu = mine.cpu;
  out.span = mine.span;
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
    place.span = all[rank].span;
    for (std::size_t cpu = 0; cpu < longest_mask; ++cpu) {
      if (all[rank].allowed[cpu / 8] >> cpu % 8 & 1) place.cpus.push_back(static_cast<std::int64_t>(cpu));
    }
  }
  return places;
}

// At rank 0 the facts of every host, JSON objects, each from the first rank there; elsewhere nothing.
inline std::vector<std::string> gather_hosts(const Communicator& comm, const std::vector<timing::Placement>& places) {
  const auto first_there = [&](int rank) {
    const std::string& host = places[static_cast<std::size_t>(rank)].host;
    for (int earlier = 0; earlier < rank; ++earlier)
      if (places[static_cast<std::size_t>(earlier)].host == host) return false;
    return true;
  };
  constexpr int longest = 2048;
  constexpr int tag = 3;
  std::vector<std::string> hosts;
  char text[longest] = "";
  if (first_there(comm.rank())) {
    const std::string facts = timing::host_facts(places[static_cast<std::size_t>(comm.rank())].host).str();
    if (facts.size() < sizeof text) std::memcpy(text, facts.data(), facts.size());
    if (comm.rank() != 0) MPI_Send(text, longest, MPI_BYTE, 0, tag, comm.handle());
  }
  if (comm.rank() != 0) return hosts;
  if (text[0] != 0) hosts.emplace_back(text);
  for (int rank = 1; rank < comm.size(); ++rank) {
    if (!first_there(rank)) continue;
    MPI_Recv(text, longest, MPI_BYTE, rank, tag, comm.handle(), MPI_STATUS_IGNORE);
    if (text[0] != 0) hosts.emplace_back(text);
  }
  return hosts;
}

}  // namespace assay::mpi
