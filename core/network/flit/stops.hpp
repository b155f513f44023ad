// The stops of the worms: what each has of each link, and when by the recursion of course.hpp its next flit may cross.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "events/wheel.hpp"
#include "network/fabric.hpp"
#include "network/flit/course.hpp"

namespace assay::network {

/// What a message has of one link: its lane, and when its flits cross; or of its sink: when it takes them.
struct Stop {
  std::uint32_t message = events::no_index, flits = 0, row = none;
  std::uint32_t link = 0, wire = 0, lane = 0;                         // lane: among all; wire: none for a sink
  std::uint32_t before = events::no_index, after = events::no_index;  // stops of the same message
  std::uint32_t counted = 0;                                          // flits that are in flits_by_link_
  bool drained = false, released = false;
  std::uint64_t first = 0;  // start of the first flit
  Moment granted = 0;       // a sink: when its plan ends
  Course course;
};

class Stops {
 public:
  explicit Stops(const Fabric& fabric) : fabric_(fabric) {}

  [[nodiscard]] Stop& operator[](std::uint32_t number) { return stops_[number]; }
  [[nodiscard]] const Stop& operator[](std::uint32_t number) const { return stops_[number]; }
  [[nodiscard]] auto begin() { return stops_.begin(); }
  [[nodiscard]] auto end() { return stops_.end(); }
  [[nodiscard]] std::size_t memory() const {
    std::size_t sum = stops_.capacity() * sizeof(Stop) + free_.capacity() * 4;
    for (const Stop& stop : stops_) sum += stop.course.memory();
    return sum;
  }
  /// The number of a new one, which is nowhere yet. May move the others.
  std::uint32_t add(std::uint32_t message, std::uint32_t flits) {
    std::uint32_t number = static_cast<std::uint32_t>(stops_.size());
    if (free_.empty()) {
      stops_.emplace_back();
    } else {
      number = free_.back();
      free_.pop_back();
    }
    Stop& stop = stops_[number];
    stop.message = message;
    stop.flits = flits;
    stop.row = none;
    stop.before = stop.after = events::no_index;
    stop.counted = 0;
    stop.drained = stop.released = false;
    stop.course.clear();
    return number;
  }
  void remove(std::uint32_t number) {
    stops_[number].message = events::no_index;
    free_.push_back(number);
  }

  /// When flit `flit` and those behind it are at hand for this stop.
  [[nodiscard]] Stretch supply(const Stop& stop, std::uint32_t flit) const {
    if (stop.before == events::no_index) return {0, 0, 0, endless};
    const Stop& before = stops_[stop.before];
    Stretch found = before.course.find(flit);
    const Link& link = fabric_.links[before.link];
    if (found.gap != 0) found.at = moment::after(found.at, flit == 0 ? link.head : link.body, stop.wire <= before.wire);
    return found;
  }
  /// When there is a place for flit `flit` and those behind it.
  [[nodiscard]] Stretch room(const Stop& stop, std::uint32_t flit) const {
    const Link& link = fabric_.links[stop.link];
    if (stop.wire == none || link.buffer == 0) return {0, 0, 0, endless};
    if (stop.after == events::no_index) {
      if (link.kind == LinkKind::ejection) return {0, 0, 0, endless};
      return flit < link.buffer ? Stretch{0, 0, 0, link.buffer} : Stretch{moment::never, 0, flit, endless};
    }
    if (flit < link.buffer) return {0, 0, 0, link.buffer};
    const Stop& after = stops_[stop.after];
    Stretch found = after.course.find(flit - link.buffer);
    found.from += link.buffer;
    if (found.end != endless) found.end += link.buffer;
    if (found.gap != 0) found.at = moment::after(found.at, link.credit, after.wire != none && stop.wire <= after.wire);
    return found;
  }
  /// The first flit from `flit` on, below `until`, that `series` has later than `at` and `gap` ticks apart.
  template <class Series>
  [[nodiscard]] static std::uint32_t first_late(Series series, std::uint32_t flit, Moment at, std::uint32_t gap,
                                                std::uint32_t until) {
    for (std::uint32_t next = flit; next < until;) {
      const Stretch found = series(next);
      const Moment want = at + moment::at(std::uint64_t{next - flit} * gap), have = found.of(next);
      if (have > want) return next;
      const std::uint32_t end = std::min(found.end, until);
      if (found.gap > gap)
        if (const Moment late = (want - have) / moment::at(found.gap - gap) + 1; late < end - next)
          return next + static_cast<std::uint32_t>(late);
      next = end;
    }
    return until;
  }
  [[nodiscard]] std::uint32_t first_late(const Stop& stop, std::uint32_t flit, Moment at, std::uint32_t gap) const {
    const auto until = first_late([&](std::uint32_t k) { return supply(stop, k); }, flit, at, gap, stop.flits - 1);
    return first_late([&](std::uint32_t k) { return room(stop, k); }, flit, at, gap, until);
  }
  struct Run {
    std::uint32_t gap, end;
    Moment due;
  };
  /// How it goes on after the next flit at `at`, where nobody else wants the wire; `due`: the first flit that
  /// will not be as presumed, or the tail.
  [[nodiscard]] Run run_on(const Stop& stop, Moment at, std::uint32_t least) const {
    const std::uint32_t crossed = stop.course.crossed(), flit = crossed + 1;
    if (flit == stop.flits) return {least, flit, at};
    const Stretch in = supply(stop, flit), out = room(stop, flit);
    const Moment next = std::max({moment::at(moment::tick(at) + least), in.of(flit), out.of(flit)});
    if (next == moment::never) return {least, flit, next};
    const std::uint64_t gap = moment::tick(next) - moment::tick(at);
    if (moment::pass(next) != moment::pass(at) || gap >= endless) return {least, flit, next};
    const auto apart = static_cast<std::uint32_t>(gap);
    const std::uint32_t late = first_late(stop, flit, next, apart);
    const auto of = [&](std::uint32_t k) { return at + moment::at(std::uint64_t{k - crossed} * apart); };
    if (apart > least) {  // what holds it back may do so no longer: then it is not later, but earlier
      const auto bound = [&](const Stretch& by) { return by.of(flit) == next && by.gap == apart ? by.end : flit + 1; };
      if (const std::uint32_t end = std::max(bound(in), bound(out)); end <= late)
        return {apart, stop.flits, moment::at(moment::tick(of(end - 1)) + least)};
    }
    return {apart, stop.flits, of(late)};
  }

 private:
  static constexpr std::uint32_t endless = Course::endless;
  const Fabric& fabric_;
  std::vector<Stop> stops_;
  std::vector<std::uint32_t> free_;
};

}  // namespace assay::network
