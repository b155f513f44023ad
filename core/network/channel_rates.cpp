#include "network/channel_rates.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "network/composition.hpp"
#include "network/shapes/grid.hpp"
#include "network/two_phase.hpp"

namespace assay::network {
namespace {

class Follower {
 public:
  Follower(const Routing& routing, ChannelRates& out, bool turns)
      : routing_(routing), fabric_(routing.fabric()), out_(out), turns_(turns) {}

  // One way after the other: for routings that leave no choice.
  void follow(RouteState state, double flow) {
    routing_.inject(state, choices_);
    std::uint32_t steps = 0, before = none;
    while (choices_.count) {
      const auto choice = choices_[0];
      const auto& link = fabric_.links[choice.link];
      out_.rate[choice.link] += flow;
      if (before != none) turn(before, choice.link, flow);
      before = choice.link;
      if (link.kind == LinkKind::ejection) return;
      if (++steps > 4 * fabric_.routers + 8)
        throw std::runtime_error("the routes of " + routing_.claims().name + " go round in circles");
      routing_.choices(link.to, choice.link, choice.lane, state, choices_);
    }
    out_.unroutable += flow;
  }

  // All flow to one destination at once. The choices of such routings do not depend on the source, so one stands for
  // all.
  void inject(RouteState state, double flow) {
    routing_.inject(state, choices_);
    if (choices_.count == 0) out_.unroutable += flow;
    const auto source = state.source;
    if (representative_ == none) representative_ = source;
    state.source = representative_;
    const auto share = flow / choices_.count;
    const auto first = choices_;
    for (const auto& choice : first) visits_[visit(choice, state)].flow += share;
  }

  void push() {
    for (std::size_t index = 0; index < visits_.size(); ++index) expand(index);  // grows as it goes
    std::vector<std::uint32_t> into(visits_.size()), ready;
    for (const auto& one : visits_)
      for (auto next = one.first; next < one.last; ++next) ++into[successors_[next]];
    for (std::uint32_t index = 0; index < visits_.size(); ++index)
      if (into[index] == 0) ready.push_back(index);
    std::size_t done = 0;
    while (!ready.empty()) {
      const auto index = ready.back();
      ready.pop_back();
      ++done;
      const auto& one = visits_[index];
      out_.rate[one.link] += one.flow;
      if (one.first == one.last && fabric_.links[one.link].kind != LinkKind::ejection) out_.unroutable += one.flow;
      for (auto next = one.first; next < one.last; ++next) {
        visits_[successors_[next]].flow += one.flow / (one.last - one.first);
        turn(one.link, visits_[successors_[next]].link, one.flow / (one.last - one.first));
        if (--into[successors_[next]] == 0) ready.push_back(successors_[next]);
      }
    }
    if (done != visits_.size())
      throw std::runtime_error("the routes of " + routing_.claims().name + " go round in circles");
    visits_.clear();
    successors_.clear();
    seen_.clear();
    representative_ = none;
  }

 private:
  void turn(std::uint32_t from, std::uint32_t to, double flow) {
    if (turns_) out_.turns[std::uint64_t{from} << 32 | to] += flow;
  }

  struct Visit {
    RouteState state;
    std::uint32_t link;
    std::uint8_t lane;
    std::uint32_t first = 0, last = 0;  // successors
    double flow = 0;
  };

  std::uint32_t visit(const Choice& choice, const RouteState& state) {
    // Bits, intermediate and phase tell states to one destination apart.
    std::uint64_t key = std::uint64_t{choice.link} << 8 | choice.lane;
    key = (key ^ std::uint64_t{state.bits} << 24) * 0x9e3779b97f4a7c15u;
    key = (key ^ key >> 29 ^ std::uint64_t{state.intermediate} << 8 ^ state.phase) * 0xbf58476d1ce4e5b9u;
    const auto [at, end] = seen_.equal_range(key);
    for (auto found = at; found != end; ++found) {
      const auto& one = visits_[found->second];
      if (one.link == choice.link && one.lane == choice.lane && one.state == state) return found->second;
    }
    const auto index = static_cast<std::uint32_t>(visits_.size());
    seen_.emplace(key, index);
    visits_.push_back({state, choice.link, choice.lane});
    return index;
  }

  void expand(std::size_t index) {
    const auto& link = fabric_.links[visits_[index].link];
    visits_[index].first = visits_[index].last = static_cast<std::uint32_t>(successors_.size());
    if (link.kind == LinkKind::ejection) return;
    auto state = visits_[index].state;
    routing_.choices(link.to, visits_[index].link, visits_[index].lane, state, choices_);
    for (const auto& choice : choices_) {
      const auto next = visit(choice, state);
      successors_.push_back(next);
    }
    visits_[index].last = static_cast<std::uint32_t>(successors_.size());
  }

