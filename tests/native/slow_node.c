/* Loaded into every program of a node (LD_PRELOAD), this makes it slower by half: of each 2 ms, 1 ms goes to a signal's
 * handler, as it does where firmware or another system interrupts a processor. */
#define _GNU_SOURCE
#include <signal.h>
#include <time.h>

static void interrupted(int number) {
  (void)number;
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < 1000000L);
}

__attribute__((constructor)) static void begin(void) {
  struct sigaction action = {.sa_handler = interrupted, .sa_flags = SA_RESTART};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 5};
  struct itimerspec every = {{0, 2000000}, {0, 2000000}};
  timer_t timer;
  sigaction(SIGRTMIN + 5, &action, 0);
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) timer_settime(timer, 0, &every, 0);
}
