// What carries the messages, found out and not assumed: rank 0 sends 2 MiB to another rank while the kernel counts what
// its network devices (the loopback too) receive. If the count grows by as much, the messages went through the kernel's
// network; if not, ranks of one kernel share memory, and those of different ones use an interconnect past the kernel.
// Names of hosts mislead: several nodes of a batch system, or network namespaces, may be one machine, whose ranks share
// memory, and an MPI may use TCP on one host.
#pragma once

#include <algorithm>
#include <cinttypes>

#include "mpi/communicator.hpp"
#include "timing/launch.hpp"

namespace assay::mpi {

// Bytes that all devices of this network namespace have received, from /proc/net/dev.
inline std::int64_t received_bytes() {
  std::FILE* file = std::fopen("/proc/net/dev", "re");
  if (!file) return 0;
  char line[512];
  std::int64_t sum = 0;
  while (std::fgets(line, sizeof line, file)) {
    const char* colon = std::strchr(line, ':');
    std::int64_t bytes = 0;
    if (colon && std::sscanf(colon + 1, "%" SCNd64, &bytes) == 1) sum += bytes;
  }
  std::fclose(file);
  return sum;
}

// Between rank 0 and `other`: at rank 0 how many of `sent` bytes the devices of both ends saw more than before.
inline std::int64_t seen_by_devices(Communicator& comm, int other, std::size_t message, int messages) {
  std::vector<std::byte> buffer(message);
  std::int64_t before = received_bytes(), there = 0;
  constexpr int tag = 2;
  if (comm.rank() == 0) {
    for (int i = 0; i < messages; ++i) (void)comm.send(buffer.data(), message, other, tag);
    (void)comm.recv(&there, sizeof there, other, tag);
    return std::max(there, received_bytes() - before);
  }
  for (int i = 0; i < messages; ++i) (void)comm.recv(buffer.data(), message, 0, tag);
  there = received_bytes() - before;
  (void)comm.send(&there, sizeof there, 0, tag);
  return there;
}

// The last rank below the same kernel as rank 0, and the last below another: at most one pair of each sort.
inline std::string find_transport(Communicator& comm) {
  if (comm.size() < 2) return "none";
  constexpr std::size_t message = std::size_t{1} << 18;
  constexpr int messages = 8;
  std::string names;
  for (const bool same_kernel : {true, false}) {
    int other = 0;
    for (int rank = comm.size() - 1; rank > 0 && other == 0; --rank) {
      if (comm.same_kernel(0, rank) == same_kernel) other = rank;
    }
    if (other == 0 || (comm.rank() != 0 && comm.rank() != other)) continue;
    const std::int64_t seen = seen_by_devices(comm, other, message, messages);
    const bool kernel = seen >= static_cast<std::int64_t>(message) * messages * 9 / 10;
    const char* name = kernel ? "tcp" : same_kernel ? "shared memory" : "interconnect past the kernel";
    if (names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

}  // namespace assay::mpi
