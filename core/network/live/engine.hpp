// Any engine as a Live network: a source that takes submissions and an observer that turns its calls into reports.
#pragma once
#include <algorithm>
#include <deque>
#include <vector>

#include "events/radix_heap.hpp"
#include "network/live/live.hpp"
#include "network/runs.hpp"

namespace assay::network {

/// Keys count the submissions, whatever their cycles; what was said of them is found again by key.
class LiveSource {
 public:
  static constexpr bool newest_last = false;
  void put(std::uint64_t cycle, const Arrival& arrival, std::uint32_t cookie) {
    waiting_.push({cycle, base_ + under_way_.size(), arrival});
    under_way_.push_back({cycle, cookie});
  }
  [[nodiscard]] std::uint64_t next_cycle() const { return waiting_.first(); }
  Arrival take() {
    const Waiting next = waiting_.pop();
    last_ = next.key;
    return next.arrival;
  }
  [[nodiscard]] std::uint64_t last_key() const { return last_; }
  [[nodiscard]] std::uint32_t cookie(std::uint64_t key) const { return under_way_[key - base_].cookie; }
  [[nodiscard]] std::uint64_t born(std::uint64_t key) const { return under_way_[key - base_].cycle; }
  /// The message of this key is there.
  void forget(std::uint64_t key) {
    under_way_[key - base_].cookie = gone;
    for (; !under_way_.empty() && under_way_.front().cookie == gone; ++base_) under_way_.pop_front();
  }

 private:
  static constexpr std::uint32_t gone = none;
  struct Submitted {
    std::uint64_t cycle;
    std::uint32_t cookie;
  };
  struct Waiting {
    std::uint64_t at, key;
    Arrival arrival;
  };
  events::RadixHeap<Waiting> waiting_;
  std::deque<Submitted> under_way_;
  std::uint64_t base_ = 0, last_ = 0;
};

/// From the start of a message's tail over a link until both are done; a single flit is a head, not a body.
inline std::uint64_t past(const Link& link, std::uint32_t flits) {
  return flits == 1 ? link.flit : std::max(link.flit, link.body);
}

class LiveObserver {
 public:
  LiveObserver(LiveSource& source, const Fabric& fabric, bool passing)
      : source_(source), fabric_(fabric), passing_(passing) {}
  template <class Engine, class Message>
  void delivered(const Engine& engine, const Message& m, decltype(m.born) head, std::uint32_t hops) {
    const Link& last = fabric_.links[fabric_.ejection(m.destination)[0]];
    const std::uint64_t end = std::max<std::uint64_t>(engine.tail(m, head) + past(last, m.flits), head + last.head);
    reports->push_back({Report::What::arrived, source_.cookie(m.key), end, 0, source_.born(m.key), hops, m.flits});
    source_.forget(m.key);
  }
  void left(std::uint64_t key, std::uint64_t time) {
    reports->push_back({Report::What::left, source_.cookie(key), time, 0, 0, 0, 0});
  }
  void passes(std::uint64_t key, const Link& link, std::uint64_t time, std::uint32_t flits) {
    if (passing_) reports->push_back({Report::What::passes, source_.cookie(key), time, 0, 0, link.from, flits});
  }
  void moved_base(std::uint32_t) {}
  std::vector<Report>* reports = nullptr;

 private:
  LiveSource& source_;
  const Fabric& fabric_;
  bool passing_;
};

template <template <class, class> class Engine>
class LiveEngine final : public Live {
 public:
  LiveEngine(Network network, const Switching& how, const char* name, std::uint32_t longest, bool passing)
      : network_(std::move(network)),
        how_(how),
        name_(name),
        observer_(source_, *network_.fabric, passing),
        engine_(*network_.fabric, *network_.routing, how_, source_, observer_, events::Random(1),
                horizon(*network_.fabric, longest)) {}

