/* Work of a stated length, timed repetition by repetition, and competitors that disturb it (bench/decisions.py).
 *
 *   worker chain|stream ITERATIONS REPETITIONS   prints seconds, a repetition a line
 *   worker busy|memory|bursts|light|files|forks  competes until it is killed
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 1 << 23 }; /* 64 MiB: beyond the caches */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t chain(long steps) {
  uint64_t x = 88172645463325252u;
  for (long i = 0; i < steps; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}

/* Goes on where the last call ended: from the start, further steps would find what was read just before. */
static uint64_t stream(const uint64_t* words, long steps) {
  static long at;
  uint64_t sum = 0;
  for (const long end = at + steps; at < end; ++at) sum += words[(at * 8) & (WORDS - 1)];
  return sum;
}

static void spin(double seconds) {
  volatile uint64_t sink;
  for (double end = now() + seconds; now() < end;) sink = chain(1000);
  (void)sink;
}

static void rest(double seconds) {
  struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&t, NULL);
}

static void compete(const char* how) {
  if (!strcmp(how, "busy")) spin(1e9);
  if (!strcmp(how, "bursts"))
    for (;;) spin(0.05), rest(0.05);
  if (!strcmp(how, "light"))
    for (;;) spin(0.002), rest(0.018);
  if (!strcmp(how, "memory")) {
    char* from = malloc(8 * WORDS);
    char* to = malloc(8 * WORDS);
    if (from == NULL || to == NULL) exit(1);
    memset(from, 1, 8 * WORDS);
    for (;;) memcpy(to, from, 8 * WORDS);
  }
  if (!strcmp(how, "files")) {
    static char bytes[1 << 20];
    int file = open("competitor.tmp", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (file < 0 || unlink("competitor.tmp") != 0) exit(1);
    for (;;) {
      if (pwrite(file, bytes, sizeof bytes, 0) < 0 || fdatasync(file) != 0) exit(1);
    }
  }
  if (!strcmp(how, "forks")) {
    for (;;) {
      pid_t child = fork();
      if (child == 0) _exit(0);
      if (child < 0) exit(1);
      waitpid(child, NULL, 0);
    }
  }
  exit(2);
}

int main(int count, char** words) {
  if (count == 2) compete(words[1]);
  if (count != 4) return 2;
  long steps = atol(words[2]), repetitions = atol(words[3]);
  int streams = !strcmp(words[1], "stream");
  uint64_t* memory = streams ? calloc(WORDS, sizeof *memory) : NULL;
  if (streams && memory == NULL) return 1;
  if (streams) memset(memory, 1, WORDS * sizeof *memory);
  uint64_t check = 0;
  for (long i = 0; i < repetitions; ++i) {
    double begin = now();
    check ^= streams ? stream(memory, steps) : chain(steps);
    printf("%.9f\n", now() - begin);
  }
  fprintf(stderr, "%llu\n", (unsigned long long)check); /* or the compiler would remove the work */
  return 0;
}
