// Waiting for another process by reading memory that both have: in a short spin, then by giving the hardware thread up
// after every look, since the other may need it. The process that started the other asks now and then whether that one
// still lives, so that a killed partner is an error and no hang.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "threads/team.hpp"

namespace assay::files {

class Patience {
 public:
  // `spins`: looks before the first yield, 0 where both share a hardware thread; `ask` throws where waiting is in vain.
  explicit Patience(int spins = 2000, std::function<void()> ask = nullptr) : spins_(spins), ask_(std::move(ask)) {}

  template <class Ready>
  void until(const Ready& ready) const {
    for (std::uint64_t looks = 0; !ready(); ++looks) {
      if (looks < static_cast<std::uint64_t>(spins_)) {
        threads::pause();
        continue;
      }
      sched_yield();
      if (ask_ && looks % 4096 == 4095) ask_();
    }
  }

 private:
  int spins_;
  std::function<void()> ask_;
};

}  // namespace assay::files
