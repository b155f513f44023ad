#include "network/two_phase.hpp"

namespace assay::network {
namespace {

Routing::Claims doubled(const Routing& base, std::string name) {
  auto claims = base.claims();
  claims.name = std::move(name);
  claims.minimal = false;
  claims.lanes *= 2;
  return claims;
}

}  // namespace

TwoPhase::TwoPhase(std::unique_ptr<Routing> base, std::string name)
    : Routing(base->fabric(), doubled(*base, std::move(name))),
      base_(std::move(base)),
      half_(base_->claims().lanes),
      legs_(*base_) {}

RouteState TwoPhase::detour(std::uint32_t source, std::uint32_t destination, std::uint32_t intermediate) const {
  RouteState state;
  state.source = source;
  state.destination = destination;
  state.intermediate = intermediate;
  if (!legs_.empty())
    if (const auto first = legs_(source, intermediate); first.kept() && legs_(intermediate, destination).kept()) {
      state.phase = by_legs;
      state.bits = first.place;
      return state;
    }
  state.bits = ties(source, intermediate);
  return state;
}

RouteState TwoPhase::direct(std::uint32_t source, std::uint32_t destination) const {
  RouteState state;
  state.source = source;
  state.destination = destination;
  state.intermediate = source;
  state.phase = 1;
  if (!legs_.empty())
    if (const auto whole = legs_(source, destination); whole.kept()) {
      state.phase |= by_legs;
      state.bits = whole.place;
      return state;
    }
  state.bits = ties(source, destination);
  return state;
}

std::uint32_t TwoPhase::ties(std::uint32_t source, std::uint32_t destination) const {
  RouteState inner;
  Undrawn undrawn;  // what the routing below fixes at the source (ties) is fixed anew for each phase
  base_->begin(inner, source, destination, undrawn, Load());
  return inner.bits;
}

void TwoPhase::next(std::uint32_t router, std::uint32_t link, unsigned lane, RouteState& state, Choices& out) const {
  if ((state.phase & by_legs) != 0) {
    const Legs::Hop* const at = legs_.at(state.bits);
    const unsigned crossed = at->link == link;  // otherwise it is asked again
    state.bits += crossed;
    auto hop = at[crossed];
    if ((hop.last & ~unsigned{state.phase} & 1) != 0) {
      state.phase |= 1;
      hop = legs_.hop(state.bits = legs_(state.intermediate, state.destination).place);
    }
    return out.add(hop.link, hop.lane + half_ * (state.phase & ~unsigned{hop.last} & 1));
  }
  next_by_routing(router, link, lane, state, out);
}

void TwoPhase::next_by_routing(std::uint32_t router, std::uint32_t link, unsigned lane, RouteState& state,
                               Choices& out) const {
  if (state.phase == 0 && router == fabric_.router_of(state.intermediate)) {
    state.phase = 1;
    state.bits = ties(state.intermediate, state.destination);
  }
  RouteState inner;
  inner.source = state.phase ? state.intermediate : state.source;
  inner.destination = state.phase ? state.destination : state.intermediate;
  inner.bits = state.bits;
  const unsigned offset = state.phase ? half_ : 0;
  // The second phase begins as if injected at the intermediate router.
  const bool fresh = link == none || fabric_.links[link].kind != LinkKind::network || lane < offset;
  base_->choices(router, fresh ? none : link, fresh ? 0 : lane - offset, inner, out);
  for (unsigned index = 0; index < out.count; ++index)
    if (fabric_.links[out.items[index].link].kind == LinkKind::network)
      out.items[index].lane = static_cast<std::uint8_t>(out.items[index].lane + offset);
}

std::uint32_t TwoPhase::draw(std::uint32_t source, std::uint32_t destination, RandomSource& random) const {
  std::uint32_t intermediate = source;
  for (int attempt = 0; attempt < 16; ++attempt) {
    intermediate = random.below(fabric_.nodes);
    if (!fabric_.any_failed() || follow(detour(source, destination, intermediate)).arrives) break;
  }
  return intermediate;
}

TwoPhase::Way TwoPhase::follow(RouteState state) const {
  Way way;
  auto router = fabric_.entered_by(state.source);
  std::uint32_t link = none;
  unsigned lane = 0;
  Choices out;
  while (way.hops <= 4 * fabric_.routers) {
    choices(router, link, lane, state, out);
    if (out.count == 0) return way;
    const auto& taken = fabric_.links[out[0].link];
    if (taken.kind == LinkKind::ejection) {
      way.arrives = true;
      return way;
    }
    if (way.hops++ == 0) way.first = out[0];
    link = out[0].link;
    lane = out[0].lane;
    router = taken.to;
  }
  return way;
}

std::unique_ptr<Routing> routing_below(const Fabric& fabric, const Settings& settings) {
  const auto& name = settings.has("base") ? settings.text("base") : topology(fabric.topology).routing;
  if (name == "valiant" || name == "ugal")
    throw settings.wrong("base", "is \"" + name + "\", accepted is a routing of one phase");
  const auto& below = routing(name);
  auto base =
      below.make(fabric, Settings::resolve(settings.table("base_keys"), below.parameters, "network.base_keys."));
  for (std::uint32_t node = 0; node < fabric.nodes; ++node)
    if (fabric.entered_by(node) != fabric.router_of(node))
      throw ParameterError("routing", "valiant and ugal need nodes that send and receive at one router");
  if (base->beginnings(0, fabric.nodes - 1).size() != 1)
    throw settings.wrong("base", "draws at the source; accepted is a routing that does not");
  return base;
}

std::vector<Parameter> base_parameters() {
  return {{"base", Kind::text, {}, "", "the routing of each phase; the topology's own by default", 0, 0, {}, true},
          {"base_keys", Kind::table, Table{}, "", "keys of that routing, as { tie = \"alternate\" }"}};
}

}  // namespace assay::network
