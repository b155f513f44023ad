/* What plain C twins of message-passing programs share. A file of twins is compiled twice, as TWIN = plain and again:
 * two copies of one program, that lie in different places. A mode takes `readings` readings of `batch` operations each
 * and stores ns a reading at rank 0 (pair.cpp). */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INLINE static inline __attribute__((always_inline))

enum { TAG = 1 };
static int rank, ranks, bytes;
static char *out, *in;
static MPI_Status status;

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}
INLINE void give(const void* data, int n, int tag) { MPI_Send(data, n, MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD); }
INLINE void take(void* data, int n, int tag) { MPI_Recv(data, n, MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD, &status); }

/* A loop of one dependent addition a turn, and turns that last so many ns on this processor. */
static void __attribute__((noinline, unused)) turn(long turns) {
  uint64_t sum = 0;
  __asm__ volatile("" : "+r"(turns)); /* a known count would get a copy of its own */
  for (long i = 0; i < turns; ++i) {
    sum += (uint64_t)i;
    __asm__ volatile("" : "+r"(sum));
  }
}
static long __attribute__((unused)) turns_in(double ns) {
  static double fastest = 0;
  for (int probe = 0; probe < 5 && (probe > 0 || fastest == 0); ++probe) {
    const double start = now();
    turn(100000);
    const double lasted = now() - start;
    if (fastest == 0 || lasted < fastest) fastest = lasted;
  }
  const long turns = (long)(ns * 1e5 / fastest);
  return turns < 1 ? 1 : turns;
}

/* One operation of two ranks a reading, from an agreed moment to the last exit, as windows.hpp has it: from the first
 * entry where the two lie more than a tenth of the time apart, else from the last. */
static double window; /* ns between two starts */
INLINE void in_windows(void (*operation)(void), int readings, int batch, double* took) {
  double agreed[2] = {now() + (window > 5e4 ? window : 5e4), window};
  double* passages = malloc(sizeof(double) * 4 * (size_t)readings); /* entries and exits, mine, then theirs */
  double *mine = passages, *theirs = passages + 2 * readings, longest = 0;
  (void)batch;
  rank == 0 ? give(agreed, sizeof agreed, TAG) : take(agreed, sizeof agreed, TAG);
  for (int k = 0; k < readings; ++k) {
    while (now() < agreed[0]) continue;
    mine[2 * k] = now();
    operation();
    mine[2 * k + 1] = now();
    agreed[0] += agreed[1];
  }
  if (rank == 1) {
    give(mine, (int)sizeof(double) * 2 * readings, TAG);
  } else {
    take(theirs, (int)sizeof(double) * 2 * readings, TAG);
    for (int k = 0; k < readings; ++k) {
      const double last = mine[2 * k] > theirs[2 * k] ? mine[2 * k] : theirs[2 * k];
      const double first = mine[2 * k] > theirs[2 * k] ? theirs[2 * k] : mine[2 * k];
      const double exit = mine[2 * k + 1] > theirs[2 * k + 1] ? mine[2 * k + 1] : theirs[2 * k + 1];
      took[k] = exit - (10 * (last - first) > exit - first ? first : last);
      if (took[k] > longest) longest = took[k];
    }
    const double needed = 2 * longest + 1e4;
    window = readings == 1 ? needed : needed < window / 2 ? window / 2 : needed > window * 2 ? window * 2 : needed;
  }
  free(passages);
}

/* Touched memory at an offset from a page's start. */
static char* buffer(size_t size, size_t offset, char** taken) {
  char* memory = *taken = malloc(size + 3 * 4096);
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  memset(memory, 0, size + 3 * 4096);
  return memory + (4096 - (uintptr_t)memory % 4096) + offset;
}

/* A way of working: `blocks` of so many bytes on either side, one of which is used: all to all's, which lie side by
 * side, that of the other rank; 1 rank suffices where `alone`. */
struct mode {
  const char* name;
  void (*run)(int readings, int batch, double* took);
  int by_rank, alone;
};

/* One block: seconds an operation into `took` at rank 0. Words: mode, bytes, batch, and the offsets of the buffers from
 * a page's start, rank 0's for sending and for receiving, then rank 1's. They are taken anew each time, as a program
 * takes its own. */
static void run_mode(const struct mode* modes, size_t count, char** words, int readings, double* took) {
  const struct mode* mode = NULL;
  const int batch = atoi(words[2]);
  char *give_from, *take_into;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bytes = atoi(words[1]);
  window = 1e6;
  for (size_t k = 0; k < count; ++k) {
    if (!strcmp(words[0], modes[k].name)) mode = &modes[k];
  }
  if (mode == NULL || (ranks < 2 && !mode->alone)) MPI_Abort(MPI_COMM_WORLD, 2);
  const size_t blocks = mode->by_rank ? (size_t)ranks : 1;
  out = buffer(blocks * (size_t)bytes, rank < 2 ? (size_t)atol(words[3 + 2 * rank]) : 0, &give_from);
  in = buffer(blocks * (size_t)bytes, rank < 2 ? (size_t)atol(words[4 + 2 * rank]) : 0, &take_into);
  if (mode->by_rank && rank == 0) out += bytes, in += bytes;
  mode->run(1, 1, took);
  mode->run(1, batch, took);
  MPI_Barrier(MPI_COMM_WORLD);
  mode->run(readings, batch, took);
  for (int k = 0; k < readings; ++k) took[k] *= 1e-9 / batch;
  free(give_from);
  free(take_into);
}
