// Links whose wire a worm shares with no other: nothing is planned there, all is in closed form.
//
// Where all links have one flit time f, heads are no faster than bodies and buffers cover the way of a credit
// (B f >= w + r), a worm that meets no other one is the worm engine's train: flit k crosses link i at X(i, k), the
// latest of A(j) + r(i) + ... + r(j-1) + f (k - B(i) - ... - B(j-1)) over the links j from i on whose places before
// them, B(i) + ... + B(j-1), are at most k; A(j) is the head's crossing of link j. (In moments: where credits take no
// time, each step back that goes up again in the order of wires is a pass later.) So when the tail crosses is known as
// soon as nothing ahead can hold it up any more, and nothing is done in between, wherever the head waits.
//
// A wire that another worm gets a lane of is planned from then on (plans.hpp). What lies between follows: flit k is
// there no sooner than the next planned link before lets it go on, and no sooner than the next planned link ahead makes
// it a place; both by sums over the links between (Stops::supply, Stops::room). What comes back to a planned link from
// its own flits by way of the links ahead comes before its wire is free again, if B f > w + r; if these are equal and r
// = 0 it comes in the same tick, where the pass matters: then a worm that shares a wire is planned on all of its links.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/flit/plans.hpp"

namespace assay::network {

template <class Self, class Source, class Observer>
class UnsharedLinks : public LanePlans<Self, Source, Observer> {
  using Base = LanePlans<Self, Source, Observer>;
  friend Base;

 protected:
  using Base::fabric_, Base::links_, Base::window_, Base::messages_, Base::no_index, Base::now_, Base::owner_,
      Base::place_, Base::stops_, Base::wires_;
  using typename Base::Wire;

  UnsharedLinks(const Fabric& fabric, const Routing& routing, const Switching& how, Source& source, Observer& observer,
                events::Random random, std::uint32_t span)
      : Base(fabric, routing, how, source, observer, random, span) {
    for (const Link& link : fabric.links) {
      const bool covered = link.buffer == 0 || std::uint64_t{link.buffer} * link.flit >= link.body + link.credit;
      if (link.flit != fabric.links[0].flit || link.body == 0 || link.head < link.body || !covered ||
          (link.kind == LinkKind::ejection && Base::holds_back(link)))
        closed_form_ = false;
      if (link.credit == 0 && std::uint64_t{link.buffer} * link.flit == link.body) slack_ = false;
    }
  }

  /// A new worm, before its head crosses anything.
  void begin(LaneWorm& worm) {
    worm.simple = closed_form_ && Base::length(worm) > 1;
    worm.shares = false;
    worm.unsettled = no_index;
    worm.ahead = 0;
  }
  /// Another stop of a worm, the last one.
  void add(LaneWorm& worm, std::uint32_t number) {
    if (!worm.simple) return;
    Stop& stop = stops_[number];
    stop.planned = worm.shares && !slack_;
    stop.kept = worm.shares;
    if (worm.unsettled != no_index) return;
    worm.unsettled = number;
    stop.oldest = !worm.shares;
  }
  /// The head of a worm has crossed the link of its last stop.
  void advance(LaneWorm& worm) {
    const Stop& head = stops_[worm.at];
    const bool known = worm.ahead >= head.flits;
    worm.ahead += stops_.places(head);
    if (worm.shares)
      Base::list_before(worm.at, 0);
    else if (!known && worm.ahead >= head.flits)
      settle_tail(worm);
    if (worm.shares && worm.unsettled == worm.at && !head.planned) settle_tail(worm);
  }
  /// The tail has crossed the link of its first stop that it had not crossed.
  void retreat(LaneWorm& worm) {
    const Stop& stop = stops_[worm.unsettled];
    worm.ahead -= stops_.places(stop);
    worm.unsettled = stop.after;
    if (worm.unsettled == no_index) return;
    Stop& next = stops_[worm.unsettled];
    if (!worm.shares) next.oldest = true;
    if (!next.planned && (worm.shares || worm.ahead >= next.flits)) settle_tail(worm);
  }
  /// When the tail crosses the next link, as far as that is known.
  void settle_tail(LaneWorm& worm) {
    const Stop& stop = stops_[worm.unsettled];
    Wire& wire = wires_[stop.wire];
    const std::uint32_t last = stop.flits - 1;
    const Stretch in = stops_.supply(stop, last), out = stops_.room(stop, last);
    const Moment own = moment::at(moment::tick(stop.granted) + std::uint64_t{last} * stops_.link(stop).flit);
    const Moment before = wire.due;
    wire.due = std::max({own, in.of(last), out.of(last)});
    wire.special = wire.due == moment::never ? Wire::no_lane : stop.lane;
    if (wire.due != moment::never) Base::await(stop.wire, before);
  }
  /// All worms with flits to send over this wire share it from now on.
  void share(const Wire& wire, const Link& link) {
    for (unsigned lane = 0; lane < link.lanes; ++lane)
      if (const auto owner = owner_[wire.lane + lane]; owner != no_index)
        if (const Stop& stop = stops_[owner]; !stop.planned && stop.course.crossed() != stop.flits) share(owner);
  }

