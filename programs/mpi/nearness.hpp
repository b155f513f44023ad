// How near two ranks are, found out: one kernel by its boot id, one clock by the kernel and the time namespace
// (containers of one host may have clocks of their own), socket and core complex by what the hardware threads that a
// rank may use have in common, the switch by what Slurm says of its tree (SLURM_TOPOLOGY_ADDR).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace assay::mpi {

struct Seat {
  char boot[40] = "";                                 // the running kernel
  std::uint64_t clock = 0;                            // its time namespace, 0 where it has none
  char leaf[88] = "";                                 // the switch next to the node, "" where it is unknown
  std::int64_t core = -1, complex = -1, socket = -1;  // -1: several, or unknown
};

// Of all ranks, in their order; every rank calls it.
std::vector<Seat> gather_seats(MPI_Comm comm);

bool same_kernel(const Seat& a, const Seat& b);
bool same_clock(const Seat& a, const Seat& b);

// The nearest class that both are known to be in.
std::string_view nearness(const Seat& a, const Seat& b);

// Hops between two ranks, where the launcher knows them (ASSAY_HOPS, of a laboratory: ranks per host, then a row of
// numbers per host, all separated by blanks); nothing elsewhere.
std::optional<int> known_hops(int from, int to);

}  // namespace assay::mpi
