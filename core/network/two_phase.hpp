// Routings over another one in two phases: to an intermediate node's router, then to the destination. Phase 0 uses the
// lower half of the lanes and phase 1 the upper, each as the routing below uses its own, so that freedom from deadlock
// carries over. The legs of a way, each by the routing below, are kept in small networks (legs.hpp).
#pragma once
#include <memory>
#include <string>

#include "network/legs.hpp"
#include "network/registry.hpp"

namespace assay::network {

class TwoPhase : public Routing {
 public:
  TwoPhase(std::unique_ptr<Routing> base, std::string name);
  [[nodiscard]] const Routing& base() const { return *base_; }
  /// The lanes of one phase.
  [[nodiscard]] unsigned half() const { return half_; }
  /// True where every message draws its intermediate node uniformly (Valiant), whatever the load.
  [[nodiscard]] virtual bool always() const = 0;
  [[nodiscard]] RouteState detour(std::uint32_t source, std::uint32_t destination, std::uint32_t intermediate) const;
  [[nodiscard]] RouteState direct(std::uint32_t source, std::uint32_t destination) const;

 protected:
  /// What the routing below fixes at the source of a phase: all that it keeps in a state beside the ends.
  [[nodiscard]] std::uint32_t ties(std::uint32_t source, std::uint32_t destination) const;
  void next(std::uint32_t router, std::uint32_t link, unsigned lane, RouteState& state, Choices& out) const override;
  /// An intermediate node over which the destination can be reached; the last one drawn, if sixteen cannot.
  std::uint32_t draw(std::uint32_t source, std::uint32_t destination, RandomSource& random) const;
  /// Network links from a router on, by the first of the choices, and the first of them; false where the way ends.
  struct Way {
    unsigned hops = 0;
    Choice first{none, 0};
    bool arrives = false;
  };
  [[nodiscard]] Way follow(RouteState state) const;

  std::unique_ptr<Routing> base_;
  unsigned half_;
  Legs legs_;

 private:
  /// Where the legs are not kept.
  [[gnu::noinline]] void next_by_routing(std::uint32_t router, std::uint32_t link, unsigned lane, RouteState& state,
                                         Choices& out) const;
  /// RouteState::phase of a message whose legs are kept: RouteState::bits is the place of its next hop.
  static constexpr std::uint8_t by_legs = 2;
};

/// The routing that `base` names, or the topology's own; ParameterError where that is not there or itself of two
/// phases.
std::unique_ptr<Routing> routing_below(const Fabric& fabric, const Settings& settings);
std::vector<Parameter> base_parameters();

}  // namespace assay::network
