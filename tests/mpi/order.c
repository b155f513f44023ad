/* Messages of the lengths that the arguments name, sent one after another with one tag: rank 1 prints the lengths in
   the order in which it finds the messages. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank;
  const int most = 1 << 20, count = argc - 1;
  char* data = calloc(1, most);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request* requests = malloc(count * sizeof *requests);
    for (int i = 0; i < count; ++i) MPI_Isend(data, atoi(argv[i + 1]), MPI_CHAR, 1, 4, MPI_COMM_WORLD, requests + i);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
  if (rank == 1)
    for (int i = 0; i < count; ++i) {
      MPI_Status status;
      int bytes;
      MPI_Probe(0, 4, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_CHAR, &bytes);
      printf("%d ", bytes);
      MPI_Recv(data, most, MPI_CHAR, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  MPI_Finalize();
  return 0;
}
