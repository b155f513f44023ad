// Shortest ways on dragonfly and HyperX. Dragonfly, with one global link at most (two can happen to be shorter, so this
// does not claim to be minimal among all ways): to the router with the global link, across, to the destination's
// router; local links before the global one on lane 0, after it on lane 1 (Kim et al. 2008). Where two groups share
// several global links, one whose ends are nearest, of equals by the destination. HyperX: one hop a dimension,
// dimension 0 first.
#include "network/registry.hpp"
#include "network/shapes/dragonfly.hpp"
#include "network/shapes/hyperx.hpp"

namespace assay::network::routings::minimal {
namespace {

class DragonflyMinimal final : public Routing {
 public:
  DragonflyMinimal(const Fabric& fabric, const Dragonfly& shape)
      : Routing(fabric, {"minimal", false, true, 2, Selection::first}), shape_(shape) {
    for (std::uint32_t router = 0; router < fabric.routers; ++router) group_.push_back(router / shape.a);
  }

 protected:
  void next(std::uint32_t router, std::uint32_t, unsigned, RouteState& state, Choices& out) const override {
    const auto a = shape_.a, target = fabric_.router_of(state.destination), group = group_[router],
               goal = group_[target];
    if (router == target) {
      out.add(fabric_.ejection(state.destination)[0]);
    } else if (group == goal) {
      const bool stayed = group == group_[fabric_.router_of(state.source)];
      out.add(shape_.local[std::size_t{router} * a + (target - goal * a)], stayed ? 0 : 1);
    } else {
      const auto link = global(router, group, goal, target, state.destination);
      if (link == none) return;
      const auto at = fabric_.links[link].from;
      out.add(at == router ? link : shape_.local[std::size_t{router} * a + (at - group * a)]);
    }
  }

 private:
  [[nodiscard]] std::uint32_t global(std::uint32_t router, std::uint32_t group, std::uint32_t goal,
                                     std::uint32_t target, std::uint32_t destination) const {
    const auto* links = &shape_.global[(std::size_t{group} * shape_.groups + goal) * shape_.parallel];
    auto best = none;
    unsigned fewest = 4;
    std::uint32_t which = shape_.parallel == 1 ? 0 : destination % shape_.parallel;
    for (std::uint32_t turn = 0; turn < shape_.parallel; ++turn) {
      const auto link = links[which];
      which = which + 1 == shape_.parallel ? 0 : which + 1;
      const auto& ends = fabric_.links[link];
      const unsigned hops = unsigned{ends.from != router} + unsigned{ends.to != target};
      if (hops >= fewest || fabric_.failed(link)) continue;
      fewest = hops;
      best = link;
    }
    return best;
  }
  const Dragonfly& shape_;
  std::vector<std::uint32_t> group_;  // of each router
};

class HyperXMinimal final : public Routing {
 public:
  HyperXMinimal(const Fabric& fabric, const HyperX& shape)
      : Routing(fabric, {"minimal", true, true, 1, Selection::first}), shape_(shape) {}

 protected:
  void next(std::uint32_t router, std::uint32_t, unsigned, RouteState& state, Choices& out) const override {
    const auto target = state.destination / shape_.concentration;
    for (std::size_t d = 0; d < shape_.extents.size(); ++d) {
      const auto there = shape_.coordinate(target, d);
      if (shape_.coordinate(router, d) == there) continue;
      out.add(shape_.links[std::size_t{router} * shape_.ports + shape_.first[d] + there]);
      return;
    }
    out.add(fabric_.ejection(state.destination)[0]);
  }

 private:
  const HyperX& shape_;
};

std::unique_ptr<Routing> make(const Fabric& fabric, const Settings&) {
  if (const auto* shape = fabric.shape<Dragonfly>()) return std::make_unique<DragonflyMinimal>(fabric, *shape);
  if (const auto* shape = fabric.shape<HyperX>()) return std::make_unique<HyperXMinimal>(fabric, *shape);
  throw ParameterError("routing", "minimal routes on dragonfly and hyperx only");
}

}  // namespace

extern const RoutingRecord record;
const RoutingRecord record{"minimal", "dragonfly and HyperX: the shortest way", {}, make};

}  // namespace assay::network::routings::minimal
