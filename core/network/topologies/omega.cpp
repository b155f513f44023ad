// omega network (Lawrie 1975): a perfect shuffle before each stage.
#include "network/shapes/stages.hpp"

namespace assay::network::topologies::omega {
namespace {

Fabric build(const Settings& settings, const LinkClasses& classes) {
  return build_stages("omega", static_cast<std::uint32_t>(settings.integer("radix")),
                      static_cast<std::uint32_t>(settings.integer("stages")), true, classes);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{"omega",
                            "omega network (Lawrie 1975): a perfect shuffle before each stage",
                            "Node i sends on input line i and receives on output line i. Routers stage by stage, "
                            "radix^(stages - 1) in each. A link's "
                            "dimension is the stage that it leaves.",
                            stages_parameters(),
                            "destination-tag",
                            build};

}  // namespace assay::network::topologies::omega
