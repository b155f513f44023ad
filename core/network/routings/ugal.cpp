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
    legs_ = std::vector<std::atomic<std::uint64_t>>(nodes * nodes);
    for (auto& each : legs_) each.store(unknown, std::memory_order_relaxed);
  }
  [[nodiscard]] bool always() const override { return false; }

  void begin(RouteState& state, std::uint32_t source, std::uint32_t destination, RandomSource& random,
             const Load& load) const override {
    const auto intermediate = draw(source, destination, random);
    if (!legs_.empty()) {
      const Leg whole = leg(source, destination), first = leg(source, intermediate),
                second = leg(intermediate, destination);
      if (std::max({whole.hops, first.hops, second.hops}) < no_way) {
        const auto queue = [&](const Leg& by, unsigned lane) { return std::int64_t{load.queue(by.link, lane)}; };
        const unsigned hops = first.hops + second.hops;
        std::int64_t straight = 0, around = threshold_;
        if (whole.hops != 0) straight = queue(whole, whole.lane) * whole.hops;
        if (first.hops != 0)
          around += queue(first, first.lane - half()) * hops;  // legs are as in the second phase, this one is not
        else if (hops != 0)
          around += queue(second, second.lane) * hops;
        state = straight <= around ? direct(source, destination) : detour(source, destination, intermediate);
        return;
      }
    }
    const auto straight = direct(source, destination), around = detour(source, destination, intermediate);
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
  static constexpr std::size_t most_nodes = 512;   // whose distances are kept
  static constexpr std::uint16_t no_way = 0xffff;  // or too long a one
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

  /// A direct way's network links, and the first of them.
  struct Leg {
    unsigned hops, lane;
    std::uint32_t link;
  };
  /// Found out when it is asked for first.
  [[nodiscard]] Leg leg(std::uint32_t source, std::uint32_t destination) const {
    auto& known = legs_[std::size_t{source} * fabric_.nodes + destination];
    std::uint64_t found = known.load(std::memory_order_relaxed);
    if (found == unknown) {
      const Way way = follow(direct(source, destination));
      const unsigned hops = way.arrives ? std::min<unsigned>(way.hops, no_way) : no_way;
      found = std::uint64_t{hops} | std::uint64_t{way.first.lane} << 16 | std::uint64_t{way.first.link} << 32;
      if (hops == 0) found = 0;
      known.store(found, std::memory_order_relaxed);
    }
    return {static_cast<std::uint16_t>(found), static_cast<std::uint8_t>(found >> 16),
            static_cast<std::uint32_t>(found >> 32)};
  }
  static std::int64_t cost(const Way& way, const Load& load) {
    return way.hops ? std::int64_t{load.queue(way.first.link, way.first.lane)} * way.hops : 0;
  }
  std::int64_t threshold_;
  mutable std::vector<std::atomic<std::uint64_t>> legs_;  // by source and destination
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
