// Free processors over time to come, as steps: what conservative backfilling makes its reservations in. Steps lie in
// blocks that know their least and most, so that a search passes over whole blocks, and a change moves few steps.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "batch/job.hpp"

namespace assay::batch {

/// A maximal rectangle of free processors: in [from, to), no wider and no longer one holds it.
struct Room {
  Seconds from = 0, to = 0;
  std::int64_t processors = 0;
};

class Profile {
 public:
  static constexpr Seconds endless = std::numeric_limits<Seconds>::max();

  explicit Profile(std::int64_t processors) : firsts_{0}, blocks_{{{{0, processors}}, processors, processors, true}} {}

  /// Forget what lies before `now`.
  void advance(Seconds now) {
    if (now <= begin()) return;
    const Place at = find(now);
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(at.block));
    firsts_.erase(firsts_.begin(), firsts_.begin() + static_cast<std::ptrdiff_t>(at.block));
    Block& first = blocks_.front();
    first.steps.erase(first.steps.begin(), first.steps.begin() + static_cast<std::ptrdiff_t>(at.step));
    first.steps.front().time = firsts_.front() = now;
    first.summed = false;
  }

  Seconds begin() const { return firsts_.front(); }

  /// The first second from `begins` on (at least the profile's beginning) at which `processors` are free for `time`, or
  /// until `latest`; `latest` is returned where nothing before it serves.
  Seconds earliest(std::int64_t processors, Seconds time, Seconds latest, Seconds begins) const {
    begins = std::max(begins, begin());
    for (Place at = find(begins); at.block < blocks_.size(); next(at)) {
      pass(
          at, latest, [&](const Step& step) { return step.free >= processors; },
          [&](const Block& block) { return block.extremes().most < processors; });
      if (at.block == blocks_.size()) break;
      const Seconds from = std::max(step(at).time, begins);
      if (from >= latest) break;
      const Seconds to = std::min(from + time, latest);
      pass(
          at, to, [&](const Step& step) { return step.free < processors; },
          [&](const Block& block) { return block.extremes().least >= processors; });
      if (at.block == blocks_.size() || step(at).time >= to) return from;
    }
    return latest;
  }

  /// Take `processors` in [from, to), or give them back where negative.
  void take(Seconds from, Seconds to, std::int64_t processors) {
    if (from >= to) return;
    cut(to);
    const Place first = cut(from);
    Place at = first;
    for (; at.block < blocks_.size(); at = {at.block + 1, 0}) {
      Block& block = blocks_[at.block];
      const bool from_first = at.step == 0;
      for (; at.step < block.steps.size() && block.steps[at.step].time < to; ++at.step)
        block.steps[at.step].free -= processors;
      const bool whole = from_first && at.step == block.steps.size();
      block.summed = block.summed && whole;
      block.least -= processors;
      block.most -= processors;
      if (at.step < block.steps.size()) break;
    }
    join(at);
    join(first);
  }

  std::int64_t free(Seconds at) const { return step(find(at)).free; }

  /// The first second from which on `processors` are free until `until`.
  Seconds since(Seconds until, std::int64_t processors) const {
    if (until <= begin()) return until;
    Seconds found = until;
    for (Place at = find(until - 1); step(at).free >= processors; before(at)) {
      found = step(at).time;
      if (at.block == 0 && at.step == 0) break;
    }
    return found;
  }

  /// What is free of at least `least` processors and meets [from, to), of at most `reach` before and after it: appended
  /// to `found`.
  void rooms(Seconds from, Seconds to, std::int64_t least, Seconds reach, std::vector<Room>& found) const {
    from = std::max(from, begin());
    Place at = find(from);
    while ((at.block > 0 || at.step > 0) && step(at).time > from - reach && step(at).free >= least) before(at);
    std::vector<Room>& open = open_;  // of growing width; where each ends is not known yet
    open.clear();
    const auto narrow = [&](Seconds now, std::int64_t free) {
      Seconds since = now;
      for (; !open.empty() && open.back().processors > free; open.pop_back()) {
        since = open.back().from;
        if (since < to && now > from) found.push_back({since, now, open.back().processors});
      }
      if (free >= least && (open.empty() || open.back().processors < free)) open.push_back({since, 0, free});
    };
    for (; at.block < blocks_.size(); next(at)) {
      const Step& here = step(at);
      if (here.time >= to && (here.free < least || here.time - to >= reach)) {
        narrow(here.time, -1);
        return;
      }
      narrow(here.time, here.free);
    }
    narrow(endless, -1);
  }

