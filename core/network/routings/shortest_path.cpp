// Any topology: along links that bring the message nearer, looked up in a table of distances that knows of failures.
// Among equals the first port, one at random or the least loaded. Free of deadlock only where the network has no
// cycles.
#include "network/distances.hpp"
#include "network/registry.hpp"

namespace assay::network::routings::shortest_path {
namespace {

class ShortestPath final : public Routing {
 public:
  ShortestPath(const Fabric& fabric, Selection selection)
      : Routing(fabric, {"shortest-path", true, without_cycles(fabric), 1, selection}),
        distance_(distance_table(fabric)) {}

 protected:
  void next(std::uint32_t router, std::uint32_t, unsigned, RouteState& state, Choices& out) const override {
    if (eject(router, state, out)) return;
    const auto* distance = &distance_[std::size_t{fabric_.router_of(state.destination)} * fabric_.routers];
    if (distance[router] == unreachable) return;
    for (const auto link : fabric_.outgoing(router)) {
      const auto& ends = fabric_.links[link];
      if (ends.kind != LinkKind::network || fabric_.failed(link) || distance[ends.to] + 1 != distance[router]) continue;
      out.add(link);
      if (selection() == Selection::first || out.count == Choices::capacity) return;
    }
  }

 private:
  std::vector<std::uint16_t> distance_;
};

std::unique_ptr<Routing> make(const Fabric& fabric, const Settings& settings) {
  const auto& word = settings.text("equals");
  return std::make_unique<ShortestPath>(fabric, word == "first"    ? Selection::first
                                                : word == "random" ? Selection::random
                                                                   : Selection::least_loaded);
}

}  // namespace

extern const RoutingRecord record;
const RoutingRecord record{
    "shortest-path",
    "any topology: a shortest way by table, around failures",
    {{"equals", Kind::text, "first", "", "which of several shortest ways", 0, 0, {"first", "random", "adaptive"}}},
    make};

}  // namespace assay::network::routings::shortest_path
