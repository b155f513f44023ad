// The clock of the engines with 32-bit times, and their events: what comes in the next cycle is a list of the engine's
// own, a wheel holds what is near, a heap what is not, another heap the links that are to be examined again.
//
// Times are relative to a base that is moved up before they overflow: absolute = base_ + relative. The first cycle of
// all has the relative time `origin`.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "events/wheel.hpp"
#include "network/worm/pages.hpp"

namespace assay::network {

class ShortClock {
 public:
  [[nodiscard]] std::uint32_t relative(std::uint64_t cycle) const { return static_cast<std::uint32_t>(cycle - base_); }
  /// The absolute cycle of a relative time, also of one before the base.
  [[nodiscard]] std::uint64_t absolute(std::uint32_t time) const {
    return base_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(time - now_)) + now_);
  }

 protected:
  static constexpr std::uint64_t farthest = std::uint64_t{1} << 30;
  static constexpr std::uint32_t most_keys = 0xe0000000u;

  ShortClock(std::uint32_t span, std::uint32_t origin)
      : wheel_(span), base_(std::uint64_t{0} - origin), now_(origin - 1), origin_(origin) {}

  [[nodiscard]] std::size_t clock_memory() const {
    return wheel_.memory() + (distant_.heap.capacity() + wakes_.heap.capacity()) * sizeof(events::Distant::Event);
  }
  /// Runs `cycle(now)` in every cycle before `end` in which anything happens: `pending()` says whether the next one has
  /// events. `pause()` comes before the clock is left or moved, `move(cycle)` moves the base. False if nothing is left.
  template <class Pending, class Cycle, class Pause, class Move>
  [[gnu::always_inline]] bool run_cycles(std::uint64_t end, Pending pending, Cycle cycle, Pause pause, Move move) {
    for (;;) {
      stop_ = end == ~std::uint64_t{0} ? limit_ : std::min(limit_, end - base_);
      std::uint64_t time = 0;
      for (;;) {
        time = now_ + std::uint64_t{1};
        if (!pending()) [[unlikely]]
          time = next_event();
        if (time >= stop_ || limit_ == 0) [[unlikely]]
          break;
        cycle(static_cast<std::uint32_t>(time));
      }
      pause();
      if (time == ~std::uint64_t{0}) return false;
      if (base_ + time >= end) return true;
      move(time);
    }
  }
  /// The first cycle in which something comes that is in no list for the next one.
  [[nodiscard]] [[gnu::always_inline]] std::uint64_t next_event() const {
    const std::uint32_t near = wheel_.after(now_);
    return std::min({near == events::no_index ? ~std::uint64_t{0} : near, arrival_, rare_});
  }
  void next_arrival(std::uint64_t cycle) { arrival_ = relative_or_never(cycle); }
  /// After a change to the heaps or the base. `arrival`: the cycle of the next message.
  void refresh(std::uint64_t arrival) {
    next_arrival(arrival);
    rare_ = std::min(relative_or_never(distant_.first()), relative_or_never(wakes_.first()));
  }
  /// An event of a cycle to come; `next` is its link to another one.
  [[gnu::always_inline]] void put(std::uint32_t time, std::uint32_t index, std::uint32_t& next) {
    if (wheel_.near(now_, time)) {
      wheel_.put(time, index, next);
    } else {
      distant_.push(base_ + time, index);
      rare_ = std::min<std::uint64_t>(rare_, time);
    }
  }
  /// Looks at the link again then.
  void wake_at(std::uint32_t time, std::uint32_t link) {
    wakes_.push(base_ + time, link);
    rare_ = std::min<std::uint64_t>(rare_, time);
  }
  /// What the heaps hold for this cycle: `event(index)`, then `wake(link)`, once for each link however often it was
  /// asked for: each look may ask for the next one, so that looks at a link with a long queue would only ever grow in
  /// number. Whether there was any link.
  template <class Event, class Wake>
  bool take_rare(std::uint32_t now, Event event, Wake wake) {
    while (distant_.first() == base_ + now) event(distant_.pop().index);
    woken_links_.clear();
    while (wakes_.first() == base_ + now) woken_links_.push_back(wakes_.pop().index);
    std::sort(woken_links_.begin(), woken_links_.end());
    const auto end = std::unique(woken_links_.begin(), woken_links_.end());
    std::for_each(woken_links_.begin(), end, wake);
    return !woken_links_.empty();
  }
  /// Moves the base so that `time`, the next cycle, is near the origin again; by how much.
  std::uint64_t move_clock(std::uint64_t time) {
    const std::uint64_t shift = (time - origin_) / wheel_.size() * wheel_.size();
    now_ = static_cast<std::uint32_t>(time - 1 - shift);
    base_ += shift;
    limit_ = farthest;
    return shift;
  }
  /// Numbers messages again from 0 in the order of their keys, `step` apart; what a key is above a multiple of that it
  /// stays. Gives the next key.
  template <class Key>
  static std::uint32_t renumber(std::vector<std::uint32_t>& messages, std::uint32_t step, Key key) {
    std::sort(messages.begin(), messages.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    std::uint32_t next = 0;
    for (const auto index : messages) {
      key(index) = next + key(index) % step;
      next += step;
    }
    return next;
  }

  events::Wheel wheel_;
  events::Distant distant_, wakes_;
  std::vector<std::uint32_t> woken_links_;  // in this cycle
  std::uint64_t base_;
  std::uint64_t arrival_ = 0, rare_ = 0;  // relative: the next message; the first event of the heaps
  std::uint64_t limit_ = farthest;        // the base is moved before; 0: now
  std::uint64_t stop_ = 0;                // the run goes on up to there
  std::uint32_t now_;

 private:
  [[nodiscard]] std::uint64_t relative_or_never(std::uint64_t cycle) const {
    return cycle == ~std::uint64_t{0} ? cycle : cycle - base_;
  }
  const std::uint32_t origin_;
};

}  // namespace assay::network
