/* Plain C twins of patterns, collective operations and the distributed dot product on two ranks: one operation a
 * reading, from an agreed moment to the last exit. */
#include "twin.h"

/* For any number of ranks, as ours are: down a binomial tree, by turns, and up the tree. */
INLINE void broadcast(void) {
  int bit = 1;
  while (bit < ranks && (rank & bit) == 0) bit *= 2;
  if (rank != 0) MPI_Recv(out, bytes, MPI_BYTE, rank & ~bit, TAG, MPI_COMM_WORLD, &status);
  for (bit /= 2; bit > 0; bit /= 2)
    if (rank + bit < ranks) MPI_Send(out, bytes, MPI_BYTE, rank + bit, TAG, MPI_COMM_WORLD);
}
INLINE void collect(void) { /* blocks of half the bytes, in order of rank */
  const int block = bytes / 2;
  if (rank != 0) {
    MPI_Send(out, block, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    return;
  }
  memcpy(in, out, (size_t)block);
  for (int from = 1; from < ranks; ++from)
    MPI_Recv(in + from * block, block, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &status);
}
INLINE void reduction(void) {
  double *mine = (double*)out, *theirs = (double*)in;
  for (int bit = 1; bit < ranks; bit *= 2) {
    if ((rank & bit) != 0) {
      MPI_Send(out, bytes, MPI_BYTE, rank & ~bit, TAG, MPI_COMM_WORLD);
      return;
    }
    if (rank + bit >= ranks) continue;
    MPI_Recv(in, bytes, MPI_BYTE, rank + bit, TAG, MPI_COMM_WORLD, &status);
    for (int i = 0; i < bytes / 8; ++i) mine[i] = mine[i] < theirs[i] ? theirs[i] : mine[i];
  }
}
INLINE void bisection(void) {
  if (rank == 0) give(out, bytes, TAG);
  take(in, bytes, TAG);
  if (rank == 1) give(out, bytes, TAG);
}
INLINE void neighbours(void) { /* to the next and to the one before, who are the same */
  char* const places[] = {in, in + bytes / 2};
  for (int direction = 0; direction < 2; ++direction)
    MPI_Sendrecv(out, bytes / 2, MPI_BYTE, 1 - rank, TAG, places[direction], bytes / 2, MPI_BYTE, 1 - rank, TAG,
                 MPI_COMM_WORLD, &status);
}

/* A square matrix of doubles, of which each rank has half the rows: the blocks are packed by columns, exchanged, and
 * put into their rows. */
static double* packed;
INLINE void transpose(void) {
  int side = 1;
  while (16 * (side + 1) * (side + 1) <= bytes) ++side;
  const size_t n = (size_t)side, columns = 2 * n, block = n * n, mine = (size_t)rank, theirs = 1 - mine;
  double *sent = packed, *got = packed + columns * n, *from = (double*)out, *into = (double*)in;
  MPI_Request due, leaving;
  MPI_Irecv(got + theirs * block, (int)(8 * block), MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &due);
  for (size_t column = 0; column < columns; ++column)
    for (size_t row = 0; row < n; ++row) sent[column * n + row] = from[row * columns + column];
  memcpy(got + mine * block, sent + mine * block, 8 * block);
  MPI_Isend(sent + theirs * block, (int)(8 * block), MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &leaving);
  MPI_Wait(&due, &status);
  MPI_Wait(&leaving, &status);
  for (size_t source = 0; source < 2; ++source)
    for (size_t row = 0; row < n; ++row)
      memcpy(into + row * columns + source * n, got + source * block + row * n, 8 * n);
}

/* The library's own, of unsigned 64-bit words where they are summed. */
INLINE void library_barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
INLINE void library_broadcast(void) { MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }
INLINE void library_allreduce(void) { MPI_Allreduce(in, out, bytes / 8, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD); }
INLINE void library_alltoall(void) { MPI_Alltoall(in, bytes / 2, MPI_BYTE, out, bytes / 2, MPI_BYTE, MPI_COMM_WORLD); }

/* Both ranks' halves of a dot product, and the sum on both: by the first rank, up and down a tree of two (which is the
 * same here), or by the library. */
static uint64_t sum;
INLINE void multiply(void) {
  const double *x = (const double*)out, *y = (const double*)in;
  double partial = 0;
  for (int i = 0; i < bytes / 8; ++i) partial += x[i] * y[i];
  sum = (uint64_t)partial;
}
INLINE void dot_by_rank_0(void) {
  uint64_t other = 0;
  multiply();
  if (rank == 1) {
    give(&sum, 8, TAG);
    take(&sum, 8, TAG);
  } else {
    take(&other, 8, TAG);
    sum += other;
    give(&sum, 8, TAG);
  }
}
INLINE void dot_by_library(void) {
  uint64_t whole = 0;
  multiply();
  MPI_Reduce(&sum, &whole, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  sum = whole;
  MPI_Bcast(&sum, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
}

#define TIMED(name) \
  static void timed_##name(int readings, int batch, double* took) { in_windows(name, readings, batch, took); }
TIMED(broadcast)
TIMED(collect)
TIMED(reduction)
TIMED(bisection)
TIMED(neighbours)
TIMED(library_barrier)
TIMED(library_broadcast)
TIMED(library_allreduce)
TIMED(library_alltoall)
TIMED(dot_by_rank_0)
TIMED(dot_by_library)
static void timed_transpose(int readings, int batch, double* took) {
  char* taken; /* at the place in a page where the allocator gives ours: elsewhere it took a quarter longer */
  packed = (double*)buffer(2 * (size_t)bytes, 16, &taken);
  in_windows(transpose, readings, batch, took);
  free(taken);
}

void TWIN(char** words, int readings, double* took) {
  static const struct mode modes[] = {{"broadcast", timed_broadcast},
                                      {"collect", timed_collect},
                                      {"reduction", timed_reduction},
                                      {"transposition", timed_transpose},
                                      {"bisection", timed_bisection},
                                      {"neighbour-1d", timed_neighbours},
                                      {"library-barrier", timed_library_barrier},
                                      {"library-broadcast", timed_library_broadcast},
                                      {"library-allreduce", timed_library_allreduce},
                                      {"library-alltoall", timed_library_alltoall},
                                      {"dot-naive", timed_dot_by_rank_0},
                                      {"dot-tree", timed_dot_by_rank_0},
                                      {"dot-library", timed_dot_by_library}};
  run_mode(modes, sizeof modes / sizeof *modes, words, readings, took);
}
