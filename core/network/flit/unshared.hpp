// Worms that share no wire with another one: their tails in closed form, an event per head hop and one per tail.
//
// As long as no other worm has flits to send over a wire of its path, a worm is the worm engine's train: with one flit
// time f on all links, heads no faster than bodies and buffers that cover the way of a credit (B f >= w + r), flit k
// crosses link i at
//   X(i, k) = max over j >= i with B(i) + ... + B(j-1) <= k of A(j) + r(i) + ... + r(j-1) + f (k - B(i) - ... -
//   B(j-1)),
// A(j) being the crossing of link j by the head (Dally and Towles 2004, chapter 13; the moment's pass counts the steps
// back in one tick where credits take no time). So the tail's crossing of link i is known as soon as the head has
// crossed a link from which on nothing can hold up the tail any more, and nothing is done in between, wherever the head
// waits. When another worm gets a lane of one of its wires, what has crossed by then is written into the courses of all
// its links, and it goes on by plans (plans.hpp).
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/flit/plans.hpp"

namespace assay::network {

template <class Self, class Source, class Observer>
class UnsharedWorms : public LanePlans<Self, Source, Observer> {
  using Base = LanePlans<Self, Source, Observer>;

 protected:
  using Base::fabric_, Base::how_, Base::messages_, Base::no_index, Base::now_, Base::owner_, Base::place_,
      Base::stops_, Base::wire_plans_, Base::wires_;
  using typename Base::Wire, typename Base::WirePlan;

  UnsharedWorms(const Fabric& fabric, const Routing& routing, const Switching& how, Source& source, Observer& observer,
                events::Random random, std::uint32_t span)
      : Base(fabric, routing, how, source, observer, random, span) {
    for (const Link& link : fabric.links) {
      const bool covered = link.buffer == 0 || std::uint64_t{link.buffer} * link.flit >= link.body + link.credit;
      if (link.flit != fabric.links[0].flit || link.body == 0 || link.head < link.body || !covered ||
          (link.kind == LinkKind::ejection && Base::holds_back(link)))
        closed_form_ = false;
    }
  }

