/* The plain C ping-pong that echo is held against: the loop of osu_latency (blocking send and receive, warm-up, one
 * status), read every `batch` round trips. Usage: pingpong BYTES READINGS BATCH BLOCKS OUT0 IN0 OUT1 IN1, the last four
 * being the offsets from a page of each rank's buffers. Prints seconds a round trip, one reading a line. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

/* Taken as echo takes its buffers: from the heap with a page of slack, touched, and started at an offset from a page. */
static char* buffer(size_t bytes, long offset) {
  char* memory = malloc(bytes + 4096);
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(memory, 7, bytes + 4096);
  return memory + (offset + 4096 - (long)((size_t)memory % 4096)) % 4096;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 9 || ranks != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(argv[1]), readings = atoi(argv[2]), batch = atoi(argv[3]), blocks = atoi(argv[4]);
  char* out = buffer((size_t)bytes, atol(argv[5 + 2 * rank]));
  char* in = buffer((size_t)bytes, atol(argv[6 + 2 * rank]));
  double* taken = malloc(sizeof(double) * (size_t)readings);
  MPI_Status status;
  for (int block = 0; block < blocks; ++block) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int reading = -1; reading < readings; ++reading) { /* reading -1 warms up */
      if (rank == 0) {
        const double start = now();
        for (int i = 0; i < batch; ++i) {
          MPI_Send(out, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
          MPI_Recv(in, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &status);
        }
        if (reading >= 0) taken[reading] = now() - start;
      } else {
        for (int i = 0; i < batch; ++i) {
          MPI_Recv(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status);
          MPI_Send(out, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        }
      }
    }
    if (rank == 0) {
      for (int reading = 0; reading < readings; ++reading) printf("%.9e\n", taken[reading] / batch * 1e-9);
    }
  }
  MPI_Finalize();
  return 0;
}
