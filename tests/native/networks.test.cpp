// Random networks from random keys: each is built or refused by name, and a message sent as an engine sends it, with
// random choices, arrives or is unroutable because something failed. Small sizes; run it under the sanitizers.
#include <cstdio>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <vector>

#include "network/channel_rates.hpp"
#include "network/registry.hpp"
#include "random_keys.hpp"

using namespace assay::network;

namespace {

class DrawnLoad final : public Load {
 public:
  explicit DrawnLoad(Draw& draw) : draw_(draw) {}
  [[nodiscard]] std::uint32_t queue(std::uint32_t, unsigned) const override { return draw_.below(10); }

 private:
  Draw& draw_;
};

unsigned ways = 0;  // that were compared

void require(bool holds, const char* what, const Table& keys) {
  if (holds) return;
  std::printf("%s: %s\n", what, Value(keys).text().c_str());
  std::exit(1);
}

/// Where it leaves one way, the routing says it at once as it does step by step.
void equals_way(const Network& network, std::uint32_t source, std::uint32_t destination,
                const std::vector<std::uint32_t>& taken, const Table& keys) {
  std::vector<std::uint32_t> links;
  try {
    network.routing->way(source, destination, links);
  } catch (const std::logic_error&) {
    return;  // it draws at the source, even if this pair has no tie
  }
  require(links == taken, "a way at once that is not the one by steps", keys);
  ++ways;
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
  bool one_way =
      way.selection() == Selection::first && !fabric.any_failed() && way.beginnings(source, destination).size() == 1;
  std::vector<std::uint32_t> taken;
  require(foreseen || fabric.any_failed(), "begin came out as beginnings did not foresee", keys);
  Choices choices;
  way.inject(state, choices);
  for (unsigned hops = 0; choices.count; ++hops) {
    const auto choice = choices[draw.below(choices.count)];
    require(choice.link < fabric.links.size() && !fabric.failed(choice.link), "a link that is not there", keys);
    const auto& link = fabric.links[choice.link];
    require(choice.lane < link.lanes, "a lane that is not there", keys);
    one_way = one_way && choices.count == 1;
    taken.push_back(choice.link);
    if (link.kind == LinkKind::ejection) {
      require(link.to == destination, "arrived elsewhere", keys);
      if (one_way) equals_way(network, source, destination, taken, keys);
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
  std::printf("%u networks built of %zu topologies, %u refused, %u ways compared\n", count, built.size(), refused,
              ways);
  return built.size() == all_topologies().size() && count > 150 && ways > 2000 ? 0 : 1;
}
