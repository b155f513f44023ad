// Wires over which several worms have flits to send, as the engine that goes tick by tick keeps them (by_tick.hpp):
// who shares them, and who sends in a tick.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "network/flit/trains.hpp"
#include "network/lane_engine.hpp"

namespace assay::network {

struct TickWorm : LaneMessage {
  std::uint32_t train = events::no_index;  // what it has in the network
  std::uint64_t head = 0;                  // crossed the last link
  bool more = false;                       // of its message is to be sent when its injection lane is free
};

/// A channel of a link, of which `lane` is the first lane. `turn`, `before`, `owned`: a bit a lane.
struct TickWire {
  std::uint64_t wanted = ~std::uint64_t{0};  // the last tick in which a lane wanted to send over it that shares it
  // Then: a bit for each lane that is ready, from `tied_at` on for each that is tied; in the passes, for each that can
  // send, from `late_at` on for each that perhaps can in a later pass only.
  std::uint32_t what = 0;
  static constexpr unsigned tied_at = 8, late_at = 8;
  static constexpr std::uint32_t lanes = 0xff, ordered = 1U << 16, seen = 1U << 17, sent = 1U << 18;
  std::uint32_t lane = 0;
  std::uint8_t turn = 0, before = 0;  // those behind the lane that sent last, which go first; before this tick
  std::uint8_t active = 0;            // messages that have flits left to send over it
  std::uint8_t owned = 0;             // lanes that messages have
  std::uint8_t waiting = 0;           // of a link's first wire: a bit for each class for which a message waits
  bool grants = false;                // a lane may be given away
  bool settled = true;                // it is known who shares it
  bool plain = false;                 // the only one of its link, each of whose lanes is a class
};
static_assert(sizeof(TickWire) == 24);

template <class Self, class Source, class Observer>
class Contests : public LaneEngine<Self, TickWorm, Line, Source, Observer, TickWire> {
  using Base = LaneEngine<Self, TickWorm, Line, Source, Observer, TickWire>;

 protected:
  using typename Base::Wire;
  using Base::links_, Base::wires_, Base::now_, Base::no_index;
  using Word = Trains::Word;
  using Four = Trains::Four;
  using Train = Trains::Train;
  static constexpr unsigned most_lanes = 8;  // of a wire; a worm's path has its wires times that, and which lane it has
  struct Lane {
    std::uint32_t train = Base::no_index;  // whose it is
    std::uint32_t wire = 0;
    std::uint16_t hop = 0, pass = 0;  // of the train; from which pass of this tick on it can send
  };
  static_assert(sizeof(Lane) == 12);

  template <class... Given>
  explicit Contests(const Fabric& fabric, Given&&... given)
      : Base(fabric, std::forward<Given>(given)...), lanes_(Base::lane_count_) {
    for (std::uint32_t number = 0; number < wires_.size(); ++number) {
      const Link& link = links_[Base::link_of(number)];
      wires_[number].plain = link.channels == 1 && link.lanes == Base::classes(link);
      for (unsigned which = 0; which < link.lanes; ++which) lanes_[wires_[number].lane + which].wire = number;
      if (link.kind != LinkKind::ejection) trains_.buffer(link.buffer);
    }
  }
  [[nodiscard]] std::size_t contests_memory() const {
    return lanes_.capacity() * sizeof(Lane) + trains_.memory() +
           (contested_.capacity() + deferred_.capacity() + again_.capacity() + followers_.capacity() +
            unsettled_.capacity()) *
               4;
  }
  [[nodiscard]] static constexpr Word bit(unsigned number) { return Trains::bit(number); }
  /// The lanes behind one.
  [[nodiscard]] static constexpr std::uint8_t behind(unsigned which) {
    return static_cast<std::uint8_t>(0xfeU << which);
  }
  [[nodiscard]] static unsigned lowest(unsigned lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }
  [[nodiscard]] static unsigned first_in_turn(unsigned ready, unsigned turn) {
    const unsigned first = ready & turn;
    return lowest(first != 0 ? first : ready);
  }

