// Locks of windows: who holds each rank's, shared or alone, and who waits for it, in the order in which they came.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace assay::mpirun {

class Locks {
 public:
  using Of = std::pair<std::int32_t, int>;  // a window, and a rank of it
  struct Wanted {
    std::size_t number;
    int rank;
    bool exclusive;
  };

  // Whether it is granted at once.
  bool ask(Of of, const Wanted& wanted) {
    Lock& lock = locks_[of];
    if (!lock.waiting.empty() || !lock.admits(wanted.exclusive)) {
      lock.waiting.push_back(wanted);
      return false;
    }
    lock.grant(wanted);
    return true;
  }
  // A rank gives its lock back; the numbers of those that have it now.
  std::vector<std::size_t> release(Of of, int rank) {
    Lock& lock = locks_[of];
    if (const auto found = std::ranges::find(lock.holders, rank); found != lock.holders.end())
      lock.holders.erase(found);
    lock.exclusive = false;
    std::vector<std::size_t> granted;
    while (!lock.waiting.empty() && lock.admits(lock.waiting.front().exclusive)) {
      lock.grant(lock.waiting.front());
      granted.push_back(lock.waiting.front().number);
      lock.waiting.pop_front();
    }
    if (lock.holders.empty()) locks_.erase(of);
    return granted;
  }

 private:
  struct Lock {
    std::vector<int> holders;
    bool exclusive = false;
    std::deque<Wanted> waiting;
    bool admits(bool alone) const { return holders.empty() || !(exclusive || alone); }
    void grant(const Wanted& wanted) {
      holders.push_back(wanted.rank);
      exclusive = wanted.exclusive;
    }
  };
  std::map<Of, Lock> locks_;
};

}  // namespace assay::mpirun
