// Locks, each a class with lock() and unlock(): spin (test, then test-and-set), ticket (in order of arrival; Mellor-
// Crummey and Scott 1991), MCS (in order, each waiting on a line of its own; the same paper). std::mutex, POSIX's
// and OpenMP's lock stand beside them. None of the three gives its hardware thread up while it waits.
#pragma once

#include <mutex>

#include "threads/team.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace assay::threads {

struct MutexLock {
  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }
  std::mutex mutex;
};

struct PthreadLock {  // what std::mutex stands on, without its look at what the call returns
  void lock() { pthread_mutex_lock(&mutex); }
  void unlock() { pthread_mutex_unlock(&mutex); }
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

struct SpinLock {
  void lock() {
    while (taken.exchange(true, std::memory_order_acquire))
      while (taken.load(std::memory_order_relaxed)) pause();
  }
  void unlock() { taken.store(false, std::memory_order_release); }
  std::atomic<bool> taken{false};
};

struct TicketLock {
  void lock() {
    const std::uint32_t mine = next.fetch_add(1, std::memory_order_relaxed);
    while (serving.load(std::memory_order_acquire) != mine) pause();
  }
  void unlock() { serving.store(serving.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  std::atomic<std::uint32_t> next{0};
  std::atomic<std::uint32_t> serving{0};
};

struct McsLock {
  struct alignas(line_bytes) Waiter {
    std::atomic<Waiter*> next{nullptr};
    std::atomic<bool> waits{false};
  };
  void lock() {
    Waiter& own = mine();
    own.next.store(nullptr, std::memory_order_relaxed);
    own.waits.store(true, std::memory_order_relaxed);
    Waiter* before = last.exchange(&own, std::memory_order_acq_rel);
    if (!before) return;
    before->next.store(&own, std::memory_order_release);
    while (own.waits.load(std::memory_order_acquire)) pause();
  }
  void unlock() {
    Waiter& own = mine();
    Waiter* after = own.next.load(std::memory_order_acquire);
    if (!after) {
      Waiter* expected = &own;
      if (last.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel)) return;
      while (!(after = own.next.load(std::memory_order_acquire))) pause();
    }
    after->waits.store(false, std::memory_order_release);
  }
  static Waiter& mine() {  // a thread holds one lock at a time here
    thread_local Waiter waiter;
    return waiter;
  }
  std::atomic<Waiter*> last{nullptr};
};

#ifdef _OPENMP
struct OpenMpLock {
  OpenMpLock() { omp_init_lock(&inner); }
  ~OpenMpLock() { omp_destroy_lock(&inner); }
  OpenMpLock(const OpenMpLock&) = delete;
  OpenMpLock& operator=(const OpenMpLock&) = delete;
  void lock() { omp_set_lock(&inner); }
  void unlock() { omp_unset_lock(&inner); }
  omp_lock_t inner;
};
#endif

struct NoLock {  // for checks that must fail
  void lock() {}
  void unlock() {}
};

}  // namespace assay::threads
