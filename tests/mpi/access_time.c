/* ACCESS BYTES COUNT: so many puts, gets or accumulates of rank 0 to the last rank's memory, one after another, until
   all are complete there: what that takes in picoseconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, ranks;
  const char access = argv[1][0];
  const int bytes = atoi(argv[2]), count = atoi(argv[3]);
  char *memory, *data = calloc(1, bytes + 8);
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    const int other = ranks - 1;
    const double began = MPI_Wtime();
    for (int i = 0; i < count; ++i) {
      if (access == 'p') MPI_Put(data, bytes, MPI_CHAR, other, 0, bytes, MPI_CHAR, win);
      if (access == 'g') MPI_Get(data, bytes, MPI_CHAR, other, 0, bytes, MPI_CHAR, win);
      if (access == 'a') MPI_Accumulate(data, bytes / 8, MPI_DOUBLE, other, 0, bytes / 8, MPI_DOUBLE, MPI_SUM, win);
      if (access == 'f') MPI_Fetch_and_op(data, data, MPI_DOUBLE, other, 0, MPI_SUM, win);
    }
    MPI_Win_flush(other, win);
    printf("%.0f\n", (MPI_Wtime() - began) * 1e12);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