  [[nodiscard]] std::uint32_t nodes() const override { return network_.fabric->processors; }
  [[nodiscard]] std::uint32_t hops(std::uint32_t from, std::uint32_t to) const override;
  [[nodiscard]] std::uint64_t unloaded(std::uint32_t links, std::uint32_t flits) const override;
  [[nodiscard]] bool keeps_order() const override {
    return how_.packet_flits == 0 && network_.routing->selection() == Selection::first &&
           std::ranges::all_of(network_.fabric->links,
                               [](const Link& link) { return link.channels == 1 && link.lanes == 1; });
  }
  void submit(std::uint64_t cycle, std::uint32_t source, std::uint32_t destination, std::uint32_t flits,
              std::uint32_t cookie) override {
    source_.put(cycle, {source, destination, flits}, cookie);
  }
  [[nodiscard]] std::uint64_t next() const override { return engine_.next_time(); }
  bool serve(std::vector<Report>& reports) override {
    observer_.reports = &reports;
    engine_.serve_cycle(engine_.next_time());
    return false;
  }
  [[nodiscard]] std::string stuck() const override;
  [[nodiscard]] std::size_t memory() const override { return engine_.memory(); }
  [[nodiscard]] const char* engine() const override { return name_; }

 private:
  Network network_;
  const Switching how_;
  const char* name_;
  LiveSource source_;
  LiveObserver observer_;
  Engine<LiveSource, LiveObserver> engine_;
};

/// Nobody else is there: load is nothing, and a routing that draws lots draws the lowest.
struct Alone final : RandomSource, Load {
  std::uint64_t next() override { return 0; }
};

template <template <class, class> class Engine>
std::uint32_t LiveEngine<Engine>::hops(std::uint32_t from, std::uint32_t to) const {
  Alone alone;
  RouteState state;
  Choices choices;
  choices.clear();
  network_.routing->begin(state, from, to, alone, alone);
  network_.routing->inject(state, choices);
  std::uint32_t links = 0;
  while (choices.count > 0) {
    const Choice next = choices[0];
    const Link& link = network_.fabric->links[next.link];
    if (link.kind == LinkKind::ejection) return links;
    links += link.kind == LinkKind::network;
    network_.routing->choices(link.to, next.link, next.lane, state, choices);
  }
  return links;
}

template <template <class, class> class Engine>
std::uint64_t LiveEngine<Engine>::unloaded(std::uint32_t links, std::uint32_t flits) const {
  const Fabric& fabric = *network_.fabric;
  const Link& node = fabric.usual(fabric.injection(0)[0]);
  const Link& wire = fabric.links[0].kind == LinkKind::network ? fabric.usual(0) : node;
  const std::uint64_t inner = links > 2 ? links - 2 : 0, ends = std::min<std::uint64_t>(links, 2);
  const std::uint64_t heads = ends * node.head + inner * wire.head - node.head;  // the head starts on the last link
  const Link& out = fabric.usual(fabric.ejection(0)[0]);                         // may be slower than the way in
  const std::uint64_t slow =
      std::max<std::uint64_t>({node.flit, out.flit, inner == 0 ? 0 : wire.flit, how_.sink_ticks});
  const std::uint64_t most = flits - 1, last = past(out, flits);
  if (how_.switching == "circuit") {
    const std::uint64_t stands = heads + node.head + std::uint64_t{links} * how_.acknowledgement;
    return stands + node.body + inner * wire.body + slow * most + last;
  }
  if (how_.switching == "store-and-forward" && how_.packet_flits == 0) {
    const std::uint64_t stored = ((ends - 1) * node.flit + inner * wire.flit) * most;
    return std::max(heads + stored + node.head, heads + stored + node.flit * most + last);
  }
  return std::max(heads + node.head, heads + slow * most + last);
}

template <template <class, class> class Engine>
std::string LiveEngine<Engine>::stuck() const {
  Outcome outcome;
  engine_.find_deadlock(outcome);
  if (engine_.unroutable() > 0)
    return std::to_string(engine_.unroutable()) + " messages cannot be routed: the network has failed links";
  if (outcome.deadlocked == 0) return "";
  std::string circle;
  for (const auto& each : outcome.deadlock) {
    if (circle.size() > 300) break;
    circle += (circle.empty() ? "" : ", ") + std::string("node ") + std::to_string(each.source) + " to node " +
              std::to_string(each.destination) + " waits for link " + std::to_string(each.waits_for) + " and holds " +
              std::to_string(each.holds);
  }
  return "deadlock inside the network, " + std::to_string(outcome.deadlocked) + " messages: " + circle;
}

}  // namespace assay::network
