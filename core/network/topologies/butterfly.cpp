// k-ary n-fly: stage i sets the digit n - 1 - i of the line.
#include "network/shapes/stages.hpp"

namespace assay::network::topologies::butterfly {
namespace {

Fabric build(const Settings& settings, const LinkClasses& classes) {
  return build_stages("butterfly", static_cast<std::uint32_t>(settings.integer("radix")),
                      static_cast<std::uint32_t>(settings.integer("stages")), false, classes);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{"butterfly",
                            "k-ary n-fly: stage i sets the digit n - 1 - i of the line",
                            "Node i sends on input line i and receives on output line i. Routers stage by stage, "
                            "radix^(stages - 1) in each. A link's "
                            "dimension is the stage that it leaves.",
                            stages_parameters(),
                            "destination-tag",
                            build};

}  // namespace assay::network::topologies::butterfly
