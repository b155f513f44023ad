// Whether a cgroup's quota stopped any rank while the job measured: the rank whose group was stopped most often, named
// with its host, for quotas are a host's, or a container's.
#pragma once

#include <cstring>
#include <string>

#include "mpi/communicator.hpp"
#include "timing/launch.hpp"
#include "timing/quota.hpp"

namespace assay::mpi {

// At rank 0 the note about it, "" where nothing was stopped; elsewhere "". Every rank calls it.
inline std::string stopped_by_quota(const Communicator& comm, std::int64_t before) {
  struct {
    long times;
    int rank;
  } most{static_cast<long>(timing::times_stopped() - before), comm.rank()};
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_LONG_INT, MPI_MAXLOC, comm.handle());
  if (most.times <= 0) return "";
  char note[1024] = "";
  if (comm.rank() == most.rank) {
    const std::string where = " on " + timing::here(comm.rank()).host + " (rank " + std::to_string(most.rank) + ")";
    const std::string text = timing::stopped_note(timing::read_quota().file, most.times, where);
    std::memcpy(note, text.data(), std::min(text.size(), sizeof note - 1));
  }
  MPI_Bcast(note, sizeof note, MPI_BYTE, most.rank, comm.handle());
  return comm.rank() == 0 ? note : "";
}

}  // namespace assay::mpi
