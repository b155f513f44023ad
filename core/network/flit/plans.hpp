// The plans of the flit engine: for each wire, which of its lanes' flits cross when, as far as that can be presumed.
//
// A wire with one lane that is ready takes its flits as they come; where all ready lanes are ready again at each of
// their turns they take turns, a flit each; where what holds them back keeps them apart, each goes on as it is let;
// otherwise one flit is planned at a time. A plan that changes lets the plans before and behind it be made again, if
// they rest on what differs, until none changes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/flit/agenda.hpp"
#include "network/flit/course.hpp"
#include "network/flit/stops.hpp"
#include "network/lane_engine.hpp"

namespace assay::network {

struct LaneWorm : LaneMessage {
  bool simple : 1 = false, shares : 1 = false;     // only wires that it shares are planned; it has shared one
  std::uint32_t at = events::no_index, stops = 0;  // the last of its stops; how many there are
  // What is not planned (unshared.hpp): the first of its stops that the tail has not crossed, and the places from there
  // on.
  std::uint32_t unsettled = events::no_index;
  std::uint64_t ahead = 0;
};
static_assert(sizeof(LaneWorm) == 88);

/// A channel of a link, and its plan.
struct FlitWire {
  static constexpr std::uint8_t no_lane = 255;
  std::uint64_t free_at = 0;
  Moment due = moment::never;      // when its plan ends; a tick to come has an event
  std::uint32_t lane = 0;          // the first of its lanes, among all
  std::uint8_t turn = 0;           // the lane to which it is given next, if that is ready
  std::uint8_t active = 0;         // stops that hold a lane of it and have flits left
  std::uint8_t special = no_lane;  // the lane of the stop whose head or tail crosses when the plan ends
  std::uint8_t times : 4 = 0;      // how often it was planned at this moment
  bool listed : 1 = false;         // to be planned again
  bool waited : 1 = false;         // the first of a link's: messages are in the lines of its link
};
static_assert(sizeof(FlitWire) == 24);

template <class Self, class Source, class Observer>
class LanePlans : public LaneEngine<Self, LaneWorm, Line, Source, Observer, FlitWire> {
  using Base = LaneEngine<Self, LaneWorm, Line, Source, Observer, FlitWire>;

 protected:
  using Base::fabric_, Base::links_, Base::how_, Base::messages_, Base::table_, Base::wires_, Base::now_,
      Base::no_index;
  using typename Base::Tick, typename Base::Wire, typename Base::First;
  static constexpr std::uint32_t of_sink = 0x80000000u, most_times = 8;
  enum Kind : unsigned { wire_due, sink_due, lane_free };
  struct Ready {
    std::uint32_t stop;
    unsigned lane;
    Moment at, slot;
    Stretch in, out;     // of the next flit and those behind it
    std::uint32_t late;  // the first flit that would not be at its turn
  };
  LanePlans(const Fabric& fabric, const Routing& routing, const Switching& how, Source& source, Observer& observer,
            events::Random random, std::uint32_t span)
      : Base(fabric, routing, how, source, observer, random, span / 2, heads(fabric, how)),
        owner_(Base::lane_count_, no_index),
        stops_(fabric, Base::links_of_wires_),
        agenda_(wires_.size()) {
    for (const Link& link : fabric.links) window_ = std::max({window_, link.body, link.head, link.credit});
  }
  [[nodiscard]] std::size_t plans_memory() const {
    return stops_.memory() + (owner_.capacity() + changed_.capacity() + tallied_.capacity()) * 4 + agenda_.memory();
  }

  /// How many ticks ahead messages are that are to ask for a link.
  [[nodiscard]] static std::uint32_t heads(const Fabric& fabric, const Switching& how) {
    std::uint32_t most = how.packet_gap;
    for (const Link& link : fabric.links) most = std::max(most, link.head);
    return std::min(most, 4095U) + 1;
  }
  [[nodiscard]] unsigned lanes(std::uint32_t link) const { return links_[link].lanes; }

  // --- where in the tick it is
  [[nodiscard]] Moment here() const { return moment::at(now_) + pass_; }
  /// Whether the pass has gone through this wire, or is there. Sinks come before all wires.
  [[nodiscard]] bool gone_through(std::uint32_t wire) const { return wire + 1 <= place_; }
  void plan_others() {
    while (!changed_.empty()) {
      const std::uint32_t number = changed_.back();
      changed_.pop_back();
      if ((number & of_sink) != 0) {
        plan_sink(number & ~of_sink);
      } else if (wires_[number].listed) {  // else it has been planned since
        plan(number);
      }
    }
  }
  void list(std::uint32_t number) {
    const Stop& stop = stops_[number];
    if (stop.course.crossed() == stop.flits) return;
    if (stop.wire == none) return changed_.push_back(number | of_sink);
    Wire& wire = wires_[stop.wire];
    if (wire.listed) return;
    wire.listed = true;
    changed_.push_back(stop.wire);
  }

