// The flit engine where worms often get in each other's way: tick by tick, all flits of a worm at once.
//
// What is simulated is said in engine.hpp, and the times are the same. Plans for series of flits cost the more the more
// often they are made anew, and nothing by the flit; here a flit costs little, and not much more where others want its
// wire. All links have f = w = 1, r = 0 and, but for those into nodes, buffers of one size, and no sink
// holds its link back (`suits`).
//
// How. Of a worm that has lanes there is a word a property, a bit a lane, and the words of several worms lie together
// (trains.hpp). Which lanes have a flit at hand and a place for it, which of these send, and what the buffers hold then
// are a few operations on whole words. A lane whose buffer is full sends if the one after it does (`tied`). A head that
// finds the lane that it asks for free has it at once.
//
// Where several worms have flits to send over a wire, it is known before the tick's passes who has a place, so also
// which of these are there when the passes come to that wire first, and who sends. All lanes are thought to send at
// first; those of a wire over which others want to send lose it but for one (contests.hpp). Only where that hangs on
// the order of the wires in more than one way are the passes gone through, by the rules of engine.hpp. So it is with
// lanes: those that are free when the tick begins, and most of those given back within it, are given away before all
// that; where it counts in which order things happen then, the passes say it (foresee_lanes).
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "network/circle.hpp"
#include "network/flit/agenda.hpp"
#include "network/flit/contests.hpp"

namespace assay::network {

template <class Source, class Observer, class WordOf>
class FlitsByTickOf : public Contests<FlitsByTickOf<Source, Observer, WordOf>, Source, Observer, WordOf> {
  using Base = Contests<FlitsByTickOf, Source, Observer, WordOf>;
  friend Base;
  friend LaneEngine<FlitsByTickOf, TickWorm, Line, Source, Observer, TickWire>;
  using typename Base::Tick, typename Base::Wire, typename Base::First, typename Base::Trains;

 public:
  static constexpr const char* name = "flit";
  using Message = TickWorm;

  FlitsByTickOf(const Fabric& fabric, const Routing& routing, const Switching& how, Source& source, Observer& observer,
                events::Random random, std::uint32_t)
      : Base(fabric, routing, how, source, observer, random, 0, heads(fabric, how)), agenda_(wires_.size()) {}
  /// Whether it is exact there.
  static bool suits(const Fabric& fabric, const Switching& how) {
    const std::uint32_t buffer = fabric.links[fabric.injection(0)[0]].buffer;
    std::uint64_t wires = 0;
    for (const Link& link : fabric.links) wires += link.channels;
    return wires <= Timetable::numbers / most_lanes && how.sink_ticks == 1 && buffer != 0 &&
           buffer <= Trains::most_stored && std::ranges::all_of(fabric.links, [buffer](const Link& link) {
             return link.flit == 1 && link.body == 1 && link.credit == 0 && link.lanes <= most_lanes &&
                    (link.kind == LinkKind::ejection ? link.buffer >= link.head : link.buffer == buffer);
           });
  }

  bool run(Tick end) { return !(ended_ = !Base::run(end)); }
  /// Something may move in the next tick.
  [[nodiscard]] bool goes_on() const { return more_ || !Base::soon_.empty(); }
  /// The last tick in which anything happened.
  [[nodiscard]] Tick now() const { return ended_ ? last_ : now_; }
  [[nodiscard]] std::size_t memory() const {
    return Base::common_memory() + Base::contests_memory() + requested_.memory() + pending_.capacity() * 4 +
           agenda_.memory();
  }
  /// Messages that can never move again, and one circle of them.
  void find_deadlock(Outcome& outcome) const {
    Circle circle(messages_.size());
    for (std::uint32_t i = 0; i < messages_.size(); ++i)
      if (messages_[i].live && messages_[i].waiting)
        circle.waits(i, [&, i](auto call) {
          const First first = Base::first(messages_[i].want);
          for (unsigned c = 0; c < first.channels; ++c)
            for (unsigned which = messages_[i].klass; which < links_[messages_[i].want].lanes; which += first.classes) {
              const auto train = lanes_[wires_[first.wire + c].lane + which].train;
              call(train == no_index ? no_index : trains_.rest(train).message);
            }
        });
    circle.report(outcome, [&](std::uint32_t i) { return Base::described(messages_[i]); });
  }

