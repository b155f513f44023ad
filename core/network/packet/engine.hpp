// The packet engine: virtual cut-through and store-and-forward with whole-packet buffers, virtual channels that share a
// wire packet by packet; what InfiniBand- and Ethernet-like networks are.
//
// A packet of L flits (its header among them) that is granted a wire at g starts with its head at g and with its tail
// at T (passage.hpp; where no head is faster than its body, max(g + f (L-1), T + w of the link before)); the wire is
// free at T + f, and the packet's slot in the lane's buffer that it comes from at T + r. All that is known at the
// grant, so there is one event per hop: the request at the next router, h after the head's start (cut-through) or the
// tail's (store-and-forward); and a wake-up where somebody waits for a wire or a slot. Requests of a tick queue in
// order of message; then the wires are gone through until nothing is granted any more. A wire serves its lanes
// in turn, each first come first served. A packet takes the free wire of its link with the lowest number. What a grant
// frees in the same tick (the slot of a packet of one flit, where credits take no time; its place in an output queue)
// is there for the next round, when all wires have been gone through; so no order of links matters. Routers are
//   shared  input-queued, any packet of a buffer may go on (virtual output queues);
//   fifo    input-queued, only the oldest of a lane's buffer asks, from when the one before it has gone (head-of-line
//           blocking: Karol, Hluchyj and Morgan 1987);
//   output  output-queued: a packet goes at once into the queue of the link that it wants, if there is a place, and
//           frees its slot as its tail comes in; else it waits in its buffer.
// A routing that needs n lanes gets n classes: lane l is of class l mod n. Its choice is made once, at the request, by
// the packets that wait or stand at the far end. With one lane per link, this is the worm engine's cut-through.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "network/circle.hpp"
#include "network/lane_engine.hpp"
#include "network/marks.hpp"
#include "network/packet/wires.hpp"
#include "network/passage.hpp"

