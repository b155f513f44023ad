/* Each rank computes for 0.05 s of its processor's time between two calls, or by its argument
     last   between its last call and MPI_Finalize
     clock  between two readings of MPI_Wtime, whose difference rank 0 prints */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double cpu(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static void compute(void) {
  for (const double end = cpu() + 0.05; cpu() < end;) {
  }
}

int main(int argc, char** argv) {
  int rank;
  const char* where = argc > 1 ? argv[1] : "";
  compute(); /* before MPI_Init: is no part of what is simulated */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(where, "clock") == 0) {
    const double began = MPI_Wtime();
    compute();
    const double took = MPI_Wtime() - began;
    if (rank == 0) printf("%.9f\n", took);
  } else if (strcmp(where, "last") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    compute();
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    compute();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
