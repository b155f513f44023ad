// Who can never move again: a message that waits moves if what it waits for is free, or held by one that can move. What
// is left when all that can move are taken out is deadlocked, and going from waiter to holder there ends in a circle.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/outcome.hpp"

namespace assay::network {

class Circle {
 public:
  static constexpr std::uint32_t no_index = 0xffffffffu;
  explicit Circle(std::size_t messages) : holders_(messages), stuck_(messages, 0) {}

  /// Message `index` waits; `each(call)` calls with every holder of what it could be given, `no_index` where it is
  /// free.
  template <class Each>
  void waits(std::uint32_t index, Each each) {
    stuck_[index] = 1;
    each([&](std::uint32_t holder) { holders_[index].push_back(holder); });
  }
  /// `describe(index)`: the message, the link it waits for, its source and destination.
  template <class Describe>
  void report(Outcome& outcome, Describe describe) {
    free_those_that_can_move();
    const auto first = std::find(stuck_.begin(), stuck_.end(), 1);
    outcome.deadlocked = static_cast<std::uint64_t>(std::count(first, stuck_.end(), 1));
    if (outcome.deadlocked == 0) return;
    std::vector<std::uint32_t> way;
    std::vector<std::uint32_t> place(stuck_.size(), no_index);  // on the way
    auto at = static_cast<std::uint32_t>(first - stuck_.begin());
    for (; place[at] == no_index; at = holders_[at].front()) {
      place[at] = static_cast<std::uint32_t>(way.size());
      way.push_back(at);
    }
    way.erase(way.begin(), way.begin() + place[at]);
    for (std::size_t i = 0; i < way.size(); ++i) {
      Outcome::Waiting one = describe(way[i]);
      one.holds = describe(way[(i + way.size() - 1) % way.size()]).waits_for;
      outcome.deadlock.push_back(one);
    }
  }

 private:
  /// From each that can move to those that wait for it, each once: a queue of many thousands is taken out in one pass.
  void free_those_that_can_move() {
    std::vector<std::vector<std::uint32_t>> waiters(stuck_.size());
    std::vector<std::uint32_t> moving;
    const auto release = [&](std::uint32_t index) {
      stuck_[index] = 0;
      moving.push_back(index);
    };
    const std::vector<std::uint8_t> waiting = stuck_;
    for (std::uint32_t i = 0; i < stuck_.size(); ++i) {
      if (!waiting[i]) continue;
      const auto& by = holders_[i];
      if (by.empty() || std::any_of(by.begin(), by.end(), [&](auto h) { return h == no_index || !waiting[h]; }))
        release(i);
      else
        for (const auto holder : by) waiters[holder].push_back(i);
    }
    while (!moving.empty()) {
      const auto index = moving.back();
      moving.pop_back();
      for (const auto waiter : waiters[index])
        if (stuck_[waiter]) release(waiter);
    }
  }

  std::vector<std::vector<std::uint32_t>> holders_;
  std::vector<std::uint8_t> stuck_;
};

}  // namespace assay::network
