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
// How. Each worm has for each of its links a plan (course.hpp): its next flits cross at t, t + p, t + 2 p, …, presumed
// to go on until something says otherwise. The plan of a wire follows from the plans of the links before and behind it,
// by the recursion above: a wire with one lane that is ready takes its flits as they come; where all ready lanes are
// ready again at each of their turns they take turns, a flit each; otherwise one flit is planned at a time. An event
// comes only when a plan ends: the first flit that will not be as presumed, the head, the tail. A plan that changes
// lets the plans before and behind it be made again, until none changes. Every flit's time then obeys the recursion up
// to the next event, and nothing is done on the word of a presumption before its moment has come: so the times are
// those of tests/native/flit_by_flit.hpp, which sends every flit, to the tick.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/circle.hpp"
#include "network/flit/agenda.hpp"
#include "network/flit/course.hpp"
#include "network/flit/stops.hpp"
#include "network/lane_engine.hpp"

namespace assay::network {

struct LaneWorm : LaneMessage {
  std::uint32_t at = events::no_index, stops = 0;  // the last of its stops; how many there are
};

template <class Source, class Observer>
class FlitEngine : public LaneEngine<FlitEngine<Source, Observer>, LaneWorm, Line, Source, Observer> {
  using Base = LaneEngine<FlitEngine, LaneWorm, Line, Source, Observer>;
  friend Base;
  using typename Base::Tick, typename Base::Wire, typename Base::First;

 public:
  static constexpr const char* name = "flit";
  using Message = LaneWorm;

  FlitEngine(const Fabric& fabric, const Routing& routing, const Switching& how, Source& source, Observer& observer,
             events::Random random, std::uint32_t span)
      : Base(fabric, routing, how, source, observer, random, span),
        owner_(Base::lane_count_, no_index),
        stops_(fabric),
        wire_plans_(wires_.size()),
        agenda_(wires_.size()) {
    for (const Link& link : fabric.links) window_ = std::max({window_, link.body, link.head, link.credit});
  }

  bool run(Tick end) {
    const bool more = Base::run(end);
    count_flits(more ? moment::at(end) : moment::never);
    ended_ = !more;
    return more;
  }
  /// The last tick in which anything happened.
  [[nodiscard]] Tick now() const { return ended_ ? last_ : now_; }
  [[nodiscard]] std::size_t memory() const {
    const std::size_t sum = Base::common_memory() + stops_.memory() + owner_.capacity() * 4;
    return sum + wire_plans_.capacity() * sizeof(WirePlan) + agenda_.memory();
  }
  /// Lets the observer know which lanes are held for ever.
  void report_standing() {
    for (const Stop& stop : stops_)
      if (stop.message != no_index && stop.wire != none && stop.course.crossed() != 0 &&
          stop.course.crossed() < stop.flits)
        Base::crossed(messages_[stop.message].key, stop.link, stop.lane, stop.first, Crossing::never);
  }
  /// Messages that can never move again, and one circle of them.
  void find_deadlock(Outcome& outcome) const {
    Circle circle(messages_.size());
    for (std::uint32_t i = 0; i < messages_.size(); ++i)
      if (messages_[i].live && messages_[i].waiting)
        circle.waits(i, [&, i](auto call) {
          const auto& first = first_[messages_[i].want];
          for (unsigned c = 0; c < fabric_.links[messages_[i].want].channels; ++c)
            for (unsigned lane = messages_[i].klass; lane < lanes(messages_[i].want); lane += first.classes) {
              const auto owner = owner_[wires_[first.wire + c].lane + lane];
              call(owner == no_index ? no_index : stops_[owner].message);
            }
        });
    circle.report(outcome, [&](std::uint32_t i) { return Base::described(messages_[i]); });
  }

