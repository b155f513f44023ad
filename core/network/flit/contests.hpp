// Wires over which several worms have flits to send, as the engine that goes tick by tick keeps them (by_tick.hpp):
// who shares them, and who sends in a tick.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
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

/// A channel of a link, of which `lane` is the first lane. `turn`, `owned`: a bit a lane.
struct TickWire {
  std::uint32_t lane = 0;
  // Of this tick. In the passes a bit for each lane that can send, from `late_at` on for each that perhaps can in a
  // later pass only; that one has sent; that the passes say who does; that it is not known yet who does.
  std::uint32_t what = 0;
  static constexpr unsigned late_at = 8;
  static constexpr std::uint32_t lanes = 0xff, ordered = 1U << 16, sent = 1U << 17, deferred = 1U << 18;
  std::uint32_t pair = events::no_index;  // where it is among those that several messages have flits left to send over
  std::uint8_t turn = 0;                  // those behind the lane that sent last, which go first
  std::uint8_t active = 0;                // messages that have flits left to send over it
  std::uint8_t owned = 0;                 // lanes that messages have
  std::uint8_t waiting = 0;               // of a link's first wire: a bit for each class for which a message waits
  bool grants = false;                    // a lane may be given away
  bool settled = true;                    // it is known who shares it
  bool plain = false;                     // the only one of its link, each of whose lanes is a class
  bool out = false;                       // leads to a node
};
static_assert(sizeof(TickWire) == 20);

/// `WordOf`: of the worms (trains.hpp).
template <class Self, class Source, class Observer, class WordOf>
class Contests : public LaneEngine<Self, TickWorm, Line, Source, Observer, TickWire> {
  using Base = LaneEngine<Self, TickWorm, Line, Source, Observer, TickWire>;

 protected:
  using Base::links_, Base::wires_, Base::now_, Base::no_index;
  using typename Base::Wire;
  using Trains = TrainsOf<WordOf>;
  using Word = WordOf;
  using Group = typename Trains::Group;
  using Train = typename Trains::Train;
  static constexpr unsigned most_lanes = 8;  // of a wire; a worm's path has its wires times that, and which lane it has
  struct Lane {
    std::uint32_t train = Base::no_index;  // whose it is
    std::uint16_t hop = 0, pass = 0;       // of the train; from which pass of this tick on it can send
  };
  static_assert(sizeof(Lane) == 8);

