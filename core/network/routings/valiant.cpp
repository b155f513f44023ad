// Valiant and Brebner (1981): every message goes over a node drawn uniformly from all, so that any pattern loads the
// network like two uniform ones.
#include "network/two_phase.hpp"

namespace assay::network::routings::valiant {
namespace {

class Valiant final : public TwoPhase {
 public:
  explicit Valiant(std::unique_ptr<Routing> base) : TwoPhase(std::move(base), "valiant") {}
  [[nodiscard]] bool always() const override { return true; }

  void begin(RouteState& state, std::uint32_t source, std::uint32_t destination, RandomSource& random,
             const Load&) const override {
    state = detour(source, destination, draw(source, destination, random));
  }
  std::vector<Beginning> beginnings(std::uint32_t source, std::uint32_t destination) const override {
    std::vector<Beginning> out;
    double alive = 0;
    for (std::uint32_t node = 0; node < fabric_.nodes; ++node) {
      const auto state = detour(source, destination, node);
      if (fabric_.any_failed() && !follow(state).arrives) continue;
      out.push_back({state, 1.0});
      ++alive;
    }
    if (out.empty()) out.push_back({detour(source, destination, destination), alive = 1.0});
    for (auto& beginning : out) beginning.probability = 1 / alive;
    return out;
  }
};

std::unique_ptr<Routing> make(const Fabric& fabric, const Settings& settings) {
  return std::make_unique<Valiant>(routing_below(fabric, settings));
}

}  // namespace

extern const RoutingRecord record;
const RoutingRecord record{"valiant", "any topology: over a node drawn at random, in two phases", base_parameters(),
                           make};

}  // namespace assay::network::routings::valiant
