// Which messages of the general worm engine can never move again, and one circle of them. Part of general.hpp, which
// includes it at its end.
#pragma once
#include <algorithm>
#include <vector>

#include "network/worm/general.hpp"

namespace assay::network {

/// What cannot move: a waiting message moves again if some channel of the link it waits for is free or held by one that
/// can move. What is left when all that can move are taken out is deadlocked.
template <class Source, class Observer>
void GeneralEngine<Source, Observer>::find_deadlock(Outcome& outcome) const {
  std::vector<std::vector<std::uint32_t>> holders(links_.size());
  for (std::uint32_t i = 0; i < worms_.size(); ++i) {
    const Worm& w = worms_[i];
    if (!w.live || w.path.empty()) continue;
    if (packets_)
      holders[w.path.back().link].push_back(i);
    else
      for (std::size_t c = w.settled; c < w.path.size(); ++c) holders[w.path[c].link].push_back(i);
  }
  std::vector<std::uint8_t> stuck(worms_.size(), 0);
  for (std::uint32_t i = 0; i < worms_.size(); ++i) stuck[i] = worms_[i].live && worms_[i].waiting;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 0; i < worms_.size(); ++i) {
      if (!stuck[i]) continue;
      const auto& by = holders[worms_[i].want];
      const bool frees = by.empty() || std::any_of(by.begin(), by.end(), [&](std::uint32_t h) { return !stuck[h]; });
      if (!frees) continue;
      stuck[i] = 0;
      changed = true;
    }
  }
  for (std::uint32_t i = 0; i < worms_.size(); ++i) outcome.deadlocked += stuck[i];
  if (outcome.deadlocked == 0) return;
  // Go from waiter to holder until one comes twice.
  std::vector<std::uint32_t> way;
  auto at = static_cast<std::uint32_t>(std::find(stuck.begin(), stuck.end(), 1) - stuck.begin());
  while (std::find(way.begin(), way.end(), at) == way.end()) {
    way.push_back(at);
    at = holders[worms_[at].want].front();
  }
  way.erase(way.begin(), std::find(way.begin(), way.end(), at));
  for (std::size_t i = 0; i < way.size(); ++i) {
    const Worm& w = worms_[way[i]];
    outcome.deadlock.push_back(
        {w.key >> packet_bits, w.want, worms_[way[(i + way.size() - 1) % way.size()]].want, w.source, w.destination});
  }
}

}  // namespace assay::network
