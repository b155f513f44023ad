// Which messages of the general worm engine can never move again, and one circle of them. Included wherever a
// GeneralEngine is made, after its class.
#pragma once
#include <algorithm>
#include <vector>

#include "network/worm/general.hpp"

namespace assay::network {

/// A link gets free if nobody holds it or one of those that hold it can move; who waits for a link can move if that
/// link gets free. What is left when this has been followed to its end is deadlocked. Gone through by link, as there
/// may be many more messages that wait at their sources than links.
template <class Source, class Observer>
void GeneralEngine<Source, Observer>::find_deadlock(Outcome& outcome) const {
  std::vector<std::vector<std::uint32_t>> holders(lines_.size());
  for (std::uint32_t i = 0; i < worms_.size(); ++i) {
    const Worm& w = worms_[i];
    if (!w.live || w.path.empty()) continue;
    if (packets_)
      holders[w.path.back().link].push_back(i);
    else
      for (std::size_t c = w.train.settled; c < w.path.size(); ++c) holders[w.path[c].link].push_back(i);
  }
  std::vector<std::uint8_t> gets_free(lines_.size(), 0);
  const auto moves = [&](std::uint32_t i) { return !worms_[i].waiting || gets_free[worms_[i].want] != 0; };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t link = 0; link < lines_.size(); ++link) {
      const auto& by = holders[link];
      if (gets_free[link] != 0 || !(by.empty() || std::any_of(by.begin(), by.end(), moves))) continue;
      gets_free[link] = 1;
      changed = true;
    }
  }
  std::vector<std::uint8_t> stuck(worms_.size(), 0);
  for (std::uint32_t i = 0; i < worms_.size(); ++i) stuck[i] = worms_[i].live && !moves(i);
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
    outcome.deadlock.push_back({w.key >> Parts::packet_bits, w.want,
                                worms_[way[(i + way.size() - 1) % way.size()]].want, w.source, w.destination});
  }
}

}  // namespace assay::network