 private:
  using Base::fabric_, Base::how_, Base::table_, Base::first_, Base::queues_, Base::wires_, Base::messages_;
  using Base::free_, Base::requests_, Base::flits_by_link_, Base::parts_, Base::now_, Base::no_index;
  static constexpr Tick not_woken = ~Tick{0};
  static constexpr std::uint32_t of_sink = 0x80000000u, most_times = 8;
  enum Kind : unsigned { head_comes, wire_due, sink_due, lane_free, packet_asks };
  struct WirePlan {
    Moment due = moment::never;        // when its plan ends
    std::uint32_t special = no_index;  // the stop whose head or tail crosses then
    std::uint32_t made = 0;            // the moment when it was made, in short
    std::uint8_t times = 0;            // how often, at that moment
    std::uint8_t active = 0;           // stops that hold a lane of it and have flits left
    bool listed = false;               // to be planned again
  };
  struct Ready {
    std::uint32_t stop;
    unsigned lane;
    Moment at, slot;
    Stretch in, out;     // of the next flit and those behind it
    std::uint32_t late;  // the first flit that would not be at its turn
  };
  [[nodiscard]] unsigned lanes(std::uint32_t link) const { return fabric_.links[link].lanes; }
  /// Messages that wait for this lane class, and one more if none of its lanes is free.
  [[nodiscard]] std::uint32_t queue(std::uint32_t link, unsigned lane) const override {
    const First& first = first_[link];
    const std::uint32_t waiting = queues_[first.queue + lane].waiting;
    for (unsigned c = 0; c < fabric_.links[link].channels; ++c)
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
      case head_comes:
        return requests_.push_back(stops_[number].message);
      case wire_due:
        if (wires_[number].wake == now_) wires_[number].wake = not_woken;
        if (const Moment due = wire_plans_[number].due; moment::tick(due) == now_)
          agenda_.put(moment::pass(due), number);
        return;
      case sink_due:
        if (const Stop& stop = stops_[number]; stop.message == no_index || stop.wire != none)
          return;
        else if (stop.granted == here())
          serve_sink(number);
        else if (moment::tick(stop.granted) == now_)
          agenda_.put_sink(moment::pass(stop.granted), number);
        return;
      case lane_free:
        return release(number);
      default:
        return requests_.push_back(number);
    }
  }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> place(const Message& m) const {
    return {m.at == no_index ? none : stops_[m.at].link, m.klass};
  }
  void queue_up(std::uint32_t index) {
    const Message& m = messages_[index];
    Base::line_up(queues_[first_[m.want].queue + m.klass], index);
    for (unsigned c = 0; c < fabric_.links[m.want].channels; ++c) agenda_.put(0, first_[m.want].wire + c);
  }
  void release(std::uint32_t number) {
    Stop& stop = stops_[number];
    owner_[stop.lane] = no_index;
    stop.released = true;
    last_ = std::max(last_, now_);
    const First& first = first_[stop.link];
    if (!queues_[first.queue + first.of(stop.lane - wires_[stop.wire].lane)].empty())
      agenda_.put(pass_ + gone_through(stop.wire), stop.wire);
    if (stop.before == no_index && stop.row != none)
      if (const auto packet = Base::next_packet(stop.row, messages_[stop.message].key); packet != no_index)
        post(packet_asks, packet, now_ + how_.packet_gap);
    if (stops_[number].drained) forget(number);
  }
  void forget(std::uint32_t number) {
    const std::uint32_t index = stops_[number].message;
    stops_.remove(number);
    if (--messages_[index].stops == 0 && !messages_[index].live) free_.push_back(index);
  }

