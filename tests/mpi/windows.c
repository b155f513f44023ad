/* One-sided communication, and a message of many megabytes: each rank prints what it has in the end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, ranks, *window, one = 1, old = 0;
  const long bytes = argc > 1 ? atol(argv[1]) : 1000;
  MPI_Win win;
  setvbuf(stdout, NULL, _IOLBF, 0);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win_allocate(ranks * (int)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
  for (int i = 0; i < ranks; ++i) window[i] = -1;
  int* values = malloc(ranks * sizeof(int));
  MPI_Win_fence(0, win);
  for (int i = 0; i < ranks; ++i) {
    values[i] = 100 * rank + i;
    MPI_Put(values + i, 1, MPI_INT, i, rank, 1, MPI_INT, win);
  }
  MPI_Win_fence(0, win);
  for (int i = 0; i < ranks; ++i) printf("%d put %d\n", rank, window[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, win);
  MPI_Win_unlock(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("0 counted %d\n", window[0]);
  char* data = malloc(bytes);
  for (long i = 0; i < bytes; ++i) data[i] = (char)(rank == 0 ? i * 7 : 0);
  if (rank == 0) MPI_Send(data, (int)bytes, MPI_CHAR, ranks - 1, 0, MPI_COMM_WORLD);
  if (rank == ranks - 1) {
    long wrong = 0;
    MPI_Recv(data, (int)bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long i = 0; i < bytes; ++i) wrong += data[i] != (char)(i * 7);
    printf("%d got %ld wrong bytes\n", rank, wrong);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
