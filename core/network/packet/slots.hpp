// The packet slots of lanes' buffers: how many are taken, and when those are free again whose packet has left.
//
// A lane has 8 bytes of it, since a network has millions of lanes: of the returns that are known the first is kept in
// its low 32 bits, in place; the others, which are few, are in a pool, ascending. Times in 32 bits are right for as
// long as they lie less than 2^31 ticks from now: what is further ahead is in the pool, and the engine has all lanes
// forget in time what has come. Where buffers hold so many packets that counts and places do not fit, they lie beside.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "events/wheel.hpp"

namespace assay::network {

/// The low 32 bits of a tick less than 2^31 from `now`, as that tick.
[[nodiscard]] constexpr std::uint64_t near_tick(std::uint32_t low, std::uint64_t now) {
  return now +
         static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(low - static_cast<std::uint32_t>(now))});
}
/// How far ahead a tick may lie of which the low 32 bits are kept.
inline constexpr std::uint64_t near_ticks = std::uint64_t{1} << 31;

class Slots {
 public:
  using Tick = std::uint64_t;
  static constexpr Tick never = ~Tick{0};
  static constexpr std::uint32_t no_more = (1u << 24) - 1;
  struct Lane {
    std::uint32_t back = 0;             // when the first slot is free again that will be, if `known`
    std::uint32_t word = no_more << 8;  // later ones, slots taken, whether one is known: 24 bits, 7 bits, 1 bit
    [[nodiscard]] bool known() const { return (word & 1) != 0; }
    [[nodiscard]] std::uint32_t taken() const { return word >> 1 & 0x7f; }
    [[nodiscard]] std::uint32_t more() const { return word >> 8; }
    void know(std::uint32_t time) { back = time, word |= 1; }
    void forget() { word &= ~1u; }
    void put_more(std::uint32_t list) { word = (word & 0xff) | list << 8; }
  };
  static_assert(sizeof(Lane) == 8);

  /// `most`: packets that a buffer holds, not 0.
  Slots(std::size_t lanes, std::uint32_t most)
      : most_(most), twice_most_(2 * most), wide_(most > most_taken || lanes * most > no_more) {
    if (wide_) beside_.resize(lanes);
  }
  /// As lanes have to be at first, where they lie beside: that there are no more is not seen in place then.
  [[nodiscard]] Lane first() const {
    Lane lane;
    if (wide_) lane.put_more(0);
    return lane;
  }
  /// Takes a slot, where one is free.
  [[nodiscard, gnu::always_inline]] bool take_if_free(Lane& lane, std::size_t number, Tick now) {
    if (lane.more() != no_more) [[unlikely]]
      return take_one_of_many(lane, number, now);
    // Without a branch, which nothing would foretell. The low byte is twice the slots taken, and whether one is known.
    const unsigned come = lane.word & (static_cast<std::int32_t>(lane.back - static_cast<std::uint32_t>(now)) <= 0);
    const std::uint32_t word = lane.word - 3 * come;
    const bool free = (word & 0xff) < twice_most_;
    lane.word = word + 2 * unsigned{free};
    return free;
  }
  /// When the next slot is free again, where that is known.
  [[nodiscard]] Tick next(const Lane& lane, std::size_t number, Tick now) const {
    if (lane.known()) return near_tick(lane.back, now);
    const std::uint32_t list = more(lane, number);
    return list == no_index ? never : pool_[list].time;
  }
  /// A slot is free again then.
  [[gnu::always_inline]] void give(Lane& lane, std::size_t number, Tick time, Tick now) {
    if ((lane.word & ~0xfeu) == no_more << 8 && time - now < near_ticks) [[likely]]
      return lane.know(static_cast<std::uint32_t>(time));
    give_another(lane, number, time, now);
  }
  /// Packets in the buffer, and slots whose credit is under way.
  [[nodiscard]] std::uint32_t held(const Lane& lane, std::size_t number, Tick now) const {
    std::uint32_t count = taken(lane, number);
    if (lane.known()) count -= near_tick(lane.back, now) <= now;
    for (std::uint32_t at = more(lane, number); at != no_index && pool_[at].time <= now; at = pool_[at].next) --count;
    return count;
  }
  /// What has come by `now` counts no more; `since`: a tick that the times in place lie near to.
  void forget(Lane& lane, std::size_t number, Tick since, Tick now) {
    if (lane.known()) {
      if (near_tick(lane.back, since) > now) return;
      lane.forget();
      drop(lane, number);
    }
    if (std::uint32_t list = more(lane, number); list != no_index) {
      for (; list != no_index && pool_[list].time <= now; list = take_out(list)) drop(lane, number);
      if (list != no_index && pool_[list].time - now < near_ticks) {
        lane.know(static_cast<std::uint32_t>(pool_[list].time));
        list = take_out(list);
      }
      put_more(lane, number, list);
    }
  }
  [[nodiscard]] std::size_t memory() const {
    return pool_.capacity() * sizeof(Later) + beside_.capacity() * sizeof(Beside);
  }

