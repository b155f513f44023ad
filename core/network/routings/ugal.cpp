// UGAL (Singh 2005), with what the source sees: of the direct way and one over a node drawn at random, the direct one
// if its queue times its hops is at most the other's plus a threshold.
#include <algorithm>
#include <atomic>

#include "network/two_phase.hpp"

namespace assay::network::routings::ugal {
namespace {

class Ugal final : public TwoPhase {
 public:
  Ugal(std::unique_ptr<Routing> base, std::int64_t threshold)
      : TwoPhase(std::move(base), "ugal"), threshold_(threshold) {
    const std::size_t nodes = fabric_.nodes;
    if (fabric_.any_failed() || nodes > most_nodes) return;
    hops_ = std::vector<std::atomic<std::uint16_t>>(nodes * nodes);
    for (auto& each : hops_) each.store(unknown, std::memory_order_relaxed);
  }
  [[nodiscard]] bool always() const override { return false; }

  void begin(RouteState& state, std::uint32_t source, std::uint32_t destination, RandomSource& random,
             const Load& load) const override {
    const auto straight = direct(source, destination);
    const auto around = detour(source, destination, draw(source, destination, random));
    if (!hops_.empty()) {
      const unsigned short_hops = hops(source, destination), first = hops(source, around.intermediate),
                     second = hops(around.intermediate, destination);
      if (std::max({short_hops, first, second}) < no_way) {
        const auto other = cost(around, first + second, load) + threshold_;
        state = cost(straight, short_hops, load) <= other ? straight : around;
        return;
      }
    }
    const auto short_way = follow(straight), long_way = follow(around);
    if (short_way.arrives && long_way.arrives)
      state = cost(short_way, load) <= cost(long_way, load) + threshold_ ? straight : around;
    else
      state = long_way.arrives ? around : straight;
  }
  // Unloaded it goes straight; every detour is possible.
  std::vector<Beginning> beginnings(std::uint32_t source, std::uint32_t destination) const override {
    std::vector<Beginning> out{{direct(source, destination), 1.0}};
    const bool straight = !fabric_.any_failed() || follow(out[0].state).arrives;
    for (std::uint32_t node = 0; node < fabric_.nodes; ++node) {
      const auto state = detour(source, destination, node);
      if (!fabric_.any_failed() || follow(state).arrives) out.push_back({state, 0.0});
    }
    if (!straight && out.size() > 1) {
      out.erase(out.begin());
      for (auto& beginning : out) beginning.probability = 1 / static_cast<double>(out.size());
    }
    return out;
  }

 private:
  static constexpr std::size_t most_nodes = 512;                     // whose distances are kept
  static constexpr std::uint16_t unknown = 0xffff, no_way = 0xfffe;  // no way: or too long a one

  /// Network links of the direct way, found out when they are asked for first.
  [[nodiscard]] unsigned hops(std::uint32_t source, std::uint32_t destination) const {
    auto& known = hops_[std::size_t{source} * fabric_.nodes + destination];
    std::uint16_t found = known.load(std::memory_order_relaxed);
    if (found != unknown) return found;
    const Way way = follow(direct(source, destination));
    found = static_cast<std::uint16_t>(way.arrives ? std::min<unsigned>(way.hops, no_way) : no_way);
    known.store(found, std::memory_order_relaxed);
    return found;
  }
  /// The same of a way that is known to arrive.
  [[nodiscard]] std::int64_t cost(RouteState state, unsigned hops, const Load& load) const {
    if (hops == 0) return 0;
    Choices out;
    choices(fabric_.router_of(state.source), none, 0, state, out);
    return std::int64_t{load.queue(out[0].link, out[0].lane)} * hops;
  }
  static std::int64_t cost(const Way& way, const Load& load) {
    return way.hops ? std::int64_t{load.queue(way.first.link, way.first.lane)} * way.hops : 0;
  }
  std::int64_t threshold_;
  mutable std::vector<std::atomic<std::uint16_t>> hops_;  // by source and destination
};

std::unique_ptr<Routing> make(const Fabric& fabric, const Settings& settings) {
  return std::make_unique<Ugal>(routing_below(fabric, settings), settings.integer("threshold"));
}

std::vector<Parameter> parameters() {
  auto list = base_parameters();
  list.push_back({"threshold", Kind::integer, 0, "",
                  "by how much the detour must be cheaper, in units of the engine's queue times hops", -1e9, 1e9});
  return list;
}

}  // namespace

extern const RoutingRecord record;
const RoutingRecord record{"ugal",
                           "any topology: the direct way or one over a random node, by queue times hops at the source",
                           parameters(), make};

}  // namespace assay::network::routings::ugal
