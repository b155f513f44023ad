/* Wrong uses of windows, by the first argument, on 2 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int is(const char* way, const char* name) { return strcmp(way, name) == 0; }

int main(int argc, char** argv) {
  int rank, memory[4] = {0, 0, 0, 0}, value = 1, errorclass = 0;
  const char* way = argv[1];
  MPI_Win win;
  MPI_Group world, other;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int there = 1 - rank;
  if (is(way, "unattached"))
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  else if (is(way, "unmapped"))
    MPI_Win_create((void*)64, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  else if (is(way, "nodes"))
    MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &value, &win);
  else
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_get_group(win, &world);
  MPI_Group_incl(world, 1, &there, &other);

  if (is(way, "lock")) { /* rank 0 never gives its own lock back */
    if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (is(way, "start")) MPI_Win_start(other, 0, win), MPI_Win_complete(win);
  if (is(way, "wait")) MPI_Win_post(other, 0, win), MPI_Win_wait(win);
  if (is(way, "fence") && rank == 0) MPI_Win_fence(0, win);
  if (is(way, "sync") && rank == 0)
    while (*(volatile int*)memory == 0) MPI_Win_sync(win);
  if (is(way, "sync") || is(way, "fence")) MPI_Barrier(MPI_COMM_WORLD);

  if (is(way, "epoch")) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  if (!is(way, "lock")) MPI_Win_fence(0, win);
  if (is(way, "range") && rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 4, 1, MPI_INT, win);
  if (is(way, "unattached") && rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 4096, 1, MPI_INT, win);
  if (is(way, "unmapped") && rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  if (is(way, "operation") && rank == 0) MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_FLOAT, MPI_BAND, win);
  if (is(way, "returned")) { /* the program goes on */
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Put(&value, 1, MPI_INT, 1, 4, 1, MPI_INT, win), &errorclass);
    printf("%d", errorclass == MPI_ERR_RMA_RANGE);
    MPI_Error_class(MPI_Win_unlock(1, win), &errorclass);
    printf("%d", errorclass == MPI_ERR_RMA_SYNC);
    MPI_Error_class(MPI_Win_lock(1, 1, 0, win), &errorclass);
    printf("%d", errorclass == MPI_ERR_LOCKTYPE);
    MPI_Error_class(MPI_Win_attach(win, memory, 4), &errorclass);
    printf("%d\n", errorclass == MPI_ERR_RMA_FLAVOR);
  }
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
