// How near two ranks are, found out: one kernel by its boot id, one clock by the kernel and the time namespace
// (containers of one host may have clocks of their own), socket and core complex by what the hardware threads that a
// rank may use have in common, the switch by what Slurm says of its tree (SLURM_TOPOLOGY_ADDR).
#pragma once

#include <mpi.h>
#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "timing/topology.hpp"

namespace assay::mpi {

struct Seat {
  char boot[40] = "";                                 // the running kernel
  std::uint64_t clock = 0;                            // its time namespace, 0 where it has none
  char leaf[88] = "";                                 // the switch next to the node, "" where it is unknown
  std::int64_t core = -1, complex = -1, socket = -1;  // -1: several, or unknown
};

namespace seat {
// Where the hardware threads are that a rank may use: each -1 where they have several, or the kernel does not say.
inline void place(Seat& seat, const timing::Cpus& mask) {
  if (mask.empty()) return;
  const std::int64_t first = mask.front();
  const auto hold = [&mask](const timing::Cpus& all) {
    return std::ranges::all_of(mask, [&all](std::int64_t cpu) { return std::ranges::find(all, cpu) != all.end(); });
  };
  if (const timing::Cpus core = timing::core_of(first); hold(core)) seat.core = core.front();
  for (const timing::CacheInstance& cache : timing::caches_of(first))
    if (cache.level == 3 && hold(cache.cpus)) seat.complex = cache.id;
  seat.socket = timing::socket_of(first);
  for (const std::int64_t cpu : mask)
    if (timing::socket_of(cpu) != seat.socket) seat.socket = -1;
}
}  // namespace seat

inline Seat own_seat() {
  Seat mine;
  if (std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "re")) {
    if (!std::fgets(mine.boot, sizeof mine.boot, file)) mine.boot[0] = 0;
    std::fclose(file);
  }
  if (struct stat file; stat("/proc/self/ns/time", &file) == 0) mine.clock = file.st_ino;
  if (const char* address = std::getenv("SLURM_TOPOLOGY_ADDR")) {  // s0.s4.node17
    std::string_view above = address;
    above = above.substr(0, above.rfind('.') == std::string_view::npos ? 0 : above.rfind('.'));
    std::memcpy(mine.leaf, above.data(), std::min(above.size(), sizeof mine.leaf - 1));
  }
  cpu_set_t mask;
  timing::Cpus cpus;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
  seat::place(mine, cpus);
  return mine;
}

inline std::vector<Seat> gather_seats(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  const Seat mine = own_seat();
  std::vector<Seat> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm);
  return all;
}

inline bool same_kernel(const Seat& a, const Seat& b) { return a.boot[0] != 0 && std::strcmp(a.boot, b.boot) == 0; }

inline bool same_clock(const Seat& a, const Seat& b) { return same_kernel(a, b) && a.clock == b.clock; }

// The nearest class that both are known to be in.
inline std::string_view nearness(const Seat& a, const Seat& b) {
  if (!same_kernel(a, b)) return a.leaf[0] != 0 && std::strcmp(a.leaf, b.leaf) == 0 ? "same switch" : "other node";
  if (a.socket < 0 || a.socket != b.socket) return "same node";
  if (a.core >= 0 && a.core == b.core && a.complex == b.complex) return "same core";
  return a.complex >= 0 && a.complex == b.complex ? "same core complex" : "same socket";
}

}  // namespace assay::mpi
