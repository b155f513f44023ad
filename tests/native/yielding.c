/* Ranks that wait give their processor to others, for tests that start more ranks than there are processors: put before
 * MPICH over UCX (LD_PRELOAD), which spins and has no setting for it. Each look at the network is its own; after some
 * in vain the processor goes to another process, after many for a moment to nobody. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>

enum { SPINS = 16, YIELDS = 64, PAUSE_NS = 50000 };

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*progress)(void*);
  static unsigned in_vain;
  if (!progress) *(void**)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned moved = progress(worker);
  if (moved) {
    in_vain = 0;
  } else if (++in_vain > YIELDS) {
    nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
  } else if (in_vain > SPINS) {
    sched_yield();
  }
  return moved;
}
