// Synchronization of windows.
#include "mpi_library/windows/epochs.hpp"

#include "mpi_library/calls/timed.hpp"
#include "mpi_library/windows/accesses.hpp"

using namespace assay::abi;

#define SYNCHRONIZES(name, parameters, body)                                       \
  MPI_FUNCTION(name, parameters) {                                                 \
    return timed_call(Function::name, handle, [&]([[maybe_unused]] Timed& timed) { \
      [[maybe_unused]] Window& its = window(handle);                               \
      body;                                                                        \
    });                                                                            \
  }
#define FLUSHES(name, local)                                            \
  SYNCHRONIZES(name, (int rank, MPI_Win handle), {                      \
    check_peer(*its.comm, rank);                                        \
    check_locked(its, rank);                                            \
    complete_accesses(its, rank, local);                                \
    timed.about(0, rank == MPI_PROC_NULL ? -1 : its.comm->world(rank)); \
  })                                                                    \
  SYNCHRONIZES(name##_all, (MPI_Win handle), {                          \
    check_locked(its, MPI_ANY_SOURCE);                                  \
    complete_accesses(its, MPI_ANY_SOURCE, local);                      \
  })

SYNCHRONIZES(MPI_Win_fence, (int assertion, MPI_Win handle), fence(its, assertion))
SYNCHRONIZES(MPI_Win_post, (MPI_Group members, int assertion, MPI_Win handle), post(its, group(members), assertion))
SYNCHRONIZES(MPI_Win_start, (MPI_Group members, int assertion, MPI_Win handle), start(its, group(members), assertion))
SYNCHRONIZES(MPI_Win_complete, (MPI_Win handle), complete(its))
SYNCHRONIZES(MPI_Win_wait, (MPI_Win handle), end_exposure(its, true))
SYNCHRONIZES(MPI_Win_test, (MPI_Win handle, int* flag), *flag = end_exposure(its, false))
SYNCHRONIZES(MPI_Win_lock, (int kind, int rank, int assertion, MPI_Win handle), {
  lock(its, kind, rank, assertion);
  timed.about(0, rank == MPI_PROC_NULL ? -1 : its.comm->world(rank));
})
SYNCHRONIZES(MPI_Win_unlock, (int rank, MPI_Win handle), {
  unlock(its, rank);
  timed.about(0, rank == MPI_PROC_NULL ? -1 : its.comm->world(rank));
})
SYNCHRONIZES(MPI_Win_lock_all, (int assertion, MPI_Win handle), lock_all(its, assertion))
SYNCHRONIZES(MPI_Win_unlock_all, (MPI_Win handle), unlock_all(its))
SYNCHRONIZES(MPI_Win_sync, (MPI_Win handle), look_at_memory())
FLUSHES(MPI_Win_flush, false)
FLUSHES(MPI_Win_flush_local, true)