 private:
  static constexpr std::size_t half = 64;  // a block is divided at twice as many steps

  struct Step {
    Seconds time = 0;
    std::int64_t free = 0;
  };
  struct Block {
    std::vector<Step> steps;  // never none
    mutable std::int64_t least = 0, most = 0;
    mutable bool summed = false;  // whether these are right

    const Block& extremes() const {
      if (std::exchange(summed, true)) return *this;
      least = most = steps.front().free;
      for (const Step& each : steps) {
        least = std::min(least, each.free);
        most = std::max(most, each.free);
      }
      return *this;
    }
  };
  struct Place {
    std::size_t block = 0, step = 0;
  };

  const Step& step(Place at) const { return blocks_[at.block].steps[at.step]; }
  void next(Place& at) const {
    if (at.block < blocks_.size() && ++at.step == blocks_[at.block].steps.size()) at = {at.block + 1, 0};
  }
  void before(Place& at) const {
    if (at.step-- == 0) at = {at.block - 1, blocks_[at.block - 1].steps.size() - 1};
  }

  // On to the first step that `serves`, or that begins at `latest` or later; `useless`: no step of the block serves.
  template <class Serves, class Useless>
  void pass(Place& at, Seconds latest, Serves&& serves, Useless&& useless) const {
    while (at.block < blocks_.size()) {
      const Block& block = blocks_[at.block];
      if (block.steps[at.step].time >= latest) return;
      if (at.step > 0 || !useless(block))
        for (; at.step < block.steps.size(); ++at.step)
          if (serves(block.steps[at.step]) || block.steps[at.step].time >= latest) return;
      at = {at.block + 1, 0};
    }
  }

  // The step in which `time` lies.
  Place find(Seconds time) const {
    const std::size_t block = last_until(firsts_, time, [](Seconds first) { return first; });
    return {block, last_until(blocks_[block].steps, time, [](const Step& step) { return step.time; })};
  }

  // The last element whose time is not after `time`, or else the first one; without a branch that depends on times.
  template <class Element, class TimeOf>
  static std::size_t last_until(const std::vector<Element>& ascending, Seconds time, TimeOf&& time_of) {
    const Element* base = ascending.data();
    for (std::size_t left = ascending.size(); left > 1;) {
      const std::size_t step = left / 2;
      base += time_of(base[step]) <= time ? step : 0;
      left -= step;
    }
    return static_cast<std::size_t>(base - ascending.data());
  }

  // A step begins at `time`: where it is.
  Place cut(Seconds time) {
    const Place at = find(time);
    if (step(at).time == time) return at;
    std::vector<Step>& steps = blocks_[at.block].steps;
    steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(at.step) + 1, {time, steps[at.step].free});
    if (steps.size() < 2 * half) return {at.block, at.step + 1};
    Block second;
    second.steps.assign(steps.begin() + half, steps.end());
    steps.resize(half);
    blocks_[at.block].summed = false;
    firsts_.insert(firsts_.begin() + static_cast<std::ptrdiff_t>(at.block) + 1, second.steps.front().time);
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block) + 1, std::move(second));
    return at.step + 1 < half ? Place{at.block, at.step + 1} : Place{at.block + 1, at.step + 1 - half};
  }

  // No step begins there where as many are free before it.
  void join(Place at) {
    if (at.block == 0 && at.step == 0) return;
    Place last = at;
    before(last);
    if (step(at).free != step(last).free) return;
    Block& block = blocks_[at.block];
    block.steps.erase(block.steps.begin() + static_cast<std::ptrdiff_t>(at.step));
    block.summed = false;
    if (!block.steps.empty()) {
      firsts_[at.block] = block.steps.front().time;
      return;
    }
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block));
    firsts_.erase(firsts_.begin() + static_cast<std::ptrdiff_t>(at.block));
  }

  mutable std::vector<Room> open_;  // in `rooms`
  std::vector<Seconds> firsts_;     // the time of each block's first step
  std::vector<Block> blocks_;       // ascending; the last step has no end
};

}  // namespace assay::batch
