/* Programs that end in other ways than they should: by the first argument. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank = -1, ranks, got = 0;
  const char* way = argc > 1 ? argv[1] : "";
  if (strcmp(way, "never") == 0) return 0; /* no rank calls MPI_Init */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(way, "deadlock") == 0)
    MPI_Recv(&got, 1, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(way, "clock") == 0)
    for (const double end = MPI_Wtime() + 0.001; MPI_Wtime() < end;) {
    }
  if (strcmp(way, "poll") == 0)
    while (!got) MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &got, MPI_STATUS_IGNORE);
  if (rank == 1) {
    if (strcmp(way, "crash") == 0) raise(SIGSEGV);
    if (strcmp(way, "exit") == 0) exit(3);
    if (strcmp(way, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
    if (strcmp(way, "hang") == 0) pause();
    if (strcmp(way, "fatal") == 0) MPI_Send(&got, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD);
  }
  if (strcmp(way, "stdin") == 0) {
    char line[100] = "nothing";
    if (fgets(line, sizeof line, stdin)) line[strcspn(line, "\n")] = 0;
    printf("rank %d read %s\n", rank, line);
  }
  if (strcmp(way, "environment") == 0)
    printf("%s in %s\n", getenv("ASSAY_TEST_VALUE") ? getenv("ASSAY_TEST_VALUE") : "unset", getcwd(malloc(1000), 1000));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return strcmp(way, "status") == 0 && rank == 2 ? 7 : 0;
}
