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
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < stuck_.size(); ++i) {
        if (!stuck_[i]) continue;
        const auto& by = holders_[i];
        if (!by.empty() && std::all_of(by.begin(), by.end(), [&](auto h) { return h != no_index && stuck_[h]; }))
          continue;
        stuck_[i] = 0;
        changed = true;
      }
    }
    const auto first = std::find(stuck_.begin(), stuck_.end(), 1);
    outcome.deadlocked = static_cast<std::uint64_t>(std::count(first, stuck_.end(), 1));
    if (outcome.deadlocked == 0) return;
    std::vector<std::uint32_t> way;
    auto at = static_cast<std::uint32_t>(first - stuck_.begin());
    while (std::find(way.begin(), way.end(), at) == way.end()) {
      way.push_back(at);
      at = holders_[at].front();
    }
    way.erase(way.begin(), std::find(way.begin(), way.end(), at));
    for (std::size_t i = 0; i < way.size(); ++i) {
      Outcome::Waiting one = describe(way[i]);
      one.holds = describe(way[(i + way.size() - 1) % way.size()]).waits_for;
      outcome.deadlock.push_back(one);
    }
  }

 private:
  std::vector<std::vector<std::uint32_t>> holders_;
  std::vector<std::uint8_t> stuck_;
};

}  // namespace assay::network
