// The flit engine: wormhole switching with virtual channels that share a wire flit by flit; by changes, not by flits.
//
// What is simulated. A message holds a lane (virtual channel with a buffer of B flits at the far end) of each link on
// its way, from the grant until its tail has left the buffer and its last credit is back. In each tick:
//   1. what was under way arrives: flits in buffers, credits (r after a flit's start), lanes given back;
//   2. heads that are ready (h after their start) and new messages ask for their next link, in order of message; the
//      routing's choice is made once, here; they join the queue of that link's lane class;
//   3. the wires are gone through upwards, again and again until nothing moves: a free lane goes to the first in its
//      queue; a wire that is free (f after the last start) takes one flit of the lane whose turn it is among those
//      with a flit at hand and a place at the far end.
// With r = 0 or w = 0 a start gives way to another in the same tick. A routing that needs n lanes gets n classes; a
// link of more lanes than that has several of each class: lane l is of class l mod n. With one lane per link this is
// the worm engine's rule, tick for tick. (Dally 1992; Dally and Towles 2004, chapter 16.)
//
// How. Where a worm shares no wire, its flits are simulated in closed form, head by head (unshared.hpp). For each wire
// that it shares it has a plan (course.hpp, plans.hpp): its next flits cross at t, t + p, t + 2 p, …, presumed to go on
// until something says otherwise. The plan of a wire follows from the plans of the wires before and behind it,
// by the recursion of course.hpp; an event comes only when a plan ends: the first flit that will not be as presumed,
// the head, the tail. Every flit's time then obeys the recursion up to the next event, and nothing is done on the word
// of a presumption before its moment has come: so the times are those of tests/native/flit_by_flit.hpp, which sends
// every flit, to the tick.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "network/circle.hpp"
#include "network/flit/unshared.hpp"

namespace assay::network {

template <class Source, class Observer>
class FlitEngine : public UnsharedLinks<FlitEngine<Source, Observer>, Source, Observer> {
  using Base = UnsharedLinks<FlitEngine, Source, Observer>;
  friend LaneEngine<FlitEngine, LaneWorm, Line, Source, Observer, FlitWire>;
  using typename Base::Tick, typename Base::Wire, typename Base::First;

 public:
  static constexpr const char* name = "flit";
  using Message = LaneWorm;

  FlitEngine(const Fabric& fabric, const Routing& routing, const Switching& how, Source& source, Observer& observer,
             events::Random random, std::uint32_t span)
      : Base(fabric, routing, how, source, observer, random, span) {}

  bool run(Tick end) {
    const bool more = Base::run(end);
    ran_to_ = more ? moment::at(end) : moment::never;
    if (!more) count_flits();
    ended_ = !more;
    return more;
  }
  [[nodiscard]] const std::vector<std::uint64_t>& flits_by_link() {
    count_flits();
    return flits_by_link_;
  }
  /// The last tick in which anything happened.
  [[nodiscard]] Tick now() const { return ended_ ? last_ : now_; }
  [[nodiscard]] std::size_t memory() const {
    return Base::common_memory() + Base::plans_memory() + counted_.capacity() * 4;
  }
  /// How many plans were made for wires.
  [[nodiscard]] std::uint64_t plans() const { return Base::plans_; }
  /// Lets the observer know which lanes are held for ever.
  void report_standing() {
    for (const Stop& stop : stops_)
      if (stop.message != no_index && stop.wire != none && stop.course.crossed() != 0 &&
          stop.course.crossed() < stop.flits)
        crossed(stop, Crossing::never);
  }
  /// Messages that can never move again, and one circle of them.
  void find_deadlock(Outcome& outcome) const {
    Circle circle(messages_.size());
    for (std::uint32_t i = 0; i < messages_.size(); ++i)
      if (messages_[i].live && messages_[i].waiting)
        circle.waits(i, [&, i](auto call) {
          const First first = Base::first(messages_[i].want);
          for (unsigned c = 0; c < links_[messages_[i].want].channels; ++c)
            for (unsigned lane = messages_[i].klass; lane < lanes(messages_[i].want); lane += first.classes) {
              const auto owner = owner_[wires_[first.wire + c].lane + lane];
              call(owner == no_index ? no_index : stops_[owner].message);
            }
        });
    circle.report(outcome, [&](std::uint32_t i) { return Base::described(messages_[i]); });
  }

