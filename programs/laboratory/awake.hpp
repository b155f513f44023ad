// Keeps this machine's hardware threads from idling while frames are on their way. One that has idled, above all a
// virtual one that was given back to its host, takes 0.1 ms and more to resume: longer than frames may be late. A
// spinner on each looks at the clock at the scheduler's lowest priority (SCHED_IDLE), so that it only takes time that
// nothing else wants, and sleeps when no frame has come for a while.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <thread>

#include "timing/affinity.hpp"

namespace assay {

class Awake {
 public:
  Awake() {
    for (const std::int64_t hardware_thread : timing::own_affinity())
      std::thread([this, hardware_thread] { stay(hardware_thread); }).detach();
  }

  // Until a frame is handed on at `due` (ns of the monotonic clock), and a while longer. One thread calls this.
  void until(std::int64_t due) {
    if (due > last_.load(std::memory_order_relaxed)) last_.store(due, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }

 private:
  static constexpr std::int64_t rest = 20'000'000;  // ns after the last frame until the spinners sleep

  void stay(std::int64_t hardware_thread) {
    const sched_param lowest{};
    if (timing::bind_to({hardware_thread}) != 0 || sched_setscheduler(0, SCHED_IDLE, &lowest) != 0) return;
    for (std::uint32_t round = 0;;) {
      round_.wait(round, std::memory_order_acquire);
      round = round_.load(std::memory_order_acquire);
      timespec now{};
      do clock_gettime(CLOCK_MONOTONIC, &now);
      while (now.tv_sec * 1'000'000'000 + now.tv_nsec < last_.load(std::memory_order_relaxed) + rest);
    }
  }

  std::atomic<std::int64_t> last_{0};  // when the last frame is due
  std::atomic<std::uint32_t> round_{0};
};

}  // namespace assay