  // --- who sends
  /// Puts down at each wire which of the lanes that share it want to send: first those lanes, then what they want, so
  /// that there are few branches that nothing foretells.
  void want_wires() {
    const std::size_t count = trains_.share.count;
    if (followers_.size() < count) followers_.resize(count);
    std::size_t wants = 0, follows = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t number = trains_.share.all[i];
      const Train train = trains_[number];
      const Word tied = train[&Four::tied];
      Word all = train[&Four::shared] & train[&Four::moves];
      followers_[follows] = number;
      follows += (all & tied) != 0;
      if (wants + 64 > wants_.size()) [[unlikely]]
        wants_.resize(wants + wants / 8 + 64);
      const Trains::Path path = trains_.path(number);
      std::uint32_t* next = wants_.data() + wants;
      const auto put = [&] [[gnu::always_inline]] {
        const auto from_end = static_cast<unsigned>(std::countr_zero(all)) & 63;
        *next = path[63 - from_end] << 1 | static_cast<std::uint32_t>(tied >> from_end & 1);
        next += all != 0;
        all &= all - 1;
      };
      put();
      put();
      while (all != 0) put();
      wants = static_cast<std::size_t>(next - wants_.data());
    }
    follows_ = follows;
    if (contested_.size() < contests_ + wants + 1) contested_.resize(contests_ + wants + 1);
    const std::uint64_t now = now_;
    Wire* const wires = wires_.data();
    std::uint32_t* contested = contested_.data() + contests_;
    for (const std::uint32_t *want = wants_.data(), *const end = want + wants; want != end; ++want) {
      const std::uint32_t tied = *want & 1, which = *want >> 1 & (most_lanes - 1), number = *want / (2 * most_lanes);
      Wire& wire = wires[number];
      const std::uint32_t again = -std::uint32_t{wire.wanted == now}, known = wire.what & again;
      const std::uint32_t what = known | 1U << (which + tied * Wire::tied_at);
      const std::uint32_t turn = wire.turn;
      wire.wanted = now;
      wire.what = what;
      wire.before = static_cast<std::uint8_t>(again != 0 ? wire.before : turn);
      wire.turn = static_cast<std::uint8_t>(tied != 0 ? turn : 0xfeU << which);
      *contested = number;  // if this is the second one
      contested += ((known & (known - 1)) == 0) & (known != 0) & (known != what) & (known != Wire::ordered);
    }
    contests_ = static_cast<std::size_t>(contested - contested_.data());
  }
  /// Who sends of those that want to.
  void settle_contests() {
    for (std::size_t i = 0; i < contests_; ++i) contest(contested_[i]);
    contests_ = 0;
    std::sort(deferred_.begin(), deferred_.end());
    for (const std::uint32_t number : deferred_) contest_of_tied(number);
    deferred_.clear();
    for (const std::uint32_t train : again_) Trains::find_moves(trains_[train]);
    for (std::size_t i = 0; i < follows_; ++i) {  // those that had a wire for themselves
      const Train train = trains_[followers_[i]];
      for (Word all = train[&Four::moves] & train[&Four::tied] & train[&Four::shared]; all != 0;) {
        const unsigned at = Trains::first_of(all);
        const std::uint32_t way = trains_.path(followers_[i], at);
        wires_[way / most_lanes].turn = behind(way % most_lanes);
        all &= ~bit(at);
      }
    }
  }
  /// The passes say who sends over this wire in this tick.
  void order(std::uint32_t number) {
    Wire& wire = wires_[number];
    if (wire.wanted == now_ && (wire.what & Wire::ordered) != 0) return;
    share(wire);
    wire.wanted = now_;
    wire.what = Wire::ordered;
    wire.before = wire.turn;
    if (contests_ == contested_.size()) contested_.resize(contests_ + contests_ / 8 + 64);
    contested_[contests_++] = number;
    unsettle(number, wire);
  }

  // --- who shares a wire
  void unsettle(std::uint32_t number, Wire& wire) {
    if (std::exchange(wire.settled, false)) unsettled_.push_back(number);
  }
  /// At the end of a tick.
  void settle() {
    for (const std::uint32_t train : again_) trains_[train][&Four::lost] = trains_[train][&Four::ordered] = 0;
    again_.clear();
    for (const std::uint32_t number : unsettled_) settle(wires_[number]);
    unsettled_.clear();
  }
  /// Each that has flits left to send over it is to see who else wants to.
  void share(Wire& wire) {
    for (unsigned rest = wire.owned; rest != 0; rest &= rest - 1) {
      const unsigned which = lowest(rest);
      const auto [number, lane] = sender(wire, which);
      const Train train = trains_[number];
      if ((lane & ~train[&Four::shared]) == 0) continue;
      train[&Four::shared] |= lane;
      trains_.share.put(number);
      if ((train[&Four::moved] & lane) != 0) wire.turn = behind(which);
    }
  }
  /// The passes have to say of a lane whether it sends.
  void leave_to_passes(const Train& train, std::uint32_t number, Word lane) {
    train[&Four::lost] |= lane;
    train[&Four::ordered] |= lane;
    again_.push_back(number);
  }

  Trains trains_;
  std::vector<Lane> lanes_;           // as the wires have them
  std::vector<std::uint32_t> again_;  // worms of which less sends in this tick than could
  bool passes_ = false;               // the passes have to say of some