 private:
  static constexpr std::uint32_t no_index = events::no_index, most_taken = 127;
  struct Later {
    Tick time = 0;
    std::uint32_t next = no_index;
  };
  struct Beside {
    std::uint32_t taken = 0, more = no_index;
  };
  [[nodiscard]] std::uint32_t taken(const Lane& lane, std::size_t number) const {
    return wide_ ? beside_[number].taken : lane.taken();
  }
  void drop(Lane& lane, std::size_t number) {
    if (wide_) [[unlikely]]
      --beside_[number].taken;
    else
      lane.word -= 2;
  }
  [[nodiscard]] std::uint32_t more(const Lane& lane, std::size_t number) const {
    if (wide_) [[unlikely]]
      return beside_[number].more;
    return lane.more() == no_more ? no_index : lane.more();
  }
  void put_more(Lane& lane, std::size_t number, std::uint32_t list) {
    if (wide_) [[unlikely]]
      beside_[number].more = list;
    else
      lane.put_more(list & no_more);
  }
  [[gnu::noinline]] void put_behind(Lane& lane, std::size_t number, Tick time) {
    std::uint32_t index = free_;
    if (index == no_index) {
      index = static_cast<std::uint32_t>(pool_.size());
      pool_.emplace_back();
    } else {
      free_ = pool_[index].next;
    }
    std::uint32_t before = no_index, behind = more(lane, number);
    while (behind != no_index && pool_[behind].time <= time) before = behind, behind = pool_[behind].next;
    pool_[index] = {time, behind};
    if (before == no_index)
      put_more(lane, number, index);
    else
      pool_[before].next = index;
  }
  [[gnu::noinline]] bool take_one_of_many(Lane& lane, std::size_t number, Tick now) {
    forget(lane, number, now, now);
    if (taken(lane, number) >= most_) return false;
    if (wide_)
      ++beside_[number].taken;
    else
      lane.word += 2;
    return true;
  }
  [[gnu::noinline]] void give_another(Lane& lane, std::size_t number, Tick time, Tick now) {
    if (lane.known()) {
      const Tick first = near_tick(lane.back, now);
      if (time >= first) return put_behind(lane, number, time);
      put_behind(lane, number, first);
    } else if (time - now >= near_ticks || time > next(lane, number, now)) {
      return put_behind(lane, number, time);
    }
    lane.know(static_cast<std::uint32_t>(time));
  }
  /// The one behind it.
  std::uint32_t take_out(std::uint32_t index) {
    const std::uint32_t behind = pool_[index].next;
    pool_[index].next = free_;
    free_ = index;
    return behind;
  }

  const std::uint32_t most_, twice_most_;
  const bool wide_;  // counts and places lie beside
  std::vector<Later> pool_;
  std::uint32_t free_ = no_index;
  std::vector<Beside> beside_;
};

}  // namespace assay::network
