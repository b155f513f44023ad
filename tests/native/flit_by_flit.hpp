// The flit engine's judge: wormhole switching with virtual channels that share a wire, every flit sent by an event.
//
// It has routes, queues and messages from the same base (lane_engine.hpp) and everything of flits, lanes and credits
// for itself; flits.hpp judges it in turn, and shares nothing with either. Tick by tick, but only over what moves: a
// wire is looked at when something has changed for it (a flit has come, a credit, its turn, a lane that is free again).
// A message holds a lane (virtual channel with a buffer of B flits at the far end) of each link on its way, from the
// grant until its tail has left the buffer and its last credit is back. In each tick:
//   1. what was under way arrives: flits in buffers, credits (r after a flit's start), lanes given back;
//   2. heads that are ready (h after their start) and new messages ask for their next link, in order of message; the
//      routing's choice is made once, here; they join the queue of that link's lane class;
//   3. the wires that something has changed for are gone through upwards, again and again until nothing moves: a free
//      lane goes to the first in its queue; a wire that is free (f after the last start) takes one flit of the lane
//      whose turn it is among those with a flit at hand and a place at the far end.
// With r = 0 or w = 0 a start gives way to another in the same tick. A routing that needs n lanes gets n classes; a
// link of more lanes than that has several of each class: lane l is of class l mod n.
// With one lane per link this is the worm engine's rule, tick for tick. (Dally 1992; Dally and Towles 2004,
// chapter 16.)
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/circle.hpp"
#include "network/lane_engine.hpp"
#include "network/marks.hpp"

namespace assay::network {

struct FlitWorm : LaneMessage {
  std::uint64_t head = 0;                          // crosses the last link
  std::uint32_t at = events::no_index, stops = 0;  // the last of its stops; how many there are
};

struct PlainWire {
  std::uint64_t free_at = 0, wake = ~std::uint64_t{0};
  std::uint32_t lane = 0, turn = 0;
};

template <class Source, class Observer>
class FlitByFlit : public LaneEngine<FlitByFlit<Source, Observer>, FlitWorm, Line, Source, Observer, PlainWire> {
  using Base = LaneEngine<FlitByFlit, FlitWorm, Line, Source, Observer, PlainWire>;
  friend Base;
  using typename Base::Tick, typename Base::Wire, typename Base::First;

 public:
  static constexpr const char* name = "flit";
  using Message = FlitWorm;

  FlitByFlit(const Fabric& fabric, const Routing& routing, const Switching& how, Source& source, Observer& observer,
             events::Random random, std::uint32_t span)
      : Base(fabric, routing, how, source, observer, random, span, span),
        owner_(Base::lane_count_, no_index),
        marks_(wires_.size()) {}

  [[nodiscard]] std::size_t memory() const {
    return Base::common_memory() + stops_.capacity() * sizeof(Stop) + owner_.capacity() * 4;
  }
  /// Lets the observer know which lanes are held for ever.
  void report_standing() {
    for (const Stop& stop : stops_)
      if (stop.message != no_index && stop.crossed != 0 && stop.crossed < stop.flits)
        Base::crossed(messages_[stop.message].key, stop.link, stop.lane, stop.first, Crossing::never);
  }
  /// Messages that can never move again, and one circle of them.
  void find_deadlock(Outcome& outcome) const {
    Circle circle(messages_.size());
    for (std::uint32_t i = 0; i < messages_.size(); ++i)
      if (messages_[i].live && messages_[i].waiting)
        circle.waits(i, [&, i](auto call) {
          const First first = Base::first(messages_[i].want);
          for (unsigned c = 0; c < fabric_.links[messages_[i].want].channels; ++c)
            for (unsigned lane = messages_[i].klass; lane < lanes(messages_[i].want); lane += first.classes) {
              const auto owner = owner_[wires_[first.wire + c].lane + lane];
              call(owner == no_index ? no_index : stops_[owner].message);
            }
        });
    circle.report(outcome, [&](std::uint32_t i) { return Base::described(messages_[i]); });
  }

