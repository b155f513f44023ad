// e-cube (Sullivan and Bashkow 1977): correct the differing address bits from the highest to the lowest. In an
// incomplete hypercube the highest one that leads to a router that exists (Katseff 1988); the laws check that this
// stays minimal and free of deadlock.
#include <bit>

#include "network/registry.hpp"
#include "network/shapes/grid.hpp"

namespace assay::network::routings::e_cube {
namespace {

class ECube final : public Routing {
 public:
  ECube(const Fabric& fabric, const Grid& grid, bool lowest_first)
      : Routing(fabric, {"e-cube", true, true, 1, Selection::first}), grid_(grid), lowest_first_(lowest_first) {}

  void way(std::uint32_t source, std::uint32_t destination, std::vector<std::uint32_t>& links) const override {
    links.assign(1, fabric_.injection(source)[0]);
    for (std::uint32_t router = fabric_.links[links[0]].to; router != destination;) {
      const unsigned d = dimension(router, destination);
      links.push_back(grid_.port(router, d, router >> d & 1));
      router ^= 1u << d;
    }
    links.push_back(fabric_.ejection(destination)[0]);
  }

 protected:
  void next(std::uint32_t router, std::uint32_t, unsigned, RouteState& state, Choices& out) const override {
    if (router == state.destination) return out.add(fabric_.ejection(state.destination)[0]);
    const unsigned d = dimension(router, state.destination);
    out.add(grid_.port(router, d, router >> d & 1));
  }

 private:
  /// The one that is crossed next.
  [[nodiscard]] unsigned dimension(std::uint32_t router, std::uint32_t destination) const {
    std::uint32_t wrong = router ^ destination;
    if (lowest_first_) return static_cast<unsigned>(std::countr_zero(wrong));
    while (true) {
      const auto bit = static_cast<unsigned>(std::bit_width(wrong)) - 1;
      if ((router ^ 1u << bit) < grid_.routers) return bit;
      wrong &= ~(1u << bit);
    }
  }

  const Grid& grid_;
  bool lowest_first_;
};

std::unique_ptr<Routing> make(const Fabric& fabric, const Settings& settings) {
  const auto* grid = fabric.shape<Grid>();
  if (!grid || fabric.topology != "hypercube") throw ParameterError("routing", "e-cube routes on hypercubes only");
  const bool lowest = settings.text("order") == "lowest-first";
  if (lowest && grid->routers != 1u << grid->dimensions())
    throw ParameterError("network.order", "an incomplete hypercube is routed highest dimension first");
  return std::make_unique<ECube>(fabric, *grid, lowest);
}

}  // namespace

extern const RoutingRecord record;
const RoutingRecord record{
    "e-cube",
    "hypercubes: correct differing address bits in order of dimension",
    {{"order", Kind::text, "highest-first", "", "which dimension first", 0, 0, {"highest-first", "lowest-first"}}},
    make};

}  // namespace assay::network::routings::e_cube