 private:
  using Base::agenda_, Base::owner_, Base::pass_, Base::place_, Base::stops_;
  using Base::change, Base::gone_through, Base::here, Base::holds_back, Base::list, Base::plan, Base::plan_others,
      Base::plan_sink, Base::settle;
  using Base::fabric_, Base::links_, Base::how_, Base::table_, Base::queues_, Base::wires_, Base::messages_;
  using Base::free_, Base::flits_by_link_, Base::parts_, Base::now_, Base::no_index, Base::lanes;
  using typename Base::Kind;
  /// Messages that wait for this lane class, and one more if none of its lanes is free.
  [[nodiscard]] std::uint32_t queue(std::uint32_t link, unsigned lane) const override {
    const First first = Base::first(link);
    const std::uint32_t waiting = Base::waiting(first.queue + lane);
    for (unsigned c = 0; c < links_[link].channels; ++c)
      for (unsigned l = lane; l < lanes(link); l += first.classes)
        if (owner_[wires_[first.wire + c].lane + l] == no_index) return waiting;
    return waiting + 1;
  }

  // --- events
  void post(unsigned kind, std::uint32_t number, Tick time) {
    if (time == now_)
      happens(kind, number);
    else
      table_.put(now_, time, kind, number);
  }
  void happens(unsigned kind, std::uint32_t number) {
    switch (kind) {
      case Base::wire_due:
        if (const Moment due = wires_[number].due; moment::tick(due) == now_) agenda_.put(moment::pass(due), number);
        return;
      case Base::sink_due:
        if (const Stop& stop = stops_[number]; stop.message == no_index || stop.wire != none)
          return;
        else if (stop.granted == here())
          serve_sink(number);
        else if (moment::tick(stop.granted) == now_)
          agenda_.put_sink(moment::pass(stop.granted), number);
        return;
      case Base::lane_free:
        return release(number);
      default:
        return;
    }
  }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> place(const Message& m) const {
    return {m.at == no_index ? none : stops_.number_of_link(stops_[m.at]), m.klass};
  }
  void queue_up(std::uint32_t index) {
    const Message& m = messages_[index];
    const std::uint32_t wire = Base::first_wire(m.want);
    Base::line_up(wires_[wire].lane + m.klass, index);
    wires_[wire].waited = true;
    for (unsigned c = 0; c < links_[m.want].channels; ++c) agenda_.put(0, wire + c);
  }
  void release(std::uint32_t number) {
    Stop& stop = stops_[number];
    owner_[wires_[stop.wire].lane + stop.lane] = no_index;
    stop.released = true;
    last_ = std::max(last_, now_);
    if (wires_[Base::first_of(stop.wire)].waited) {
      const First first = Base::first(stops_.number_of_link(stop));
      if (!queues_[first.queue + first.of(stop.lane)].empty()) agenda_.put(pass_ + gone_through(stop.wire), stop.wire);
    }
    if (stop.before == no_index && stop.more) {
      const Message& m = messages_[stop.message];
      if (const auto packet = Base::next_packet(m.row, m.key); packet != no_index)
        Base::ask_at(packet, now_ + how_.packet_gap);
    }
    if (stop.drained) forget(number);
  }
  void forget(std::uint32_t number) {
    const std::uint32_t index = stops_[number].message;
    Message& m = messages_[index];
    if (!stops_[number].kept) stops_.remove(number);
    if (--m.stops != 0) return;
    if (m.shares) remove_kept(m.at);
    if (!m.live) free_.push_back(index);
  }
  void remove_kept(std::uint32_t number) {
    for (bool oldest = false; !oldest; number = stops_[number].before) {
      oldest = stops_[number].oldest;
      stops_.remove(number);
    }
  }