 private:
  using Base::bit, Base::first_in_turn, Base::lowest, Base::most_lanes, Base::order, Base::unsettle;
  using Base::fabric_, Base::links_, Base::how_, Base::table_, Base::queues_, Base::wires_, Base::messages_;
  using Base::free_, Base::parts_, Base::now_, Base::no_index, Base::lanes_, Base::trains_;
  using typename Base::Word, typename Base::Group, typename Base::Train, typename Base::Lane;
  enum Kind : unsigned { lane_free };
  [[nodiscard]] const Link& link_of(std::uint32_t wire) const { return links_[Base::link_of(wire)]; }
  [[nodiscard]] static std::uint32_t heads(const Fabric& fabric, const Switching& how) {
    std::uint32_t most = how.packet_gap;
    for (const Link& link : fabric.links) most = std::max(most, link.head);
    return std::min(most, 4095U) + 1;
  }

  /// Messages that wait for this lane class, and one more if none of its lanes is free.
  [[nodiscard]] std::uint32_t queue(std::uint32_t link, unsigned lane) const override {
    const First first = Base::first(link);
    const std::uint32_t waiting = Base::waiting(first.queue + lane);
    for (unsigned c = 0; c < first.channels; ++c)
      for (unsigned which = lane; which < links_[link].lanes; which += first.classes)
        if ((wires_[first.wire + c].owned >> which & 1) == 0) return waiting;
    return waiting + 1;
  }

  // --- events
  void happens(unsigned kind, std::uint32_t number) {
    static_cast<void>(kind);
    release(number / most_lanes, number % most_lanes);
  }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> place(const Message& m) const {
    if (m.train == no_index) return {none, m.klass};
    return {Base::link_of(trains_.path(m.train, trains_.rest(m.train).top) / most_lanes), m.klass};
  }
  void queue_up(std::uint32_t index) {
    const Message& m = messages_[index];
    const std::uint32_t first = Base::first_wire(m.want);
    Wire& wire_of_first = wires_[first];
    // Alone in the line of a lane that is free: nobody else can get it in this tick.
    if (wire_of_first.plain && ((wire_of_first.owned | wire_of_first.waiting) >> m.klass & 1) == 0) [[likely]]
      return take_lane(index, first, m.klass, false);
    const std::uint32_t end = first + links_[m.want].channels;
    Base::line_up(wire_of_first.lane + m.klass, index);
    wire_of_first.waiting |= static_cast<std::uint8_t>(1U << m.klass);
    for (std::uint32_t wire = first; wire < end; ++wire)
      if (!std::exchange(wires_[wire].grants, true)) requested_.put(wire);
  }
  void release(std::uint32_t number, unsigned which) {
    Wire& wire = wires_[number];
    Lane& lane = lanes_[wire.lane + which];
    const std::uint32_t train = std::exchange(lane.train, no_index), index = trains_.rest(train).message;
    last_ = std::max(last_, now_);
    wire.owned &= static_cast<std::uint8_t>(~(1U << which));
    if (waits(number, which)) {
      const bool fresh = !std::exchange(wire.grants, true);
      if (in_passes_)
        agenda_.put(pass_ + (number < place_), number);
      else if (fresh)
        requested_.put(number);
    }
    if (lane.hop == 0)
      if (const Message& m = messages_[index]; m.more)
        if (const auto packet = Base::next_packet(m.row, m.key); packet != no_index)
          Base::ask_at(packet, now_ + how_.packet_gap);
    if (--trains_.rest(train).lanes != 0 || messages_[index].live) return;
    free_.push_back(index);
    trains_.remove(train);
  }
  /// Whether a message waits for this lane.
  [[nodiscard]] bool waits(std::uint32_t number, unsigned which) const {
    const unsigned waiting = wires_[Base::first_of(number)].waiting;
    if (waiting == 0) return false;
    return (waiting >> (wires_[number].plain ? which : Base::first(Base::link_of(number)).of(which)) & 1) != 0;
  }

  // --- a tick
  void go_through_wires() {
    if (!Base::order_.empty()) last_ = std::max(last_, now_);
    give_free_lanes();
    more_ = trains_.prepare();
    foresee_lanes();
    Base::look_at_pairs();
    Base::settle_contests();
    if (std::exchange(Base::passes_, false)) go_through_passes();
    if (trains_.count()) last_ = std::max(last_, now_ + 1);
    Base::settle();
  }

