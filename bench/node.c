/* Plain C and OpenMP, as people write them, for `./x bench node`: each mode prints seconds an operation, one reading a
   line. triad BYTES READINGS THREADS CPU,…: a = b + 3 c over arrays of BYTES, seconds a byte of STREAM's 24 an element.
   tick 0 0 1 0: seconds a tick of the x86 time stamp counter.
   mutex, checked, omplock, ompbarrier COUNT READINGS THREADS CPU,…: COUNT of them in a row by every thread. Thread i is
   held on the i-th CPU. checked looks at what pthread_mutex_lock returns, as std::mutex must, which throws; mutex does
   not. Without others a lock takes some twenty cycles, most of them a wait for its own last store, and each of these
   added 1 to 6 of them: the look at the result, a move in another place, lock and counter in one line, a loop that
   begins elsewhere in its line. So these loops are written and placed as ours are: all around them is compared. */
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

static void triad(long bytes, int readings) {
  const long n = bytes / 8;
  double *a = malloc((size_t)bytes), *b = malloc((size_t)bytes), *c = malloc((size_t)bytes);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; ++i) a[i] = 0, b[i] = 1, c[i] = 2;
  for (int k = 0; k < readings; ++k) {
    const double from = now();
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
    printf("%.9e\n", (now() - from) / (24.0 * (double)n));
  }
  if (a[n / 2] != 7) exit(1);
}

static int tick(void) {
#if defined(__x86_64__) || defined(__i386__)
  const double from = now();
  const unsigned long long first = __builtin_ia32_rdtsc();
  while (now() - from < 0.1) {
  }
  const unsigned long long last = __builtin_ia32_rdtsc();
  return printf("%.9e\n", (now() - from) / (double)(last - first)) < 0;
#else
  return fprintf(stderr, "no time stamp counter here\n"), 1;
#endif
}

static struct shared {
  _Alignas(128) pthread_mutex_t mutex;
  _Alignas(128) omp_lock_t lock;
  _Alignas(128) long counter;
} shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void add(long *counter) {
  long count = *counter;
  __asm__ volatile("" : "+r"(count));
  *counter = count + 1;
  __asm__ volatile("" ::: "memory");
}

__attribute__((noinline, aligned(64))) static void mutex(struct shared *s, long times) {
  for (; times > 0; --times) {
    pthread_mutex_lock(&s->mutex);
    add(&s->counter);
    pthread_mutex_unlock(&s->mutex);
  }
}

__attribute__((noinline, aligned(64))) static void checked(struct shared *s, long times) {
  for (; times > 0; --times) {
    if (pthread_mutex_lock(&s->mutex)) exit(1);
    add(&s->counter);
    pthread_mutex_unlock(&s->mutex);
  }
}

__attribute__((noinline, aligned(64))) static void omplock(struct shared *s, long times) {
  for (; times > 0; --times) {
    omp_set_lock(&s->lock);
    add(&s->counter);
    omp_unset_lock(&s->lock);
  }
}

__attribute__((noinline, aligned(64))) static void ompbarrier(struct shared *s, long times) {
  (void)s;
  for (; times > 0; --times) {
#pragma omp barrier
  }
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  if (!strcmp(argv[1], "tick")) return tick();
  const long count = atol(argv[2]);
  const int readings = atoi(argv[3]), threads = atoi(argv[4]);
  int listed = 0;
  for (char *word = strtok(argv[5], ","); word && listed < CPU_SETSIZE; word = strtok(NULL, ",")) cpus[listed++] = atoi(word);
  if (listed < threads) return 2;
  omp_set_num_threads(threads);
#pragma omp parallel
  pin(omp_get_thread_num());
  if (!strcmp(argv[1], "triad")) return triad(count, readings), 0;
  omp_init_lock(&shared.lock);
  void (*loop)(struct shared *, long) = !strcmp(argv[1], "mutex")     ? mutex
                                        : !strcmp(argv[1], "checked") ? checked
                                        : !strcmp(argv[1], "omplock") ? omplock
                                                                      : ompbarrier;
  for (int k = 0; k < readings; ++k) {
    const double from = now();
#pragma omp parallel
    loop(&shared, count);
    printf("%.9e\n", (now() - from) / (double)count);
  }
  return 0;
}
