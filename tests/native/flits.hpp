// A second flit engine with virtual channels, for small networks: every tick, every message and every wire is looked
// at, every flit lies in an explicit buffer with the tick from which it may go on. Nothing is scheduled. It takes its
// routes from the routing (which must leave no choice) and shares nothing else with the engine that it judges.
#pragma once
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "network/outcome.hpp"
#include "network/registry.hpp"

namespace plain {

using namespace assay::network;
using Tick = std::int64_t;

class Flits : RandomSource, Load {
 public:
  Flits(const Network& network, const Trace& trace, int sink, std::uint64_t seed = 0)
      : fabric_(*network.fabric), routing_(*network.routing), sink_(sink), state_(seed) {
    for (std::size_t row = 0; row < trace.id.size(); ++row) {
      Worm worm;
      worm.id = trace.id[row];
      worm.row = row;
      worm.born = static_cast<Tick>(trace.cycle[row]);
      worm.flits = static_cast<int>(trace.flits[row]);
      worm.steps = way(trace.source[row], trace.destination[row]);
      worms_.push_back(worm);
    }
    std::sort(worms_.begin(), worms_.end(), [](const Worm& a, const Worm& b) { return a.id < b.id; });
    for (std::uint32_t l = 0; l < fabric_.links.size(); ++l)
      for (int c = 0; c < fabric_.links[l].channels; ++c)
        wires_.push_back({l, 0, 0, std::vector<Lane>(fabric_.links[l].lanes)});
    head.assign(trace.id.size(), -1);
    tail = head;
  }
  std::vector<Tick> head, tail;

  void run() {
    Tick idle = 0, patience = 3;
    for (const auto& link : fabric_.links)
      patience = std::max<Tick>(patience, 2 * (link.flit + link.body + link.head + link.credit + sink_));
    for (Tick now = 0; idle < patience || !all_born(now); ++now) idle = tick(now) ? 0 : idle + 1;
  }

 private:
  struct Lane {
    int owner = -1, step = 0, crossed = 0, left = 0;
    Tick last = -1, tail_left = -1, sunk = -1;
    std::deque<Tick> buffer;     // of each flit: when it may leave
    std::deque<Tick> returning;  // of each credit under way: when it is back
  };
  struct Wire {
    std::uint32_t link;
    Tick free_at;
    std::size_t turn;
    std::vector<Lane> lanes;
  };
  struct Step {
    std::uint32_t link;
    unsigned lane;
  };
  struct Worm {
    std::uint64_t id = 0;
    std::size_t row = 0;
    Tick born = 0;
    int flits = 0, requested = 0, granted = 0;
    std::vector<Step> steps;
    std::vector<Lane*> lanes;  // by step
  };

  std::uint64_t next() override { return state_ = state_ * 6364136223846793005u + 1442695040888963407u; }
  std::vector<Step> way(std::uint32_t from, std::uint32_t to) {
    RouteState state;
    routing_.begin(state, from, to, *this, *this);
    Choices choices;
    routing_.inject(state, choices);
    std::vector<Step> steps{{choices[0].link, 0}};
    while (fabric_.links[steps.back().link].kind != LinkKind::ejection) {
      const Step last = steps.back();
      routing_.choices(fabric_.links[last.link].to, last.link, last.lane, state, choices);
      steps.push_back({choices[0].link, choices[0].lane});
    }
    return steps;
  }
  [[nodiscard]] bool all_born(Tick now) const {
    for (const auto& worm : worms_)
      if (worm.born >= now) return false;
    return true;
  }
  [[nodiscard]] unsigned classes(const Link& link) const {
    return link.kind == LinkKind::network ? routing_.claims().lanes : 1;
  }

