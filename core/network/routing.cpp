#include "network/routing.hpp"

#include <stdexcept>

namespace assay::network {

namespace {

struct Refusing final : RandomSource {
  std::uint64_t next() override { throw std::logic_error("a routing with one way for each pair drew a number"); }
};

}  // namespace

std::uint32_t RandomSource::below(std::uint32_t bound) {
  // 32 uniform bits times bound; the low half tells which products are over-represented.
  while (true) {
    const std::uint64_t product = (next() >> 32) * bound;
    const auto low = static_cast<std::uint32_t>(product);
    if (low >= bound || low >= (0u - bound) % bound) return static_cast<std::uint32_t>(product >> 32);
  }
}

void Routing::begin(RouteState& state, std::uint32_t source, std::uint32_t destination, RandomSource&,
                    const Load&) const {
  state = RouteState{};
  state.source = source;
  state.destination = destination;
}

std::vector<Beginning> Routing::beginnings(std::uint32_t source, std::uint32_t destination) const {
  RouteState state;
  state.source = source;
  state.destination = destination;
  return {{state, 1.0}};
}

void Routing::inject(const RouteState& state, Choices& out) const {
  out.clear();
  for (const auto link : fabric_.injection(state.source)) out.add(link);
  if (fabric_.any_failed()) drop_failed(out);
}

void Routing::way(std::uint32_t source, std::uint32_t destination, std::vector<std::uint32_t>& links) const {
  RouteState state;
  Refusing undrawn;
  begin(state, source, destination, undrawn, Load());
  Choices found;
  inject(state, found);
  Choice taken = found[0];
  for (links.assign(1, taken.link); fabric_.links[taken.link].kind != LinkKind::ejection; links.push_back(taken.link)) {
    choices(fabric_.links[taken.link].to, taken.link, taken.lane, state, found);
    taken = found[0];
  }
}

void Routing::drop_failed(Choices& out) const {
  unsigned kept = 0;
  for (unsigned index = 0; index < out.count; ++index)
    if (!fabric_.failed(out.items[index].link)) out.items[kept++] = out.items[index];
  out.count = kept;
}

}  // namespace assay::network