  // --- plans
  /// A plan is made anew; those before and behind it as well, if they rest on what differs.
  void change(std::uint32_t number, Moment at, std::uint32_t gap, std::uint32_t end) {
    Stop& stop = stops_[number];
    if (stop.course.goes(at, gap, end)) return;
    const std::uint64_t past = window_ * (messages_[stop.message].hops + std::uint64_t{2});
    const std::uint32_t first = stop.course.plan(at, gap, end, now_ > past ? now_ - past : 0, stops_.past());
    if (first == Course::endless) return;
    std::uint32_t other = stop.after;
    while (other != no_index && !stops_[other].planned) other = stops_[other].after;
    if (other != no_index && first <= stops_[other].course.watched) list(other);
    list_before(number, first);
  }
  /// The planned stop before is planned again, if it rests on this one's flit `first`; so is the tail's time.
  void list_before(std::uint32_t number, std::uint64_t first) {
    const Stop* stop = &stops_[number];
    while (stop->before != no_index && !stop->oldest) {
      const Stop& before = stops_[stop->before];
      const std::uint32_t buffer = stops_.link(before).buffer;
      if (buffer == 0 || first >= before.flits) return;
      first += buffer;
      if (before.planned) {
        if (first <= before.course.watched) list(stop->before);
        return;
      }
      if (LaneWorm& worm = messages_[before.message]; stop->before == worm.unsettled) {
        if (first < before.flits) static_cast<Self&>(*this).settle_tail(worm);
        return;
      }
      stop = &before;
    }
  }
  void halt(std::uint32_t number) {
    Stop& stop = stops_[number];
    stop.course.watched = stop.course.crossed();
    change(number, 0, 0, 0);
  }