  bool tick(Tick now) {
    bool any = false;
    for (auto& wire : wires_)
      for (auto& lane : wire.lanes) any |= sinks(wire, lane, now);
    for (std::size_t w = 0; w < worms_.size(); ++w) {
      Worm& worm = worms_[w];
      if (worm.born > now || worm.requested != worm.granted || worm.granted == static_cast<int>(worm.steps.size()))
        continue;
      if (worm.requested == 0) {
        if (worm.born != now) continue;
      } else {
        const Lane& at = *worm.lanes.back();
        if (at.crossed == 0 || at.left > 0 || at.buffer.front() > now) continue;
      }
      const Step step = worm.steps[worm.requested++];
      queues_[{step.link, step.lane}].push_back(static_cast<int>(w));
      any = true;
    }
    for (bool changed = true; changed; any |= changed) {
      changed = false;
      for (auto& wire : wires_) changed |= look(wire, now);
    }
    return any;
  }

  bool look(Wire& wire, Tick now) {
    const Link& link = fabric_.links[wire.link];
    bool changed = false;
    for (std::size_t l = 0; l < wire.lanes.size(); ++l) {
      Lane& lane = wire.lanes[l];
      if (lane.owner >= 0 && free_again(lane, link, now)) {
        lane = Lane{};
        changed = true;
      }
      auto& queue = queues_[{wire.link, static_cast<unsigned>(l % classes(link))}];
      if (lane.owner >= 0 || queue.empty()) continue;
      Worm& worm = worms_[static_cast<std::size_t>(queue.front())];
      lane.owner = queue.front();
      lane.step = worm.granted++;
      worm.lanes.push_back(&lane);
      queue.pop_front();
      changed = true;
    }
    if (wire.free_at > now) return changed;
    for (std::size_t i = 0; i < wire.lanes.size(); ++i) {
      const std::size_t l = (wire.turn + i) % wire.lanes.size();
      if (!moves(wire, wire.lanes[l], now)) continue;
      wire.turn = (l + 1) % wire.lanes.size();
      wire.free_at = now + link.flit;
      return true;
    }
    return changed;
  }
  bool free_again(const Lane& lane, const Link& link, Tick now) const {
    const int flits = worms_[static_cast<std::size_t>(lane.owner)].flits;
    return lane.left == flits && now >= lane.tail_left + link.credit && now >= lane.last + link.flit;
  }
  bool moves(Wire& wire, Lane& lane, Tick now) {
    if (lane.owner < 0) return false;
    const Link& link = fabric_.links[wire.link];
    Worm& worm = worms_[static_cast<std::size_t>(lane.owner)];
    if (lane.crossed == worm.flits) return false;
    std::erase_if(lane.returning, [now](Tick back) { return back <= now; });
    if (lane.buffer.size() + lane.returning.size() >= link.buffer) return false;
    if (lane.step > 0) {
      Lane& before = *worm.lanes[static_cast<std::size_t>(lane.step) - 1];
      if (before.buffer.empty() || before.buffer.front() > now) return false;
      leaves(before, fabric_.links[worm.steps[static_cast<std::size_t>(lane.step) - 1].link], worm, now);
    }
    const bool out = link.kind == LinkKind::ejection;
    if (out && lane.crossed == 0) head[worm.row] = now;
    lane.buffer.push_back(now + (lane.crossed == 0 ? link.head : link.body));
    lane.last = now;
    if (++lane.crossed == worm.flits && out) tail[worm.row] = now;
    sinks(wire, lane, now);
    return true;
  }
  static void leaves(Lane& lane, const Link& link, const Worm& worm, Tick now) {
    lane.buffer.pop_front();
    if (++lane.left == worm.flits) lane.tail_left = now;
    if (link.credit > 0) lane.returning.push_back(now + link.credit);
  }
  bool sinks(Wire& wire, Lane& lane, Tick now) {
    const Link& link = fabric_.links[wire.link];
    if (link.kind != LinkKind::ejection || lane.owner < 0 || lane.buffer.empty() || lane.buffer.front() > now ||
        (lane.sunk >= 0 && now < lane.sunk + sink_))
      return false;
    lane.sunk = now;
    leaves(lane, link, worms_[static_cast<std::size_t>(lane.owner)], now);
    return true;
  }

  const Fabric& fabric_;
  const Routing& routing_;
  int sink_;
  std::uint64_t state_;
  std::vector<Wire> wires_;
  std::vector<Worm> worms_;
  std::map<std::pair<std::uint32_t, unsigned>, std::deque<int>> queues_;
};

}  // namespace plain
