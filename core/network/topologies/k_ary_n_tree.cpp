// k-ary n-tree (Petrini and Vanneschi 1997): k^n nodes under n levels of k^(n-1) switches, as many links up as down.
#include <cmath>

#include "network/shapes/tree.hpp"

namespace assay::network::topologies::k_ary_n_tree {
namespace {

Fabric build(const Settings& settings, const LinkClasses& classes) {
  const auto k = static_cast<std::uint32_t>(settings.integer("radix"));
  const auto n = static_cast<std::size_t>(settings.integer("levels"));
  if (std::pow(k, n) > most_routers)
    throw settings.wrong("radix", "to the power of levels makes more than " + std::to_string(most_routers) + " nodes");
  std::vector<std::uint32_t> parents(n, k);
  parents[0] = 1;
  return build_tree("k-ary-n-tree", std::vector<std::uint32_t>(n, k), parents, {}, classes);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{"k-ary-n-tree",
                            "fat tree of equal switches: radix^levels nodes",
                            "Nodes from left to right, node i at leaf switch i / radix. A link's dimension is the "
                            "level of its lower end (1: leaf "
                            "switches), its direction +1 up.",
                            {{"radix", Kind::integer, {}, "", "k: children, and parents, of a switch", 2, 128},
                             {"levels", Kind::integer, {}, "", "n: levels of switches", 1, most_dimensions}},
                            "nearest-common-ancestor",
                            build};

}  // namespace assay::network::topologies::k_ary_n_tree
