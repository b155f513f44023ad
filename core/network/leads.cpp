#include "network/leads.hpp"

#include <stdexcept>

namespace assay::network {
namespace {

bool leads(const Routing& routing, Choice taken, RouteState state, std::uint32_t steps) {
  const Fabric& fabric = routing.fabric();
  Choices next;
  for (;;) {
    const Link& link = fabric.links[taken.link];
    if (link.kind == LinkKind::ejection) return true;
    if (++steps > 4 * fabric.routers + 8)
      throw std::runtime_error("the routes of " + routing.claims().name + " go round in circles");
    routing.choices(link.to, taken.link, taken.lane, state, next);
    if (next.count != 1) break;
    taken = next[0];
  }
  for (const auto& choice : next)
    if (leads(routing, choice, state, steps)) return true;
  return false;
}

}  // namespace

void keep_leading(const Routing& routing, const RouteState& state, Choices& choices) {
  unsigned kept = 0;
  for (const auto& choice : choices)
    if (leads(routing, choice, state, 0)) choices.items[kept++] = choice;
  choices.count = kept;
}

}  // namespace assay::network