  // --- lanes given away
  /// Those that are free when the tick begins. Where a class has several lanes, and another one might be given back
  /// within the tick, who gets which is for the passes.
  void give_free_lanes() {
    for (const std::uint32_t number : requested_) {
      if (!wires_[number].grants) continue;
      if (wires_[number].plain) [[likely]] {
        give_lanes(number, false);
        continue;
      }
      const First first = Base::first(Base::link_of(number));
      const std::uint32_t end = first.wire + first.channels;
      bool known = true;
      for (std::uint32_t wire = first.wire; wire < end; ++wire)
        known &= std::popcount(wires_[wire].owned) == wires_[wire].active;
      for (std::uint32_t wire = first.wire; wire < end; ++wire)
        if (wires_[wire].grants) known ? give_lanes(wire, false) : pending_.push_back(wire);
    }
    requested_.count = 0;
  }
  /// The free lanes of a wire to the first in their lines.
  void give_lanes(std::uint32_t number, bool in_passes) {
    Wire& wire = wires_[number];
    wire.grants = false;
    if (wire.plain) [[likely]] {
      const std::uint32_t queue = wire.lane;
      for (unsigned rest = wire.waiting & ~unsigned{wire.owned}; rest != 0; rest &= rest - 1)
        grant(queue + lowest(rest), lowest(rest), number, lowest(rest), in_passes);
      return;
    }
    const std::uint32_t link = Base::link_of(number);
    const First first = Base::first(link);
    for (unsigned rest = ~unsigned{wire.owned} & ((1U << links_[link].lanes) - 1); rest != 0; rest &= rest - 1)
      if (const unsigned klass = first.of(lowest(rest)); (wires_[first.wire].waiting >> klass & 1) != 0)
        grant(first.queue + klass, klass, number, lowest(rest), in_passes);
  }
  void grant(std::uint32_t queue, unsigned klass, std::uint32_t number, unsigned which, bool in_passes) {
    const std::uint32_t index = Base::step_out(queue);
    if (queues_[queue].empty()) wires_[Base::first_of(number)].waiting &= static_cast<std::uint8_t>(~(1U << klass));
    take_lane(index, number, which, in_passes);
  }
  /// A message gets a lane that is free.
  void take_lane(std::uint32_t index, std::uint32_t number, unsigned which, bool in_passes) {
    Message& m = messages_[index];
    m.waiting = false;
    if (m.train == no_index)
      m.train = trains_.add(index, Base::length(m));
    else if (trains_.lengthen(m.train)) [[unlikely]]
      Base::pair_up_all();
    Wire& wire = wires_[number];
    auto& rest = trains_.rest(m.train);
    Lane& lane = lanes_[wire.lane + which];
    lane.train = m.train;
    lane.hop = static_cast<std::uint16_t>(rest.first_hop + rest.top);
    trains_.path(m.train, rest.top) = number * most_lanes + which;
    ++rest.lanes;
    const Train train = trains_[m.train];
    const Word here = bit(rest.top);
    train[&Group::fresh] = here;
    train[&Group::out] = here & -Word{wire.out};
    // Of the lane before; of the first one there is no such bit.
    const std::uint32_t before = trains_.path(m.train, rest.top - 1U) / most_lanes;
    train[&Group::late] |= (here & -Word{before <= number}) << 1;
    wire.owned |= static_cast<std::uint8_t>(1U << which);
    if (wire.active == 1 && !in_passes) Base::take_down(wire);
    if (++wire.active >= 2) Base::pair_up(number, wire);
    if (!in_passes) return;
    more_ = true;
    Base::leave_to_passes(train, m.train, here);
    serve(number * most_lanes + which, 0);
  }
  /// Lanes that may be given back within the tick, and for which a message waits: the order counts in which the tail
  /// that gives it back, the head that gets it, and what comes behind that head cross their wires.
  void foresee_lanes() {
    for (const std::uint32_t number : pending_) {
      order(number);
      agenda_.put(0, number);
      const First first = Base::first(Base::link_of(number));
      for (unsigned klass = 0; klass < first.classes; ++klass)
        may_be_granted(number, queues_[first.queue + klass].last);
    }
    pending_.clear();
    trains_.each_tail([this](std::uint32_t number) { foresee_tail(number); });
  }
  void foresee_tail(std::uint32_t number) {
    const Train train = trains_[number];
    const unsigned low = trains_.rest(number).low;
    const std::uint32_t way = trains_.path(number, low - 1);  // of the first lane: of none, which does not matter
    // By arithmetic, since nothing foretells each of these: one gives a lane back, and somebody waits for one there.
    const bool wanted = (low != 0) & ((train[&Group::tail] & train[&Group::moves]) != 0) &
                        (wires_[Base::first_of(way / most_lanes)].waiting != 0);
    if (!wanted || !waits(way / most_lanes, way % most_lanes) || crosses_early(number, way)) return;
    may_be_free(way);
    order(trains_.path(number, low) / most_lanes);
  }
  /// Where it is known without the passes what becomes of a tail, and that is done. It crosses, and the head that gets
  /// the lane `way` is there when the passes come to its wire first; or that head comes later, but nothing else wants
  /// the wires over which it and what it lets go on behind it cross. Or another one sends over the tail's wire.
  bool crosses_early(std::uint32_t index, std::uint32_t way) {
    const std::uint32_t number = way / most_lanes, last = queues_[wires_[number].lane + way % most_lanes].last;
    const Wire& wire = wires_[number];
    const Train tail = trains_[index];
    const auto& rest = trains_.rest(index);
    bool late = false, shared = false;
    for (std::uint32_t before = number, at = rest.low;; ++at) {  // from the tail to a flit with a place
      if (at > rest.top) return false;
      if ((tail[&Group::lost] & bit(at)) != 0) return true;
      const std::uint32_t lane = trains_.path(index, at), over = lane / most_lanes;
      const bool ready = (tail[&Group::ready] & bit(at)) != 0;
      if (ready && wires_[over].active == 2) {
        const auto turn = Base::turn_of(over, lane % most_lanes);
        if (turn == Base::Turn::other) return true;
        if (turn == Base::Turn::unknown) return false;
        shared = at == rest.low;
      } else if (!unshared(over)) {
        return false;
      }
      late |= before <= over;
      if (ready) break;
      before = over;
    }
    if (!wire.plain || (wire.what & Wire::ordered) != 0) return false;
    const std::uint32_t message = messages_[last].next;
    if (late) {
      if (wire.active != 0 || wire.waiting != 1U << way % most_lanes) return false;
      if (const std::uint32_t granted = messages_[message].train; granted != no_index && !goes_on_alone(granted))
        return false;
    }
    if (shared) Base::other_loses(trains_.path(index, rest.low));
    if (tail[&Group::tail] == tail[&Group::fresh]) head_crosses(index, tail);
    const std::uint32_t over = trains_.path(index, rest.low) / most_lanes;
    tail_crosses(index, tail);
    if (shared) Base::pair_up(over, wires_[over]);
    give_lanes(number, false);
    trains_.prepare_last(messages_[message].train, now_);
    more_ = true;
    return true;
  }
  /// One message has flits left to send over this wire, and no other one can get a lane of it in this tick.
  [[nodiscard]] bool unshared(std::uint32_t number) const {
    const Wire& wire = wires_[number];
    if (wire.active != 1 || (wire.what & Wire::ordered) != 0) return false;
    return wires_[Base::first_of(number)].waiting == 0 || std::popcount(wire.owned) == 1;
  }
  /// When the head of a worm goes on, what it lets go on behind it shares no wire, and its tail is not among that.
  [[nodiscard]] bool goes_on_alone(std::uint32_t index) {
    const auto& rest = trains_.rest(index);
    const Train train = trains_[index];
    if (rest.low > rest.top) return !train.stores_one(bit(rest.top));
    const Word chain = Trains::chain(train[&Group::tied], bit(rest.top));
    if ((train[&Group::tail] & chain) != 0) return false;
    for (unsigned at = rest.top; (chain & bit(at)) != 0; --at)
      if (!unshared(trains_.path(index, at) / most_lanes)) return false;
    return true;
  }
  /// Somebody waits for a lane that may be given back.
  void may_be_free(std::uint32_t way) {
    const std::uint32_t number = way / most_lanes;
    order(number);
    const First first = Base::first(Base::link_of(number));
    may_be_granted(number, queues_[first.queue + first.of(way % most_lanes)].last);
  }
  /// A lane of this wire's link to the first in a line, or more.
  void may_be_granted(std::uint32_t number, std::uint32_t last) {
    if (last == no_index) return;
    const Link& link = link_of(number);
    const unsigned most = unsigned{link.lanes} * link.channels;
    std::uint32_t index = last;
    for (unsigned count = 0; count < most && (count == 0 || index != last); ++count) {
      index = messages_[index].next;
      if (const std::uint32_t train = messages_[index].train; train != no_index) may_go_on(train);
    }
  }
  void may_go_on(std::uint32_t number) {
    auto& rest = trains_.rest(number);
    if (std::exchange(rest.may_go_on, true)) return;
    Base::foreseen_.push_back(number);
    const Train train = trains_[number];
    const Word more = Trains::chain(train[&Group::tied], bit(rest.top));
    train[&Group::moves] |= more;
    if (rest.low > rest.top && train.stores_one(bit(rest.top))) {
      if (const std::uint32_t way = trains_.path(number, rest.top); waits(way / most_lanes, way % most_lanes))
        may_be_free(way);
    } else if ((train[&Group::tail] & more) != 0) {
      trains_.put_tail(number);
    }
  }

