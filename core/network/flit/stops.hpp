// The stops of the worms: what each has of each link, and when by the recursion of course.hpp its next flit may cross.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "events/wheel.hpp"
#include "network/fabric.hpp"
#include "network/flit/course.hpp"
#include "network/timetable.hpp"

namespace assay::network {

/// What a message has of one link: its lane, and when its flits cross; or of its sink: when it takes them.
struct alignas(64) Stop {
  Course course;
  Moment granted = 0;  // once the first flit has crossed: when it did; a sink: when its plan ends
  std::uint32_t message = events::no_index, flits = 0;
  std::uint32_t wire = 0;                                             // none for a sink
  std::uint32_t before = events::no_index, after = events::no_index;  // stops of the same message
  std::uint8_t lane = 0;                                              // of the wire
  bool planned = true;  // its flits cross by a plan; otherwise by what is known of the stops around it (unshared.hpp)
  bool oldest = false;  // nothing before it is planned, or was
  bool drained : 1 = false, released : 1 = false;
  bool fed : 1 = false;   // something before it is planned
  bool kept : 1 = false;  // until the worm is gone
  bool more : 1 = false;  // of its message is to be sent when it is released
  /// Start of the first flit.
  [[nodiscard]] std::uint64_t first() const { return moment::tick(granted); }
};
static_assert(sizeof(Stop) == 64);

class Stops {
 public:
  /// `of_wires`: the link of each wire, where that is not the one with its number.
  Stops(const Fabric& fabric, const std::vector<std::uint32_t>& of_wires)
      : of_wires_(of_wires.empty() ? nullptr : of_wires.data()) {
    copies_.reserve(of_wires.size());
    for (const std::uint32_t link : of_wires) copies_.push_back(fabric.links[link]);
    links_ = copies_.empty() ? fabric.links.data() : copies_.data();
  }

  [[nodiscard]] Stop& operator[](std::uint32_t number) { return stops_[number]; }
  [[nodiscard]] const Stop& operator[](std::uint32_t number) const { return stops_[number]; }
  [[nodiscard]] std::size_t size() const { return stops_.size(); }
  [[nodiscard]] auto begin() const { return stops_.begin(); }
  [[nodiscard]] auto end() const { return stops_.end(); }
  [[nodiscard]] PastSeries& past() { return past_; }
  [[nodiscard]] std::size_t memory() const {
    return stops_.capacity() * sizeof(Stop) + past_.memory() + copies_.capacity() * sizeof(Link);
  }
  Stops(const Stops&) = delete;  // it may point into itself
  Stops& operator=(const Stops&) = delete;
  /// The link of a stop that is no sink.
  [[nodiscard]] std::uint32_t number_of_link(const Stop& stop) const {
    return of_wires_ == nullptr ? stop.wire : of_wires_[stop.wire];
  }
  [[nodiscard]] const Link& link(const Stop& stop) const { return links_[stop.wire]; }
  [[nodiscard]] const Link& link_of(std::uint32_t wire) const { return links_[wire]; }
  /// The number of a new one, which is nowhere yet. May move the others.
  std::uint32_t add(std::uint32_t message, std::uint32_t flits) {
    std::uint32_t number = static_cast<std::uint32_t>(stops_.size());
    if (free_ == events::no_index) {
      if (number == stops_.capacity()) stops_.reserve(number + number / 8 + 4);  // room for an eighth more
      if (number == Timetable::numbers)
        throw std::length_error("more worms hold lanes than the flit engine can number");
      stops_.emplace_back();
    } else {
      number = free_;
      free_ = stops_[number].after;
    }
    Stop& stop = stops_[number];
    stop.course = {};
    stop.message = message;
    stop.flits = flits;
    stop.before = stop.after = events::no_index;
    stop.drained = stop.released = stop.oldest = stop.kept = stop.more = stop.fed = false;
    stop.planned = true;
    return number;
  }
  void remove(std::uint32_t number) {
    stops_[number].message = events::no_index;
    stops_[number].course.end(past_);
    stops_[number].after = free_;
    free_ = number;
  }