 private:
  /// Several lanes want to send over a wire. A tied one does so when the one after it has sent: too late where others
  /// are ready, if the passes come to that one's wire after this one.
  void contest(std::uint32_t number) {
    Wire& wire = wires_[number];
    const unsigned ready = wire.what & Wire::lanes, tied = wire.what >> Wire::tied_at & Wire::lanes;
    if ((wire.what & Wire::ordered) != 0) return leave_to_passes(wire, ready | tied);
    if (tied != 0) {
      bool defer = ready == 0;
      for (unsigned rest = tied; rest != 0; rest &= rest - 1) {
        const Lane& lane = lanes_[wire.lane + lowest(rest)];
        const auto& worm = trains_.rest(lane.train);
        const unsigned next = lane.hop + 1U - worm.first_hop;
        defer |= next > worm.top || trains_.path(lane.train, next) / most_lanes < number;
      }
      if (defer) return deferred_.push_back(number);
    }
    one_sends(wire, ready, tied);
  }
  /// The first of `ready` whose turn it is, none of `others`.
  void one_sends(Wire& wire, unsigned ready, unsigned others) {
    const unsigned which = first_in_turn(ready, wire.before);
    wire.turn = behind(which);
    wire.what |= Wire::seen;
    lose(wire, (ready ^ 1U << which) | others);
  }
  void lose(const Wire& wire, unsigned lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
      const Lane& lane = lanes_[wire.lane + lowest(lanes)];
      trains_[lane.train][&Four::lost] |= bit(lane.hop - unsigned{trains_.rest(lane.train).first_hop});
      again_.push_back(lane.train);
    }
  }
  void leave_to_passes(Wire& wire, unsigned lanes) {
    passes_ = true;
    wire.turn = wire.before;
    wire.what = Wire::ordered | Wire::seen;
    for (; lanes != 0; lanes &= lanes - 1) {
      const Lane& lane = lanes_[wire.lane + lowest(lanes)];
      const Word here = bit(lane.hop - unsigned{trains_.rest(lane.train).first_hop});
      leave_to_passes(trains_[lane.train], lane.train, here);
    }
  }
  /// Upwards by wire, when all others of which no tied lane decides are over.
  void contest_of_tied(std::uint32_t number) {
    Wire& wire = wires_[number];
    const unsigned tied = wire.what >> Wire::tied_at & Wire::lanes;
    unsigned first = wire.what & Wire::lanes, late = 0, never = 0;
    for (unsigned rest = tied; rest != 0; rest &= rest - 1) {
      const When when = when_tied(number, lanes_[wire.lane + lowest(rest)]);
      if (when == When::unknown) return leave_to_passes(wire, (wire.what | wire.what >> Wire::tied_at) & Wire::lanes);
      (when == When::first ? first : when == When::late ? late : never) |= rest & -rest;
    }
    if (first == 0 && (late & (late - 1)) != 0) return leave_to_passes(wire, late | never);
    if (first != 0) return one_sends(wire, first, late | never);
    wire.what |= Wire::seen;
    lose(wire, never);
  }
  /// When a tied lane is ready: in the first pass that comes to its wire, in a later one, never.
  enum class When : std::uint8_t { first, late, never, unknown };
  [[nodiscard]] When when_tied(std::uint32_t wire, const Lane& lane) {
    const auto& worm = trains_.rest(lane.train);
    const Train train = trains_[lane.train];
    bool late = false;
    for (unsigned at = lane.hop + 1U - worm.first_hop; at <= worm.top; ++at) {
      const Word here = bit(at);
      if ((train[&Four::ordered] & here) != 0) return When::unknown;
      if ((train[&Four::lost] & here) != 0) return When::never;
      const std::uint32_t next = trains_.path(lane.train, at) / most_lanes;
      late |= wire <= next;
      if (const Wire& its = wires_[next]; (train[&Four::shared] & here) != 0 && (its.what & Wire::seen) == 0 &&
                                          (its.what & (its.what - 1)) != 0)
        return When::unknown;
      if ((train[&Four::ready] & here) != 0) return late ? When::late : When::first;
      wire = next;
    }
    return When::unknown;
  }

  /// Nobody shares it, if one message has flits left to send over it.
  void settle(Wire& wire) {
    wire.settled = true;
    if (wire.active != 1) return;
    for (unsigned rest = wire.owned; rest != 0; rest &= rest - 1) {
      const auto [number, lane] = sender(wire, lowest(rest));
      const Train train = trains_[number];
      const Word shared = train[&Four::shared] & lane;
      train[&Four::shared] ^= shared;
      train[&Four::moved] &= ~shared;
    }
  }
  /// Whose a lane is and the bit that it is there, 0 if there are no flits left to send over it.
  [[nodiscard]] std::pair<std::uint32_t, Word> sender(const Wire& wire, unsigned which) {
    const Lane& lane = lanes_[wire.lane + which];
    const auto& worm = trains_.rest(lane.train);
    const unsigned number = lane.hop - unsigned{worm.first_hop};
    return {lane.train, number < worm.low || number > worm.top ? 0 : bit(number)};
  }

  std::vector<std::uint32_t> contested_, deferred_;  // wires that several want; of these, where tied ones count
  std::vector<std::uint32_t> wants_, followers_;     // who wants which wire; worms with tied lanes that do
  std::vector<std::uint32_t> unsettled_;             // wires of which it is to be seen who shares them
  std::size_t contests_ = 0, follows_ = 0;           // how many of `contested_` and `followers_` there are
};

}  // namespace assay::network
