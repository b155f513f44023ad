// Keeps the processors of this machine from idling while frames are on their way. A processor that has idled, above all
// a virtual one that gave itself back to its host, takes 0.1 ms and more to resume: longer than frames may be late. A
// thread on each processor looks at the clock at the scheduler's lowest priority (SCHED_IDLE), so that it only takes time
// that nothing else wants, and sleeps when no frame has come for a while.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <thread>

namespace assay {

class Awake {
 public:
  Awake() {
    cpu_set_t usable{};
    sched_getaffinity(0, sizeof usable, &usable);
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
      if (CPU_ISSET(processor, &usable)) std::thread([this, processor] { stay(processor); }).detach();
  }

  // A frame was taken or handed on at `now` (ns of the monotonic clock).
  void until_after(std::int64_t now) {
    const bool slept = last_.exchange(now, std::memory_order_relaxed) + rest < now;
    if (slept) {
      round_.fetch_add(1, std::memory_order_release);
      round_.notify_all();
    }
  }

 private:
  static constexpr std::int64_t rest = 20'000'000;  // ns without a frame until the threads sleep

  void stay(int processor) {
    cpu_set_t own{};
    CPU_SET(processor, &own);
    const sched_param lowest{};
    if (sched_setaffinity(0, sizeof own, &own) != 0 || sched_setscheduler(0, SCHED_IDLE, &lowest) != 0) return;
    for (std::uint32_t round = 0;;) {
      round_.wait(round, std::memory_order_acquire);
      round = round_.load(std::memory_order_acquire);
      timespec now{};
      do clock_gettime(CLOCK_MONOTONIC, &now);
      while (now.tv_sec * 1'000'000'000 + now.tv_nsec < last_.load(std::memory_order_relaxed) + rest);
    }
  }

  std::atomic<std::int64_t> last_{0};
  std::atomic<std::uint32_t> round_{0};
};

}  // namespace assay