  void settle(std::uint32_t number, Wire& wire) {
    const Link& link = stops_.link_of(number);
    for (unsigned lane = 0; lane < link.lanes; ++lane)
      if (const std::uint32_t owner = owner_[wire.lane + lane]; owner != no_index)
        settle(number, wire, link, lane, stops_[owner]);
  }
  void settle(std::uint32_t number, Wire& wire, const Link& link, unsigned lane, Stop& stop) {
    if (stop.course.crossed() == 0 || !stop.course.settle(here(), number + 1 < place_, stop.flits - 1)) return;
    occupy(wire, link, lane, stop);
  }
  /// The wire after the last flit of the stop.
  void occupy(Wire& wire, const Link& link, unsigned lane, const Stop& stop) {
    if (const Tick free = moment::tick(stop.course.last(stops_.past())) + link.flit; free > wire.free_at) {
      wire.free_at = free;
      wire.turn = next_turn(lane, link);
    }
  }
  [[nodiscard]] static std::uint8_t next_turn(unsigned lane, const Link& link) {
    return static_cast<std::uint8_t>(lane + 1 < link.lanes ? lane + 1 : 0);
  }
  /// `goes`: where it is the turn of a head or a tail here and now, no more is planned than that; it has to cross next.
  [[gnu::always_inline]] void plan(std::uint32_t number, bool goes = false) {
    Wire& wire = wires_[number];
    wire.special = Wire::no_lane;
    wire.listed = false;
    if (wire.active == 0)
      wire.due = moment::never;
    else
      plan_active(number, wire, goes);
  }
  [[gnu::noinline]] void plan_active(std::uint32_t number, Wire& wire, bool goes) {
    const Link& link = stops_.link_of(number);
    const Moment before = wire.due;
    ++plans_;
    if (wire.active == 1)
      plan_alone(number, wire, link);
    else
      plan_several(number, wire, link, goes);
    if (wire.due != moment::never) await(number, before);
  }
  /// The wire is looked at when its plan ends; `before`: when the plan that it had did.
  void await(std::uint32_t number, Moment before) {
    const Moment due = wires_[number].due;
    if (const Tick tick = moment::tick(due); tick != now_) {
      if (tick != moment::tick(before)) table_.put(now_, tick, wire_due, number);
    } else if (due != here() || place_ != number + 1) {
      agenda_.put(moment::pass(due), number);
    }
  }
  /// The only stop that has flits left.
  void plan_alone(std::uint32_t number, Wire& wire, const Link& link) {
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
    wire.due = moment::never;
    if (at == moment::never) return halt(owner);
    at = std::max(moment::at(wire.free_at), at);
    const bool last = flit == 0 || flit + 1 == stop.flits;
    if (last) wire.special = stop.lane;
    const Stops::Run run =
        last ? Stops::Run{link.flit, flit + 1, at, flit} : stops_.run_on(stop, in, out, at, link.flit);
    if (run.tail) wire.special = stop.lane;
    wire.due = run.due;
    stop.course.watched = run.watched;
    change(owner, at, run.gap, run.end);
  }
  void plan_several(std::uint32_t number, Wire& wire, const Link& link, bool goes) {
    ready_.clear();
    Moment least = moment::never;
    unsigned left = wire.active;
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
      stop.course.watched = Course::endless;  // until it is known how much of `in` and `out` its plan rests on
      ready_.push_back({owner, lane, at, moment::never, in, out, 0});
      least = std::min(least, at);
    }
    wire.due = moment::never;
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
    if (goes && at == here()) {
      const std::uint32_t next = ready_[turn].stop;
      Stop& stop = stops_[next];
      if (const std::uint32_t flit = stop.course.crossed(); flit == 0 || flit + 1 == stop.flits) {
        wire.special = stop.lane;
        wire.due = at;
        stop.course.watched = flit;
        return change(next, at, link.flit, flit + 1);
      }
    }
    // What is presumed of each other may go round in circles, and what is known for certain settles it: a flit each.
    if (here() != tallied_at_) {
      tallied_at_ = here();
      for (const std::uint32_t one : tallied_) wires_[one].times = 0;
      tallied_.clear();
    }
    if (wire.times == 0) tallied_.push_back(number);
    if (wire.times == most_times)
      one_flit(wire, link, turn, at);
    else if (++wire.times, ready_.size() == 1 || !(keep_apart(wire, link) || take_turns(wire, link, turn, at)))
      one_goes(wire, link, turn, at, other);
  }
  /// The lane whose turn it is sends one flit, and nothing is presumed of what comes then.
  void one_flit(Wire& wire, const Link& link, std::size_t turn, Moment at) {
    for (std::size_t i = 0; i < ready_.size(); ++i)
      if (i != turn) halt(ready_[i].stop);
    const std::uint32_t number = ready_[turn].stop;
    Stop& stop = stops_[number];
    const std::uint32_t flit = stop.course.crossed();
    const bool end = flit == 0 || flit + 1 == stop.flits;
    if (end) wire.special = stop.lane;
    wire.due = end ? at : moment::at(moment::tick(at) + link.flit);
    stop.course.watched = flit;
    change(number, at, link.flit, flit + 1);
  }
  /// The lane whose turn it is sends; alone, as long as no other is ready, else one flit. The others are presumed to go
  /// on from then, each as if it were alone, since most that wait for others upstream or downstream will.
  void one_goes(Wire& wire, const Link& link, std::size_t turn, Moment at, Moment other) {
    const std::uint32_t number = ready_[turn].stop;
    Stop& stop = stops_[number];
    const std::uint32_t flit = stop.course.crossed();
    const Moment free = moment::at(moment::tick(at) + link.flit);
    Stops::Run run{link.flit, flit + 1, at, flit};
    if (flit == 0 || flit + 1 == stop.flits) {
      wire.special = stop.lane;
      wire.due = at;
    } else {
      run = stops_.run_on(stop, ready_[turn].in, ready_[turn].out, at, link.flit);
      wire.due = std::min(run.due, std::max(other, free));
      if (other <= free)
        run.watched = flit;
      else if (run.tail && run.due < other)
        wire.special = stop.lane;
    }
    const Moment from = std::max(wire.due, free);
    for (std::size_t i = 0; i < ready_.size(); ++i)
      if (i != turn) presume(ready_[i], link, from);
    stop.course.watched = run.watched;
    change(number, at, run.gap, run.end);
  }
  /// A lane that waits goes on when it is ready, but not before `from`, when the wire is planned again at the latest.
  void presume(const Ready& one, const Link& link, Moment from) {
    Stop& stop = stops_[one.stop];
    stop.course.watched = stop.course.crossed();
    if (stop.course.watched == 0 || from == moment::never) return change(one.stop, 0, 0, 0);
    change(one.stop, std::max(one.at, from), std::max({link.flit, one.in.gap, one.out.gap}), stop.flits);
  }
  /// A flit of each ready lane in turn, if each is ready again at each of its turns.
  bool take_turns(Wire& wire, const Link& link, std::size_t turn, Moment at) {
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
    wire.due = other;
    Ready* tail = nullptr;
    for (Ready& one : ready_) {
      if (one.slot == moment::never) continue;
      const Stop& stop = stops_[one.stop];
      const std::uint32_t flit = stop.course.crossed();
      if (flit == 0 || flit + 1 == stop.flits) return false;
      const std::uint32_t late = one.late = stops_.first_late(stop, one.in, one.out, flit, one.slot, gap);
      if (late < flit + 2 && late + 1 < stop.flits) return false;
      const Moment due = one.slot + moment::at(std::uint64_t{late - flit} * gap);
      if (due >= wire.due) continue;
      wire.due = due;
      tail = late + 1 == stop.flits && stops_.at_hand(stop, one.in, one.out, late, due) ? &one : nullptr;
    }
    if (tail != nullptr)
      wire.special = static_cast<std::uint8_t>(tail->lane), ++tail->late;  // whose tail crosses then for certain
    for (const Ready& one : ready_)
      if (one.slot == moment::never)
        presume(one, link, wire.due);
      else
        stops_[one.stop].course.watched = one.late - 1, change(one.stop, one.slot, gap, stops_[one.stop].flits);
    return true;
  }

