// Dragonfly (Kim et al. 2008), canonical with a h + 1 groups, or fewer.
#include "network/shapes/dragonfly.hpp"

#include <cmath>

namespace assay::network::topologies::dragonfly {
namespace {

// The other group at place t, seen from `group`.
std::uint32_t other(std::uint32_t group, std::uint32_t t, std::uint32_t groups, bool absolute) {
  return absolute ? (t < group ? t : t + 1) : (group + t + 1) % groups;
}

Fabric build(const Settings& settings, const LinkClasses& classes) {
  auto shape = std::make_shared<Dragonfly>();
  const auto p = shape->p = static_cast<std::uint32_t>(settings.integer("p"));
  const auto a = shape->a = static_cast<std::uint32_t>(settings.integer("a"));
  const auto h = shape->h = static_cast<std::uint32_t>(settings.integer("h"));
  const auto most = a * h + 1;
  const auto groups = shape->groups =
      settings.has("groups") ? static_cast<std::uint32_t>(settings.integer("groups")) : most;
  if (groups > most)
    throw settings.wrong("groups",
                         "is " + std::to_string(groups) + ", accepted is at most a h + 1 = " + std::to_string(most));
  if (double{1} * groups * a * std::max(p, 1u) > most_routers)
    throw settings.wrong("groups", "make more than " + std::to_string(most_routers) + " nodes");
  const auto parallel = shape->parallel = groups > 1 ? a * h / (groups - 1) : 0;
  const bool absolute = settings.text("arrangement") == "absolute";
  FabricBuilder builder("dragonfly", groups * a, classes.network, classes.injection, classes.ejection);
  auto far = classes.network;
  far.channels = static_cast<std::uint16_t>(settings.integer("global_channels"));
  far.flit =
      static_cast<std::uint32_t>(settings.has("global_flit_ticks") ? settings.integer("global_flit_ticks") : far.flit);
  far.body =
      static_cast<std::uint32_t>(settings.has("global_body_ticks") ? settings.integer("global_body_ticks") : far.body);
  far.head =
      static_cast<std::uint32_t>(settings.has("global_head_ticks") ? settings.integer("global_head_ticks") : far.head);
  shape->local.assign(std::size_t{groups} * a * a, none);
  shape->global.assign(std::size_t{groups} * groups * parallel, none);
  std::uint32_t links = 0;
  for (std::uint32_t router = 0; router < groups * a; ++router) {
    const auto group = router / a, place = router % a;
    const float turn = 6.2831853f * static_cast<float>(group) / static_cast<float>(groups);
    const float wide = static_cast<float>(groups * a) / 5,
                along = 6.2831853f * static_cast<float>(place) / static_cast<float>(a);
    builder.place_router(router, wide * std::cos(turn) + 0.3f * static_cast<float>(a) * std::cos(along),
                         wide * std::sin(turn) + 0.3f * static_cast<float>(a) * std::sin(along));
    for (std::uint32_t node = 0; node < p; ++node) builder.attach(router);
    for (std::uint32_t to = 0; to < a; ++to) {
      if (to == place) continue;
      builder.connect(router, group * a + to, 0, 0);
      shape->local[std::size_t{router} * a + to] = links++;
    }
    for (std::uint32_t port = place * h; port < (place + 1) * h && port < parallel * (groups - 1); ++port) {
      const auto t = port % (groups - 1), which = port / (groups - 1), there = other(group, t, groups, absolute);
      const auto back = absolute ? group - (group > there) : (group + groups - there - 1) % groups;
      builder.connect(router, there * a + (which * (groups - 1) + back) / h, 1, 0, far);
      shape->global[(std::size_t{group} * groups + there) * parallel + which] = links++;
    }
  }
  return builder.finish(shape);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{
    "dragonfly",
    "dragonfly: fully joined groups, every two groups joined",
    "Node i sits at router i / p, router j is in group j / a. A link's dimension is 0 within a group, 1 between "
    "groups.",
    {{"p", Kind::integer, {}, "", "nodes a router", 1, 1024},
     {"a", Kind::integer, {}, "", "routers a group", 1, 4096},
     {"h", Kind::integer, {}, "", "global links a router", 1, 1024},
     {"groups",
      Kind::integer,
      {},
      "",
      "g; a h + 1 by default, where every two groups share one link",
      1,
      most_routers,
      {},
      true},
     {"arrangement",
      Kind::text,
      "absolute",
      "",
      "global port to group: by the groups' numbers (absolute), or counted from the "
      "group itself (relative)",
      0,
      0,
      {"absolute", "relative"}},
     {"global_channels", Kind::integer, 1, "", "parallel channels of a global link", 1, 65535},
     {"global_flit_ticks", Kind::integer, {}, "ticks", "f of global links; as the others by default", 1, 1e9, {}, true},
     {"global_body_ticks", Kind::integer, {}, "ticks", "w of global links", 0, 1e9, {}, true},
     {"global_head_ticks", Kind::integer, {}, "ticks", "h of global links", 1, 1e9, {}, true}},
    "minimal",
    build};

}  // namespace assay::network::topologies::dragonfly
