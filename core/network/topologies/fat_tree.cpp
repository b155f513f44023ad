// General fat tree (extended generalised fat tree) with unlike levels; with taper there are fewer links up than down.
#include <cmath>

#include "network/shapes/tree.hpp"

namespace assay::network::topologies::fat_tree {
namespace {

Fabric build(const Settings& settings, const LinkClasses& classes) {
  std::vector<std::uint32_t> children, parents{1};
  for (const auto m : settings.integers("children")) children.push_back(static_cast<std::uint32_t>(m));
  if (children.empty() || children.size() > 16)
    throw settings.wrong("children", "lists " + std::to_string(children.size()) + " levels, accepted are 1 to 16");
  if (settings.has("parents")) {
    for (const auto w : settings.integers("parents")) parents.push_back(static_cast<std::uint32_t>(w));
    if (parents.size() != children.size())
      throw settings.wrong("parents",
                           "lists " + std::to_string(parents.size() - 1) +
                               " levels, accepted is one fewer than children: " + std::to_string(children.size() - 1));
  } else {
    for (std::size_t level = 1; level < children.size(); ++level)
      parents.push_back(
          static_cast<std::uint32_t>(std::max(1.0, std::ceil(children[level - 1] / settings.number("taper")))));
  }
  const auto channels = settings.integers("level_channels");
  if (channels.size() >= children.size())
    throw settings.wrong("level_channels", "lists more levels than there are links between switches: " +
                                               std::to_string(children.size() - 1));
  return build_tree("fat-tree", children, parents, channels, classes);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{
    "fat-tree",
    "fat tree of any children, parents and channels level by level, tapered or not",
    "Nodes from left to right, node i at leaf switch i / children[0]. A link's dimension is the level of its lower end "
    "(1: "
    "leaf switches), its direction +1 up.",
    {{"children", Kind::integers, {}, "", "m: children of a switch, from the leaf switches up", 1, 4096},
     {"parents",
      Kind::integers,
      {},
      "",
      "w: parents of a switch, from the leaf switches up, the top level left out; by "
      "default children / taper, rounded up",
      1,
      256,
      {},
      true},
     {"taper", Kind::number, 1.0, "", "children to parents at each level", 1, 4096},
     {"level_channels", Kind::integers, Value::List{}, "",
      "parallel channels above each level of switches; channels by default", 1, 65535}},
    "nearest-common-ancestor",
    build};

}  // namespace assay::network::topologies::fat_tree
