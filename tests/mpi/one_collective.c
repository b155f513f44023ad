/* One collective call of all ranks at time 0: prints what the slowest rank took, in picoseconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, length = atoi(argv[2]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char *from = calloc(ranks, length + 1), *to = calloc(ranks, length + 1);
  const double began = MPI_Wtime();
  if (!strcmp(argv[1], "barrier")) MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(argv[1], "alltoall")) MPI_Alltoall(from, length, MPI_CHAR, to, length, MPI_CHAR, MPI_COMM_WORLD);
  double took = MPI_Wtime() - began, most;
  MPI_Reduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.0f\n", most * 1e12);
  free(from);
  free(to);
  MPI_Finalize();
  return 0;
}
