// Barriers, each a class with arrive(rank): std::barrier; central, one counter whose sense turns over; dissemination,
// ceil(log2 p) rounds in each of which thread i signals thread i + 2^k (Hensgen, Finkel and Manber 1988; both as in
// Mellor-Crummey and Scott 1991). A thread that waits in the latter two keeps its hardware thread.
#pragma once

#include <barrier>

#include "threads/team.hpp"

namespace assay::threads {

class StandardBarrier {
 public:
  explicit StandardBarrier(int threads) : barrier_(threads) {}
  void arrive(int) { barrier_.arrive_and_wait(); }

 private:
  std::barrier<> barrier_;
};

class CentralBarrier {
 public:
  explicit CentralBarrier(int threads) : threads_(threads), missing_(threads) {}
  void arrive(int) {
    const bool turned = !sense_.load(std::memory_order_relaxed);
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      missing_.store(threads_, std::memory_order_relaxed);
      sense_.store(turned, std::memory_order_release);
    } else {
      while (sense_.load(std::memory_order_acquire) != turned) pause();
    }
  }

 private:
  const int threads_;
  alignas(line_bytes) std::atomic<int> missing_;
  alignas(line_bytes) std::atomic<bool> sense_{false};
};

class DisseminationBarrier {
 public:
  explicit DisseminationBarrier(int threads) : threads_(threads), places_(static_cast<std::size_t>(threads)) {
    while ((1 << rounds_) < threads) ++rounds_;
  }
  void arrive(int rank) {
    Place& own = places_[static_cast<std::size_t>(rank)];
    ++own.episode;
    for (int round = 0; round < rounds_; ++round) {
      const int partner = (rank + (1 << round)) % threads_;
      Place& other = places_[static_cast<std::size_t>(partner)];
      other.signalled[round].store(own.episode, std::memory_order_release);
      while (own.signalled[round].load(std::memory_order_acquire) < own.episode) pause();
    }
  }

 private:
  struct alignas(line_bytes) Place {
    std::atomic<std::uint64_t> signalled[16] = {};  // the last episode that was signalled, by round
    std::uint64_t episode = 0;
  };
  const int threads_;
  int rounds_ = 0;
  std::vector<Place> places_;
};

struct NoBarrier {  // for checks that must fail
  explicit NoBarrier(int) {}
  void arrive(int) {}
};

}  // namespace assay::threads