 private:
  using Base::fabric_, Base::how_, Base::table_, Base::queues_, Base::wires_, Base::messages_;
  using Base::free_, Base::requests_, Base::flits_by_link_, Base::parts_, Base::now_, Base::no_index;
  enum Kind : unsigned { flit_comes, head_comes, credit_comes, wire_free, lane_free, sink_free, packet_asks };
  /// What a message has of one link: its lane, and the flits in the buffer at the far end.
  struct Stop {
    std::uint32_t message = no_index, flits = 0, row = none;
    std::uint32_t link = 0, wire = 0, lane = 0;                   // lane: among all
    std::uint32_t before = no_index, after = no_index;            // stops of the same message
    std::uint32_t crossed = 0, ready = 0, credits = 0, sunk = 0;  // flits; credits that came back
    Tick first = 0, last = 0, sinks = 0;  // starts of the first and last flit; when the sink takes another
    bool headed = false, drained = false, released = false;
  };
  [[nodiscard]] unsigned lanes(std::uint32_t link) const { return fabric_.links[link].lanes; }
  /// Messages that wait for this lane class, and one more if none of its lanes is free.
  [[nodiscard]] std::uint32_t queue(std::uint32_t link, unsigned lane) const override {
    const First first = Base::first(link);
    const std::uint32_t waiting = Base::waiting(first.queue + lane);
    for (unsigned c = 0; c < fabric_.links[link].channels; ++c)
      for (unsigned l = lane; l < lanes(link); l += first.classes)
        if (owner_[wires_[first.wire + c].lane + l] == no_index) return waiting;
    return waiting + 1;
  }

  void post(unsigned kind, std::uint32_t number, Tick time) {
    if (time == now_)
      happens(kind, number);
    else
      table_.put(now_, time, kind, number);
  }
  void happens(unsigned kind, std::uint32_t number) {
    switch (kind) {
      case flit_comes: {
        Stop& stop = stops_[number];
        ++stop.ready;
        if (fabric_.links[stop.link].kind == LinkKind::ejection)
          sink(number);
        else if (stop.after != no_index)
          marks_.put(stops_[stop.after].wire);
        return;
      }
      case head_comes: {
        Stop& stop = stops_[number];
        ++stop.ready;
        stop.headed = true;
        if (fabric_.links[stop.link].kind == LinkKind::ejection)
          sink(number);
        else
          requests_.push_back(stop.message);
        return;
      }
      case credit_comes:
        ++stops_[number].credits;
        marks_.put(stops_[number].wire);
        return;
      case wire_free:
        marks_.put(number);
        return;
      case lane_free:
        return release(number);
      case packet_asks:
        return requests_.push_back(number);
      default:
        return sink(number);
    }
  }

  void deliver(std::uint32_t index) { Base::arrived(index, messages_[index].head, now_); }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> place(const Message& m) const {
    return {m.at == no_index ? none : stops_[m.at].link, m.klass};
  }
  void queue_up(std::uint32_t index) {
    const Message& m = messages_[index];
    const First first = Base::first(m.want);
    Base::line_up(first.queue + m.klass, index);
    for (unsigned c = 0; c < first.channels; ++c) marks_.put(first.wire + c);
  }

