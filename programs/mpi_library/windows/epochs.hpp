// Epochs: when the memory of a window may be accessed, and when what was done to it is there.
//
//   fence             all ranks: what is under way is waited for, then a barrier
//   post, start       a message to each rank that may access, which waits for it
//   complete, wait    a message back once all is there
//   lock              a question to the rank, which grants it when no other lock is in the way (core/mpi/one_sided.hpp)
#pragma once

#include "mpi_library/windows/window.hpp"

namespace assay::abi {

void fence(Window& window, int assertion);
void post(Window& window, const Group& group, int assertion);
void start(Window& window, const Group& group, int assertion);
void complete(Window& window);
bool end_exposure(Window& window, bool waits);  // MPI_Win_wait, MPI_Win_test

void lock(Window& window, int kind, int rank, int assertion);
void unlock(Window& window, int rank);
void lock_all(Window& window, int assertion);
void unlock_all(Window& window);
// An Error where the rank, or with MPI_ANY_SOURCE all ranks, are not locked.
void check_locked(const Window& window, int rank);

void look_at_memory();              // MPI_Win_sync
void close_window(Window& window);  // for MPI_Win_free

}  // namespace assay::abi
