/* What `./x bench mpirun` times: blocking round trips, windows of messages, all-to-alls; memory of a rank.
   Arguments: roundtrips N | windows N | alltoall N BYTES | memory */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { window = 64 };

static int rank, ranks;

static void roundtrips(int count) {
  char data[8] = {0};
  for (int i = 0; i < count && rank < 2; ++i) {
    if (rank == 0) MPI_Send(data, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(data, 8, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(data, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
  }
}

static void windows(int count) {
  static char data[window][8];
  MPI_Request requests[window];
  for (int i = 0; i < count / window && rank < 2; ++i) {
    for (int k = 0; k < window; ++k)
      if (rank == 0)
        MPI_Isend(data[k], 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD, requests + k);
      else
        MPI_Irecv(data[k], 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD, requests + k);
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    if (rank == 0)
      MPI_Recv(data, 4, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Send(data, 4, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
  }
}

static void alltoalls(int count, int bytes) {
  char *out = calloc(ranks, bytes), *in = calloc(ranks, bytes);
  for (int i = 0; i < count; ++i) MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
  free(out);
  free(in);
}

static void memory(void) { /* kB that only this rank has, and of page tables */
  char line[256];
  long kb = 0, value;
  MPI_Barrier(MPI_COMM_WORLD);
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "Pss: %ld", &value) == 1) kb += value;
  if (file) fclose(file);
  file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmPTE: %ld", &value) == 1) kb += value;
  if (file) fclose(file);
  if (rank == ranks / 2) printf("kilobytes %ld\n", kb);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* what = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? atoi(argv[2]) : 1;
  const double began = MPI_Wtime();
  if (strcmp(what, "roundtrips") == 0) roundtrips(count);
  if (strcmp(what, "windows") == 0) windows(count);
  if (strcmp(what, "alltoall") == 0) alltoalls(count, argc > 3 ? atoi(argv[3]) : 1024);
  if (strcmp(what, "memory") == 0) memory();
  if (rank == 0) printf("simulated %.9g\n", MPI_Wtime() - began);
  MPI_Finalize();
  return 0;
}
