// The noise of real processors, played again: each takes detours from `start` to `start + length`, over and over every
// `period` (src/assay/machine/noise_traces.py has the format in which it was stored). Work makes way for them:
// Ferreira, Bridges and Brightwell, Characterizing application sensitivity to OS interference (SC 2008).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ranks/message_model.hpp"

namespace assay::described {

struct ReplayedNoise {
  Time period = 0;
  std::vector<Time> start, before;  // of each detour, ascending; and what all detours before it took
  Time lost = 0;                    // in a period, less than it

  void detour(Time at, Time length) {
    start.push_back(at);
    before.push_back(lost);
    lost += length;
  }
  // Where in its noise a further node begins, whose noise is as much and comes at other moments; 0 of copy 0, the node
  // that was measured. Steele, Lea and Flood, Fast splittable pseudorandom number generators (OOPSLA 2014): splitmix64.
  Time moment(std::uint64_t copy) const {
    if (copy == 0) return 0;
    std::uint64_t z = copy * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<Time>((z ^ (z >> 31U)) % static_cast<std::uint64_t>(period));
  }
  // When `work` of computing ends that begins at `begin`. A detour that would come in its last instant is still to
  // come.
  Time ends(Time begin, Time work) const {
    if (work <= 0) return begin;
    const Time free = period - lost;
    const Time done = begin / period * free + free_until(begin % period) + work;  // free time since zero
    const Time whole = (done - 1) / free, rest = done - whole * free;             // rest: 1 to free
    // The last detour that begins before so much free time has passed in the period.
    Time at = rest;
    std::size_t low = 0, high = start.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (start[middle] - before[middle] < rest) {
        at = rest + (middle + 1 < start.size() ? before[middle + 1] : lost);
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return whole * period + at;
  }

 private:
  Time free_until(Time at) const {  // free time of a period before `at`
    const auto next = std::ranges::upper_bound(start, at);
    if (next == start.begin()) return at;
    const auto index = static_cast<std::size_t>(next - start.begin()) - 1;
    const Time taken = (index + 1 < start.size() ? before[index + 1] : lost) - before[index];
    return at - before[index] - std::min(at - start[index], taken);
  }
};

}  // namespace assay::described