namespace assay::network {

template <class Source, class Observer>
class PacketEngine
    : public LaneEngine<PacketEngine<Source, Observer>, Packet, PacketLane, Source, Observer, PacketWire> {
  using Base = LaneEngine<PacketEngine, Packet, PacketLane, Source, Observer, PacketWire>;
  friend Base;
  using typename Base::Tick, typename Base::Wire, typename Base::First;
  using Lane = PacketLane;

 public:
  static constexpr const char* name = "packet";
  using Message = Packet;

  PacketEngine(const Fabric& fabric, const Routing& routing, const Switching& how, Source& source, Observer& observer,
               events::Random random, std::uint32_t span)
      : Base(fabric, routing, how, source, observer, random, span, heads(fabric, how, span)),
        stored_(how.switching == "store-and-forward"),
        fifo_(how.buffers == "fifo"),
        output_(how.buffers == "output"),
        slots_(Base::lane_count_, how.buffer_packets) {
    for (Lane& lane : queues_) static_cast<Slots::Lane&>(lane) = slots_.first();
    if (fifo_) behind_.resize(queues_.size());
    if (output_) outputs_.resize(queues_.size());
    several_ = wires_.size() != fabric.links.size();
    if (several_) marks_ = Marks(wires_.size());
    plain_ = !stored_ && !fifo_ && !output_ && !several_ && how.buffer_packets != 0;
    std::map<PacketLink, std::uint32_t> numbers;
    for (auto& wire : wires_) {
      const Link& link = fabric.links[Base::link_of(static_cast<std::uint32_t>(&wire - wires_.data()))];
      const PacketLink one{link.flit,
                           link.body,
                           link.head,
                           link.credit,
                           static_cast<std::uint8_t>(Base::classes(link)),
                           link.lanes,
                           link.kind == LinkKind::ejection};
      const auto [found, fresh] = numbers.emplace(one, static_cast<std::uint32_t>(like_.size()));
      if (fresh) like_.push_back(one);
      wire.like = static_cast<std::uint16_t>(found->second);
    }
    if (fabric.routers <= 65536) {
      ends_.reserve(fabric.links.size());
      for (const Link& link : fabric.links) ends_.push_back(static_cast<std::uint16_t>(link.to));
    }
    for (const auto& one : like_) {
      plain_ &= one.lanes == one.classes && one.lanes <= PacketTurns::most;
      steady_ &= one.head >= one.body;
    }
    if (like_.size() > 65536)
      throw ParameterError("network.links", "make links of " + std::to_string(like_.size()) +
                                                " different speeds, accepted are at most 65536");
  }

  [[nodiscard]] std::size_t memory() const {
    return Base::common_memory() + changed_.capacity() * 4 + marks_.memory() + slots_.memory() +
           like_.capacity() * sizeof(PacketLink) + behind_.capacity() * sizeof(Behind) +
           standing_.capacity() * sizeof(Standing) + outputs_.capacity() * sizeof(Output) +
           late_.capacity() * sizeof(Late) + ends_.capacity() * 2 + second_.capacity() * 8;
  }
  /// Something asks in the next tick.
  [[nodiscard]] bool goes_on() const { return !Base::soon_.empty(); }
  /// The router that a link leads to: of all that a Link says, this alone is wanted at every hop.
  [[nodiscard]] std::uint32_t end(std::uint32_t link) const { return ends_.empty() ? links_[link].to : ends_[link]; }
  void report_standing() {}  // a grant says all: a packet that waits is whole in its buffer
  /// Messages that can never move again, and one circle of them.
  void find_deadlock(Outcome& outcome) const;

 private:
  using Base::fabric_, Base::links_, Base::how_, Base::table_, Base::queues_, Base::wires_, Base::messages_;
  using Base::free_, Base::flits_by_link_, Base::parts_, Base::now_, Base::no_index;
  enum Kind : unsigned { wire_wakes, place_free };
  static constexpr std::uint32_t in_queue = 128;  // Packet::lane: it is in an output queue, its slot given back
  /// fifo: the last of those packets; from when the one behind the last that left may ask, or go into the sink.
  struct Behind {
    Tick next_request = 0;
    std::uint32_t last = no_index;
  };
  /// fifo: when a packet may ask, and who stands behind it in its buffer.
  struct Standing {
    Tick ready = 0;
    std::uint32_t behind = no_index;
  };
  /// The output queue of a lane class: who waits for a place in it, and the places taken.
  struct Output {
    CountedLine place;
    std::uint32_t inside = 0;
  };
  /// How far ahead messages mostly ask: where only heads are waited for, by the slowest.
  [[nodiscard]] static std::uint32_t heads(const Fabric& fabric, const Switching& how, std::uint32_t span) {
    if (how.switching != "cut-through" || how.buffers == "fifo" || how.packet_flits != 0) return span;
    std::uint32_t most = 0;
    for (const Link& link : fabric.links) most = std::max(most, link.head);
    return std::min(span, std::min(most, 4095u) + 1);
  }
  /// Packets that wait for this lane class, or stand at its far end.
  [[nodiscard]] std::uint32_t queue(std::uint32_t link, unsigned lane) const override {
    if (plain_) {
      const Wire& wire = wires_[link];
      const std::uint32_t number = wire.lane + lane;
      return ((wire.waits() >> lane & 1) != 0 ? Base::waiting(number) : 0) + (busy(wire) != 0) +
             slots_.held(queues_[number], number, now_);
    }
    const First first = Base::first(link);
    std::uint32_t sum = Base::waiting(first.queue + lane) + (output_ ? outputs_[first.queue + lane].place.waiting : 0);
    for (unsigned c = 0; c < links_[link].channels; ++c) {
      const Wire& wire = wires_[first.wire + c];
      sum += busy(wire) != 0;
      if (how_.buffer_packets != 0)
        for (unsigned l = lane; l < links_[link].lanes; l += first.classes)
          sum += slots_.held(queues_[wire.lane + l], wire.lane + l, now_);
    }
    return sum;
  }

  void happens(unsigned kind, std::uint32_t number) {
    if (kind != wire_wakes) return leave_place(number);
    Wire& wire = wires_[number];
    if (wire.wake == static_cast<std::uint32_t>(now_)) wire.clear(Wire::woken);
    change(wire, number);
  }
  /// Times in 32 bits must not come to lie too far from now: what has come since the tick before is forgotten.
  void passes_to(Tick now) {
    if (now - swept_ < near_ticks / 2) [[likely]]
      return;
    swept_ = now;
    for (Wire& wire : wires_)
      if (near_tick(wire.free_at, now_) <= now) wire.free_at = static_cast<std::uint32_t>(now);
    for (auto far = far_.begin(); far != far_.end();) {
      const bool still = far->second >= now + near_ticks;
      const Tick time = still ? now + near_ticks - 1 : std::max(far->second, now);
      wires_[far->first].free_at = static_cast<std::uint32_t>(time);
      far = still ? std::next(far) : far_.erase(far);
    }
    if (how_.buffer_packets != 0)
      for (std::size_t lane = 0; lane < Base::lane_count_; ++lane) slots_.forget(queues_[lane], lane, now_, now);
  }
  /// How long it is still busy; longer than can be said, it is looked at once more in between.
  [[nodiscard]] std::uint32_t busy(const Wire& wire) const {
    const std::uint32_t ahead = wire.free_at - static_cast<std::uint32_t>(now_);
    return static_cast<std::int32_t>(ahead) > 0 ? ahead : 0;
  }
  void free_from(Wire& wire, std::uint32_t number, Tick time) {
    if (time - now_ >= near_ticks) [[unlikely]] {
      far_[number] = time;
      time = now_ + near_ticks - 1;
    }
    wire.free_at = static_cast<std::uint32_t>(time);
  }
  void deliver(std::uint32_t index) {
    Base::arrived(index, now_, messages_[index].tail);
    free_.push_back(index);
  }
  [[nodiscard]] std::uint32_t link_of(const Packet& m) const { return m.wire == none ? none : Base::link_of(m.wire); }
  [[nodiscard]] std::uint32_t lane_of(const Packet& m) const { return wires_[m.wire].lane + m.lane; }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> place(const Packet& m) const { return {link_of(m), m.klass}; }
  [[gnu::always_inline]] void queue_up(std::uint32_t index) {
    if (plain_) [[likely]]
      queue_up_plain(index);
    else
      queue_up_any(index);
  }
  [[gnu::always_inline]] void queue_up_plain(std::uint32_t index) {
    const std::uint32_t number = messages_[index].want, lane = messages_[index].klass;
    Wire& wire = wires_[number];
    Base::line_up(wire.lane + lane, index);
    wire.mark_waiting(lane);
    if (const std::uint32_t ahead = busy(wire); ahead == 0)
      to_be_looked_at(wire, number);
    else
      wake(wire, number, now_ + ahead);
  }
  [[gnu::noinline]] void queue_up_any(std::uint32_t index) {
    const Packet& m = messages_[index];
    const std::uint32_t wire = Base::first_wire(m.want), number = wires_[wire].lane + m.klass;
    if (!output_ || m.wire == none) return join(number, wire, index);
    Base::put(outputs_[number].place, index);
    fill_places(number, wire);
  }
  void join(std::uint32_t number, std::uint32_t wire, std::uint32_t index) {
    Base::line_up(number, index);
    if (!several_) return look_later(wire);
    for (const std::uint32_t end = wire + links_[Base::link_of(wire)].channels; wire < end; ++wire) look_later(wire);
  }
  /// A wire for which something has changed: it is looked at in this tick, or when it is free.
  void look_later(std::uint32_t number) {
    Wire& wire = wires_[number];
    if (const std::uint32_t ahead = busy(wire); ahead == 0)
      change(wire, number);
    else
      wake(wire, number, now_ + ahead);
  }
  void change(Wire& wire, std::uint32_t number) {
    if (several_) return marks_.put(number);
    to_be_looked_at(wire, number);
  }
  [[gnu::always_inline]] void to_be_looked_at(Wire& wire, std::uint32_t number) {
    if (wire.is(Wire::changed)) return;
    wire.set(Wire::changed);
    if (changes_ == changed_.size()) [[unlikely]]
      changed_.resize(2 * changes_ + 16);
    changed_[changes_++] = number;
  }

  void go_through_wires() {
    if (plain_ && flits_by_link_.empty())
      rounds<true>();
    else
      rounds<false>();
  }
  /// Rounds: see above. `plain`: as most routers are, so that what others have is asked once here, not at every hop.
  template <bool plain>
  void rounds() {
    do {
      if (!plain && several_)
        for (auto wire = marks_.take(0); wire != Marks::nothing; wire = marks_.take(wire + 1))
          look<plain>(wires_[wire], wire);
      for (std::size_t i = 0; i < changes_; ++i) {  // which may get more
        const std::uint32_t number = changed_[i];
        Wire& wire = wires_[number];
        wire.clear(Wire::changed);
        look<plain>(wire, number);
      }
      changes_ = 0;
    } while (next_round());
  }
  /// What the grants of a round freed in their own tick; whether there was anything.
  bool next_round() {
    if (late_.empty()) return false;
    for (std::size_t i = 0; i < late_.size(); ++i) {
      const Late one = late_[i];
      if (one.lane == no_index)
        leave_place(one.number);
      else
        return_credit<false>(wires_[one.number], one.number, one.lane, now_);
    }
    late_.clear();
    return true;
  }

  // --- output queues
  /// Of lane class `number`, of a link whose first wire is `wire`.
  void fill_places(std::uint32_t number, std::uint32_t wire) {
    Output& output = outputs_[number];
    while (!output.place.empty() && (how_.output_packets == 0 || output.inside < how_.output_packets)) {
      const std::uint32_t index = Base::take(output.place);
      ++output.inside;
      Message& m = messages_[index];
      give_back<false>(m, Base::length(m) == 1 ? now_ : std::max(now_, m.tail + like_[wires_[m.wire].like].body));
      m.lane |= in_queue;
      join(number, wire, index);
    }
  }
  void leave_place(std::uint32_t number) {
    --outputs_[number].inside;
    if (!outputs_[number].place.empty())
      fill_places(number, Base::first_wire(messages_[outputs_[number].place.last].want));
  }

  // --- wires and slots
  template <bool plain>
  [[gnu::always_inline]] void look(Wire& wire, std::uint32_t number) {
    const PacketLink& like = like_[wire.like];
    const std::uint32_t lines = plain ? wire.lane : first_line(wire, number);
    if (const std::uint32_t ahead = busy(wire); ahead != 0) {
      if (plain ? wire.waits() != 0 : waited_for(lines, like.classes)) wake(wire, number, now_ + ahead);
      return;
    }
    if constexpr (plain)
      grant_plain(wire, like, number);
    else
      grant(wire, like, number, lines);
  }
  /// To the first after the last one granted that has a slot ahead.
  [[gnu::always_inline]] void grant_plain(Wire& wire, const PacketLink& like, std::uint32_t number) {
    if (wire.waits() == 0) return;
    const unsigned lane = packet_turns.next[like.lanes][wire.waits_and_turn()];
    if (slots_.take_if_free(queues_[wire.lane + lane], wire.lane + lane, now_)) [[likely]]
      return give_out(wire, like, number, lane);
    grant_another(wire, like, number, lane);
  }
  /// Not to that lane, which is full: to another one that somebody waits for.
  [[gnu::noinline]] void grant_another(Wire& wire, const PacketLink& like, std::uint32_t number, unsigned full) {
    const std::uint32_t twice = wire.waits() << like.lanes | wire.waits();
    std::uint32_t left = twice >> wire.turn() & like.mask();
    Tick again = slots_.next(queues_[wire.lane + full], wire.lane + full, now_);
    while ((left &= left - 1) != 0) {
      const unsigned lane = next_lane(wire, like, left);
      Lane& there = queues_[wire.lane + lane];
      if (slots_.take_if_free(there, wire.lane + lane, now_)) return give_out(wire, like, number, lane);
      again = std::min(again, slots_.next(there, wire.lane + lane, now_));
    }
    if (again != ~Tick{0}) wake(wire, number, again);
  }
  /// The lane of the first bit of those left from the wire's turn on.
  [[nodiscard]] static unsigned next_lane(const Wire& wire, const PacketLink& like, std::uint32_t left) {
    const unsigned after = wire.turn() + static_cast<unsigned>(std::countr_zero(left));
    return after < like.lanes ? after : after - like.lanes;
  }
  /// To the first of those that wait for this lane, in which it has a slot.
  [[gnu::always_inline]] void give_out(Wire& wire, const PacketLink& like, std::uint32_t number, unsigned lane) {
    const std::uint32_t index = Base::step_out(wire.lane + lane);
    const std::uint32_t none_waits = queues_[wire.lane + lane].empty();
    const std::uint32_t turn = packet_turns.after[like.lanes][lane];
    const std::uint32_t bits = ((wire.bits & 0xffu) | turn << 8) ^ none_waits << 4 << lane;
    wire.bits = static_cast<std::uint16_t>(bits);
    cross<true>(index, wire, like, number, lane);
    if ((bits & 0xf0) != 0) wake(wire, number, now_ + busy(wire));
  }
  void grant(Wire& wire, const PacketLink& like, std::uint32_t number, std::uint32_t lines) {
    Tick again = ~Tick{0};
    for (unsigned step = 0; step < like.lanes; ++step) {
      const unsigned after = wire.turn() + step, lane = after < like.lanes ? after : after - like.lanes;
      const std::uint32_t line = lines + like.of(lane);
      if (queues_[line].empty()) continue;
      if (how_.buffer_packets != 0) {
        const std::uint32_t there = wire.lane + lane;
        Lane& buffer = queues_[there];
        if (!slots_.take_if_free(buffer, there, now_)) {
          again = std::min(again, slots_.next(buffer, there, now_));
          continue;
        }
      }
      if (like.lanes != 1) wire.set_turn(lane + 1 < like.lanes ? lane + 1 : 0);
      cross<false>(Base::step_out(line), wire, like, number, lane);
      if (waited_for(lines, like.classes)) wake(wire, number, now_ + busy(wire));
      return;
    }
    if (again != ~Tick{0}) wake(wire, number, again);
  }
  /// Another look at the wire then, unless it will get one; what is very far off is not kept in 32 bits.
  void wake(Wire& wire, std::uint32_t number, Tick again) {
    if (again - now_ < std::uint64_t{1} << 31) {
      const auto low = static_cast<std::uint32_t>(again);
      if (wire.is(Wire::woken) && wire.wake == low) return;
      wire.wake = low;
      wire.set(Wire::woken);
    }
    table_.put(now_, again, wire_wakes, number);
  }
  /// The line of the first lane class of the wire's link.
  [[nodiscard]] std::uint32_t first_line(const Wire& wire, std::uint32_t number) const {
    return several_ ? wires_[Base::first_wire(Base::link_of(number))].lane : wire.lane;
  }
  /// Whether anybody waits for a wire of the link, in whatever lane class.
  [[nodiscard]] bool waited_for(std::uint32_t lines, unsigned classes) const {
    for (std::uint32_t line = lines; line < lines + classes; ++line)
      if (!queues_[line].empty()) return true;
    return false;
  }
  template <bool plain>
  [[gnu::always_inline]] void cross(std::uint32_t index, Wire& wire, const PacketLink& like, std::uint32_t number,
                                    unsigned lane) {
    Message& m = messages_[index];
    const std::uint32_t length = Base::length(m);
    const Passage passage = passes(index, m, like, length);
    const Tick tail = passage.last;
    const Tick free = tail + like.flit;
    free_from(wire, number, free);
    const std::uint32_t link = plain ? number : Base::link_of(number);
    if (!plain && !flits_by_link_.empty()) flits_by_link_[link] += length;
    ++m.hops;
    m.waiting = false;
    if constexpr (requires(const Link& link) { Base::observer_.passes(std::uint64_t{}, link, Tick{}, length); })
      if (const Link& passed = links_[link]; passed.kind == LinkKind::network && m.hops > 2)
        Base::observer_.passes(m.key >> Parts::packet_bits, passed, now_, length);
    Base::crossed(m.key, link, wire.lane + lane, now_, tail);
    if (m.wire == none) {
      Base::times(index).entered = now_;
      const std::uint32_t row = m.row;
      const std::uint64_t key = m.key;
      // The injection channel is free again then: the message's next packet asks after it. (It may move this one.)
      if (row != none)
        if (const auto packet = Base::next_packet(row, key); packet != no_index)
          Base::ask_at(packet, free + how_.packet_gap);
      if (row == none || parts_[row].left == 0) Base::left_source(key, free);
    } else if (!plain && (m.lane & in_queue) != 0) {
      const std::uint32_t place = first_line(wire, number) + m.klass;
      if (tail == now_)
        late_.push_back({place, no_index});
      else
        table_.put(now_, tail, place_free, place);
    } else {
      give_back<plain>(m, tail, true);
    }
    arrive<plain>(index, wire, like, number, lane, passage);
  }
  /// Over a wire that it is granted now.
  [[nodiscard, gnu::always_inline]] Passage passes(std::uint32_t index, const Message& m, const PacketLink& like,
                                                   std::uint32_t length) const {
    if (m.wire == none) return Passage::begin(now_, like.flit, length);
    return further({steady_ ? 0 : second_[index], m.tail}, like_[wires_[m.wire].like].body, now_, like.flit, length);
  }
  /// Where no head is faster than its body nothing hangs on the second flit.
  [[nodiscard, gnu::always_inline]] Passage further(const Passage& before, std::uint32_t body, Tick head,
                                                    std::uint32_t flit, std::uint32_t flits) const {
    if (steady_) [[likely]]
      return {0, std::max(head + std::uint64_t{flit} * (flits - 1), before.last + body)};
    return before.next(body, head, flit, flits);
  }
  template <bool plain>
  [[gnu::always_inline]] void arrive(std::uint32_t index, const Wire& wire, const PacketLink& like,
                                     std::uint32_t number, unsigned of_wire, const Passage& passage) {
    Message& m = messages_[index];
    const std::uint32_t lane = wire.lane + of_wire;
    m.wire = number;
    m.lane = of_wire & 0xff;
    m.tail = passage.last;
    if (!steady_) [[unlikely]] {
      if (index >= second_.size()) second_.resize(messages_.capacity());
      second_[index] = passage.second;
    }
    Tick ready = (!plain && stored_ ? passage.last : now_) + like.head;
    if (like.out) {
      // Where buffers are first-in-first-out the sink takes one packet at a time, as a link does.
      if (!plain && fifo_) ready = std::max(ready, behind_[lane].next_request);
      const Tick sunk = further(passage, like.body, ready, how_.sink_ticks, Base::length(m)).last;
      if (!plain && fifo_) behind_[lane].next_request = sunk + std::max(like.credit + 1, how_.sink_ticks);
      return_credit<plain>(wire, number, lane, sunk + like.credit);
      return deliver(index);
    }
    if (plain || !fifo_) {
      if (ready == now_ + 1) [[likely]]
        return Base::ask_next(index, m);
      return Base::ask_at(index, m, ready);
    }
    if (index >= standing_.size()) standing_.resize(messages_.capacity());
    standing_[index] = {ready, no_index};
    const std::uint32_t before = behind_[lane].last;
    behind_[lane].last = index;
    if (before == no_index)
      Base::ask_at(index, std::max(ready, behind_[lane].next_request));
    else
      standing_[before].behind = index;
  }
  /// The packet's tail leaves its buffer at `time`; `granted`: over the wire that it was granted in this round.
  template <bool plain>
  [[gnu::always_inline]] void give_back(Message& m, Tick time, bool granted = false) {
    const Wire& wire = wires_[m.wire];
    const Tick back = time + like_[wire.like].credit;
    if (!plain && fifo_) {
      Behind& place = behind_[lane_of(m)];
      place.next_request = back + 1;
      std::uint32_t& behind = standing_[index_of(m)].behind;
      if (behind == no_index)
        place.last = no_index;
      else
        Base::ask_at(behind, std::max(standing_[behind].ready, place.next_request));
      behind = no_index;
    }
    if (granted && back == now_)
      late_.push_back({m.wire, lane_of(m)});
    else
      return_credit<plain>(wire, m.wire, lane_of(m), back);
  }
  template <bool plain>
  [[gnu::always_inline]] void return_credit(const Wire& wire, std::uint32_t number, std::uint32_t lane, Tick time) {
    if (!plain && how_.buffer_packets == 0) return;
    slots_.give(queues_[lane], lane, time, now_);
    const std::uint32_t line = plain ? lane : first_line(wire, number) + like_[wire.like].of(lane - wire.lane);
    if (!queues_[line].empty()) look_later(number);
  }
  [[nodiscard]] std::uint32_t index_of(const Message& m) const {
    return static_cast<std::uint32_t>(&m - messages_.data());
  }

  const bool stored_, fifo_, output_;
  // Cut-through, buffers of some packets any of which may go on, links of one channel with few lanes, each a class.
  bool plain_ = false;
  bool steady_ = true;  // no head is faster than its body
  Slots slots_;
  Tick swept_ = 0;                     // when passes_to() last did
  std::map<std::uint32_t, Tick> far_;  // wires that are free again then: when it was said too far to keep
  std::vector<PacketLink> like_;
  std::vector<std::uint16_t> ends_;    // by link, the router that it leads to, where 16 bits number all
  std::vector<std::uint64_t> second_;  // by message, its second flit's start on its wire, where that matters
  std::vector<Behind> behind_;         // by wire and lane, with fifo buffers
  std::vector<Standing> standing_;     // by message, with fifo buffers
  std::vector<Output> outputs_;        // as lines, with output queues
  struct Late {
    std::uint32_t number, lane;  // a wire and its lane whose slot is free; without a lane, a queue that has a place
  };
  std::vector<Late> late_;
  // Wires to be looked at in this tick: upwards where a link has several, of which a packet takes the lowest; where no
  // link has, the order is all the same.
  Marks marks_{0};
  std::vector<std::uint32_t> changed_;
  std::size_t changes_ = 0;  // how many of `changed_` there are
  bool several_ = false;
};

template <class Source, class Observer>
void PacketEngine<Source, Observer>::find_deadlock(Outcome& outcome) const {
  std::vector<std::vector<std::uint32_t>> inside(queues_.size()), stands(queues_.size());
  for (std::uint32_t i = 0; i < messages_.size(); ++i) {
    const Message& m = messages_[i];
    if (!m.live || m.wire == none) continue;
    if ((m.lane & in_queue) != 0)
      inside[Base::first(m.want).queue + m.klass].push_back(i);
    else
      stands[lane_of(m)].push_back(i);
  }
  Circle circle(messages_.size());
  for (std::uint32_t i = 0; i < messages_.size(); ++i) {
    const Message& m = messages_[i];
    if (!m.live || !m.waiting) continue;
    const First first = Base::first(m.want);
    circle.waits(i, [&](auto call) {
      if (output_ && m.wire != none && (m.lane & in_queue) == 0) {
        if (outputs_[first.queue + m.klass].inside != inside[first.queue + m.klass].size()) call(no_index);
        for (const auto holder : inside[first.queue + m.klass]) call(holder);
        return;
      }
      for (unsigned c = 0; c < links_[m.want].channels; ++c)
        for (unsigned l = m.klass; l < links_[m.want].lanes; l += first.classes) {
          const std::uint32_t lane = wires_[first.wire + c].lane + l;
          if (how_.buffer_packets == 0 || stands[lane].size() < how_.buffer_packets) call(no_index);
          for (const auto holder : stands[lane]) call(holder);
        }
    });
  }
  circle.report(outcome, [&](std::uint32_t i) { return Base::described(messages_[i]); });
}

}  // namespace assay::network