  /// When flit `flit` and those behind it are at hand for this stop.
  [[nodiscard, gnu::always_inline]] Stretch supply(const Stop& stop, std::uint32_t flit) const {
    if (!stop.fed) return {0, 0, 0, endless};
    const Stop& before = stops_[stop.before];
    if (!before.planned) return supply_from_afar(before, flit);
    Stretch found = before.course.find(flit, past_);
    const Link& link = this->link(before);
    if (found.gap != 0) found.at = moment::after(found.at, flit == 0 ? link.head : link.body, stop.wire <= before.wire);
    return found;
  }
  /// When there is a place for flit `flit` and those behind it.
  [[nodiscard, gnu::always_inline]] Stretch room(const Stop& stop, std::uint32_t flit) const {
    if (stop.wire == none) return {0, 0, 0, endless};
    const Link& link = this->link(stop);
    if (link.buffer == 0) return {0, 0, 0, endless};
    if (stop.after == events::no_index) {
      if (link.kind == LinkKind::ejection) return {0, 0, 0, endless};
      return flit < link.buffer ? Stretch{0, 0, 0, link.buffer} : Stretch{moment::never, 0, flit, endless};
    }
    if (flit < link.buffer) return {0, 0, 0, link.buffer};
    const Stop& after = stops_[stop.after];
    if (!after.planned) return room_from_afar(stop, flit);
    Stretch found = after.course.find(flit - link.buffer, past_);
    found.from += link.buffer;
    if (found.end != endless) found.end += link.buffer;
    if (found.gap != 0) found.at = moment::after(found.at, link.credit, after.wire != none && stop.wire <= after.wire);
    return found;
  }
  /// Places at the far end of this link, all flits' where it is never full.
  [[nodiscard]] static std::uint32_t places(const Link& link, const Stop& stop) {
    const bool whole = (link.buffer == 0) | (link.kind == LinkKind::ejection);
    return whole ? stop.flits : link.buffer;
  }
  [[nodiscard]] std::uint32_t places(const Stop& stop) const { return places(link(stop), stop); }
  /// The first flit from `flit` on, below `until`, that `series` has later than `at` and `gap` ticks apart; `found`:
  /// the part of it that flit `flit` belongs to, then the last part looked at.
  template <class Series>
  [[gnu::always_inline]] static std::uint32_t first_late(Series series, Stretch& found, std::uint32_t flit, Moment at,
                                                         std::uint32_t gap, std::uint32_t until) {
    for (std::uint32_t next = flit; next < until;) {
      if (next >= found.end) found = series(next);
      const Moment want = at + moment::at(std::uint64_t{next - flit} * gap), have = found.of(next);
      if (have > want) return next;
      if (found.gap > gap) [[unlikely]]
        if (const Moment late = (want - have) / moment::at(found.gap - gap) + 1;
            late < std::min(found.end, until) - next)
          return next + static_cast<std::uint32_t>(late);
      next = found.end;
    }
    return until;
  }
  /// `in` and `out`: what supply() and room() say of `flit`.
  [[nodiscard, gnu::always_inline]] std::uint32_t first_late(const Stop& stop, Stretch& in, Stretch& out,
                                                             std::uint32_t flit, Moment at, std::uint32_t gap) const {
    const auto until = first_late([&](std::uint32_t k) { return supply(stop, k); }, in, flit, at, gap, stop.flits - 1);
    return first_late([&](std::uint32_t k) { return room(stop, k); }, out, flit, at, gap, until);
  }
  /// Whether flit `flit` has come by `at`, and there is a place for it; `in` and `out` as first_late() left them.
  [[nodiscard, gnu::always_inline]] bool at_hand(const Stop& stop, Stretch& in, Stretch& out, std::uint32_t flit,
                                                 Moment at) const {
    if (flit >= in.end) in = supply(stop, flit);
    if (flit >= out.end) out = room(stop, flit);
    return in.of(flit) <= at && out.of(flit) <= at;
  }
  struct Run {
    std::uint32_t gap, end;
    Moment due;
    std::uint32_t watched;
    bool tail = false;  // `due` is the tail's start for certain
  };
  /// How it goes on after the next flit at `at`, where nobody else wants the wire; `due`: the first flit that will not
  /// be as presumed, or the tail. `in` and `out`: what supply() and room() say of the next flit.
  [[nodiscard, gnu::always_inline]] Run run_on(const Stop& stop, Stretch in, Stretch out, Moment at,
                                               std::uint32_t least) const {
    const std::uint32_t crossed = stop.course.crossed(), flit = crossed + 1, tail = stop.flits - 1;
    if (crossed == tail) return {least, flit, at, crossed};
    if (crossed == 0 || flit >= in.end) in = supply(stop, flit);
    if (flit >= out.end) out = room(stop, flit);
    const Moment next = std::max({moment::at(moment::tick(at) + least), in.of(flit), out.of(flit)});
    if (next == moment::never) return {least, flit, next, flit};
    const std::uint64_t gap = moment::tick(next) - moment::tick(at);
    if (moment::pass(next) != moment::pass(at) || gap >= endless) return {least, flit, next, flit};
    const auto apart = static_cast<std::uint32_t>(gap);
    if (apart > least) return held_back(stop, in, out, next, apart, least);
    const std::uint32_t late = first_late(stop, in, out, flit, next, apart);
    const Moment due = at + moment::at(std::uint64_t{late - crossed} * apart);
    if (late == tail && at_hand(stop, in, out, tail, due)) return {apart, stop.flits, due, late, true};
    // At one flit behind the other, no sooner than they may cross, the late one cannot be earlier than it is planned.
    return {apart, stop.flits, due, late - 1};
  }
  /// The same where it is held back so that its flits are `apart` ticks apart, more than `least`. `next`: when the flit
  /// behind the next one crosses; `in` and `out`: what supply() and room() say of that one.
  [[nodiscard]] Run held_back(const Stop& stop, Stretch in, Stretch out, Moment next, std::uint32_t apart,
                              std::uint32_t least) const {
    const std::uint32_t flit = stop.course.crossed() + 1, tail = stop.flits - 1;
    const auto bound = [&](const Stretch& by) { return by.of(flit) == next && by.gap == apart ? by.end : flit + 1; };
    const std::uint32_t held = std::max(bound(in), bound(out));  // to where it is held back as now
    const std::uint32_t late = first_late(stop, in, out, flit, next, apart);
    const auto of = [&](std::uint32_t k) { return next + moment::at(std::uint64_t{k - flit} * apart); };
    // What holds it back may do so no longer: then it is not later, but earlier.
    if (held <= late) return {apart, stop.flits, moment::at(moment::tick(of(held - 1)) + least), held - 1};
    return {apart, stop.flits, of(late), late, late == tail && at_hand(stop, in, out, tail, of(late))};
  }