  template <class... Given>
  explicit Contests(const Fabric& fabric, Given&&... given)
      : Base(fabric, std::forward<Given>(given)...), lanes_(Base::lane_count_) {
    for (std::uint32_t number = 0; number < wires_.size(); ++number) {
      const Link& link = links_[Base::link_of(number)];
      wires_[number].plain = link.channels == 1 && link.lanes == Base::classes(link);
      wires_[number].out = link.kind == LinkKind::ejection;
      if (link.kind != LinkKind::ejection) trains_.buffer(link.buffer);
    }
  }
  [[nodiscard]] std::size_t contests_memory() const {
    return lanes_.capacity() * sizeof(Lane) + pairs_.capacity() * sizeof(Pair) + trains_.memory() +
           contested_.memory() + followers_.memory() +
           (left_.capacity() + foreseen_.capacity() + ordered_.capacity() + deferred_.capacity() +
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
  /// All lanes are thought to send at first that can. Of two that share a wire one loses it; what is not as simple as
  /// that is put down.
  void look_at_pairs() {
    const std::size_t count = pairs_.size();
    contested_.reserve(count);
    followers_.reserve(count);
    Word* const words = trains_.words();
    std::uint32_t* contested = contested_.all.data() + contested_.count;
    std::uint32_t* followers = followers_.all.data();
    for (Pair *pair = pairs_.data(), *const end = pair + count; pair != end; ++pair) {  // without branches
      Word *const one = words + pair->one, *const other = words + pair->other;
      const unsigned one_bit = pair->one_bit, other_bit = pair->other_bit;
      const auto wishes = [](const Word* of, unsigned bit) {
        return (of[moves_at] >> bit & 1) | (of[tied_at] >> bit & 1) << 1 | (of[late_at] >> bit & 1) << 2;
      };
      const unsigned outcome = outcomes[wishes(one, one_bit) | wishes(other, other_bit) << 3 |
                                        unsigned{pair->prefers_other} << 6 | unsigned{pair->special} << 7];
      one[lost_at] |= Word{outcome & 1} << one_bit;
      other[lost_at] |= Word{outcome >> 1 & 1} << other_bit;
      pair->prefers_other = outcome >> 2 & 1;
      pair->sent |= outcome >> 3 & 1;
      *contested = pair->wire;
      contested += outcome >> 4 & 1;
      *followers = pair->wire;
      followers += outcome >> 5;
    }
    contested_.count = static_cast<std::size_t>(contested - contested_.all.data());
    followers_.count = static_cast<std::size_t>(followers - followers_.all.data());
  }
  /// Who sends of those that want to, where it is not that simple. Heads and tails whose time in the tick does not
  /// count cross.
  void settle_contests() {
    for (const std::uint32_t number : contested_) contest(number);
    contested_.count = 0;
    if (!deferred_.empty()) {
      if (deferred_.size() > 1) std::sort(deferred_.begin(), deferred_.end());
      for (const std::uint32_t number : deferred_) contest_of_tied(number);
      deferred_.clear();
    }
    const auto engine = static_cast<Self*>(this);
    trains_.find_moves([engine, this](std::uint32_t number) { engine->head_crosses(number, trains_[number]); },
                       [engine, this](std::uint32_t number) { engine->tail_crosses(number, trains_[number]); });
    const Word* const moves = trains_.words() + moves_at;
    for (const std::uint32_t number : followers_) {  // those that had a wire for themselves
      Pair& pair = pairs_[wires_[number].pair];
      const Word one = moves[pair.one] >> pair.one_bit & 1, other = moves[pair.other] >> pair.other_bit & 1;
      const Word any = one | other;
      pair.prefers_other = static_cast<std::uint8_t>(any != 0 ? one : pair.prefers_other);
      pair.sent |= static_cast<std::uint8_t>(any);
    }
  }
  /// The passes say who sends over this wire in this tick.
  void order(std::uint32_t number) {
    Wire& wire = wires_[number];
    if ((wire.what & Wire::ordered) != 0) return;
    if (wire.active == 1) take_down(wire);
    be_ordered(number, wire);
    if (wire.pair == no_index) contested_.put(number);
  }
  /// The flit of a lane crosses a wire.
  void sends(Wire& wire, unsigned which) {
    wire.turn = behind(which);
    if (wire.pair != no_index) take_turn(wire);
  }

  /// Whose turn it is of two that share a wire, where one of them, in lane `which`, has a flit and a place for it.
  enum class Turn : std::uint8_t { own, other, unknown };
  [[nodiscard]] Turn turn_of(std::uint32_t number, unsigned which) {
    const Wire& wire = wires_[number];
    const Pair& pair = pairs_[wire.pair];
    if (pair.special || wires_[Base::first_of(number)].waiting != 0) return Turn::unknown;
    const bool is_one = pair.one_lane == which;
    const Word* const other = trains_.words() + (is_one ? pair.other : pair.one);
    const unsigned at = is_one ? pair.other_bit : pair.one_bit;
    if ((other[tied_at] >> at & 1) != 0) return Turn::unknown;
    return (other[moves_at] >> at & 1) == 0 || is_one != (pair.prefers_other != 0) ? Turn::own : Turn::other;
  }
  /// Of two that share a wire the one with this lane sends.
  void other_loses(std::uint32_t way) {
    const Pair& pair = pairs_[wires_[way / most_lanes].pair];
    const bool is_one = pair.one_lane == way % most_lanes;
    trains_.words()[(is_one ? pair.other : pair.one) + lost_at] |= Word{1} << (is_one ? pair.other_bit : pair.one_bit);
  }

  // --- who shares a wire
  /// One more, or one less, has flits left to send over it.
  void pair_up(std::uint32_t number, Wire& wire) {
    if (wire.pair != no_index) give_turn(wire);
    if (wire.active < 2) {
      if (wire.pair == no_index) return;
      pairs_[wire.pair] = pairs_.back();
      wires_[pairs_.back().wire].pair = wire.pair;
      pairs_.pop_back();
      wire.pair = no_index;
      return;
    }
    if (wire.pair == no_index) {
      wire.pair = static_cast<std::uint32_t>(pairs_.size());
      if (pairs_.size() == pairs_.capacity()) pairs_.reserve(pairs_.size() + pairs_.size() / 8 + 4);
      pairs_.emplace_back();
    }
    Pair& pair = pairs_[wire.pair];
    pair.wire = number;
    pair.special = wire.active > 2 || (wire.what & Wire::ordered) != 0;
    bool first = true;
    for (unsigned rest = wire.owned; rest != 0; rest &= rest - 1) {
      const auto [train, lane] = sender(wire, lowest(rest));
      if (lane == 0) continue;
      (first ? pair.one : pair.other) = Trains::place(train);
      (first ? pair.one_lane : pair.other_lane) = static_cast<std::uint8_t>(lowest(rest));
      (first ? pair.one_bit : pair.other_bit) = static_cast<std::uint8_t>(std::countr_zero(lane));
      first = false;
    }
    take_turn(wire);
  }
  void pair_up_all() {
    for (const Pair& pair : pairs_) pair_up(pair.wire, wires_[pair.wire]);
  }
  /// Who sent last, of one that had it for itself.
  void take_down(Wire& wire) {
    for (unsigned rest = wire.owned; rest != 0; rest &= rest - 1) {
      const auto [number, lane] = sender(wire, lowest(rest));
      const Train train = trains_[number];
      if ((train[&Group::moved] & lane) == 0) continue;
      train[&Group::moved] ^= lane;
      wire.turn = behind(lowest(rest));
    }
  }
  void unsettle(std::uint32_t number, Wire& wire) {
    if (std::exchange(wire.settled, false)) unsettled_.push_back(number);
  }
  /// What the passes of a tick had to say.
  [[gnu::noinline]] void forget_order() {
    for (const std::uint32_t train : left_) trains_.rest(train).ordered = 0;
    left_.clear();
    for (const std::uint32_t train : foreseen_) trains_.rest(train).may_go_on = false;
    foreseen_.clear();
    for (const std::uint32_t number : ordered_) {
      wires_[number].what = 0;
      if (wires_[number].pair != no_index) pairs_[wires_[number].pair].special = wires_[number].active > 2;
    }
    ordered_.clear();
    any_ordered_ = false;
  }
  /// At the end of a tick.
  void settle() {
    if (any_ordered_) forget_order();
    for (const std::uint32_t number : unsettled_) {
      Wire& wire = wires_[number];
      wire.settled = true;
      pair_up(number, wire);
      if (wire.active == 1) forget_moved(wire);
    }
    unsettled_.clear();
  }
  /// The passes have to say of a lane whether it sends.
  void leave_to_passes(const Train& train, std::uint32_t number, Word lane) {
    train[&Group::lost] |= lane;
    if (std::exchange(trains_.rest(number).ordered, trains_.rest(number).ordered | lane) == 0) left_.push_back(number);
  }

  Trains trains_;
  std::vector<Lane> lanes_;              // as the wires have them
  std::vector<std::uint32_t> left_;      // worms of which the passes have to say what sends
  bool passes_ = false;                  // there are some
  bool any_ordered_ = false;             // wires of which the passes of this tick say who sends
  std::vector<std::uint32_t> foreseen_;  // worms that may go on within the tick

 private:
  /// Two messages that have flits left to send over a wire, or more: where their words are, which bits in these count
  /// from the end, which lanes of the wire; whose turn it is, and whether that is so by what was sent.
  struct Pair {
    std::uint32_t wire = 0, one = 0, other = 0;
    std::uint8_t one_bit = 0, other_bit = 0, one_lane = 0, other_lane = 0;
    std::uint8_t prefers_other = 0, sent = 0;
    bool special = false;  // more than two, or for the passes
  };
  static_assert(sizeof(Pair) == 20);
  /// What comes of a pair's wishes: who loses the wire, what is then known of it, whether it is contested, or to be
  /// looked at again since the only one that wants to send is tied. Of each of the two it counts whether it wants to
  /// send, is tied, and is late then; and whose turn it is, and whether the pair is special.
  static constexpr std::uint8_t outcome_of(unsigned wishes) {
    const auto wish = [wishes](unsigned at) { return (wishes >> at & 1) != 0; };
    const bool a = wish(0), b = wish(3), both = a && b, prefers_other = wish(6), special = wish(7);
    const bool one_tied = a && wish(1), other_tied = b && wish(4), tied = one_tied || other_tied;
    const bool one_late = one_tied && !other_tied && wish(2), other_late = other_tied && !one_tied && wish(5);
    const bool known = !special && (!both || !tied || one_late || other_late);
    const bool other_wins = b && (!a || one_late || (prefers_other && !other_late));
    const bool sends = known && (both || ((a || b) && !tied));
    const bool loses = both && known, prefers = sends ? !other_wins : prefers_other;
    return static_cast<std::uint8_t>((loses && other_wins) | (loses && !other_wins) << 1 | prefers << 2 | sends << 3 |
                                     !known << 4 | (tied && !both && known) << 5);
  }
  static constexpr std::array<std::uint8_t, 256> outcomes = [] {
    std::array<std::uint8_t, 256> all{};
    for (unsigned wishes = 0; wishes < all.size(); ++wishes) all[wishes] = outcome_of(wishes);
    return all;
  }();
  static constexpr std::size_t moves_at = offsetof(Group, moves) / sizeof(Word),
                               tied_at = offsetof(Group, tied) / sizeof(Word),
                               late_at = offsetof(Group, late) / sizeof(Word),
                               lost_at = offsetof(Group, lost) / sizeof(Word);
  /// Of a wire that has a pair: whose turn it is there, by the wire; at the wire, by what was sent of the pair.
  void take_turn(const Wire& wire) {
    Pair& pair = pairs_[wire.pair];
    pair.prefers_other = wire.turn >> pair.other_lane & ~(wire.turn >> pair.one_lane) & 1;
    pair.sent = 0;
  }
  void give_turn(Wire& wire) {
    const Pair& pair = pairs_[wire.pair];
    if (pair.sent != 0) wire.turn = behind(pair.prefers_other != 0 ? pair.one_lane : pair.other_lane);
  }
  void be_ordered(std::uint32_t number, Wire& wire) {
    wire.what = Wire::ordered;
    any_ordered_ = true;
    ordered_.push_back(number);
    if (wire.pair == no_index) return;
    give_turn(wire);
    take_turn(wire);
    pairs_[wire.pair].special = true;
  }
  /// Those that want to send over it. A tied one does so when the one after it has sent: too late where others are
  /// ready, if the passes come to that one's wire after this one.
  void contest(std::uint32_t number) {
    Wire& wire = wires_[number];
    if (wire.active == 0) return leave_to_passes(wire, number, 0);
    if (wire.active == 2 && (wire.what & Wire::ordered) == 0) return defer(wire, number);  // tied lanes count
    const auto [ready, tied] = wanting(wire);
    if ((wire.what & Wire::ordered) != 0) return leave_to_passes(wire, number, ready | tied);
    const unsigned all = ready | tied;
    if (all == 0) return;
    if (wire.pair != no_index) give_turn(wire);
    bool by_tied = tied != 0 && (ready == 0 || (all & (all - 1)) == 0);
    for (unsigned rest = by_tied ? 0 : tied; rest != 0; rest &= rest - 1) {
      const Lane& lane = lanes_[wire.lane + lowest(rest)];
      const auto& worm = trains_.rest(lane.train);
      const unsigned next = lane.hop + 1U - worm.first_hop;
      by_tied |= next > worm.top || trains_.path(lane.train, next) / most_lanes < number;
    }
    by_tied ? defer(wire, number) : one_sends(wire, ready, tied);
  }
  void defer(Wire& wire, std::uint32_t number) {
    wire.what |= Wire::deferred;
    deferred_.push_back(number);
  }
  [[nodiscard]] std::pair<unsigned, unsigned> wanting(const Wire& wire) {
    if (wire.active == 2) {
      const Pair& pair = pairs_[wire.pair];
      const Word *const one = trains_.words() + pair.one, *const other = trains_.words() + pair.other;
      const auto lanes = [&](std::size_t property) {
        return static_cast<unsigned>((one[property] >> pair.one_bit & 1) << pair.one_lane |
                                     (other[property] >> pair.other_bit & 1) << pair.other_lane);
      };
      const unsigned moves = lanes(moves_at), ties = lanes(tied_at);
      return {moves & ~ties, moves & ties};
    }
    unsigned ready = 0, tied = 0;
    for (unsigned rest = wire.owned; rest != 0; rest &= rest - 1) {
      const auto [number, lane] = sender(wire, lowest(rest));
      const Train train = trains_[number];
      const bool wants = (train[&Group::moves] & lane) != 0, ties = (train[&Group::tied] & lane) != 0;
      ready |= unsigned{wants && !ties} << lowest(rest);
      tied |= unsigned{wants && ties} << lowest(rest);
    }
    return {ready, tied};
  }
  /// The first of `ready` whose turn it is, none of `others`.
  void one_sends(Wire& wire, unsigned ready, unsigned others) {
    const unsigned which = first_in_turn(ready, wire.turn);
    sends(wire, which);
    lose(wire, (ready ^ 1U << which) | others);
  }
  void lose(const Wire& wire, unsigned lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
      const Lane& lane = lanes_[wire.lane + lowest(lanes)];
      trains_[lane.train][&Group::lost] |= bit(lane.hop - unsigned{trains_.rest(lane.train).first_hop});
    }
  }
  void leave_to_passes(Wire& wire, std::uint32_t number, unsigned lanes) {
    passes_ = true;
    if ((wire.what & Wire::ordered) == 0) be_ordered(number, wire);
    for (; lanes != 0; lanes &= lanes - 1) {
      const Lane& lane = lanes_[wire.lane + lowest(lanes)];
      const Word here = bit(lane.hop - unsigned{trains_.rest(lane.train).first_hop});
      leave_to_passes(trains_[lane.train], lane.train, here);
    }
  }
  /// Upwards by wire, when all others of which no tied lane decides are over.
  void contest_of_tied(std::uint32_t number) {
    Wire& wire = wires_[number];
    const auto [ready, tied] = wanting(wire);
    unsigned first = ready, late = 0, never = 0;
    wire.what &= ~Wire::deferred;
    if (wire.pair != no_index) give_turn(wire);
    for (unsigned rest = tied; rest != 0; rest &= rest - 1) {
      const When when = when_tied(number, lanes_[wire.lane + lowest(rest)]);
      if (when == When::unknown) return leave_to_passes(wire, number, ready | tied);
      (when == When::first ? first : when == When::late ? late : never) |= rest & -rest;
    }
    if (first == 0 && (late & (late - 1)) != 0) return leave_to_passes(wire, number, late | never);
    if (first != 0) return one_sends(wire, first, late | never);
    if (late != 0) sends(wire, lowest(late));
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
      if ((worm.ordered & here) != 0) return When::unknown;
      if ((train[&Group::lost] & here) != 0) return When::never;
      const std::uint32_t next = trains_.path(lane.train, at) / most_lanes;
      if ((wires_[next].what & Wire::deferred) != 0 || next == wire) return When::unknown;
      late |= wire < next;
      if ((train[&Group::ready] & here) != 0) return late ? When::late : When::first;
      wire = next;
    }
    return When::unknown;
  }

