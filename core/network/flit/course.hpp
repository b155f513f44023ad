// When the flits of a worm start to cross one link: arithmetic series, the last of them presumed to go on.
//
// A moment is a tick and a pass. In a tick the wires are gone through upwards, pass by pass, until nothing moves; what
// a crossing lets another wire do in the same tick (a credit with r = 0, a flit with w = 0) that wire does in the same
// pass if it comes later in it, in the next pass otherwise. So each time in the recursion
//   X(j, k) = max(X(j, k-1) + f, X(j-1, k) + w, X(j+1, k-B) + r)
// is a moment, and the wire that several lanes share is given at the first moment at which one of them is ready.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace assay::network {

using Moment = std::uint64_t;
namespace moment {
inline constexpr unsigned bits = 16;  // of the pass; ticks have the others, 2.8e14 of them
inline constexpr Moment never = ~Moment{0};
constexpr Moment at(std::uint64_t tick) { return tick << bits; }
constexpr std::uint64_t tick(Moment x) { return x >> bits; }
constexpr std::uint64_t pass(Moment x) { return x & ((Moment{1} << bits) - 1); }
/// What follows `delay` ticks after x; in the same tick a pass later for a wire that was gone through before.
constexpr Moment after(Moment x, std::uint32_t delay, bool gone_through) {
  if (x == never) return never;
  return delay != 0 ? at(tick(x) + delay) : x + gone_through;
}
}  // namespace moment

/// Flit number `from` is at `at`, the next ones `gap` ticks apart, up to flit `end` (excluded). Gap 0: `at` is long
/// ago, or never.
struct Stretch {
  Moment at;
  std::uint32_t gap, from, end;
  [[nodiscard]] Moment of(std::uint32_t flit) const { return at + moment::at(std::uint64_t{flit - from} * gap); }
};

/// Flits from number `from` on, the first of them at `at`.
struct Series {
  Moment at = 0;
  std::uint32_t gap = 1, from = 0;
  [[nodiscard]] Moment of(std::uint32_t flit) const { return at + moment::at(std::uint64_t{flit - from} * gap); }
};

/// The series of all courses that are over: of each course a list, the latest first.
class PastSeries {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Entry {
    Series series;
    std::uint32_t before = none;
  };
  [[nodiscard]] const Entry& operator[](std::uint32_t number) const { return entries_[number]; }
  /// The number of a new one, the latest of its list.
  std::uint32_t add(const Series& series, std::uint32_t before) {
    std::uint32_t number = static_cast<std::uint32_t>(entries_.size());
    if (free_ == none) {
      if (number == entries_.capacity()) entries_.reserve(number + number / 8 + 4);  // room for an eighth more
      entries_.emplace_back();
    } else {
      number = free_;
      free_ = entries_[number].before;
    }
    entries_[number] = {series, before};
    return number;
  }
  /// A list from here on.
  void remove(std::uint32_t number) {
    while (number != none) {
      const std::uint32_t before = entries_[number].before;
      entries_[number].before = free_;
      free_ = number;
      number = before;
    }
  }
  /// Takes out of the list what crossed before tick `old`; `end`: the flit behind its latest series. Its latest left.
  std::uint32_t remove_old(std::uint32_t latest, std::uint32_t end, std::uint64_t old) {
    std::uint32_t later = none;
    for (std::uint32_t number = latest; number != none; later = number, number = entries_[number].before) {
      const Series& series = entries_[number].series;
      if (moment::tick(series.at) + std::uint64_t{end - 1 - series.from} * series.gap < old) {
        remove(number);
        if (later == none) return none;
        entries_[later].before = none;
        return latest;
      }
      end = series.from;
    }
    return latest;
  }
  [[nodiscard]] std::size_t memory() const { return entries_.capacity() * sizeof(Entry); }

 private:
  std::vector<Entry> entries_;
  std::uint32_t free_ = none;
};

class Course {
 public:
  static constexpr std::uint32_t endless = ~std::uint32_t{0};

  /// Only how many crossed is asked from now on.
  void end(PastSeries& past) {
    past.remove(past_);
    past_ = PastSeries::none;
  }
  [[nodiscard]] std::uint32_t crossed() const { return crossed_; }
  /// The last flit that crossed.
  [[nodiscard]] Moment last(const PastSeries& past) const {
    if (crossed_ > now_.from) return now_.of(crossed_ - 1);
    return past_ == PastSeries::none ? 0 : past[past_].series.of(crossed_ - 1);
  }