  // --- passes
  void go_through_passes() {
    for (const std::uint32_t number : Base::left_) {
      const Train train = trains_[number];
      const Word sends = train[&Group::ready] | (train[&Group::tied] & train[&Group::moves] << 1);
      for (Word all = trains_.rest(number).ordered & sends; all != 0; all &= ~bit(Trains::first_of(all)))
        serve_first(number, train, Trains::first_of(all));
    }
    in_passes_ = true;
    while (!agenda_.empty()) {
      const auto next = agenda_.take();
      pass_ = next.pass;
      place_ = next.number + 1;
      look(next.number);
    }
    agenda_.begin();
    in_passes_ = false;
  }
  /// A lane that the passes are to serve, from the first one on if it has a place, or from when the one after it sends.
  void serve_first(std::uint32_t number, const Train& train, unsigned at) {
    const std::uint32_t way = trains_.path(number, at);
    Wire& wire = wires_[way / most_lanes];
    Lane& lane = lanes_[wire.lane + way % most_lanes];
    wire.what |= 1U << way % most_lanes;
    if ((train[&Group::ready] & bit(at)) != 0) return agenda_.put(0, way / most_lanes);
    unsigned from = at + 1;
    while ((train[&Group::ready] & train[&Group::moves] & bit(from)) == 0) ++from;
    lane.pass = 0;
    for (std::uint32_t after = trains_.path(number, from) / most_lanes; from-- > at;) {
      const std::uint32_t next = trains_.path(number, from) / most_lanes;
      lane.pass += next <= after;
      after = next;
    }
    if (lane.pass != 0) wire.what |= 1U << (way % most_lanes + Wire::late_at);
    agenda_.put(lane.pass, way / most_lanes);
  }
  /// In a pass: from pass `pass` on.
  void serve(std::uint32_t way, std::uint64_t pass) {
    Wire& wire = wires_[way / most_lanes];
    if ((wire.what & Wire::sent) != 0) return;
    lanes_[wire.lane + way % most_lanes].pass = static_cast<std::uint16_t>(pass);
    wire.what |= 1U << way % most_lanes;
    if (pass != pass_) wire.what |= 1U << (way % most_lanes + Wire::late_at);
    agenda_.put(pass, way / most_lanes);
  }
  void look(std::uint32_t number) {
    Wire& wire = wires_[number];
    if (wire.grants) give_lanes(number, true);
    if ((wire.what & Wire::sent) != 0) return;
    unsigned ready = wire.what & Wire::lanes;
    for (unsigned late = wire.what >> Wire::late_at & Wire::lanes; late != 0; late &= late - 1)
      if (const unsigned pass = lanes_[wire.lane + lowest(late)].pass; pass > pass_) {
        ready &= ~(late & -late);
        agenda_.put(pass, number);
      }
    if (ready == 0) return;
    const unsigned which = first_in_turn(ready, wire.turn);
    Base::sends(wire, which);
    wire.what |= Wire::sent;
    const Lane& lane = lanes_[wire.lane + which];
    const std::uint32_t index = lane.train;
    const Train train = trains_[index];
    const Word here = bit(lane.hop - unsigned{trains_.rest(index).first_hop});
    train[&Group::moves] |= here;
    if (here == train[&Group::fresh]) head_crosses(index, train);
    if (here == train[&Group::low] && is_tail(index, train))
      tail_crosses(index, train);
    else
      let_go_on(index, train, here << 1, number);
  }
  /// The lane of bit `here` and those behind it, if their buffers were full: the one after has sent over wire `after`.
  void let_go_on(std::uint32_t index, const Train& train, Word here, std::uint32_t after) {
    for (std::uint64_t pass = pass_; (here & train[&Group::tied] & ~train[&Group::moves]) != 0; here <<= 1) {
      const std::uint32_t way = trains_.path(index, Trains::first_of(here)), wire = way / most_lanes;
      pass += wire <= after;
      if ((here & trains_.rest(index).ordered) != 0) return serve(way, pass);
      if ((here & train[&Group::lost]) != 0) return;
      train[&Group::moves] |= here;
      Base::sends(wires_[wire], way % most_lanes);
      if (here == train[&Group::low] && is_tail(index, train)) return tail_crosses(index, train);
      after = wire;
    }
  }
  /// Whether the next flit of the first lane that has flits left is its last.
  [[nodiscard]] bool is_tail(std::uint32_t number, const Train& train) const {
    const auto& rest = trains_.rest(number);
    if (rest.passed == now_) return false;
    return rest.low == 0 ? train[&Group::left] == 1 : train.stores_one(bit(rest.low - 1U));
  }

