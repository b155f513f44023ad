// Small events by tick: a kind and a number. A wheel for those near, a heap for the others.
#pragma once
#include <cstdint>
#include <vector>

#include "events/wheel.hpp"

namespace assay::network {

class Timetable {
 public:
  using Tick = std::uint64_t;
  static constexpr std::uint32_t numbers = 1U << 29;  // an event's is below
  explicit Timetable(std::uint32_t span) : wheel_(span) {}

  void put(Tick now, Tick time, unsigned kind, std::uint32_t number) {
    std::uint32_t index = free_;
    if (index == events::no_index) {
      index = static_cast<std::uint32_t>(pool_.size());
      if (index == pool_.capacity()) pool_.reserve(index + index / 8 + 4);  // room for an eighth more
      pool_.emplace_back();
    } else {
      free_ = pool_[index].next;
    }
    pool_[index].what = number << kind_bits | kind;
    if (time - now < wheel_.size())
      wheel_.put(static_cast<std::uint32_t>(time), index, pool_[index].next);
    else
      distant_.push(time, index);
  }
  /// The first tick after `now` at which something happens; ~0 if nothing will.
  [[nodiscard]] Tick next(Tick now) const {
    const auto ahead = wheel_.ahead(now);
    return ahead == 0 ? distant_.first() : std::min(distant_.first(), now + ahead);
  }
  /// Calls with (kind, number) of everything at `now`; what is put in for `now` meanwhile is not among it.
  template <class Call>
  void each(Tick now, Call call) {
    while (distant_.first() == now) {
      const std::uint32_t index = distant_.pop().index;
      wheel_.put(static_cast<std::uint32_t>(now), index, pool_[index].next);
    }
    for (std::uint32_t index = wheel_.take(static_cast<std::uint32_t>(now)); index != events::no_index;) {
      const Event event = pool_[index];
      pool_[index].next = free_;
      free_ = index;
      index = event.next;
      call(event.what & ((1U << kind_bits) - 1), event.what >> kind_bits);
    }
  }
  [[nodiscard]] std::size_t memory() const { return wheel_.memory() + pool_.capacity() * sizeof(Event); }

 private:
  static constexpr unsigned kind_bits = 3;
  struct Event {
    std::uint32_t next = events::no_index;
    std::uint32_t what = 0;  // its number and kind
  };
  static_assert(sizeof(Event) == 8);
  events::Wheel wheel_;
  events::Distant distant_;
  std::vector<Event> pool_;
  std::uint32_t free_ = events::no_index;
};

}  // namespace assay::network
