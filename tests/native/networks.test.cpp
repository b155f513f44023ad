// Random networks from random keys: each is built or refused by name, and a message sent as an engine sends it, with
// random choices, arrives or is unroutable because something failed. Small sizes; run it under the sanitizers.
#include <cstdio>
#include <cstdlib>
#include <set>

#include "network/channel_rates.hpp"
#include "network/registry.hpp"

using namespace assay::network;

namespace {

class Draw final : public RandomSource {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() override {  // SplitMix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_;
};

class DrawnLoad final : public Load {
 public:
  explicit DrawnLoad(Draw& draw) : draw_(draw) {}
  [[nodiscard]] std::uint32_t queue(std::uint32_t, unsigned) const override { return draw_.below(10); }

 private:
  Draw& draw_;
};

Value value_for(const Parameter& parameter, Draw& draw) {
  const auto small = [&] { return static_cast<std::int64_t>(draw.below(7)) - (draw.below(20) == 0); };
  Value::List list;
  switch (parameter.kind) {
    case Kind::integer:
      return small();
    case Kind::number:
      return static_cast<double>(draw.below(40)) / 10;
    case Kind::flag:
      return draw.below(2) == 0;
    case Kind::text:
      if (parameter.accepted.empty() || draw.below(30) == 0) return "nonsense";
      return parameter.accepted[draw.below(static_cast<std::uint32_t>(parameter.accepted.size()))];
    case Kind::integers:
      for (auto left = draw.below(4); left > 0; --left) list.emplace_back(small());
      return list;
    case Kind::pairs:
      for (auto left = draw.below(5); left > 0; --left) list.emplace_back(Value::List{small(), small()});
      return list;
    case Kind::table:
      return Table{};
  }
  return {};
}

Table random_keys(Draw& draw) {
  Table keys;
  const auto& shapes = all_topologies();
  const auto& ways = all_routings();
  const auto& shape = *shapes[draw.below(static_cast<std::uint32_t>(shapes.size()))];
  const auto& way = draw.below(2) ? routing(shape.routing) : *ways[draw.below(static_cast<std::uint32_t>(ways.size()))];
  keys["topology"] = shape.name;
  keys["routing"] = way.name;
  for (const auto& parameter : shape.parameters)
    if (draw.below(4) || parameter.fallback.absent()) keys[parameter.name] = value_for(parameter, draw);
  if (keys.contains("file")) keys.erase("file");
  for (const auto& parameter : way.parameters)
    if (draw.below(2) == 0) keys[parameter.name] = value_for(parameter, draw);
  if (draw.below(3)) keys.erase("base");
  for (const auto& parameter : common_parameters())
    if (parameter.name.starts_with("failed") && draw.below(3) == 0) keys[parameter.name] = value_for(parameter, draw);
  if (draw.below(4) == 0) {
    Value::List at;
    for (auto left = draw.below(4); left > 0; --left) at.emplace_back(static_cast<int>(draw.below(12)));
    Table io{{"b", static_cast<int>(draw.below(3))}};
    if (draw.below(3)) io["nodes"] = at;
    keys["io"] = io;
  }
  return keys;
}

void require(bool holds, const char* what, const Table& keys) {
  if (holds) return;
  std::printf("%s: %s\n", what, Value(keys).text().c_str());
  std::exit(1);
}

void send(const Network& network, std::uint32_t source, std::uint32_t destination, Draw& draw, const Table& keys) {
  const auto& fabric = *network.fabric;
  const auto& way = *network.routing;
  const DrawnLoad load(draw);
  RouteState state;
  way.begin(state, source, destination, draw, load);
  require(state.source == source && state.destination == destination, "begin forgot its ends", keys);
  bool foreseen = false;
  for (const auto& beginning : way.beginnings(source, destination)) {
    auto other = beginning.state;  // bits without a tie do not matter
    foreseen = foreseen || (other.intermediate == state.intermediate && other.phase == state.phase);
  }
  require(foreseen || fabric.any_failed(), "begin came out as beginnings did not foresee", keys);
  Choices choices;
  way.inject(state, choices);
  for (unsigned hops = 0; choices.count; ++hops) {
    const auto choice = choices[draw.below(choices.count)];
    require(choice.link < fabric.links.size() && !fabric.failed(choice.link), "a link that is not there", keys);
    const auto& link = fabric.links[choice.link];
    require(choice.lane < link.lanes, "a lane that is not there", keys);
    if (link.kind == LinkKind::ejection) {
      require(link.to == destination, "arrived elsewhere", keys);
      return;
    }
    require(hops < 4 * fabric.routers + 8, "never arrives", keys);
    way.choices(link.to, choice.link, choice.lane, state, choices);
    auto again = state;
    Choices same;
    way.choices(link.to, choice.link, choice.lane, again, same);
    require(again == state && same.count == choices.count, "asked again, another answer", keys);
  }
  const bool whole = !fabric.any_failed();
  // graphs need not hang together
  require(!whole || fabric.topology == "graph", "unroutable in a whole network", keys);
}

}  // namespace

int main() {
  Draw draw(20);
  std::set<std::string> built;
  unsigned count = 0, refused = 0;
  for (int round = 0; round < 1500; ++round) {
    const auto keys = random_keys(draw);
    try {
      const auto network = build_network(keys);
      const auto nodes = network.fabric->nodes;
      if (nodes > 600) continue;
      for (int message = 0; message < 20; ++message) send(network, draw.below(nodes), draw.below(nodes), draw, keys);
      if (nodes <= 16) {
        const auto rates = channel_rates(*network.routing, std::vector<double>(std::size_t{nodes} * nodes, 1.0));
        require(rates.rate.size() == network.fabric->links.size(), "a rate for each link", keys);
      }
      built.insert(network.fabric->topology);
      ++count;
    } catch (const ParameterError& error) {
      require(error.key().starts_with("network"), "an error without its key", keys);
      ++refused;
    }
  }
  std::printf("%u networks built of %zu topologies, %u refused\n", count, built.size(), refused);
  return built.size() == all_topologies().size() && count > 150 ? 0 : 1;
}
