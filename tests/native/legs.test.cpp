// Routings in two phases, whose legs are kept in small networks, against the routing below, asked at every router: the
// ways over an intermediate node and the direct ones; and UGAL's choice by its definition. On both sides of the number
// of nodes up to which legs are kept.
#include "network/legs.hpp"

#include "network/two_phase.hpp"
#include "random_networks.hpp"

namespace {

using namespace trial;

using Way = std::vector<std::pair<std::uint32_t, unsigned>>;  // links and lanes

/// A leg by the routing below, in the upper half of the lanes or in the lower; the ejection link left out.
Way leg(const TwoPhase& routing, std::uint32_t from, std::uint32_t to, bool upper) {
  const Routing& base = routing.base();
  const Fabric& fabric = base.fabric();
  RouteState state;
  Undrawn undrawn;
  base.begin(state, from, to, undrawn, Load());
  Way way;
  std::uint32_t router = fabric.router_of(from), link = none;
  unsigned lane = 0;
  for (Choices out;;) {
    base.choices(router, link, lane, state, out);
    if (out.count != 1 || fabric.links[out[0].link].kind == LinkKind::ejection) return way;
    link = out[0].link, lane = out[0].lane;
    way.emplace_back(link, lane + (upper ? routing.half() : 0));
    router = fabric.links[link].to;
  }
}

/// As an engine goes it, every router asked twice.
Way walk(const TwoPhase& routing, RouteState state) {
  const Fabric& fabric = routing.fabric();
  Way way;
  std::uint32_t router = fabric.router_of(state.source), link = none;
  unsigned lane = 0;
  for (Choices out;;) {
    routing.choices(router, link, lane, state, out);
    routing.choices(router, link, lane, state, out);
    expect(out.count == 1, "one choice");
    if (out.count != 1 || way.size() > 4 * fabric.routers) return way;
    if (const Link& taken = fabric.links[out[0].link]; taken.kind == LinkKind::ejection) {
      expect(taken.to == state.destination && out[0].lane == 0, "the destination");
      return way;
    }
    link = out[0].link, lane = out[0].lane;
    way.emplace_back(link, lane);
    router = fabric.links[link].to;
  }
}

Way joined(Way first, const Way& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

struct Queues final : Load {
  std::vector<std::uint32_t> by_link;
  [[nodiscard]] std::uint32_t queue(std::uint32_t link, unsigned lane) const override {
    return by_link[link] + (lane + link) % 2;
  }
};
struct Drawn final : RandomSource {
  explicit Drawn(std::uint64_t seed) : random(seed) {}
  std::uint64_t next() override { return random.next(); }
  Random random;
};

std::size_t compare(Table keys, const std::string& routing, std::uint64_t seed) {
  Random random(seed);
  const int threshold = static_cast<int>(random.below(7)) - 3;
  keys["routing"] = routing;
  if (routing == "ugal") keys["threshold"] = threshold;
  const Network network = build_network(keys);
  const auto& way = dynamic_cast<const TwoPhase&>(*network.routing);
  const std::string what = Value(keys).text();
  const std::uint32_t nodes = network.fabric->nodes;
  std::size_t compared = 0;
  for (; compared < 300; ++compared) {
    const std::uint32_t source = random.below(nodes), destination = random.below(nodes), over = random.below(nodes);
    const Way straight = leg(way, source, destination, true);
    expect(walk(way, way.direct(source, destination)) == straight, what + ": the direct way");
    expect(walk(way, way.detour(source, destination, over)) ==
               joined(leg(way, source, over, false), leg(way, over, destination, true)),
           what + ": the way over a node");
    if (routing != "ugal") continue;
    Queues queues;
    for (std::size_t link = 0; link < network.fabric->links.size(); ++link)
      queues.by_link.push_back(random.below(3) == 0 ? random.below(4) : 0);
    const std::uint64_t drawn = random.next();
    Drawn same(drawn), again(drawn);
    const std::uint32_t node = same.below(nodes);
    const Way around = joined(leg(way, source, node, false), leg(way, node, destination, true));
    const auto cost = [&](const Way& by) {
      return by.empty() ? std::int64_t{0}
                        : std::int64_t{queues.queue(by[0].first, by[0].second)} * static_cast<std::int64_t>(by.size());
    };
    RouteState state;
    way.begin(state, source, destination, again, queues);
    const Way& cheaper = cost(straight) <= cost(around) + threshold ? straight : around;
    expect(walk(way, state) == cheaper, what + ": the cheaper way");
  }
  return compared;
}

}  // namespace

int main() {
  const std::vector<Table> networks = {
      {{"topology", "torus"}, {"extents", list({4, 4})}},
      {{"topology", "torus"}, {"extents", list({5, 3, 4})}},
      {{"topology", "torus"}, {"extents", list({24, 24})}},  // too many nodes
      {{"topology", "torus"}, {"extents", list({200})}},     // some legs are too long
      {{"topology", "mesh"}, {"extents", list({3, 5})}},
      {{"topology", "hypercube"}, {"dimension", 5}},
      {{"topology", "dragonfly"}, {"p", 2}, {"a", 4}, {"h", 2}},
      {{"topology", "dragonfly"}, {"p", 1}, {"a", 3}, {"h", 2}, {"groups", 3}},
      {{"topology", "hyperx"}, {"extents", list({3, 4})}, {"concentration", 2}},
      {{"topology", "k-ary-n-tree"}, {"radix", 3}, {"levels", 3}},
      {{"topology", "star"}, {"nodes", 7}},
  };
  std::size_t compared = 0;
  for (std::size_t i = 0; i < networks.size(); ++i)
    for (const char* routing : {"ugal", "valiant"})
      for (std::uint64_t seed = 0; seed < 4; ++seed) compared += compare(networks[i], routing, 100 * i + seed);
  std::printf("%zu ways compared\n", compared);
  return failures == 0 ? 0 : 1;
}