  const Routing& routing_;
  const Fabric& fabric_;
  ChannelRates& out_;
  bool turns_;
  Choices choices_;
  std::vector<Visit> visits_;
  std::vector<std::uint32_t> successors_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> seen_;
  std::uint32_t representative_ = none;
};

// The turns at a node's router where first phases end and second ones begin, source and destination thought
// independent. `through`: messages that have the node as their intermediate one; `share` of the nodes is one node.
void join_phases(ChannelRates& out, const Fabric& fabric, std::uint32_t node, double sent, double received,
                 double through, double share) {
  const auto in = fabric.injection(node)[0], eject = fabric.ejection(node)[0];
  std::vector<std::pair<std::uint32_t, double>> ending, beginning;
  double begun = 0;
  for (const auto& [key, flow] : out.turns) {
    const auto from = static_cast<std::uint32_t>(key >> 32), to = static_cast<std::uint32_t>(key);
    if (to == eject && from != in) ending.emplace_back(from, flow);
    if (from == in && to != eject) beginning.emplace_back(to, flow), begun += flow;
  }
  if (!(begun > 0) || !(through > 0)) return;
  const double here = received * share / through;  // of the messages that come through, those that end here
  const double first = through - sent * share, second = received * (1 - share);  // phases that end over links
  for (const auto& [link, flow] : ending) {
    const double on = flow * first / (first + second) * (1 - here);
    out.turns[std::uint64_t{link} << 32 | eject] = flow - on;
    for (const auto& [next, rate] : beginning) out.turns[std::uint64_t{link} << 32 | next] += on * rate / begun;
  }
  out.turns[std::uint64_t{in} << 32 | eject] = sent * share * here;
  for (const auto& [link, flow] : beginning)
    out.turns[std::uint64_t{in} << 32 | link] = sent * (1 - share * here) * flow / begun;
}

ChannelRates two_traffics(const TwoPhase& routing, const std::vector<double>& traffic, bool turns) {
  const auto& fabric = routing.fabric();
  const std::size_t nodes = fabric.nodes;
  std::vector<double> sent(nodes), received(nodes), part(nodes * nodes);
  for (std::size_t source = 0; source < nodes; ++source)
    for (std::size_t destination = 0; destination < nodes; ++destination) {
      sent[source] += traffic[source * nodes + destination];
      received[destination] += traffic[source * nodes + destination];
    }
  const auto over = static_cast<double>(nodes);
  for (std::size_t from = 0; from < nodes; ++from)
    for (std::size_t to = 0; to < nodes; ++to) part[from * nodes + to] = (sent[from] + received[to]) / over;
  const double total = std::accumulate(sent.begin(), sent.end(), 0.0);
  auto out = channel_rates(routing.base(), part, turns);  // both phases at once: rates add up
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (turns) join_phases(out, fabric, node, sent[node], received[node], total / over, 1 / over);
    out.rate[fabric.injection(node)[0]] = sent[node];
    out.rate[fabric.ejection(node)[0]] = received[node];
  }
  return out;
}

}  // namespace

ChannelRates channel_rates(const Routing& routing, const std::vector<double>& traffic, bool turns) {
  const auto& fabric = routing.fabric();
  const std::size_t nodes = fabric.nodes;
  if (traffic.size() != nodes * nodes) throw std::invalid_argument("the traffic is not a matrix of nodes by nodes");
  if (const auto* two = dynamic_cast<const TwoPhase*>(&routing); two && two->always() && !fabric.any_failed())
    return two_traffics(*two, traffic, turns);
  ChannelRates out;
  out.rate.resize(fabric.links.size());
  Follower follower(routing, out, turns);
  const bool one_way = routing.selection() == Selection::first;
  for (std::uint32_t destination = 0; destination < nodes; ++destination) {
    for (std::uint32_t source = 0; source < nodes; ++source) {
      const double flow = traffic[source * nodes + destination];
      if (!(flow > 0)) continue;
      for (const auto& beginning : routing.beginnings(source, destination)) {
        if (!(beginning.probability > 0)) continue;
        if (one_way)
          follower.follow(beginning.state, flow * beginning.probability);
        else
          follower.inject(beginning.state, flow * beginning.probability);
      }
    }
    if (!one_way) follower.push();
  }
  return out;
}

std::vector<double> traffic_matrix(const Traffic& traffic, const Fabric& fabric) {
  const auto around = neighbourhood(fabric, 1);
  const std::size_t nodes = around.nodes, row = fabric.nodes;
  std::vector<double> out(row * row);
  const auto uniform = [&](std::size_t source, double sum) {
    const double others = static_cast<double>(traffic.self ? nodes : nodes - 1);
    for (std::size_t destination = 0; destination < nodes; ++destination)
      if (traffic.self || destination != source) out[source * row + destination] += sum / others;
  };
  for (std::uint32_t source = 0; source < nodes; ++source) {
    if (traffic.pattern == "uniform") {
      uniform(source, 1);
    } else if (traffic.pattern == "hotspot" || traffic.pattern == "spherical") {
      throw ParameterError("traffic.pattern", "'" + traffic.pattern + "' is given to channel rates as a matrix");
    } else {
      const auto to = permuted(traffic.pattern, source, around.nodes,
                               around.extents.empty() ? std::vector{around.nodes} : around.extents);
      if (to != source || traffic.self) out[source * row + to] += 1;
    }
  }
  return out;
}

Neighbourhood neighbourhood(const Fabric& fabric, std::uint32_t radius) {
  Neighbourhood around;
  around.nodes = fabric.processors;
  const auto* io = fabric.shape<WithIo>();
  if (const auto* grid = dynamic_cast<const Grid*>((io ? io->processors : fabric.geometry).get())) {
    std::uint64_t full = 1;
    for (const auto extent : grid->extents) full *= extent;
    if (full == fabric.processors) around.extents = grid->extents;
  }
  around.sphere = [&fabric, radius](std::uint32_t node) {
    std::vector<std::uint32_t> distance(fabric.routers, none), queue{fabric.entered_by(node)}, out;
    distance[queue[0]] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (const auto link : fabric.outgoing(queue[head])) {
        const auto& ends = fabric.links[link];
        if (ends.kind == LinkKind::ejection && ends.to != node && ends.to < fabric.processors) out.push_back(ends.to);
        if (ends.kind != LinkKind::network || distance[ends.to] != none || distance[queue[head]] == radius) continue;
        distance[ends.to] = distance[queue[head]] + 1;
        queue.push_back(ends.to);
      }
    std::sort(out.begin(), out.end());
    return out;
  };
  return around;
}

}  // namespace assay::network
