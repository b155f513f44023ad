/* Plain C and OpenMP, as people write them, for `./x bench node`. The file is compiled twice, as TWIN = plain and
   again: two copies of one program, that lie in different places. Words: triad BYTES THREADS CPU,…: a = b + 3 c over
   arrays of BYTES, seconds per byte of STREAM's 24 per element. mutex, checked, omplock, ompbarrier COUNT THREADS
   CPU,…: COUNT of them in a row by every thread. Thread i is held on the i-th CPU. checked looks at what
   pthread_mutex_lock returns, as std::mutex must, which throws; mutex does not. Without others a lock takes some twenty
   cycles, most of them a wait for its own last store, and each of these added 1 to 6 of them: the look at the result, a
   move in another place, lock and counter in one line, a loop that begins elsewhere in its line. So these loops are
   written and placed as ours are: all around them is compared. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int cpus[CPU_SETSIZE];

static void pin(int rank) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpus[rank], &one);
  sched_setaffinity(0, sizeof one, &one);
}

static void triad(long bytes, int readings, double* took) {
  const long n = bytes / 8;
  double *a = malloc((size_t)bytes), *b = malloc((size_t)bytes), *c = malloc((size_t)bytes);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; ++i) a[i] = 0, b[i] = 1, c[i] = 2;
  for (int k = 0; k < readings; ++k) {
    const double from = now();
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
    took[k] = (now() - from) / (24.0 * (double)n);
  }
  if (a[n / 2] != 7) exit(1);
  free(a), free(b), free(c);
}

static struct shared {
  _Alignas(128) pthread_mutex_t mutex;
  _Alignas(128) omp_lock_t lock;
  _Alignas(128) long counter;
} shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void add(long* counter) {
  long count = *counter;
  __asm__ volatile("" : "+r"(count));
  *counter = count + 1;
  __asm__ volatile("" ::: "memory");
}

__attribute__((noinline, aligned(64))) static void mutex(struct shared* s, long times) {
  for (; times > 0; --times) {
    pthread_mutex_lock(&s->mutex);
    add(&s->counter);
    pthread_mutex_unlock(&s->mutex);
  }
}

__attribute__((noinline, aligned(64))) static void checked(struct shared* s, long times) {
  for (; times > 0; --times) {
    if (pthread_mutex_lock(&s->mutex)) exit(1);
    add(&s->counter);
    pthread_mutex_unlock(&s->mutex);
  }
}

__attribute__((noinline, aligned(64))) static void omplock(struct shared* s, long times) {
  for (; times > 0; --times) {
    omp_set_lock(&s->lock);
    add(&s->counter);
    omp_unset_lock(&s->lock);
  }
}

__attribute__((noinline, aligned(64))) static void ompbarrier(struct shared* s, long times) {
  (void)s;
  for (; times > 0; --times) {
#pragma omp barrier
  }
}

/* One block: seconds an operation into `took`. */
void TWIN(char** words, int readings, double* took) {
  const long count = atol(words[1]);
  const int threads = atoi(words[2]);
  int listed = 0;
  char list[1 << 14] = "";
  strncpy(list, words[3], sizeof list - 1);
  for (char* word = strtok(list, ","); word && listed < CPU_SETSIZE; word = strtok(NULL, ","))
    cpus[listed++] = atoi(word);
  if (listed < threads) exit(2);
  omp_set_num_threads(threads);
#pragma omp parallel
  pin(omp_get_thread_num());
  if (!strcmp(words[0], "triad")) {
    triad(count, readings, took);
    return;
  }
  omp_init_lock(&shared.lock);
  void (*loop)(struct shared*, long) = !strcmp(words[0], "mutex")     ? mutex
                                       : !strcmp(words[0], "checked") ? checked
                                       : !strcmp(words[0], "omplock") ? omplock
                                                                      : ompbarrier;
  for (int k = -1; k < readings; ++k) { /* -1 warms up */
    const double from = now();
#pragma omp parallel
    loop(&shared, count);
    if (k >= 0) took[k] = (now() - from) / (double)count;
  }
  omp_destroy_lock(&shared.lock);
}
