// UGAL (Singh 2005), with what the source sees: of the direct way and one over a node drawn at random, the direct one
// if its queue times its hops is at most the other's plus a threshold.
#include "network/two_phase.hpp"

namespace assay::network::routings::ugal {
namespace {

class Ugal final : public TwoPhase {
 public:
  Ugal(std::unique_ptr<Routing> base, std::int64_t threshold)
      : TwoPhase(std::move(base), "ugal"), threshold_(threshold) {}
  [[nodiscard]] bool always() const override { return false; }

  void begin(RouteState& state, std::uint32_t source, std::uint32_t destination, RandomSource& random,
             const Load& load) const override {
    const auto intermediate = draw(source, destination, random);
    if (!legs_.empty()) {
      const auto queue = [&](const Legs::Leg& by, unsigned lanes) {
        const auto first = legs_.hop(by.place);
        return std::int64_t{load.queue(first.link, first.lane + lanes)};
      };
      if (const auto whole = legs_(source, destination); whole.kept()) {
        const std::int64_t straight = whole.hops != 0 ? queue(whole, half()) * whole.hops : 0;
        if (straight <= threshold_)
          return void(state = direct(source, destination));  // nothing costs less than nothing
        const auto first = legs_(source, intermediate), second = legs_(intermediate, destination);
        if (first.kept() && second.kept()) {
          const unsigned hops = first.hops + second.hops;
          std::int64_t around = threshold_;
          if (first.hops != 0)
            around += queue(first, 0) * hops;
          else if (hops != 0)
            around += queue(second, half()) * hops;
          state = straight <= around ? direct(source, destination) : detour(source, destination, intermediate);
          return;
        }
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
  static std::int64_t cost(const Way& way, const Load& load) {
    return way.hops ? std::int64_t{load.queue(way.first.link, way.first.lane)} * way.hops : 0;
  }
  std::int64_t threshold_;
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