  /// Each lane is held back by what comes before it or behind it, flits as far apart as on the other lanes, and no two
  /// are ready at the same time: none is in another's way, and all go on so until one is held back otherwise.
  bool keep_apart(Wire& wire, const Link& link) {
    const Moment free = moment::at(wire.free_at);
    Moment first = moment::never, last = 0;
    for (Ready& one : ready_) {
      one.slot = std::max(free, one.at);
      first = std::min(first, one.slot);
      last = std::max(last, one.slot);
    }
    const std::uint64_t span = moment::tick(last) - moment::tick(first) + link.flit;
    std::uint64_t gap = 0;
    Moment due = moment::never;
    std::uint8_t special = Wire::no_lane;
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      Ready& one = ready_[i];
      for (std::size_t j = 0; j < i; ++j) {
        const Moment other = ready_[j].slot;
        if (moment::tick(std::max(other, one.slot)) - moment::tick(std::min(other, one.slot)) < link.flit) return false;
      }
      const Stop& stop = stops_[one.stop];
      const std::uint32_t flit = stop.course.crossed() + 1;
      if (flit == 1 || flit == stop.flits) return false;
      Stretch in = flit < one.in.end ? one.in : stops_.supply(stop, flit);
      Stretch out = flit < one.out.end ? one.out : stops_.room(stop, flit);
      const Moment next = std::max(in.of(flit), out.of(flit));
      if (i == 0) gap = moment::tick(next) - moment::tick(one.slot);
      if (next == moment::never || gap < span || gap >= Course::endless || next != one.slot + moment::at(gap))
        return false;
      const Stops::Run run = stops_.held_back(stop, in, out, next, static_cast<std::uint32_t>(gap), link.flit);
      one.late = run.watched;
      if (run.due < due)
        due = run.due, special = run.tail ? stop.lane : Wire::no_lane;
      else if (run.due == due)
        special = Wire::no_lane;
    }
    wire.due = due;
    wire.special = special;
    for (const Ready& one : ready_) {
      Stop& stop = stops_[one.stop];
      stop.course.watched = one.late;
      change(one.stop, one.slot, static_cast<std::uint32_t>(gap), stop.flits);
    }
    return true;
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
      at = std::max(at, moment::at(moment::tick(stop.course.last(stops_.past())) + how_.sink_ticks));
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

  std::vector<std::uint32_t> owner_;  // by wire and lane: the stop
  Stops stops_;
  std::vector<std::uint32_t> changed_;  // wires, and stops with `of_sink`, to be planned again
  std::vector<std::uint32_t> tallied_;  // the wires that were planned at the moment `tallied_at_`
  Moment tallied_at_ = 0;
  std::vector<Ready> ready_;
  Agenda agenda_;
  Tick pass_ = 0;
  std::uint64_t plans_ = 0;               // that were made
  std::uint32_t place_ = 0, window_ = 0;  // place_: 1 and the wire in the pass
};

}  // namespace assay::network