  /// The wires at which something is to be done in this tick.
  void go_through_wires() {
    if (!Base::order_.empty()) last_ = std::max(last_, now_);
    while (!agenda_.empty()) {
      const auto next = agenda_.take();
      pass_ = next.pass;
      place_ = next.sink ? 0 : next.number + 1;
      if (!next.sink)
        look(next.number);
      else if (const Stop& stop = stops_[next.number];
               stop.message != no_index && stop.wire == none && stop.granted == here())
        serve_sink(next.number);
    }
    pass_ = place_ = 0;
    agenda_.begin();
  }
  void look(std::uint32_t number) {
    Wire& wire = wires_[number];
    const Link& link = stops_.link_of(number);
    const std::uint32_t granted = wires_[Base::first_of(number)].waited ? give_lanes(wire, number) : no_index;
    if (granted != no_index && wire.active == 1 && wire.free_at <= now_) {  // its head crosses at once
      const std::uint32_t index = stops_[granted].message;
      stops_[granted].course.head_comes(here());
      wire.due = moment::never;
      cross(granted, wire, link);
      if (stops_[granted].planned) {
        plan(number);
        Base::list_before(granted, 0);
      }
      if (messages_[index].simple) Base::advance(messages_[index]);
    } else {
      if (granted != no_index) {
        Base::share(wire, link);
        Base::list_before(granted, 0);
      }
      if (granted != no_index || (wire.due == here() && wire.special == Wire::no_lane)) plan(number, true);
      if (wire.due == here() && wire.special != Wire::no_lane) {
        const std::uint32_t special = owner_[wire.lane + wire.special];
        Stop& stop = stops_[special];
        const std::uint32_t index = stop.message;
        const bool head = stop.course.crossed() == 0;
        if (!stop.planned)
          stop.course.tail_comes(here(), stop.flits);
        else
          settle(number, wire, link, stop.lane, stop);
        cross(special, wire, link);
        plan(number);
        if (messages_[index].simple) head ? Base::advance(messages_[index]) : Base::retreat(messages_[index]);
      }
    }
    if (!Base::changed_.empty()) plan_others();
  }

  /// Its free lanes to the first in their queues: the last stop that comes of it.
  std::uint32_t give_lanes(const Wire& wire, std::uint32_t number) {
    const First first = Base::first(Base::link_of(number));
    const unsigned lanes = stops_.link_of(number).lanes;
    std::uint32_t granted = no_index;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (owner_[wire.lane + lane] != no_index) continue;
      const std::uint32_t queue = first.queue + first.of(lane);
      if (queues_[queue].empty()) continue;
      if (granted != no_index) Base::list_before(granted, 0);
      granted = grant(queue, number, lane);
    }
    if (granted != no_index) {
      std::uint32_t all = no_index;
      for (unsigned klass = 0; klass < first.classes; ++klass) all &= queues_[first.queue + klass].last;
      wires_[first.wire].waited = all != no_index;
    }
    return granted;
  }

  // --- flits
  std::uint32_t grant(std::uint32_t queue, std::uint32_t wire, unsigned lane) {
    const std::uint32_t index = Base::step_out(queue);
    Message& m = messages_[index];
    m.waiting = false;
    if (m.at == no_index) Base::begin(m);
    const std::uint32_t number = stops_.add(index, Base::length(m));
    Stop& stop = stops_[number];
    stop.more = m.row != none && parts_[m.row].left != 0;  // its release starts the next packet
    stop.wire = wire;
    stop.lane = static_cast<std::uint8_t>(lane);
    stop.before = m.at;
    stop.granted = here();
    if (m.at != no_index) {
      Stop& before = stops_[m.at];
      before.after = number;
      stop.fed = before.planned | before.fed;
    }
    Base::add(m, number);
    m.at = number;
    ++m.stops;
    ++wires_[wire].active;
    return owner_[wires_[wire].lane + lane] = number;
  }
  /// The head or the tail crosses now.
  void cross(std::uint32_t number, Wire& wire, const Link& link) {
    Stop* stop = &stops_[number];
    Message& m = messages_[stop->message];
    const bool out = link.kind == LinkKind::ejection;
    last_ = std::max(last_, now_ + (stop->course.crossed() == 0 ? link.head : link.body));
    wire.free_at = now_ + link.flit;
    wire.turn = Base::next_turn(stop->lane, link);
    stop->course.cross();
    if (stop->course.crossed() == 1) {
      stop->granted = here();
      ++m.hops;
      if (stop->before == no_index) m.entered = now_;
      if (!out) Base::ask_at(stop->message, now_ + link.head);
      if (out && holds_back(link)) {
        const std::uint32_t sink = stops_.add(stop->message, stop->flits);  // may move `stop`
        stop = &stops_[number];
        stop->after = sink;
        stops_[sink].wire = none;
        stops_[sink].before = number;
        stops_[sink].fed = true;
        list(sink);
      }
    }
    if (stop->course.crossed() == stop->flits) {
      --wire.active;
      tail_crosses(number, link, out);
    }
  }
  void tail_crosses(std::uint32_t number, const Link& link, bool out) {
    Stop& stop = stops_[number];
    const std::uint32_t before = stop.before;
    if (!flits_by_link_.empty()) {
      flits_by_link_[stops_.number_of_link(stop)] += stop.flits;
      if (number < counted_.size()) flits_by_link_[stops_.number_of_link(stop)] -= std::exchange(counted_[number], 0);
    }
    crossed(stop, now_);
    if (before == no_index && !stop.more) Base::left_source(messages_[stop.message].key, now_ + link.flit);
    if (link.buffer == 0) post(Base::lane_free, number, now_ + link.flit);
    if (out) {
      if (stop.after == no_index) {  // the sink holds nothing back: the tail leaves into it at once, or behind the head
        const std::uint64_t head = stop.first() + link.head + std::uint64_t{how_.sink_ticks} * (stop.flits - 1);
        const std::uint64_t tail = stop.flits == 1 ? now_ + link.head : now_ + link.body;
        last_ = std::max(last_, std::max(head, tail));
        leave(number, std::max(head, tail));
      }
      Base::arrived(stop.message, stop.first(), now_);
      if (stop.after != no_index && link.body == 0) {
        plan_sink(stop.after);
        take_tail(stop.after);
      }
    }
    if (before != no_index) leave(before, now_);
  }
  /// The tail starts to leave the buffer of this stop at `time`.
  void leave(std::uint32_t number, Tick time) {
    Stop& stop = stops_[number];
    const Link& link = stops_.link(stop);
    stop.drained = true;
    if (link.buffer != 0)
      post(Base::lane_free, number,
           std::max(time + link.credit, moment::tick(stop.course.last(stops_.past())) + link.flit));
    else if (stop.released)
      forget(number);
  }