  // --- heads and tails
  void head_crosses(std::uint32_t number, const Train& train) {
    const auto& rest = trains_.rest(number);
    const Link& link = link_of(trains_.path(number, rest.top) / most_lanes);
    Message& m = messages_[rest.message];
    const Word out = train[&Group::out];
    train[&Group::fresh] = 0;
    m.entered = m.hops++ == 0 ? now_ : m.entered;
    if (out != 0)
      m.head = now_;
    else if (link.head == 1)
      Base::ask_next(rest.message, m);
    else
      Base::ask_at(rest.message, m, now_ + link.head);
    last_ = std::max(last_, now_ + link.head);
  }
  void tail_crosses(std::uint32_t index, const Train& train) {
    auto& rest = trains_.rest(index);
    const unsigned low = rest.low++;
    const std::uint32_t way = trains_.path(index, low), number = way / most_lanes;
    Wire& wire = wires_[number];
    Base::sends(wire, way % most_lanes);
    if (--wire.active >= 1) unsettle(number, wire);
    const bool out = train[&Group::out] == train[&Group::low];
    rest.passed = now_;
    train[&Group::tail] = 0;
    train[&Group::low] >>= 1;
    if (low == 0 && rest.first_hop == 0) {
      Message& m = messages_[rest.message];
      m.more = m.row != none && parts_[m.row].left != 0;
      if (!m.more) Base::left_source(m.key, now_ + 1);
    }
    if (out) {
      const Message& m = messages_[rest.message];
      const std::uint32_t flits = Base::length(m), head = link_of(number).head;
      const Tick left = std::max(m.head + head + (flits - 1), now_ + (flits == 1 ? head : 1));
      last_ = std::max(last_, left);
      table_.put(now_, left, lane_free, way);
      Base::arrived(rest.message, m.head, now_);
    }
    if (low != 0) {
      const std::uint32_t before = trains_.path(index, low - 1);
      release(before / most_lanes, before % most_lanes);
    }
  }

  Numbers requested_;                   // wires of which lanes may be given away
  std::vector<std::uint32_t> pending_;  // of these, in the passes
  Agenda agenda_;                       // wires that the passes come to
  Tick pass_ = 0, last_ = 0;
  std::uint32_t place_ = 0;                                // 1 and the wire in the pass
  bool more_ = false, in_passes_ = false, ended_ = false;  // `more_`: in the next tick something may move
};

/// For worms that hold 32 lanes at most, and for longer ones; LongWorm is thrown where one is too long.
template <class Source, class Observer>
using FlitsByTick = FlitsByTickOf<Source, Observer, std::uint32_t>;
template <class Source, class Observer>
using LongWormsByTick = FlitsByTickOf<Source, Observer, std::uint64_t>;

}  // namespace assay::network
