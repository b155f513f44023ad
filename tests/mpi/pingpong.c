/* One round trip between ranks 0 and 1, the first thing that happens: its time in picoseconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank;
  const int bytes = atoi(argv[1]);
  char* data = calloc(1, bytes + 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double began = MPI_Wtime();
  if (rank == 0) {
    MPI_Send(data, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(data, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%.0f\n", (MPI_Wtime() - began) * 1e12);
  } else if (rank == 1) {
    MPI_Recv(data, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
