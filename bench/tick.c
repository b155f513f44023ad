/* Seconds a tick of the x86 time stamp counter. */
#include <stdio.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
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
