/* Plain C twins of message-passing programs' inner loops, over MPI, read every `batch` operations at rank 0.
 * Usage: ranks MODE BYTES READINGS BATCH BLOCKS, MODE: dissemination, tree, library (barriers of 8-byte messages),
 * forced (an echo by ready sends), rate (windows of 64 immediate sends). Prints seconds an operation, one a line. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WINDOW = 64, TAG = 1 };
static int rank, ranks;
static char *out, *in;

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static void dissemination(int bytes, int times) {
  (void)bytes;
  for (int i = 0; i < times; ++i) {
    unsigned long long seen = 1ull << rank, heard = 0;
    for (int step = 1; step < ranks; step *= 2) {
      MPI_Request due;
      MPI_Status status;
      MPI_Irecv(&heard, 8, MPI_BYTE, rank < step ? rank - step + ranks : rank - step, TAG, MPI_COMM_WORLD, &due);
      MPI_Send(&seen, 8, MPI_BYTE, rank + step < ranks ? rank + step : rank + step - ranks, TAG, MPI_COMM_WORLD);
      MPI_Wait(&due, &status);
      seen |= heard;
    }
    if (seen != (1ull << ranks) - 1) MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

static void tree(int bytes, int times) {
  (void)bytes;
  for (int i = 0; i < times; ++i) {
    unsigned long long seen = 1ull << rank, heard = 0;
    int bit = 1;
    MPI_Status status;
    for (; bit < ranks && (rank & bit) == 0; bit *= 2) {
      if (rank + bit >= ranks) continue;
      MPI_Recv(&heard, 8, MPI_BYTE, rank + bit, TAG, MPI_COMM_WORLD, &status);
      seen |= heard;
    }
    if (rank != 0) {
      MPI_Send(&seen, 8, MPI_BYTE, rank & ~bit, TAG, MPI_COMM_WORLD);
      MPI_Recv(&seen, 8, MPI_BYTE, rank & ~bit, TAG, MPI_COMM_WORLD, &status);
    }
    for (bit /= 2; bit >= 1; bit /= 2) {
      if (rank + bit < ranks) MPI_Send(&seen, 8, MPI_BYTE, rank + bit, TAG, MPI_COMM_WORLD);
    }
    if (seen != (1ull << ranks) - 1) MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

static void library(int bytes, int times) {
  (void)bytes;
  for (int i = 0; i < times; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Request posted;
static void forced(int bytes, int times) {
  MPI_Status status;
  for (int i = 0; i < times; ++i) {
    if (rank == 0) {
      MPI_Request due;
      MPI_Irecv(in, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &due);
      MPI_Rsend(out, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
      MPI_Wait(&due, &status);
    } else if (rank == 1) {
      MPI_Wait(&posted, &status);
      MPI_Irecv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &posted);
      MPI_Rsend(out, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    }
  }
}

static void rate(int bytes, int times) {
  static MPI_Request requests[WINDOW];
  MPI_Status status;
  for (int i = 0; i < times; ++i) {
    for (int k = 0; k < WINDOW; ++k) {
      if (rank == 0)
        MPI_Isend(out, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &requests[k]);
      else
        MPI_Irecv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &requests[k]);
    }
    for (int k = 0; k < WINDOW; ++k) MPI_Wait(&requests[k], &status);
    if (rank == 0)
      MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG + 1, MPI_COMM_WORLD, &status);
    else
      MPI_Send(NULL, 0, MPI_BYTE, 0, TAG + 1, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(int, int);
  } modes[] = {{"dissemination", dissemination}, {"tree", tree}, {"library", library}, {"forced", forced}, {"rate", rate}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 6 || ranks != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(argv[2]), readings = atoi(argv[3]), batch = atoi(argv[4]), blocks = atoi(argv[5]);
  void (*run)(int, int) = NULL;
  for (size_t k = 0; k < sizeof modes / sizeof *modes; ++k) {
    if (!strcmp(argv[1], modes[k].name)) run = modes[k].run;
  }
  out = calloc((size_t)bytes + 1, 1);
  in = calloc((size_t)bytes + 1, 1);
  if (run == NULL || out == NULL || in == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int block = 0; block < blocks; ++block) {
    if (run == forced && rank == 1) MPI_Irecv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &posted);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int reading = -1; reading < readings; ++reading) { /* reading -1 warms up */
      const double start = now();
      run(bytes, batch);
      if (rank == 0 && reading >= 0) printf("%.9e\n", (now() - start) / batch * 1e-9);
    }
    if (run == forced && rank == 1) {
      MPI_Cancel(&posted);
      MPI_Request_free(&posted);
    }
  }
  MPI_Finalize();
  return 0;
}
