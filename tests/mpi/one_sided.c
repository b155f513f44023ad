/* One-sided operations of every kind in epochs of every kind, on 2 ranks or more: what each rank has in the end, in
   order of rank. All of it is the same under every MPI, but for what an argument asks for. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { line = 240, many = 5000 };
static int rank, ranks;

/* Rank 0 prints what each rank says. */
static void say(const char* what, const char* text) {
  char mine[line], *all = rank == 0 ? malloc((size_t)ranks * line) : NULL;
  snprintf(mine, line, "%s", text);
  MPI_Gather(mine, line, MPI_CHAR, all, line, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < ranks; ++i) printf("%s %d: %s\n", what, i, all + i * line);
  free(all);
}
static void say_ints(const char* what, const int* values, int count) {
  char text[line] = "";
  for (int i = 0; i < count; ++i) snprintf(text + strlen(text), line - strlen(text), "%d ", values[i]);
  say(what, text);
}

static void fences(void) {
  int memory[8], got[8];
  MPI_Win win;
  MPI_Datatype every_second;
  for (int i = 0; i < 8; ++i) memory[i] = 100 * rank + i, got[i] = -1;
  MPI_Type_vector(3, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  const int next = (rank + 1) % ranks;
  const int values[6] = {rank, -1, rank + 10, -1, rank + 20, -1};
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Put(values, 1, every_second, next, 1, 1, every_second, win);
  MPI_Win_fence(0, win);
  MPI_Get(got, 3, MPI_INT, next, 0, 1, every_second, win);
  MPI_Get(got + 3, 1, MPI_INT, next, 7, 1, MPI_INT, win);
  MPI_Get(got + 5, 1, MPI_INT, MPI_PROC_NULL, 7, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  say_ints("put", memory, 8);
  say_ints("got", got, 8);
  MPI_Type_free(&every_second);
  MPI_Win_free(&win);
  say("null", win == MPI_WIN_NULL ? "yes" : "no");
}

static void accumulates(void) {
  struct {
    double value;
    int place;
  } *best, mine = {(rank * 7) % ranks, rank};
  double* sums;
  char text[line];
  MPI_Win win, of_best;
  MPI_Win_allocate(many * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &sums, &win);
  MPI_Win_allocate(sizeof *best, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &best, &of_best);
  for (int i = 0; i < many; ++i) sums[i] = i;
  best->value = -1;
  best->place = -1;
  double* from = malloc(many * sizeof(double));
  for (int i = 0; i < many; ++i) from[i] = rank + 1;
  MPI_Win_fence(0, win);
  MPI_Win_fence(0, of_best);
  for (int to = 0; to < ranks; ++to) {
    MPI_Accumulate(from, many, MPI_DOUBLE, to, 0, many, MPI_DOUBLE, MPI_SUM, win);
    MPI_Accumulate(from, 1, MPI_DOUBLE, to, 2, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Accumulate(&mine, 1, MPI_DOUBLE_INT, to, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, of_best);
  }
  MPI_Win_fence(0, win);
  MPI_Win_fence(0, of_best);
  snprintf(text, line, "%g %g %g %g best %g of %d", sums[0], sums[1], sums[2], sums[many - 1], best->value,
           best->place);
  say("sums", text);
  MPI_Win_free(&win);
  MPI_Win_free(&of_best);
  free(from);
}

/* Those of one rank to one other are applied in order, whatever their lengths. */
static void ordered(void) {
  int *memory, *values = malloc(many * sizeof(int)), old[2] = {-1, -1};
  MPI_Win win;
  MPI_Win_allocate(many * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memset(memory, 0, many * sizeof(int));
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  const int next = (rank + 1) % ranks;
  for (int round = 1; round <= 6; ++round) {
    for (int i = 0; i < many; ++i) values[i] = round;
    const int count = round % 2 == 0 ? 1 : many, at = round % 2 == 0 ? 3 : 0;
    MPI_Accumulate(values, count, MPI_INT, next, at, count, MPI_INT, MPI_REPLACE, win);
    MPI_Win_flush_local(next, win);
    if (round == 3) MPI_Fetch_and_op(NULL, old, MPI_INT, next, 4, MPI_NO_OP, win);
    if (round == 5) MPI_Fetch_and_op(values, old + 1, MPI_INT, next, 4, MPI_SUM, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  const int end[] = {memory[2], memory[3], memory[4], memory[many - 1], old[0], old[1]};
  say_ints("order", end, 6);
  MPI_Win_free(&win);
  free(values);
}

static void fetches(void) {
  long *memory, one = 1, old = -1, sum = 0, total = 0;
  char text[line];
  MPI_Win win;
  MPI_Win_allocate(rank == 0 ? (many + 2) * sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  if (rank == 0) memset(memory, 0, (many + 2) * sizeof(long));
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 5; ++i) { /* a counter: each value once */
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, many, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    sum += old;
  }
  MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) { /* the same by compare and swap */
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    for (long expected = 0, swapped;; expected = old) {
      swapped = expected + 10;
      MPI_Compare_and_swap(&swapped, &expected, &old, MPI_LONG, 0, many + 1, win);
      MPI_Win_flush(0, win);
      if (old == expected) break;
    }
    MPI_Win_unlock(0, win);
  }
  long *before = malloc(many * sizeof(long)), *adds = malloc(many * sizeof(long));
  for (int i = 0; i < many; ++i) adds[i] = 1 + i;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Get_accumulate(adds, many, MPI_LONG, before, many, MPI_LONG, 0, 0, many, MPI_LONG, MPI_SUM, win);
  MPI_Win_unlock(0, win);
  int whole = 1; /* of all elements the same number of ranks came before */
  for (int i = 0; i < many; ++i) whole = whole && before[i] == before[0] * (1 + i);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Get_accumulate(NULL, 0, MPI_LONG, before, 2, MPI_LONG, 0, many, 2, MPI_LONG, MPI_NO_OP, win);
  MPI_Get_accumulate(NULL, 0, MPI_LONG, before + 2, 1, MPI_LONG, 0, many - 1, 1, MPI_LONG, MPI_NO_OP, win);
  MPI_Win_unlock(0, win);
  snprintf(text, line, "%ld %ld %ld %ld %d", total, before[0], before[1], before[2], whole);
  say("fetched", text);
  MPI_Win_free(&win);
  free(before);
  free(adds);
}

/* Nobody else has the memory between a get and a put under an exclusive lock. */
static void locks(void) {
  int memory[2] = {0, 0}, value;
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int i = 0; i < 4; ++i) {
    const int at = i % ranks; /* all at once */
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, at, 0, win);
    MPI_Get(&value, 1, MPI_INT, at, 0, 1, MPI_INT, win);
    MPI_Win_flush(at, win);
    value += 1;
    MPI_Put(&value, 1, MPI_INT, at, 0, 1, MPI_INT, win);
    MPI_Win_unlock(at, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  value = memory[0];
  MPI_Win_unlock(rank, win);
  say_ints("locked", &value, 1);
  MPI_Win_free(&win);
}

static void requests(void) {
  int *memory, got[3] = {-1, -1, -1}, flag = 0;
  MPI_Win win;
  MPI_Request all[4], one;
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < 4; ++i) memory[i] = 1000 * rank + i;
  const int next = (rank + 1) % ranks, mine = rank + 1;
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Rget(got, 1, MPI_INT, next, 0, 1, MPI_INT, win, &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Rput(&mine, 1, MPI_INT, next, 1, 1, MPI_INT, win, all);
  MPI_Raccumulate(&mine, 1, MPI_INT, next, 2, 1, MPI_INT, MPI_SUM, win, all + 1);
  MPI_Rget_accumulate(&mine, 1, MPI_INT, got + 1, 1, MPI_INT, next, 3, 1, MPI_INT, MPI_PROD, win, all + 2);
  MPI_Rget(got + 2, 1, MPI_INT, next, 0, 1, MPI_INT, win, all + 3);
  MPI_Win_flush_all(win);
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  MPI_Rget(got + 2, 1, MPI_INT, next, 0, 1, MPI_INT, win, &one);
  while (!flag) MPI_Test(&one, &flag, MPI_STATUS_IGNORE);
  MPI_Win_flush_local_all(win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  say_ints("requested", got, 3);
  say_ints("there", memory, 4);
  MPI_Win_free(&win);
}

static void opened(void) {
  int memory[2] = {-1, -1}, flag = 0;
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  MPI_Win win;
  MPI_Group world, to, from;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_get_group(win, &world);
  MPI_Group_incl(world, 1, &next, &to);
  MPI_Group_incl(world, 1, &before, &from);
  for (int round = 0; round < 2; ++round) {
    const int value = 10 * round + rank;
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(&value, 1, MPI_INT, next, round, 1, MPI_INT, win);
    MPI_Win_complete(win);
    if (round == 0)
      MPI_Win_wait(win);
    else
      while (!flag) MPI_Win_test(win, &flag);
  }
  say_ints("opened", memory, 2);
  MPI_Group_free(&world);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Win_free(&win);
}

static void dynamics(void) {
  int* memory = calloc(8, sizeof(int));
  int value = 7 * rank + 1, got = -1;
  MPI_Aint address, theirs;
  MPI_Win win;
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory, 8 * sizeof(int));
  MPI_Get_address(memory + 3, &address);
  MPI_Sendrecv(&address, 1, MPI_AINT, before, 5, &theirs, 1, MPI_AINT, next, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_INT, next, theirs, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Get(&got, 1, MPI_INT, next, theirs, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_detach(win, memory);
  const int end[] = {memory[2], memory[3], got};
  say_ints("attached", end, 3);
  MPI_Win_free(&win);
  free(memory);
}

/* A rank looks at its own memory until another has written there (MPICH makes no progress in MPI_Win_sync). */
static void looks(void) {
  int* memory;
  const int one = 1;
  MPI_Win win;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  *memory = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(&one, 1, MPI_INT, ranks - 1, 0, 1, MPI_INT, win);
    MPI_Win_flush(ranks - 1, win);
  } else if (rank == ranks - 1) {
    while (*(volatile int*)memory == 0) MPI_Win_sync(win);
  }
  MPI_Win_unlock_all(win);
  say_ints("looked", memory, 1);
  MPI_Win_free(&win);
}

static int copied, deleted;
static int copies(MPI_Win win, int key, void* state, void* in, void* out, int* flag) {
  return ++copied, *flag = 0, MPI_SUCCESS;
}
static int deletes(MPI_Win win, int key, void* value, void* state) { return ++deleted, MPI_SUCCESS; }
static void properties(void) {
  char text[line], name[MPI_MAX_OBJECT_NAME];
  int memory[4], *flavour, *unit, *model, flag, length, key, size;
  void *base, *value;
  MPI_Aint* bytes;
  MPI_Win win;
  MPI_Group group;
  MPI_Errhandler handler;
  MPI_Win_create(memory, rank == 0 ? 0 : sizeof memory, rank + 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
  MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag);
  MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavour, &flag);
  MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
  MPI_Win_set_name(win, "a window");
  MPI_Win_get_name(win, name, &length);
  MPI_Win_get_group(win, &group);
  MPI_Group_size(group, &size);
  MPI_Win_create_keyval(copies, deletes, &key, NULL);
  MPI_Win_set_attr(win, key, name);
  MPI_Win_get_attr(win, key, &value, &flag);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_get_errhandler(win, &handler);
  snprintf(text, line, "%d %ld %d %d %d %s %d %d %d %d", rank == 0 || base == (void*)memory, (long)*bytes, *unit,
           *flavour == MPI_WIN_FLAVOR_CREATE, *model == MPI_WIN_UNIFIED, name, length, size,
           flag && value == (void*)name, handler == MPI_ERRORS_RETURN);
  say("is", text);
  MPI_Group_free(&group);
  MPI_Win_free(&win);
  MPI_Win_free_keyval(&key);
  const int calls[] = {copied, deleted};
  say_ints("keys", calls, 2);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  fences();
  accumulates();
  ordered();
  fetches();
  locks();
  requests();
  opened();
  dynamics();
  if (argc > 1) looks();
  properties();
  MPI_Finalize();
  return 0;
}
