// Trees: up to a nearest common ancestor of source and destination, then down the only way. Up by the destination's
// digits (d-mod-k, Zahavi 2010: all ways to one node meet early), by the source's, at random, or to the least loaded
// parent. Never up again after down: no cycle. With failed links only parents are taken from which the destination can
// still be reached.
#include "network/registry.hpp"
#include "network/shapes/tree.hpp"

namespace assay::network::routings::nearest_common_ancestor {
namespace {

enum class Up : std::uint8_t { destination, source, random, adaptive };

class NearestCommonAncestor final : public Routing {
 public:
  NearestCommonAncestor(const Fabric& fabric, const Tree& tree, Up up)
      : Routing(fabric, {"nearest-common-ancestor", true, true, 1,
                         up == Up::random     ? Selection::random
                         : up == Up::adaptive ? Selection::least_loaded
                                              : Selection::first}),
        tree_(tree),
        up_(up) {}

 protected:
  void next(std::uint32_t router, std::uint32_t, unsigned, RouteState& state, Choices& out) const override {
    const auto level = tree_.level(router), target = state.destination;
    if (tree_.subtree(router, level) == target / tree_.below[level]) {
      out.add(downward(router, level, target));
      return;
    }
    const auto parents = tree_.parents[level + 1];
    const auto* links = &tree_.up[tree_.up_at[router]];
    if (up_ == Up::random || up_ == Up::adaptive) {
      for (std::uint32_t b = 0; b < parents; ++b)
        if (usable(links[b], level, target)) out.add(links[b]);
      return;
    }
    const auto by = (up_ == Up::destination ? target : state.source) / tree_.copies[level] % parents;
    for (std::uint32_t turn = 0; turn < parents && out.count == 0; ++turn)  // the next one alive
      if (const auto link = links[(by + turn) % parents]; usable(link, level, target)) out.add(link);
  }

 private:
  [[nodiscard]] std::uint32_t downward(std::uint32_t router, unsigned level, std::uint32_t target) const {
    if (level == 1) return fabric_.ejection(target)[0];
    return tree_.down[tree_.down_at[router] + target / tree_.below[level - 1] % tree_.children[level]];
  }

  // Whether the way on from an up link leads to the target, as far as failures go.
  [[nodiscard]] bool usable(std::uint32_t link, unsigned level, std::uint32_t target) const {
    if (!fabric_.any_failed()) return true;
    if (fabric_.failed(link)) return false;
    auto router = fabric_.links[link].to;
    auto at = level + 1;
    if (tree_.subtree(router, at) == target / tree_.below[at]) {
      while (true) {
        const auto down = downward(router, at, target);
        if (fabric_.failed(down)) return false;
        if (at == 1) return true;
        router = fabric_.links[down].to;
        --at;
      }
    }
    for (std::uint32_t b = 0; b < tree_.parents[at + 1]; ++b)
      if (usable(tree_.up[tree_.up_at[router] + b], at, target)) return true;
    return false;
  }

  const Tree& tree_;
  Up up_;
};

std::unique_ptr<Routing> make(const Fabric& fabric, const Settings& settings) {
  const auto* tree = fabric.shape<Tree>();
  if (!tree) throw ParameterError("routing", "nearest-common-ancestor routes on trees only");
  const auto& word = settings.text("up");
  const auto up = word == "d-mod-k"   ? Up::destination
                  : word == "s-mod-k" ? Up::source
                  : word == "random"  ? Up::random
                                      : Up::adaptive;
  return std::make_unique<NearestCommonAncestor>(fabric, *tree, up);
}

}  // namespace

extern const RoutingRecord record;
const RoutingRecord record{
    "nearest-common-ancestor",
    "trees: up to a nearest common ancestor, then down",
    {{"up", Kind::text, "d-mod-k", "", "which parent", 0, 0, {"d-mod-k", "s-mod-k", "random", "adaptive"}}},
    make};

}  // namespace assay::network::routings::nearest_common_ancestor