 private:
  static constexpr std::uint32_t endless = Course::endless;
  /// Steps back from a link to one behind it: places on the way, credits, and passes where credits take no time.
  struct Back {
    std::uint64_t places = 0;
    Moment delay = 0;    // ticks and passes
    bool later = false;  // a credit took time: passes before it do not matter
    [[gnu::always_inline]] void step(const Link& link, std::uint32_t at_it, const Stop& stop, const Stop& after) {
      places += at_it;
      if (link.credit == 0) {
        delay += !later & (stop.wire <= after.wire);
      } else {
        delay += moment::at(link.credit);
        later = true;
      }
    }
    /// The moment `at`, whose own pass counts where it is a single flit's.
    [[nodiscard]] Moment of(Moment at, bool single) const {
      return at - moment::pass(at) + delay + (single && !later ? moment::pass(at) : 0);
    }
    [[nodiscard]] Stretch of(Stretch found) const {
      found.from += static_cast<std::uint32_t>(places);
      if (found.end != endless) found.end += static_cast<std::uint32_t>(places);
      if (found.gap != 0) found.at = of(found.at, true);
      return found;
    }
  };
  /// The next planned stop before says it, the links between have body flits pass on.
  [[nodiscard, gnu::noinline]] Stretch supply_from_afar(const Stop& behind, std::uint32_t flit) const {
    const Stop* by = &behind;
    std::uint64_t ticks = link(*by).body;
    while (!by->planned) {
      by = &stops_[by->before];
      ticks += link(*by).body;
    }
    Stretch found = by->course.find(flit, past_);
    if (found.gap != 0) found.at = moment::at(moment::tick(found.at) + ticks);
    return found;
  }
  /// The heads' crossings of the links ahead say it, and the next planned stop.
  [[nodiscard, gnu::noinline]] Stretch room_from_afar(const Stop& stop, std::uint32_t flit) const {
    const Link* link = &this->link(stop);
    const std::uint32_t f = link->flit;
    std::uint32_t places = Stops::places(*link, stop);
    Back back;
    std::int64_t base = 0;  // by heads: flit k has a place at base + f k
    bool any = false;
    const auto at_rate = [&] {
      return static_cast<Moment>(base + static_cast<std::int64_t>(moment::at(std::uint64_t{flit} * f)));
    };
    const Stop* by = &stop;
    for (; by->after != events::no_index && flit >= back.places + places;) {
      const Stop& after = stops_[by->after];
      back.step(*link, places, *by, after);
      if (after.planned) {
        const Stretch found = back.of(after.course.find(flit - static_cast<std::uint32_t>(back.places), past_));
        return any ? later(found, at_rate(), f, flit) : found;
      }
      if (flit == back.places) {
        const Moment own = back.of(after.granted, true);
        return {any ? std::max(own, at_rate()) : own, f, flit, flit + 1};
      }
      const auto here = static_cast<std::int64_t>(back.of(after.granted, false) - moment::at(back.places * f));
      base = any ? std::max(base, here) : here;
      any = true;
      by = &after;
      link = &this->link(after);
      places = Stops::places(*link, after);
    }
    const std::uint64_t end = back.places + places;
    if (flit >= end && link->kind != LinkKind::ejection) return {moment::never, 0, flit, endless};
    return any ? Stretch{at_rate(), f, flit, clipped(end)} : Stretch{0, 0, 0, clipped(end)};
  }
  [[nodiscard]] static std::uint32_t clipped(std::uint64_t flit) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(flit, endless));
  }
  /// The later one of `found` and a series of gap f with `at` for flit `flit`, for as long as that is certain.
  [[nodiscard]] static Stretch later(Stretch found, Moment at, std::uint32_t f, std::uint32_t flit) {
    if (found.gap == 0) return found.at == moment::never ? found : Stretch{at, f, flit, found.end};
    const Moment have = found.of(flit);
    if (have >= at) {
      if (found.gap < f) found.end = flit + 1;
      return found;
    }
    if (found.gap <= f) return {at, f, flit, found.end};
    const Moment flits = (at - have) / moment::at(found.gap - f) + 1;
    return {at, f, flit, clipped(std::min<std::uint64_t>(found.end, flit + flits))};
  }
  const Link* links_;  // by wire
  const std::uint32_t* of_wires_;
  std::vector<Link> copies_;  // by wire, where a link has several
  std::vector<Stop> stops_;
  PastSeries past_;
  std::uint32_t free_ = events::no_index;  // the first of those to be used again, by `after`
};

}  // namespace assay::network