  /// A new worm, before its head crosses anything.
  void begin(LaneWorm& worm) {
    worm.unshared = closed_form_ && worm.length > 1;
    worm.unsettled = no_index;
    worm.ahead = 0;
  }
  /// The head of an unshared worm has crossed the link of its last stop.
  void advance(LaneWorm& worm) {
    const Stop& head = stops_[worm.at];
    const bool out = fabric_.links[head.link].kind == LinkKind::ejection;
    if (worm.unsettled == no_index) worm.unsettled = worm.at, worm.ahead = 0;
    worm.ahead += places(head);
    while (worm.unsettled != no_index && (out || worm.ahead >= head.flits)) {
      const Stop& stop = stops_[worm.unsettled];
      WirePlan& plan = wire_plans_[stop.wire];
      plan.due = tail_time(stop);
      plan.special = worm.unsettled;
      Base::await(stop.wire);
      worm.ahead -= places(stop);
      worm.unsettled = stop.after;
    }
  }
  /// From now on by plans: all its links are to be planned.
  void share(LaneWorm& worm) {
    worm.unshared = false;
    std::uint32_t number = worm.at;
    if (number != no_index && stops_[number].course.crossed() == 0) number = stops_[number].before;
    for (; number != no_index; number = stops_[number].before) {
      Stop& stop = stops_[number];
      const bool gone = stop.course.crossed() == stop.flits;
      const Moment last = stop.course.last();
      stop.course = course(stop, Base::here(), stop.wire + 1 < place_);
      if (gone) {  // its last flits may be under way
        stop.course.tail_went(last);
        break;
      }
      Wire& wire = wires_[stop.wire];
      Base::occupy(wire, fabric_.links[stop.link], stop.lane - wire.lane, stop);
      WirePlan& plan = wire_plans_[stop.wire];
      plan.due = moment::never;
      plan.special = no_index;
      Base::list(number);
    }
  }
  /// All worms with flits to send over this wire go on by plans.
  void share_wire(const Wire& wire) {
    for (unsigned lane = 0; lane < Base::lanes(wire.link); ++lane)
      if (const auto owner = owner_[wire.lane + lane]; owner != no_index)
        if (const Stop& stop = stops_[owner]; stop.course.crossed() != stop.flits)
          if (LaneWorm& worm = messages_[stop.message]; worm.unshared) share(worm);
  }
  /// What has crossed the link of an unshared worm's stop before `limit` (or at it), the tail left out.
  [[nodiscard]] Course course(const Stop& stop, Moment limit, bool at_it) const {
    const std::uint32_t f = fabric_.links[stop.link].flit;
    const auto fits = [&](Moment at) { return at < limit || (at == limit && at_it); };
    Course found;
    Back back;
    Moment expected = moment::never;  // of flit `next`, the first one that is not in `found`
    std::uint32_t next = 0;
    auto base = static_cast<std::int64_t>(moment::at(moment::tick(stop.granted)));  // X(i, k) - f k by the links so far
    for (const Stop* by = &stop; back.places + 1 < stop.flits;) {
      // Flits from `next` on, up to `end`, wait for the same links ahead.
      const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(next + places(*by), stop.flits - 1));
      const Moment shift = moment::at(std::uint64_t{next} * f), own = back.of(by->granted, true);
      const Moment first =
          next == 0 ? own : std::max(static_cast<Moment>(base + static_cast<std::int64_t>(shift)), own);
      base = std::max(base, static_cast<std::int64_t>(back.of(by->granted, false) - shift));
      if (next != 0 && !fits(first)) break;
      if (first != expected) found.went(first, f, next);
      ++next;
      expected = static_cast<Moment>(base + static_cast<std::int64_t>(moment::at(std::uint64_t{next} * f)));
      if (next < end && fits(expected)) {
        if (expected != first + moment::at(f)) found.went(expected, f, next);
        const std::uint64_t more = (limit - expected - !at_it) / moment::at(f) + 1;
        const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(more, end - next));
        next += count;
        expected += moment::at(std::uint64_t{count} * f);
      } else if (expected != first + moment::at(f)) {
        expected = moment::never;
      }
      if (next != end || by->after == no_index || stops_[by->after].course.crossed() == 0) break;
      back.step(*by, stops_[by->after], fabric_.links[by->link]);
      by = &stops_[by->after];
    }
    found.went_to(next);
    return found;
  }

 private:
  /// Steps back from a link to one behind it: places on the way, credits, and passes where credits take no time.
  struct Back {
    std::uint64_t places = 0, ticks = 0, passes = 0;
    bool later = false;  // a credit took time: passes before it do not matter
    void step(const Stop& stop, const Stop& after, const Link& link) {
      places += places_of(stop, link);
      ticks += link.credit;
      if (link.credit != 0) later = true;
      if (!later) passes += stop.wire <= after.wire;
    }
    [[nodiscard]] Moment of(Moment at, bool itself) const {
      return moment::at(moment::tick(at) + ticks) + passes + (itself && !later ? moment::pass(at) : 0);
    }
  };
  [[nodiscard]] static std::uint64_t places_of(const Stop& stop, const Link& link) {
    return link.buffer == 0 || link.kind == LinkKind::ejection ? stop.flits : link.buffer;
  }
  [[nodiscard]] std::uint64_t places(const Stop& stop) const { return places_of(stop, fabric_.links[stop.link]); }
  /// When the tail crosses, where all links ahead that matter are known.
  [[nodiscard]] Moment tail_time(const Stop& stop) const {
    const std::uint32_t f = fabric_.links[stop.link].flit, last = stop.flits - 1;
    Moment latest = moment::at(moment::tick(stop.granted) + std::uint64_t{last} * f);
    Back back;
    for (const Stop* by = &stop; by->after != no_index;) {
      const Stop& after = stops_[by->after];
      back.step(*by, after, fabric_.links[by->link]);
      if (back.places > last) break;
      by = &after;
      latest = std::max(latest, back.of(by->granted, back.places == last) + moment::at((last - back.places) * f));
    }
    return latest;
  }

  bool closed_form_ = true;  // the fabric's links are as said above
};

}  // namespace assay::network