  /// The series that a flit belongs to: `never` where it is not known when it crosses, 0 where that is long ago.
  [[nodiscard]] Stretch find(std::uint32_t flit, const PastSeries& past) const {
    if (flit >= now_.from) {
      if (flit >= end_) return {moment::never, 0, flit, endless};
      return {now_.at, now_.gap, now_.from, end_};
    }
    return find_past(flit, past);
  }
  /// Counts the flits that cross before `limit` (or at it) as crossed, but not flit `but`; true if there are any.
  bool settle(Moment limit, bool at_it, std::uint32_t but) {
    const std::uint32_t most = std::min(end_, but);
    if (crossed_ >= most) return false;
    const Moment first = next();
    if (first > limit || (first == limit && !at_it)) return false;
    const std::uint64_t ticks = moment::tick(limit - first - !at_it);
    const std::uint64_t count = 1 + (now_.gap == 1     ? ticks
                                     : ticks < endless ? static_cast<std::uint32_t>(ticks) / now_.gap
                                                       : ticks / now_.gap);
    crossed_ += static_cast<std::uint32_t>(std::min<std::uint64_t>(count, most - crossed_));
    return true;
  }
  /// The flits not crossed yet: from `at` on, `gap` ticks apart, up to `end`; none if that is the number crossed. What
  /// crossed before tick `old` is long ago. The first flit for which that differs from before; endless: for none.
  [[gnu::noinline]] std::uint32_t plan(Moment at, std::uint32_t gap, std::uint32_t end, std::uint64_t old,
                                       PastSeries& past) {
    if (goes(at, gap, end)) return endless;
    return replan(at, gap, end, old, past);
  }
  /// Whether the flits not crossed yet are planned so already.
  [[nodiscard]] bool goes(Moment at, std::uint32_t gap, std::uint32_t end) const {
    return end == end_ && (end <= crossed_ || (next() == at && (gap == now_.gap || end == crossed_ + 1)));
  }
  /// The next flit crosses now.
  void cross() { ++crossed_; }
  // To write down what is known otherwise, of a new course: series that crossed, the number of all flits in them; the
  // tail. Without `past`: only the last of the series.
  void went(Moment at, std::uint32_t gap, std::uint32_t from, PastSeries* past) {
    if (crossed_ != 0 && past != nullptr) past_ = past->add(now_, past_);
    now_ = {at, gap, from};
    crossed_ = from + 1;
  }
  void went_to(std::uint32_t crossed) { crossed_ = end_ = crossed; }
  /// The head is to cross at `at`, and nothing is known of the flits behind it.
  void head_comes(Moment at) {
    now_ = {at, 1, 0};
    end_ = 1;
  }
  void tail_comes(Moment at, std::uint32_t flits) {
    now_ = {at, 1, flits - 1};
    crossed_ = flits - 1;
    end_ = flits;
  }

 private:
  [[nodiscard, gnu::noinline]] Stretch find_past(std::uint32_t flit, const PastSeries& past) const {
    std::uint32_t end = now_.from;
    for (std::uint32_t i = past_; i != PastSeries::none; i = past[i].before) {
      const Series& series = past[i].series;
      if (flit >= series.from) return {series.at, series.gap, series.from, end};
      end = series.from;
    }
    return {0, 0, 0, end};
  }
  /// When the next flit crosses, if one is planned.
  [[nodiscard]] Moment next() const { return now_.of(crossed_); }
  [[gnu::noinline]] std::uint32_t replan(Moment at, std::uint32_t gap, std::uint32_t end, std::uint64_t old,
                                         PastSeries& past) {
    const std::uint32_t before = end_;
    if (end <= crossed_) {
      if (before <= crossed_) return endless;
      end_ = crossed_;
      return crossed_;
    }
    const Moment here = next();
    const bool planned = before > crossed_, single = end == crossed_ + 1, apart = !single && gap != now_.gap;
    if (planned && here == at && !apart) {
      if (end == before) return endless;
      end_ = end;
      return std::min(end, before);
    }
    if (crossed_ == now_.from) {
      now_ = {at, gap, crossed_};
    } else if (crossed_ == now_.from + 1 && at > now_.at && moment::pass(at) == moment::pass(now_.at) &&
               (single || at == now_.at + moment::at(gap))) {
      now_.gap = static_cast<std::uint32_t>(moment::tick(at - now_.at));  // one flit is the begin of any series
    } else if (here != at || apart) {
      past_ = past.add(now_, past.remove_old(past_, now_.from, old));
      now_ = {at, gap, crossed_};
    }
    end_ = end;
    return planned && here == at ? crossed_ + 1 : crossed_;
  }
  Series now_;
  std::uint32_t past_ = PastSeries::none;  // the latest that is over
  std::uint32_t end_ = 0, crossed_ = 0;

 public:
  std::uint32_t watched = endless;  // the plan rests on what was known of flits up to this one
};
static_assert(sizeof(Course) == 32);

}  // namespace assay::network
