/* Regions (assay.h): by the first argument, `good` or a wrong use; more is computed outside of them. */
#include <assay.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
static void computes(double seconds) {
  const double end = cpu() + seconds;
  while (cpu() < end) {
  }
}

int main(int argc, char** argv) {
  int rank, ranks, got = 0;
  const char* way = argc > 1 ? argv[1] : "good";
  if (strcmp(way, "early") == 0) assay_region_begin("early");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(way, "crossed") == 0) assay_region_begin("a"), assay_region_begin("b"), assay_region_end("a");
  if (strcmp(way, "never") == 0) assay_region_end("a");
  if (strcmp(way, "name") == 0) assay_region_begin("a\n");
  for (int i = 0; i < 3; ++i) {
    assay_region_begin("exchange");
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, &got, 1, MPI_INT, (rank + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assay_region_begin("compute");
    computes(0.002);
    assay_region_end("compute");
    assay_region_end("exchange");
    computes(0.02);
  }
  if (rank == 0) printf("got %d\n", got);
  MPI_Finalize();
  return 0;
}
