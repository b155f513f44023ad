// Shortest ways on dragonfly and HyperX. Dragonfly, with one global link at most (two can happen to be shorter, so this
// does not claim to be minimal among all ways): to the router with the global link, across, to the destination's
// router; local links before the global one on lane 0, after it on lane 1 (Kim et al. 2008). Where two groups share
// several global links, one whose ends are nearest, of equals by the destination. HyperX: one hop a dimension,
// dimension 0 first.
#include <algorithm>
#include <numeric>

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
    const std::size_t pairs = std::size_t{fabric.routers} * shape.groups;
    for (Ends* ends : {&leave_, &reach_}) ends->begin.assign(pairs + 1, 0);
    each_global([this](std::uint32_t from, std::uint32_t to, std::uint32_t) {
      ++leave_.begin[place(from, group_[to]) + 1];
      ++reach_.begin[place(to, group_[from]) + 1];
    });
    for (Ends* ends : {&leave_, &reach_}) {
      std::partial_sum(ends->begin.begin(), ends->begin.end(), ends->begin.begin());
      ends->which.resize(ends->begin.back());
    }
    auto leaves = leave_.begin, reaches = reach_.begin;
    each_global([&](std::uint32_t from, std::uint32_t to, std::uint32_t which) {
      leave_.which[leaves[place(from, group_[to])]++] = which;
      reach_.which[reaches[place(to, group_[from])]++] = which;
    });
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
  // Of the parallel links between two groups those with one end at a router, by router and the other group, ascending.
  struct Ends {
    std::vector<std::uint32_t> begin, which;
  };
  [[nodiscard]] std::size_t place(std::uint32_t router, std::uint32_t group) const {
    return std::size_t{router} * shape_.groups + group;
  }
  template <class Call>
  void each_global(Call call) const {
    for (std::size_t i = 0; i < shape_.global.size(); ++i)
      if (const auto link = shape_.global[i]; link != none)
        call(fabric_.links[link].from, fabric_.links[link].to, static_cast<std::uint32_t>(i % shape_.parallel));
  }
  [[nodiscard]] std::uint32_t global(std::uint32_t router, std::uint32_t group, std::uint32_t goal,
                                     std::uint32_t target, std::uint32_t destination) const {
    const auto* links = &shape_.global[(std::size_t{group} * shape_.groups + goal) * shape_.parallel];
    const std::uint32_t first = shape_.parallel == 1 ? 0 : destination % shape_.parallel;
    if (fabric_.any_failed()) return global_left(links, first, router, target);
    // Nearest is one that leaves this router for the target, then one that does either, then the first.
    std::uint32_t nearest = shape_.parallel, both = shape_.parallel;  // how far on from the first
    const auto on = [&](std::uint32_t which) {
      return which < first ? which + shape_.parallel - first : which - first;
    };
    const std::size_t here = place(router, goal), there = place(target, group);
    for (std::uint32_t i = leave_.begin[here]; i < leave_.begin[here + 1]; ++i) {
      const std::uint32_t which = leave_.which[i], far = on(which);
      nearest = std::min(nearest, far);
      if (far < both && fabric_.links[links[which]].to == target) both = far;
    }
    for (std::uint32_t i = reach_.begin[there]; i < reach_.begin[there + 1]; ++i)
      nearest = std::min(nearest, on(reach_.which[i]));
    const std::uint32_t far = both < shape_.parallel ? both : nearest < shape_.parallel ? nearest : 0;
    return links[first + far < shape_.parallel ? first + far : first + far - shape_.parallel];
  }
  /// The same of those that have not failed: one after the other.
  [[nodiscard]] std::uint32_t global_left(const std::uint32_t* links, std::uint32_t which, std::uint32_t router,
                                          std::uint32_t target) const {
    auto best = none;
    unsigned fewest = 4;
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
  Ends leave_, reach_;
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
