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

 protected:
  void next(std::uint32_t router, std::uint32_t, unsigned, RouteState& state, Choices& out) const override {
    std::uint32_t wrong = router ^ state.destination;
    if (wrong == 0) {
      out.add(fabric_.ejection(state.destination)[0]);
      return;
    }
    if (lowest_first_) {
      const auto bit = static_cast<unsigned>(std::countr_zero(wrong));
      out.add(grid_.port(router, bit, router >> bit & 1));
      return;
    }
    while (true) {
      const auto bit = static_cast<unsigned>(std::bit_width(wrong)) - 1;
      if ((router ^ 1u << bit) < grid_.routers) {
        out.add(grid_.port(router, bit, router >> bit & 1));
        return;
      }
      wrong &= ~(1u << bit);
    }
  }

 private:
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
