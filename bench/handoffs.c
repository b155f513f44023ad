/* What the kernel takes for the round trips of `./x bench mpirun`: two processes that each hand over to a third and
   sleep until it lets them go on, and nothing else. Argument: round trips. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  _Alignas(4096) atomic_uint posted;
  _Alignas(64) atomic_uint go;
} Control;

static void wake(atomic_uint* word) { syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0); }

static void await_change(atomic_uint* word, unsigned seen) {
  while (atomic_load(word) == seen) syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
}

int main(int argc, char** argv) {
  const unsigned trips = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
  Control* const control = mmap(NULL, 2 * sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int rank = 0; rank < 2; ++rank) {
    if (fork() != 0) continue;
    for (unsigned trip = 0; trip < trips; ++trip) {
      if (rank == 1) await_change(&control[rank].go, trip);
      atomic_fetch_add(&control[rank].posted, 1);
      wake(&control[rank].posted);
      if (rank == 0) await_change(&control[rank].go, trip);
    }
    _exit(0);
  }
  for (unsigned trip = 0; trip < trips; ++trip)
    for (int rank = 0; rank < 2; ++rank) {
      await_change(&control[rank].posted, trip);
      atomic_fetch_add(&control[1 - rank].go, 1); /* what one has sent, the other receives */
      wake(&control[1 - rank].go);
    }
  while (wait(NULL) > 0) continue;
  return 0;
}