  void crossed(const Stop& stop, Tick tail) {
    Base::crossed(messages_[stop.message].key, stops_.number_of_link(stop), wires_[stop.wire].lane + stop.lane,
                  stop.first(), tail);
  }

  // --- sinks
  /// The sink takes the tail, if that is now.
  void take_tail(std::uint32_t number) {
    Stop& stop = stops_[number];
    if (stop.granted == moment::never || moment::tick(stop.granted) != now_ || stop.course.crossed() + 1 != stop.flits)
      return;
    last_ = std::max(last_, now_);
    stop.course.cross();
    stops_.remove(number);
    leave(stop.before, now_);
  }
  void serve_sink(std::uint32_t number) {
    plan_sink(number);
    if (stops_[stops_[number].before].course.crossed() == stops_[number].flits) take_tail(number);
    plan_others();
  }

  /// It never goes on: when the last flit came that did come, and the last credit.
  void stands(const Stop& stop, const Course& course) {
    const Link& link = stops_.link(stop);
    const Tick start = moment::tick(course.last(stops_.past()));
    last_ = std::max({last_, stop.first() + link.head, start + (course.crossed() == 1 ? link.head : link.body)});
    if (stop.before == no_index) return;
    const Link& before = stops_.link(stops_[stop.before]);
    if (before.buffer != 0 && std::uint64_t{course.crossed()} - 1 + before.buffer < stop.flits)
      last_ = std::max(last_, start + before.credit);
  }
  /// Brings flits_by_link_ up to where the run has come.
  void count_flits() {
    const Moment end = ran_to_;
    if (counted_to_ == end) return;
    counted_to_ = end;
    if (!flits_by_link_.empty()) counted_.resize(stops_.size());
    for (std::uint32_t number = 0; number < stops_.size(); ++number) {
      const Stop& stop = stops_[number];
      if (stop.message == no_index || stop.wire == none) continue;
      const std::uint32_t crossed = stop.course.crossed();
      if (crossed == stop.flits) continue;
      Course course = !stop.planned && crossed != 0 ? Base::course(stop, end, false, nullptr) : stop.course;
      if (crossed != 0 && stop.planned) course.settle(end, false, stop.flits - 1);
      if (!flits_by_link_.empty())
        flits_by_link_[stops_.number_of_link(stop)] +=
            course.crossed() - std::exchange(counted_[number], course.crossed());
      if (end == moment::never && course.crossed() != 0) stands(stop, course);
    }
  }

  std::vector<std::uint32_t> counted_;  // by stop: flits that are in flits_by_link_
  Tick last_ = 0;
  Moment ran_to_ = 0, counted_to_ = 0;
  bool ended_ = false;
};

}  // namespace assay::network
