// A chain of pointers through every cache line of a working set, in one random cycle (Sattolo 1986), so that each load
// waits for the one before and no prefetcher can guess the next; and the loop that chases through it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "memory/cycle.hpp"
#include "memory/pages.hpp"
#include "timing/clock.hpp"
#include "timing/opaque.hpp"

namespace assay::memory {

inline constexpr std::size_t line_of_cache = 64;

struct alignas(line_of_cache) Line {
  Line* next;
  std::uint64_t mark;
};

class Chain {
 public:
  Chain(std::int64_t bytes, bool huge, std::uint64_t seed)
      : pages(static_cast<std::size_t>(bytes), huge),
        lines(static_cast<std::size_t>(bytes) / line_of_cache),
        stages{lines} {
    Line* all = reinterpret_cast<Line*>(pages.data());
    std::vector<std::uint32_t> order = random_cycle(lines, seed);
#if ASSAY_BREAK == 1
    for (std::size_t i = lines / 2; i < lines; ++i) order[i] = order[i - lines / 2];
#endif
    for (std::size_t i = 0; i < lines; ++i) all[order[i]] = {all + order[(i + 1) % lines], 0};
    at = all + order[0];
    for (std::size_t k = 0; k < stages.count; ++k) stage[k] = all + order[stages.begin(k)];
  }

  Pages pages;
  std::size_t lines;
  Stages stages;
  Line* at = nullptr;
  Line* stage[Stages::count];
};

[[gnu::noinline]] inline Line* chase(Line* at, std::int64_t loads) {
  for (; loads >= 8; loads -= 8) {
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      at = at->next;
      timing::opaque(at);
    }
  }
  for (; loads > 0; --loads) at = at->next;
  return at;
}

// Brings all lines into the caches, from eight places of the cycle at once; the next load is of one met longest ago.
inline void visit(Chain& chain) {
  Line* at[Stages::count];
  std::copy(std::begin(chain.stage), std::end(chain.stage), at);
  chain.stages.walk(at, [](Line* here) {
    here = here->next;
    timing::opaque(here);
    return here;
  });
  chain.at = chain.stage[0];
}

// Time of a load (s) in a working set of so many bytes, which were all visited before: the least of three readings.
inline double load_time(std::int64_t bytes, std::uint64_t seed) {
  Chain chain(bytes, true, seed);
  const std::int64_t loads = std::clamp<std::int64_t>(static_cast<std::int64_t>(chain.lines), 4096, 8192);
  visit(chain);
  std::int64_t least = std::int64_t{1} << 60;
  for (int k = 0; k < 4; ++k) {  // the first one brings what is small into the first cache
    const std::int64_t from = timing::now_ns();
    chain.at = chase(chain.at, loads);
    timing::opaque(chain.at);
    if (k > 0) least = std::min(least, timing::now_ns() - from);
  }
  return 1e-9 * static_cast<double>(least) / static_cast<double>(loads);
}

// Working sets of a curve of these: four an octave from 8 KiB on, as the sizes of latency lie, two from 4 MiB on, and
// one from 16 MiB on.
inline std::vector<std::int64_t> curve_sizes(std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t octave = 8 << 10; octave < most; octave *= 2)
    for (std::int64_t k = 0; k < 4; k += octave < (4 << 20) ? 1 : octave < (16 << 20) ? 2 : 4)
      sizes.push_back(octave + k * octave / 4);
  sizes.push_back(most);
  return sizes;
}

inline timing::Check verify(Chain& chain) {
  constexpr std::size_t stages = Stages::count, enough = 1 << 18;
  std::size_t found = 0, chased = 0;
  Line* at[stages];
  std::copy(std::begin(chain.stage), std::end(chain.stage), at);
  chain.stages.walk(at, [&](Line* here) {
    found += here->mark == 0;
    here->mark = 1;
    return here->next;
  });
  bool round = true;
  for (std::size_t k = 0; k < stages; ++k) {
    Line* const next = chain.stage[(k + 1) % stages];
    round = round && at[k] == next;
    if (chased >= enough) continue;
    Line* const last = chase(chain.stage[k], static_cast<std::int64_t>(chain.stages.length(k)) - 1);
    round = round && last != next && chase(last, 1) == next;
    chased += chain.stages.length(k);
  }
  return {found == chain.lines && round, std::to_string(found) + " of " + std::to_string(chain.lines) +
                                             " lines in one cycle" + (round ? "" : ", which is broken")};
}

}  // namespace assay::memory
