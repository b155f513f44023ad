// Multistage networks: stage i leaves by the output that the destination's digit n - 1 - i names (Lawrie 1975). The
// only way, and always forward, so neither detours nor deadlock.
#include "network/registry.hpp"
#include "network/shapes/stages.hpp"

namespace assay::network::routings::destination_tag {
namespace {

class DestinationTag final : public Routing {
 public:
  DestinationTag(const Fabric& fabric, const Stages& shape)
      : Routing(fabric, {"destination-tag", true, true, 1, Selection::first}), shape_(shape) {}

 protected:
  void next(std::uint32_t router, std::uint32_t, unsigned, RouteState& state, Choices& out) const override {
    auto digits = state.destination;
    for (auto left = shape_.stage(router) + 1; left < shape_.stages; ++left) digits /= shape_.radix;
    out.add(shape_.outputs[router * shape_.radix + digits % shape_.radix]);
  }

 private:
  const Stages& shape_;
};

std::unique_ptr<Routing> make(const Fabric& fabric, const Settings&) {
  const auto* shape = fabric.shape<Stages>();
  if (!shape) throw ParameterError("routing", "destination-tag routes on butterfly and omega only");
  return std::make_unique<DestinationTag>(fabric, *shape);
}

}  // namespace

extern const RoutingRecord record;
const RoutingRecord record{
    "destination-tag", "multistage networks: each stage leaves by a digit of the destination", {}, make};

}  // namespace assay::network::routings::destination_tag
