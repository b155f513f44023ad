/* Memory that the ranks of a node share: each writes to the next one's, and reads all; then by puts and gets. With an
   argument the ranks hang when they have it. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, ranks, unit, *mine, *theirs, got = -1, sum = 0;
  MPI_Aint bytes;
  MPI_Comm node;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &rank);
  MPI_Comm_size(node, &ranks);
  MPI_Win_allocate_shared((rank + 1) * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
  if (argc > 1) {
    mine[0] = rank;
    pause();
  }
  const int next = (rank + 1) % ranks;
  MPI_Win_fence(0, win);
  MPI_Win_shared_query(win, next, &bytes, &unit, &theirs);
  for (int i = 0; i <= next; ++i) theirs[i] = 10 * next + i;
  MPI_Win_fence(0, win);
  MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &theirs);
  for (int i = 0; i < ranks * (ranks + 1) / 2; ++i) sum += theirs[i];
  MPI_Get(&got, 1, MPI_INT, next, next, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  int values[4] = {sum, got, mine[0], (int)bytes}, all[4 * 16];
  MPI_Gather(values, 4, MPI_INT, all, 4, MPI_INT, 0, node);
  for (int i = 0; rank == 0 && i < 4 * ranks; ++i) printf("%d%s", all[i], i % 4 == 3 ? "\n" : " ");
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