  /// What one that has a wire for itself has sent is known there.
  void forget_moved(const Wire& wire) {
    for (unsigned rest = wire.owned; rest != 0; rest &= rest - 1) {
      const auto [number, lane] = sender(wire, lowest(rest));
      trains_[number][&Group::moved] &= ~lane;
    }
  }
  /// Whose a lane is and the bit that it is there, 0 if there are no flits left to send over it.
  [[nodiscard]] std::pair<std::uint32_t, Word> sender(const Wire& wire, unsigned which) {
    const Lane& lane = lanes_[wire.lane + which];
    const auto& worm = trains_.rest(lane.train);
    const unsigned number = lane.hop - unsigned{worm.first_hop};
    return {lane.train, number < worm.low || number > worm.top ? 0 : bit(number)};
  }

  std::vector<Pair> pairs_;               // wires over which several messages have flits left to send
  Numbers contested_;                     // wires of which it is not as simple who sends in this tick
  std::vector<std::uint32_t> deferred_;   // of these, where tied lanes count
  std::vector<std::uint32_t> ordered_;    // wires of which the passes have to say it
  Numbers followers_;                     // wires of pairs of which one wants to send, and is tied
  std::vector<std::uint32_t> unsettled_;  // wires of which it is to be seen who shares them
};

}  // namespace assay::network
