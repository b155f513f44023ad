/* Accesses that a file lists, one after another, "EPOCH RANK KIND TARGET AT COUNT VALUE" a line: rank 0 prints of each
   rank the weighted sums of what it has in the end, and of what it has fetched. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { words = 4096 };
static int is(const char* a, const char* b) { return strcmp(a, b) == 0; }
static long weighted(const long* all, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += (i + 1) * all[i];
  return sum;
}

int main(int argc, char** argv) {
  int rank, ranks, acts, target, at, count;
  long *memory, value, sums[2] = {0, 0};
  static long from[words], got[words];
  char epoch[16], kind[16];
  MPI_Win win;
  MPI_Group world, actor, aim;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Win_allocate(words * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < words; ++i) memory[i] = 1000 * rank + i;
  FILE* file = fopen(argv[1], "r");
  MPI_Barrier(MPI_COMM_WORLD);
  while (fscanf(file, "%15s %d %15s %d %d %d %ld", epoch, &acts, kind, &target, &at, &count, &value) == 7) {
    const int mine = acts == rank,
              fetches = is(kind, "get") || is(kind, "fetch") || is(kind, "swap") || is(kind, "fop");
    MPI_Group_incl(world, 1, &acts, &actor);
    MPI_Group_incl(world, 1, &target, &aim);
    for (int i = 0; i < count; ++i) from[i] = value + i, got[i] = 0;
    if (is(epoch, "fence")) MPI_Win_fence(0, win);
    if (is(epoch, "open") && rank == target) MPI_Win_post(actor, 0, win);
    if (is(epoch, "open") && mine) MPI_Win_start(aim, 0, win);
    if (is(epoch, "shared") && mine) MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    if (is(epoch, "exclusive") && mine) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    if (is(epoch, "all") && mine) MPI_Win_lock_all(0, win);
    if (mine && is(kind, "put")) MPI_Put(from, count, MPI_LONG, target, at, count, MPI_LONG, win);
    if (mine && is(kind, "get")) MPI_Get(got, count, MPI_LONG, target, at, count, MPI_LONG, win);
    if (mine && is(kind, "sum")) MPI_Accumulate(from, count, MPI_LONG, target, at, count, MPI_LONG, MPI_SUM, win);
    if (mine && is(kind, "max")) MPI_Accumulate(from, count, MPI_LONG, target, at, count, MPI_LONG, MPI_MAX, win);
    if (mine && is(kind, "fetch"))
      MPI_Get_accumulate(from, count, MPI_LONG, got, count, MPI_LONG, target, at, count, MPI_LONG, MPI_SUM, win);
    if (mine && is(kind, "fop")) MPI_Fetch_and_op(from, got, MPI_LONG, target, at, MPI_REPLACE, win);
    if (mine && is(kind, "swap")) {
      const long expected = 1000 * target + at; /* what is there at first */
      MPI_Compare_and_swap(from, &expected, got, MPI_LONG, target, at, win);
    }
    if (is(epoch, "fence")) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (is(epoch, "open") && mine) MPI_Win_complete(win);
    if (is(epoch, "open") && rank == target) MPI_Win_wait(win);
    if ((is(epoch, "shared") || is(epoch, "exclusive")) && mine) MPI_Win_unlock(target, win);
    if (is(epoch, "all") && mine) MPI_Win_unlock_all(win);
    if (mine && fetches) sums[1] += weighted(got, count);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Group_free(&actor);
    MPI_Group_free(&aim);
  }
  sums[0] = weighted(memory, words);
  long* all = malloc(2 * ranks * sizeof(long));
  MPI_Gather(sums, 2, MPI_LONG, all, 2, MPI_LONG, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < ranks; ++i) printf("%ld %ld\n", all[2 * i], all[2 * i + 1]);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
