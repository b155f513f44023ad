// up*/down* (Schroeder et al. 1991, Autonet): routers are ordered by distance from a root, then number; a link is up if
// it leads to a smaller one. Legal ways go up any number of links, then down; the table holds the shortest legal ones,
// around failures. No cycle of waiting links can close, but ways may be longer than the shortest.
#include <algorithm>
#include <numeric>

#include "network/distances.hpp"
#include "network/registry.hpp"

namespace assay::network::routings::up_down {
namespace {

class UpDown final : public Routing {
 public:
  UpDown(const Fabric& fabric, std::uint32_t root, Selection selection)
      : Routing(fabric, {"up-down", false, true, 1, selection}) {
    const auto routers = fabric.routers;
    rank(root);
    std::vector<std::uint32_t> order(routers);
    for (std::uint32_t router = 0; router < routers; ++router) order[rank_[router]] = router;
    any_.assign(std::size_t{routers} * routers, unreachable);
    for (std::uint32_t to = 0; to < routers; ++to) any_[index(to, to)] = 0;
    down_ = any_;
    for (auto at = order.rbegin(); at != order.rend(); ++at) extend(*at, false);
    any_ = down_;
    for (const auto router : order) extend(router, true);
  }

 protected:
  void next(std::uint32_t router, std::uint32_t arrived, unsigned, RouteState& state, Choices& out) const override {
    if (eject(router, state, out)) return;
    const auto target = fabric_.router_of(state.destination);
    const bool descending = arrived != none && fabric_.links[arrived].kind == LinkKind::network && !is_up(arrived);
    const auto distance = (descending ? down_ : any_)[index(target, router)];
    if (distance == unreachable) return;
    for (const auto link : fabric_.outgoing(router)) {
      const auto& ends = fabric_.links[link];
      if (ends.kind != LinkKind::network || fabric_.failed(link)) continue;
      const bool up = is_up(link);
      if ((up && descending) || (up ? any_ : down_)[index(target, ends.to)] + 1 != distance) continue;
      out.add(link);
      if (selection() == Selection::first || out.count == Choices::capacity) return;
    }
  }

 private:
  [[nodiscard]] std::size_t index(std::uint32_t to, std::uint32_t from) const {
    return std::size_t{from} * fabric_.routers + to;
  }
  [[nodiscard]] bool is_up(std::uint32_t link) const {
    return rank_[fabric_.links[link].to] < rank_[fabric_.links[link].from];
  }

  // Order by (distance from the root, number); parts cut off from it follow, each from its lowest router.
  void rank(std::uint32_t root) {
    rank_.assign(fabric_.routers, none);
    std::uint32_t given = 0;
    std::vector<std::uint32_t> level, further;
    for (std::uint32_t next = 0;;) {
      level.assign(1, root);
      rank_[root] = given++;
      while (!level.empty()) {
        further.clear();
        for (const auto router : level)
          for (const auto link : fabric_.outgoing(router)) {
            const auto& ends = fabric_.links[link];
            if (ends.kind == LinkKind::network && !fabric_.failed(link) && rank_[ends.to] == none) {
              rank_[ends.to] = none - 1;  // seen
              further.push_back(ends.to);
            }
          }
        std::sort(further.begin(), further.end());
        for (const auto router : further) rank_[router] = given++;
        level.swap(further);
      }
      while (next < fabric_.routers && rank_[next] != none) ++next;
      if (next == fabric_.routers) return;
      root = next;
    }
  }

  // The row of a router from those of its neighbours in one direction, which are complete.
  void extend(std::uint32_t router, bool up) {
    auto& table = up ? any_ : down_;
    auto* row = &table[index(0, router)];
    for (const auto link : fabric_.outgoing(router)) {
      const auto& ends = fabric_.links[link];
      if (ends.kind != LinkKind::network || fabric_.failed(link) || is_up(link) != up) continue;
      const auto* other = &table[index(0, ends.to)];
      for (std::uint32_t to = 0; to < fabric_.routers; ++to)
        if (other[to] != unreachable && other[to] + 1 < row[to]) row[to] = static_cast<std::uint16_t>(other[to] + 1);
    }
  }

  std::vector<std::uint32_t> rank_;
  std::vector<std::uint16_t> any_, down_;  // [from * routers + to]: the shortest legal way, and with down links only
};

std::unique_ptr<Routing> make(const Fabric& fabric, const Settings& settings) {
  if (fabric.routers > 8192) throw ParameterError("routing", "up-down looks up tables, which stop at 8192 routers");
  if (settings.integer("root") >= fabric.routers)
    throw ParameterError("network.root", "names " + std::to_string(settings.integer("root")) + ", but there are 0 to " +
                                             std::to_string(fabric.routers - 1));
  for (const auto& link : fabric.links)
    if (link.kind == LinkKind::network && fabric.between(link.to, link.from) == none)
      throw ParameterError("routing", "up-down needs links in both directions");
  const auto& word = settings.text("equals");
  return std::make_unique<UpDown>(fabric, static_cast<std::uint32_t>(settings.integer("root")),
                                  word == "first"    ? Selection::first
                                  : word == "random" ? Selection::random
                                                     : Selection::least_loaded);
}

}  // namespace

extern const RoutingRecord record;
const RoutingRecord record{
    "up-down",
    "any topology with links both ways: up*/down* by table, around failures, free of deadlock",
    {{"root", Kind::integer, 0, "", "the router that is highest", 0, 8191},
     {"equals", Kind::text, "first", "", "which of several equally long ways", 0, 0, {"first", "random", "adaptive"}}},
    make};

}  // namespace assay::network::routings::up_down
