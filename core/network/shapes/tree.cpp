#include "network/shapes/tree.hpp"

namespace assay::network {

Fabric build_tree(const std::string& topology, const std::vector<std::uint32_t>& children,
                  const std::vector<std::uint32_t>& parents, const std::vector<std::int64_t>& channels,
                  const LinkClasses& classes) {
  auto tree = std::make_shared<Tree>();
  const auto levels = static_cast<unsigned>(children.size());
  tree->children = {0};
  tree->parents = {0};
  tree->below = tree->copies = {1};
  tree->first = {0, 0};
  std::uint64_t nodes = 1;
  for (unsigned l = 1; l <= levels; ++l) {
    tree->children.push_back(children[l - 1]);
    tree->parents.push_back(parents[l - 1]);
    nodes *= children[l - 1];
    if (nodes > most_routers)
      throw ParameterError("network.children", "make more than " + std::to_string(most_routers) + " nodes");
    tree->below.push_back(tree->below.back() * children[l - 1]);
    tree->copies.push_back(tree->copies.back() * parents[l - 1]);
  }
  std::uint64_t routers = 0;
  for (unsigned l = 1; l <= levels; ++l) {
    routers += nodes / tree->below[l] * tree->copies[l];
    if (routers > most_routers)
      throw ParameterError("network.parents", "make more than " + std::to_string(most_routers) + " switches");
    tree->first.push_back(static_cast<std::uint32_t>(routers));
  }
  FabricBuilder builder(topology, static_cast<std::uint32_t>(routers), classes.network, classes.injection,
                        classes.ejection);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    builder.attach(node / children[0]);
    builder.place_node(node, static_cast<float>(node), 0);
  }
  std::uint32_t links = 0;
  for (unsigned l = 1; l <= levels; ++l) {
    for (std::uint32_t router = tree->first[l]; router < tree->first[l + 1]; ++router) {
      const auto index = router - tree->first[l], copies = tree->copies[l], subtree = index / copies,
                 copy = index % copies;
      const auto like = [&](unsigned lower) {
        auto link = classes.network;
        if (lower - 1 < channels.size()) link.channels = static_cast<std::uint16_t>(channels[lower - 1]);
        return link;
      };
      builder.place_router(
          router,
          (static_cast<float>(subtree) + (static_cast<float>(copy) + 0.5f) / static_cast<float>(copies)) *
                  static_cast<float>(tree->below[l]) -
              0.5f,
          static_cast<float>(l) * 1.5f);
      tree->up_at.push_back(static_cast<std::uint32_t>(tree->up.size()));
      tree->down_at.push_back(static_cast<std::uint32_t>(tree->down.size()));
      if (l < levels)
        for (std::uint32_t b = 0; b < parents[l]; ++b) {
          const auto to = tree->first[l + 1] + copy + copies * b + tree->copies[l + 1] * (subtree / children[l]);
          builder.connect(router, to, static_cast<int>(l), 1, like(l));
          tree->up.push_back(links++);
        }
      if (l > 1)
        for (std::uint32_t a = 0; a < children[l - 1]; ++a) {
          const auto lower = tree->copies[l - 1];
          const auto to = tree->first[l - 1] + copy % lower + lower * (a + children[l - 1] * subtree);
          builder.connect(router, to, static_cast<int>(l) - 1, -1, like(l - 1));
          tree->down.push_back(links++);
        }
    }
  }
  return builder.finish(tree);
}

}  // namespace assay::network
