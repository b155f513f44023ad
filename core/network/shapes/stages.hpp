// Multistage networks: k^n lines through n stages of k by k switches, one way only.
#pragma once
#include <cstdint>
#include <vector>

#include "network/registry.hpp"

namespace assay::network {

struct Stages : Shape {
  std::uint32_t radix = 0, stages = 0, lines = 0;
  /// Link or none by [router * radix + output]; the last stage's are ejection links.
  std::vector<std::uint32_t> outputs;
  [[nodiscard]] std::uint32_t stage(std::uint32_t router) const { return router / (lines / radix); }
};

/// `omega`: a perfect shuffle before each stage; else the switch of stage i joins the lines that differ in digit n - 1
/// - i.
Fabric build_stages(const std::string& topology, std::uint32_t radix, std::uint32_t stages, bool omega,
                    const LinkClasses& classes);
std::vector<Parameter> stages_parameters();

}  // namespace assay::network
