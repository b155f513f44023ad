// How a long computation is ended from outside: between pieces of some hundredths of a second it calls `check_stop`,
// which throws if it is to end. Never called per event: the hot loops stay as they are.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>

namespace assay::events {

/// Thrown by `check_stop` in every thread once `stop_requested` is set.
struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("stopped") {}
};

/// Set: every computation of this process ends at its next check. Whoever sets it clears it once they have.
inline std::atomic<bool> stop_requested{false};

/// Called by each check, if there is one; throws to end the computation (Python's pending signals).
inline std::atomic<void (*)()> stop_hook{nullptr};

/// Cycles that the runs of this process have simulated, for whoever shows how far they are.
inline std::atomic<std::uint64_t> simulated_cycles{0};

inline void check_stop() {
  if (stop_requested.load(std::memory_order_relaxed)) throw Stopped();
  if (const auto hook = stop_hook.load(std::memory_order_relaxed)) hook();
}

/// Runs an engine in pieces so short that a check between them comes at least every 40 ms or so, whatever a cycle
/// costs. An engine that is run to a cycle in pieces does the same events as one that is run to it at once.
class Pieces {
 public:
  /// All events before cycle `end`; false once nothing will ever happen again.
  template <class Engine>
  bool run(Engine& engine, std::uint64_t end) {
    for (;;) {
      const bool whole = end - at_ <= length_;
      const std::uint64_t until = whole ? end : at_ + length_;
      const auto began = std::chrono::steady_clock::now();
      const bool more = engine.run(until);
      const auto spent = std::chrono::steady_clock::now() - began;
      if (!whole || end != ~std::uint64_t{0}) simulated_cycles.fetch_add(until - at_, std::memory_order_relaxed);
      at_ = until;
      check_stop();
      if (whole || !more) {
        at_ = end;
        return more;
      }
      if (spent < std::chrono::milliseconds(10)) length_ *= 2;
      if (spent > std::chrono::milliseconds(30) && length_ > 1) length_ /= 2;
    }
  }

 private:
  std::uint64_t at_ = 0, length_ = 256;  // cycles
};

/// The same for a loop that goes by steps of any cost: how many it makes before it asks again.
class Steps {
 public:
  /// Steps until the next call; ends the computation if it is to end. The first call only starts the clock.
  std::uint32_t next() {
    const auto now = std::chrono::steady_clock::now();
    if (began_ != decltype(now){}) {
      check_stop();
      if (now - began_ < std::chrono::milliseconds(10) && length_ < 1U << 20) length_ *= 2;
      if (now - began_ > std::chrono::milliseconds(30) && length_ > 1) length_ /= 2;
    }
    began_ = now;
    return length_;
  }

 private:
  std::chrono::steady_clock::time_point began_{};
  std::uint32_t length_ = 64;
};

/// The same, to be told of each step.
class Paced {
 public:
  void step() {
    if (left_-- == 0) left_ = steps_.next();
  }

 private:
  Steps steps_;
  std::uint32_t left_ = 0;
};

}  // namespace assay::events
