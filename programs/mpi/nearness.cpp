#include "mpi/nearness.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "timing/affinity.hpp"
#include "timing/topology.hpp"

namespace assay::mpi {

namespace {
// Where the hardware threads are that a rank may use: each -1 where they have several, or the kernel does not say.
void place(Seat& seat, const timing::Cpus& mask) {
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
Seat own_seat() {
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
  place(mine, timing::own_affinity());
  return mine;
}

}  // namespace

std::vector<Seat> gather_seats(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  const Seat mine = own_seat();
  std::vector<Seat> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm);
  return all;
}

bool same_kernel(const Seat& a, const Seat& b) { return a.boot[0] != 0 && std::strcmp(a.boot, b.boot) == 0; }

bool same_clock(const Seat& a, const Seat& b) { return same_kernel(a, b) && a.clock == b.clock; }

std::optional<int> known_hops(int from, int to) {
  static const std::vector<int> given = [] {
    std::vector<int> numbers;
    const char* text = std::getenv("ASSAY_HOPS");
    char* end = nullptr;
    for (; text != nullptr; text = end) {
      const long number = std::strtol(text, &end, 10);
      if (end == text) break;
      numbers.push_back(static_cast<int>(number));
    }
    return numbers;
  }();
  if (given.empty()) return std::nullopt;
  const auto hosts = static_cast<int>(std::lround(std::sqrt(static_cast<double>(given.size() - 1))));
  const int row = from / given[0], column = to / given[0];
  if (row >= hosts || column >= hosts) return std::nullopt;
  return given[static_cast<std::size_t>(1 + row * hosts + column)];
}

std::string_view nearness(const Seat& a, const Seat& b) {
  if (!same_kernel(a, b)) return a.leaf[0] != 0 && std::strcmp(a.leaf, b.leaf) == 0 ? "same switch" : "other node";
  if (a.socket < 0 || a.socket != b.socket) return "same node";
  if (a.core >= 0 && a.core == b.core && a.complex == b.complex) return "same core";
  return a.complex >= 0 && a.complex == b.complex ? "same core complex" : "same socket";
}

}  // namespace assay::mpi