  // --- where in the tick it is
  [[nodiscard]] Moment here() const { return moment::at(now_) + pass_; }
  /// Whether the pass has gone through this wire, or is there. Sinks come before all wires.
  [[nodiscard]] bool gone_through(std::uint32_t wire) const { return wire + 1 <= place_; }
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
    const First& first = first_[wire.link];
    WirePlan& made = wire_plans_[number];
    std::uint32_t granted = no_index;
    for (unsigned lane = 0; lane < lanes(wire.link); ++lane) {
      if (owner_[wire.lane + lane] != no_index) continue;
      Line& queue = queues_[first.queue + first.of(lane)];
      if (queue.empty()) continue;
      granted = grant(queue, number, wire.lane + lane);
    }
    if (granted != no_index && made.active == 1 && wire.free_at <= now_) {  // its head crosses at once
      stops_[granted].course.plan(here(), 1, 1, 0);
      made.due = moment::never;
      cross(granted);
      plan(number);
    } else {
      if (granted != no_index || (made.due == here() && made.special == no_index)) plan(number);
      if (made.due == here() && made.special != no_index) {
        Stop& stop = stops_[made.special];
        settle(number, wire, fabric_.links[wire.link], stop.lane - wire.lane, stop);
        cross(made.special);
        plan(number);
      }
    }
    if (!changed_.empty()) plan_others();
  }
  void plan_others() {
    while (!changed_.empty()) {
      const std::uint32_t number = changed_.back();
      changed_.pop_back();
      if ((number & of_sink) != 0) {
        plan_sink(number & ~of_sink);
      } else {
        wire_plans_[number].listed = false;
        plan(number);
      }
    }
  }
  void list(std::uint32_t number) {
    const Stop& stop = stops_[number];
    if (stop.course.crossed() == stop.flits) return;
    if (stop.wire == none) return changed_.push_back(number | of_sink);
    WirePlan& plan = wire_plans_[stop.wire];
    if (plan.listed) return;
    plan.listed = true;
    changed_.push_back(stop.wire);
  }

  // --- plans
  /// A plan is made anew; those before and behind it as well, if they rest on what differs.
  void change(std::uint32_t number, Moment at, std::uint32_t gap, std::uint32_t end) {
    Stop& stop = stops_[number];
    const std::uint32_t first = stop.course.plan(at, gap, end, now_ > window_ ? now_ - window_ : 0);
    if (first == Course::endless) return;
    if (stop.after != no_index && first <= stops_[stop.after].watched) list(stop.after);
    if (stop.before == no_index) return;
    const Stop& before = stops_[stop.before];
    if (const std::uint32_t buffer = fabric_.links[before.link].buffer; buffer != 0)
      if (std::uint64_t{first} + buffer <= before.watched) list(stop.before);
  }
  void halt(std::uint32_t number) {
    Stop& stop = stops_[number];
    stop.watched = stop.course.crossed();
    change(number, 0, 0, 0);
  }

  void settle(std::uint32_t number, Wire& wire) {
    const Link& link = fabric_.links[wire.link];
    for (unsigned lane = 0; lane < link.lanes; ++lane)
      if (const std::uint32_t owner = owner_[wire.lane + lane]; owner != no_index)
        settle(number, wire, link, lane, stops_[owner]);
  }
  void settle(std::uint32_t number, Wire& wire, const Link& link, unsigned lane, Stop& stop) {
    if (stop.course.crossed() == 0 || !stop.course.settle(here(), number + 1 < place_, stop.flits - 1)) return;
    if (const Tick free = moment::tick(stop.course.last()) + link.flit; free > wire.free_at) {
      wire.free_at = free;
      wire.turn = lane + 1 < link.lanes ? lane + 1 : 0;
    }
  }
  void plan(std::uint32_t number) {
    WirePlan& plan = wire_plans_[number];
    if (plan.active == 0) {
      plan.special = no_index;
      plan.due = moment::never;
      return;
    }
    Wire& wire = wires_[number];
    const Link& link = fabric_.links[wire.link];
    plan.special = no_index;
    if (plan.active == 1)
      plan_alone(number, plan, wire, link);
    else
      plan_several(number, plan, wire, link);
    if (plan.due == moment::never) return;
    if (moment::tick(plan.due) == now_) {
      if (plan.due != here() || place_ != number + 1) agenda_.put(moment::pass(plan.due), number);
    } else if (wire.wake != moment::tick(plan.due)) {
      wire.wake = moment::tick(plan.due);
      table_.put(now_, wire.wake, wire_due, number);
    }
  }
  /// The only stop that has flits left.
  void plan_alone(std::uint32_t number, WirePlan& plan, Wire& wire, const Link& link) {
    unsigned lane = 0;
    while (owner_[wire.lane + lane] == no_index ||
           stops_[owner_[wire.lane + lane]].course.crossed() == stops_[owner_[wire.lane + lane]].flits)
      ++lane;
    const std::uint32_t owner = owner_[wire.lane + lane];
    Stop& stop = stops_[owner];
    settle(number, wire, link, lane, stop);
    const std::uint32_t flit = stop.course.crossed();
    const Stretch in = stops_.supply(stop, flit), out = stops_.room(stop, flit);
    Moment at = flit == 0 ? stop.granted : std::max(in.of(flit), out.of(flit));
    plan.due = moment::never;
    if (at == moment::never) return halt(owner);
    at = std::max(moment::at(wire.free_at), at);
    const bool last = flit == 0 || flit + 1 == stop.flits;
    if (last) plan.special = owner;
    const Stops::Run run =
        last ? Stops::Run{link.flit, flit + 1, at, flit} : stops_.run_on(stop, in, out, at, link.flit);
    if (run.tail) plan.special = owner;
    plan.due = run.due;
    stop.watched = run.watched;
    change(owner, at, run.gap, run.end);
  }
  void plan_several(std::uint32_t number, WirePlan& plan, Wire& wire, const Link& link) {
    ready_.clear();
    Moment least = moment::never;
    unsigned left = plan.active;
    for (unsigned lane = 0; left != 0; ++lane) {
      const std::uint32_t owner = owner_[wire.lane + lane];
      if (owner == no_index) continue;
      Stop& stop = stops_[owner];
      if (stop.course.crossed() == stop.flits) continue;
      --left;
      settle(number, wire, link, lane, stop);
      const std::uint32_t flit = stop.course.crossed();
      const Stretch in = stops_.supply(stop, flit), out = stops_.room(stop, flit);
      const Moment at = flit == 0 ? stop.granted : std::max(in.of(flit), out.of(flit));
      if (at == moment::never) {
        halt(owner);
        continue;
      }
      stop.watched = Course::endless;  // until it is known how much of `in` and `out` its plan rests on
      ready_.push_back({owner, lane, at, moment::never, in, out, 0});
      least = std::min(least, at);
    }
    plan.due = moment::never;
    if (ready_.empty()) return;
    const Moment at = std::max(moment::at(wire.free_at), least);
    std::size_t turn = ready_.size();  // whose turn it is then
    Moment other = moment::never;
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      if (i != turn && ready_[i].at > at) other = std::min(other, ready_[i].at);
      if (ready_[i].at > at) continue;
      if (turn != ready_.size()) other = at;
      if (turn == ready_.size() || (ready_[turn].lane < wire.turn && ready_[i].lane >= wire.turn)) turn = i;
    }
    // What is presumed of each other may go round in circles, and what is known for certain settles it: a flit each.
    const auto now =
        static_cast<std::uint32_t>(now_ << 8 ^ pass_);  // moments that look alike cost a flit's plan, no more
    if (plan.made != now) plan.made = now, plan.times = 0;
    if (plan.times == most_times)
      one_goes(plan, link, turn, at, at);
    else if (++plan.times, ready_.size() == 1 || !take_turns(plan, link, turn, at))
      one_goes(plan, link, turn, at, other);
  }
  /// The lane whose turn it is sends; alone, as long as no other is ready, else one flit.
  void one_goes(WirePlan& plan, const Link& link, std::size_t turn, Moment at, Moment other) {
    for (std::size_t i = 0; i < ready_.size(); ++i)
      if (i != turn) halt(ready_[i].stop);
    const std::uint32_t number = ready_[turn].stop;
    Stop& stop = stops_[number];
    const std::uint32_t flit = stop.course.crossed();
    const Moment free = moment::at(moment::tick(at) + link.flit);
    if (flit == 0 || flit + 1 == stop.flits || other <= free) {
      const bool end = flit == 0 || flit + 1 == stop.flits;
      if (end) plan.special = number;
      plan.due = end ? at : free;
      stop.watched = flit;
      return change(number, at, link.flit, flit + 1);
    }
    const Stops::Run run = stops_.run_on(stop, ready_[turn].in, ready_[turn].out, at, link.flit);
    plan.due = std::min(run.due, std::max(other, free));
    stop.watched = run.watched;
    change(number, at, run.gap, run.end);
  }
  /// A flit of each ready lane in turn, if each is ready again at each of its turns.
  bool take_turns(WirePlan& plan, const Link& link, std::size_t turn, Moment at) {
    Moment other = moment::never;
    std::uint32_t taking = 0;
    for (std::size_t step = 0; step < ready_.size(); ++step) {
      Ready& one = ready_[turn + step < ready_.size() ? turn + step : turn + step - ready_.size()];
      const Moment slot = at + moment::at(std::uint64_t{taking} * link.flit);
      one.slot = one.at <= slot ? slot : moment::never;
      if (one.at <= slot)
        ++taking;
      else
        other = std::min(other, one.at);
    }
    const std::uint32_t gap = taking * link.flit;
    if (taking < 2 || moment::pass(at) != 0 || other < at + moment::at(gap)) return false;
    plan.due = other;
    for (Ready& one : ready_) {
      if (one.slot == moment::never) continue;
      const Stop& stop = stops_[one.stop];
      const std::uint32_t flit = stop.course.crossed();
      if (flit == 0 || flit + 1 == stop.flits) return false;
      const std::uint32_t late = one.late = stops_.first_late(stop, one.in, one.out, flit, one.slot, gap);
      if (late < flit + 2 && late + 1 < stop.flits) return false;
      plan.due = std::min(plan.due, one.slot + moment::at(std::uint64_t{late - flit} * gap));
    }
    for (const Ready& one : ready_)
      if (one.slot == moment::never)
        halt(one.stop);
      else
        stops_[one.stop].watched = one.late, change(one.stop, one.slot, gap, stops_[one.stop].flits);
    return true;
  }

  // --- flits
  std::uint32_t grant(Line& queue, std::uint32_t wire, std::uint32_t lane) {
    const std::uint32_t index = Base::step_out(queue);
    Message& m = messages_[index];
    m.waiting = false;
    const std::uint32_t number = stops_.add(index, m.length);
    Stop& stop = stops_[number];
    if (m.row != none && parts_[m.row].left != 0) stop.row = m.row;  // its release starts the next packet
    stop.link = m.want;
    stop.wire = wire;
    stop.lane = lane;
    stop.before = m.at;
    stop.granted = here();
    if (m.at != no_index) {
      stops_[m.at].after = number;
      list(m.at);
    }
    m.at = number;
    ++m.stops;
    ++wire_plans_[wire].active;
    return owner_[lane] = number;
  }
  /// The head or the tail crosses now.
  void cross(std::uint32_t number) {
    Stop* stop = &stops_[number];
    const Link& link = fabric_.links[stop->link];
    Wire& wire = wires_[stop->wire];
    Message& m = messages_[stop->message];
    const bool out = link.kind == LinkKind::ejection;
    const unsigned lane = stop->lane - wire.lane;
    last_ = std::max(last_, now_ + (stop->course.crossed() == 0 ? link.head : link.body));
    wire.free_at = now_ + link.flit;
    wire.turn = lane + 1 < link.lanes ? lane + 1 : 0;
    stop->course.cross();
    if (stop->course.crossed() == 1) {
      stop->first = now_;
      ++m.hops;
      if (stop->before == no_index) m.entered = now_;
      if (out) m.head = now_;
      if (!out) post(head_comes, number, now_ + link.head);
      if (out && holds_back(link)) {
        const std::uint32_t sink = stops_.add(stop->message, stop->flits);  // may move `stop`
        stop = &stops_[number];
        stop->after = sink;
        stops_[sink].link = stop->link;
        stops_[sink].wire = none;
        stops_[sink].before = number;
        list(sink);
      }
    }
    if (stop->course.crossed() == stop->flits) {
      --wire_plans_[stop->wire].active;
      tail_crosses(number, link, out);
    }
  }
  void tail_crosses(std::uint32_t number, const Link& link, bool out) {
    Stop& stop = stops_[number];
    const std::uint32_t before = stop.before;
    flits_by_link_[stop.link] += stop.flits - stop.counted;
    Base::crossed(messages_[stop.message].key, stop.link, stop.lane, stop.first, now_);
    if (before == no_index && stop.row == none) Base::left_source(messages_[stop.message].key, now_ + link.flit);
    if (link.buffer == 0) post(lane_free, number, now_ + link.flit);
    if (out) {
      messages_[stop.message].tail = now_;
      if (stop.after == no_index) {  // the sink holds nothing back: the tail leaves into it at once, or behind the head
        const std::uint64_t head = stop.first + link.head + std::uint64_t{how_.sink_ticks} * (stop.flits - 1);
        const std::uint64_t tail = stop.flits == 1 ? now_ + link.head : now_ + link.body;
        last_ = std::max(last_, std::max(head, tail));
        leave(number, std::max(head, tail));
      }
      Base::arrived(stop.message);
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
    const Link& link = fabric_.links[stop.link];
    stop.drained = true;
    if (link.buffer != 0)
      post(lane_free, number, std::max(time + link.credit, moment::tick(stop.course.last()) + link.flit));
    else if (stop.released)
      forget(number);
  }

  // --- sinks
  /// Whether flits may wait for the sink so long that the link waits for places.
  [[nodiscard]] bool holds_back(const Link& link) const {
    return how_.sink_ticks > link.flit ||
           (link.buffer != 0 &&
            std::uint64_t{link.buffer} * link.flit < std::max(link.head, link.body) + std::uint64_t{link.credit});
  }
  void settle_sink(Stop& stop) {
    const Stop& before = stops_[stop.before];
    settle(before.wire, wires_[before.wire]);
    stop.course.settle(here(), place_ != 0, std::min(stop.flits - 1, before.course.crossed()));
  }
  void plan_sink(std::uint32_t number) {
    Stop& stop = stops_[number];
    if (stop.course.crossed() == stop.flits) return;
    settle_sink(stop);
    const std::uint32_t flit = stop.course.crossed();
    const Stretch in = stops_.supply(stop, flit), out = stops_.room(stop, flit);
    Moment at = in.of(flit);
    if (at != moment::never && flit != 0)
      at = std::max(at, moment::at(moment::tick(stop.course.last()) + how_.sink_ticks));
    stop.granted = moment::never;
    if (at == moment::never) return change(number, 0, 0, 0);
    const Stops::Run run = stops_.run_on(stop, in, out, at, how_.sink_ticks);
    stop.granted = run.due;
    if (run.due != moment::never) {
      if (moment::tick(run.due) == now_ && flit + 1 == stop.flits)
        ;  // with the tail's crossing, in this tick
      else if (moment::tick(run.due) == now_)
        agenda_.put_sink(moment::pass(run.due), number);
      else
        table_.put(now_, moment::tick(run.due), sink_due, number);
    }
    change(number, at, run.gap, run.end);
  }
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
    const Link& link = fabric_.links[stop.link];
    const Tick start = moment::tick(course.last());
    last_ = std::max({last_, stop.first + link.head, start + (stop.counted == 1 ? link.head : link.body)});
    if (stop.before == no_index) return;
    const Link& before = fabric_.links[stops_[stop.before].link];
    if (before.buffer != 0 && std::uint64_t{stop.counted} - 1 + before.buffer < stop.flits)
      last_ = std::max(last_, start + before.credit);
  }
  /// Brings flits_by_link_ up to `end`.
  void count_flits(Moment end) {
    for (Stop& stop : stops_) {
      if (stop.message == no_index || stop.wire == none) continue;
      const std::uint32_t crossed = stop.course.crossed();
      if (crossed == stop.flits) continue;
      Course course = stop.course;
      if (crossed != 0) course.settle(end, false, stop.flits - 1);
      flits_by_link_[stop.link] += course.crossed() - stop.counted;
      stop.counted = course.crossed();
      if (end == moment::never && stop.counted != 0) stands(stop, course);
    }
  }

  std::vector<std::uint32_t> owner_;  // by wire and lane: the stop
  Stops stops_;
  std::vector<std::uint32_t> changed_;  // changed_: wires, and stops with `of_sink`, to be planned again
  std::vector<WirePlan> wire_plans_;
  std::vector<Ready> ready_;
  Agenda agenda_;
  Tick pass_ = 0, last_ = 0;
  bool ended_ = false;
  std::uint32_t place_ = 0, window_ = 0;  // place_: 1 and the wire in the pass
};

}  // namespace assay::network
