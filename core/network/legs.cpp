#include "network/legs.hpp"

#include <algorithm>

namespace assay::network {

Legs::Legs(const Routing& routing) : routing_(routing), nodes_(routing.fabric().nodes) {
  const Fabric& fabric = routing.fabric();
  if (fabric.any_failed() || nodes_ > most_nodes || routing.selection() != Selection::first ||
      fabric.links.size() >= 1u << 24)
    return;
  legs_ = std::vector<std::atomic<std::uint64_t>>(nodes_ * nodes_);
  for (auto& each : legs_) each.store(unknown, std::memory_order_relaxed);
  // A part is left with less than a way's hops free at most.
  parts_.resize(nodes_ * nodes_ * (most_hops + 1) / (part - most_hops) + 1);
}

unsigned Legs::walk(std::uint32_t source, std::uint32_t destination, Hop (&way)[most_hops + 1]) const {
  const Fabric& fabric = routing_.fabric();
  RouteState state;
  Undrawn undrawn;
  routing_.begin(state, source, destination, undrawn, Load());
  auto router = fabric.entered_by(source);
  std::uint32_t link = none;
  unsigned lane = 0, hops = 0;
  for (Choices out; hops <= most_hops;) {
    routing_.choices(router, link, lane, state, out);
    if (out.count != 1) return 0;
    link = out[0].link;
    lane = out[0].lane;
    const bool last = fabric.links[link].kind == LinkKind::ejection;
    way[hops++] = {link & 0xffffff, lane & 0x7f, last};
    if (last) return hops;
    router = fabric.links[link].to;
  }
  return 0;
}

Legs::Leg Legs::find(std::uint32_t source, std::uint32_t destination) const {
  Hop way[most_hops + 1];
  const unsigned found = walk(source, destination, way);
  const std::lock_guard lock(adding_);
  auto& known = legs_[std::size_t{source} * nodes_ + destination];
  if (known.load(std::memory_order_relaxed) != unknown) return (*this)(source, destination);  // by another thread
  Leg leg{none, 0};
  if (found != 0) {
    if (next_ % part + found > part) next_ += part - next_ % part;
    auto& hops = parts_[next_ / part];
    if (!hops) hops = std::make_unique_for_overwrite<Hop[]>(part);
    std::copy(way, way + found, &hops[next_ % part]);
    leg = {next_, found - 1};
    next_ += found;
  }
  known.store(leg.place | std::uint64_t{leg.hops} << 32, std::memory_order_release);
  return leg;
}

}  // namespace assay::network