  // --- wires
  /// Those that something has changed for, upwards, until nothing moves.
  void go_through_wires() {
    for (std::uint32_t wire = marks_.take(0); wire != Marks::nothing; wire = marks_.take(wire + 1)) look(wire);
  }
  void look(std::uint32_t number) {
    Wire& wire = wires_[number];
    const Link& link = fabric_.links[Base::link_of(number)];
    const First first = Base::first(Base::link_of(number));
    for (unsigned lane = 0; lane < link.lanes; ++lane)
      if (owner_[wire.lane + lane] == no_index)
        if (const std::uint32_t queue = first.queue + lane % first.classes; !queues_[queue].empty())
          grant(queue, number, wire.lane + lane);
    unsigned lane = whose_turn(wire, link);
    if (lane < link.lanes && wire.free_at <= now_) {
      wire.turn = lane + 1 < link.lanes ? lane + 1 : 0;
      wire.free_at = now_ + link.flit;
      cross(owner_[wire.lane + lane]);
      lane = whose_turn(wire, link);
    }
    if (lane < link.lanes && wire.wake != wire.free_at) {
      wire.wake = wire.free_at;
      post(wire_free, number, wire.free_at);
    }
  }
  /// The first lane from `turn` on with a flit at hand and a place for it; as many as there are lanes if none.
  [[nodiscard]] unsigned whose_turn(const Wire& wire, const Link& link) const {
    for (unsigned step = 0; step < link.lanes; ++step) {
      const unsigned lane = wire.turn + step < link.lanes ? wire.turn + step : wire.turn + step - link.lanes;
      const std::uint32_t stop = owner_[wire.lane + lane];
      if (stop != no_index && may_cross(stops_[stop], link)) return lane;
    }
    return link.lanes;
  }
  [[nodiscard]] bool may_cross(const Stop& stop, const Link& link) const {
    return stop.crossed < stop.flits && (stop.before == no_index || stops_[stop.before].ready > stop.crossed) &&
           (link.buffer == 0 || stop.crossed - stop.credits < link.buffer);
  }
  void grant(std::uint32_t queue, std::uint32_t wire, std::uint32_t lane) {
    const std::uint32_t index = Base::step_out(queue);
    Message& m = messages_[index];
    m.waiting = false;
    std::uint32_t number = static_cast<std::uint32_t>(stops_.size());
    if (free_stops_.empty()) {
      stops_.emplace_back();
    } else {
      number = free_stops_.back();
      free_stops_.pop_back();
      stops_[number] = {};
    }
    Stop& stop = stops_[number];
    stop.message = index;
    stop.flits = Base::length(m);
    if (m.row != none && parts_[m.row].left != 0) stop.row = m.row;  // its release starts the next packet
    stop.link = m.want;
    stop.wire = wire;
    stop.lane = lane;
    stop.before = m.at;
    if (m.at != no_index) stops_[m.at].after = number;
    m.at = number;
    ++m.stops;
    owner_[lane] = number;
  }
  void cross(std::uint32_t number) {
    Stop& stop = stops_[number];
    const Link& link = fabric_.links[stop.link];
    const std::uint32_t before = stop.before, flit = stop.crossed++;
    const bool last = flit + 1 == stop.flits, out = link.kind == LinkKind::ejection;
    if (!flits_by_link_.empty()) ++flits_by_link_[stop.link];
    stop.last = now_;
    if (flit == 0) {
      stop.first = now_;
      Message& m = messages_[stop.message];
      ++m.hops;
      if (before == no_index) m.entered = now_;
      if (out) m.head = now_;
    }
    if (last) Base::crossed(messages_[stop.message].key, stop.link, stop.lane, stop.first, now_);
    if (last && before == no_index && stop.row == none)
      Base::left_source(messages_[stop.message].key, now_ + link.flit);
    if (last && out) deliver(stop.message);
    if (last && link.buffer == 0) post(lane_free, number, now_ + link.flit);
    post(flit == 0 ? head_comes : flit_comes, number, now_ + (flit == 0 ? link.head : link.body));
    if (before != no_index) leave(before, flit);
  }
  /// A flit starts to leave the buffer of this stop.
  void leave(std::uint32_t number, std::uint32_t flit) {
    Stop& stop = stops_[number];
    const Link& link = fabric_.links[stop.link];
    if (flit + 1 == stop.flits) {
      stop.drained = true;
      if (link.buffer != 0)
        post(lane_free, number, std::max(now_ + link.credit, stop.last + link.flit));
      else if (stop.released)
        forget(number);
    } else if (link.buffer != 0 && std::uint64_t{flit} + link.buffer < stop.flits) {
      post(credit_comes, number, now_ + link.credit);
    }
  }
  void release(std::uint32_t number) {
    Stop& stop = stops_[number];
    owner_[stop.lane] = no_index;
    stop.released = true;
    marks_.put(stop.wire);
    if (stop.before == no_index && stop.row != none)
      if (const auto packet = Base::next_packet(stop.row, messages_[stop.message].key); packet != no_index)
        post(packet_asks, packet, now_ + how_.packet_gap);
    if (stops_[number].drained) forget(number);
  }
  void forget(std::uint32_t number) {
    const std::uint32_t index = stops_[number].message;
    stops_[number].message = no_index;
    free_stops_.push_back(number);
    if (--messages_[index].stops == 0 && !messages_[index].live) free_.push_back(index);
  }
  void sink(std::uint32_t number) {
    Stop& stop = stops_[number];
    if (stop.message == no_index || !stop.headed || stop.sunk == stop.ready || stop.sinks > now_) return;
    const std::uint32_t flit = stop.sunk++;
    stop.sinks = now_ + how_.sink_ticks;
    if (flit + 1 < stop.flits) post(sink_free, number, stop.sinks);
    leave(number, flit);
  }

  std::vector<std::uint32_t> owner_;  // by wire and lane: the stop
  Marks marks_;
  std::vector<Stop> stops_;
  std::vector<std::uint32_t> free_stops_;
};

}  // namespace assay::network
