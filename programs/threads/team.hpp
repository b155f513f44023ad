// A team of threads, each held on a hardware thread of its own, that does one piece of work after another: `run(n,
// body)` has members 0 to n-1 call `body(rank)`; member 0 is the caller. Members wait in a short spin and then asleep,
// so that they cost nothing while fewer work. Where each one really ran is asked of the kernel and kept.
#pragma once

#include <pthread.h>

#include <atomic>
#include <memory>
#include <thread>

#include "threads/parameters.hpp"
#include "timing/opaque.hpp"
#include "timing/program.hpp"

namespace assay::threads {

inline constexpr std::size_t line_bytes = 128;  // two cache lines: processors fetch them in pairs
inline constexpr double least_reading = 5e-4;   // s, a thousand times what it takes to set a waiting team to work

[[gnu::always_inline]] inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Holds the calling thread on one hardware thread; false where the kernel refuses.
bool pin(int cpu);

class Team {
 public:
  Team();
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  const Processors& processors() const { return processors_; }
  int cpu(int rank) const { return processors_.cpus[static_cast<std::size_t>(rank)]; }

  // Whether a case of so many threads can be measured here; says why not, and what a reader must know otherwise.
  bool holds(timing::Case& at, std::int64_t threads);

  template <class Body>
  void run(int threads, Body&& body) {
    gather(threads);
    body_ = [](void* what, int rank) { (*static_cast<std::remove_reference_t<Body>*>(what))(rank); };
    what_ = &body;
    pending_.store(threads - 1, std::memory_order_relaxed);
    for (int rank = 1; rank < threads; ++rank) send(static_cast<std::size_t>(rank - 1), ++orders_ << 1);
    body(0);
    look(0);
    for (int spins = 0; pending_.load(std::memory_order_acquire) != 0; ++spins) {
      if (spins < most_spins) {
        pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

 private:
  static constexpr int most_spins = 2000;
  static constexpr std::uint64_t leave = 1;
  struct alignas(line_bytes) Member {
    std::atomic<std::uint64_t> order{0};
    std::thread thread;
  };

  void look(int rank) {  // whether a thread is still where it was put
    if (pinned_ && sched_getcpu() != cpu(rank)) moved_.store(true, std::memory_order_relaxed);
  }
  void send(std::size_t member, std::uint64_t order) {
    members_[member]->order.store(order, std::memory_order_release);
    members_[member]->order.notify_one();
  }
  void gather(int threads);  // the threads that are missing
  void work(int rank, Member& member);

  Processors processors_;
  std::vector<std::unique_ptr<Member>> members_;
  bool here_ = false, pinned_ = true, alone_ = false;
  std::atomic<bool> moved_{false};
  std::uint64_t orders_ = 0;
  void (*body_)(void*, int) = nullptr;
  void* what_ = nullptr;
  std::atomic<int> pending_{0};
};

}  // namespace assay::threads
