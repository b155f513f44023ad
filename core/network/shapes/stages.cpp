#include "network/shapes/stages.hpp"

#include <cmath>

namespace assay::network {
namespace {

struct Wiring {
  std::uint32_t radix, stages, lines;
  bool omega;

  [[nodiscard]] std::uint32_t weight(std::uint32_t stage) const {  // of the digit that the stage sets
    std::uint32_t out = 1;
    for (auto left = stage + 1; left < stages; ++left) out *= radix;
    return out;
  }
  // The switch of a stage that a line enters.
  [[nodiscard]] std::uint32_t into(std::uint32_t stage, std::uint32_t line) const {
    if (omega) return stage * (lines / radix) + (line * radix % lines + line / (lines / radix)) / radix;
    const auto w = weight(stage);
    return stage * (lines / radix) + line / (w * radix) * w + line % w;
  }
  // The line that leaves by an output.
  [[nodiscard]] std::uint32_t out_of(std::uint32_t stage, std::uint32_t index, std::uint32_t output) const {
    if (omega) return index * radix + output;
    const auto w = weight(stage);
    return index / w * w * radix + output * w + index % w;
  }
};

}  // namespace

Fabric build_stages(const std::string& topology, std::uint32_t radix, std::uint32_t stages, bool omega,
                    const LinkClasses& classes) {
  if (std::pow(radix, stages) * stages > most_routers)
    throw ParameterError("network.radix", "to the power of stages makes too many lines");
  auto shape = std::make_shared<Stages>();
  shape->radix = radix;
  shape->stages = stages;
  shape->lines = 1;
  for (std::uint32_t stage = 0; stage < stages; ++stage) shape->lines *= radix;
  const Wiring wiring{radix, stages, shape->lines, omega};
  const auto width = shape->lines / radix, routers = stages * width, network_links = (stages - 1) * shape->lines;
  FabricBuilder builder(topology, routers, classes.network, classes.injection, classes.ejection);
  std::vector<std::uint32_t> last(shape->lines);
  std::uint32_t links = 0;
  for (std::uint32_t router = 0; router < routers; ++router) {
    const auto stage = router / width, index = router % width;
    builder.place_router(router, static_cast<float>(stage + 1) * 2,
                         static_cast<float>(index * radix) + static_cast<float>(radix - 1) / 2);
    for (std::uint32_t output = 0; output < radix; ++output) {
      const auto line = wiring.out_of(stage, index, output);
      if (stage + 1 < stages) {
        builder.connect(router, wiring.into(stage + 1, line), static_cast<int>(stage), 1);
        shape->outputs.push_back(links++);
      } else {
        last[line] = router;
        shape->outputs.push_back(network_links + shape->lines + line);
      }
    }
  }
  for (std::uint32_t node = 0; node < shape->lines; ++node) {
    builder.also_attach(node, wiring.into(0, node), last[node], classes.injection, classes.ejection);
    builder.place_node(node, 0, static_cast<float>(node));
  }
  return builder.finish(shape);
}

std::vector<Parameter> stages_parameters() {
  return {{"radix", Kind::integer, 2, "", "k: inputs and outputs of a switch", 2, 256},
          {"stages", Kind::integer, {}, "", "n: stages; there are radix^stages nodes", 1, 20}};
}

}  // namespace assay::network