  /// What has crossed the link of a stop that is not planned before `limit` (or at it), the tail left out; its last
  /// series alone without `past_series`.
  [[nodiscard]] Course course(const Stop& stop, Moment limit, bool at_it, PastSeries* past_series) const {
    const std::uint32_t f = stops_.link(stop).flit;
    // Who looks back does not look further than a flit takes over the whole path.
    const std::uint64_t past = window_ * (messages_[stop.message].hops + std::uint64_t{2});
    const std::uint32_t begin = first_after(stop, moment::tick(limit) > past ? moment::tick(limit) - past : 0);
    Course found;
    std::uint32_t next = begin, series = f;  // the next flit, the gap of the series that it may belong to
    Moment last = 0;
    if (begin == 0) {
      found.went(last = stop.granted, f, 0, past_series);
      next = 1;
    }
    for (Stretch in{0, 0, 0, 0}, out = in; next + 1 < stop.flits;) {
      if (next >= in.end) in = stops_.supply(stop, next);
      if (next >= out.end) out = stops_.room(stop, next);
      const Moment first = in.of(next), place = out.of(next);
      const Moment head = moment::at(moment::tick(stop.granted) + std::uint64_t{next} * f);
      const Moment own = next == begin ? head : moment::at(moment::tick(last) + f);
      const Moment at = std::max({own, first, place});
      if (at == moment::never || at > limit || (at == limit && !at_it)) break;
      // What is latest stays so, if its flits are as far apart as those of the others.
      std::uint32_t gap = own == at ? f : 0, count = 1;
      if (first == at) gap = std::max(gap, in.gap);
      if (place == at) gap = std::max(gap, out.gap);
      if (gap >= f && in.gap <= gap && out.gap <= gap) {
        const std::uint64_t more = (limit - at - !at_it) / moment::at(gap) + 1;
        count = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(more, std::min({in.end, out.end, stop.flits - 1}) - next));
      } else {
        gap = f;
      }
      if (next == begin || at != last + moment::at(series) || (count > 1 && gap != series))
        found.went(at, series = gap, next, past_series);
      next += count;
      last = at + moment::at(std::uint64_t{count - 1} * series);
    }
    found.went_to(next);
    return found;
  }

 private:
  /// The first flit that crosses at tick `from` or later, or the last one known to have crossed before.
  [[nodiscard]] std::uint32_t first_after(const Stop& stop, std::uint64_t from) const {
    if (moment::tick(stop.granted) >= from) return 0;
    const std::uint32_t f = stops_.link(stop).flit;
    std::uint32_t before = 0, after = stop.flits - 1;
    while (after - before > 1) {
      const std::uint32_t flit = before + (after - before) / 2;
      const auto late = [&](Moment at) { return moment::tick(at) >= from; };
      if (moment::tick(stop.granted) + std::uint64_t{flit} * f >= from || late(stops_.supply(stop, flit).of(flit)) ||
          late(stops_.room(stop, flit).of(flit)))
        after = flit;
      else
        before = flit;
    }
    return before;
  }
  void share(std::uint32_t number) {
    Stop& stop = stops_[number];
    LaneWorm& worm = messages_[stop.message];
    if (!worm.shares) {  // from now on it is needed what crossed its links
      worm.shares = true;
      for (std::uint32_t kept = worm.at;; kept = stops_[kept].before) {
        stops_[kept].kept = true;
        if (stops_[kept].oldest) break;
      }
      if (!slack_)
        for (std::uint32_t other = worm.unsettled; other != no_index; other = stops_[other].after)
          if (other != number) share(other);
    }
    if (stop.course.crossed() != 0) {
      stop.course = course(stop, Base::here(), stop.wire + 1 < place_, &stops_.past());
      Base::occupy(wires_[stop.wire], stops_.link(stop), stop.lane, stop);
    }
    stop.planned = true;
    wires_[stop.wire].due = moment::never;
    wires_[stop.wire].special = Wire::no_lane;
    // Nothing is planned yet: those that rest on it are to know.
    Base::list(number);
    std::uint32_t other = stop.after;
    for (std::uint32_t fed = other; fed != no_index && !stops_[fed].fed; fed = stops_[fed].after)
      stops_[fed].fed = true;
    while (other != no_index && !stops_[other].planned) other = stops_[other].after;
    if (other != no_index) Base::list(other);
    Base::list_before(number, 0);
  }

  bool closed_form_ = true;  // the fabric's links are as said above
  bool slack_ = true;        // only shared wires are to be planned
};

}  // namespace assay::network
