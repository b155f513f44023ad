// How a message finds its way: the interface between routings and engines. Small plain structs, nothing allocated a
// hop.
//
// An engine does:
//   RouteState state; routing.begin(state, source, destination, random, load);
//   Choices choices;  routing.inject(state, choices);                     // the injection link
//   at each router:   routing.choices(router, link, lane, state, choices);  // (link, lane) it came in by
// and picks one of the choices as `routing.selection()` says, until it has crossed an ejection link. No choice at all
// means that the message cannot be routed (failed links): a result, not an error.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "network/fabric.hpp"

namespace assay::network {

/// What a message carries of its route. Plain data: copy it, compare it, keep 20 bytes per live message.
struct RouteState {
  std::uint32_t source = none;
  std::uint32_t destination = none;   // node
  std::uint32_t intermediate = none;  // router, of the routings in two phases
  std::uint32_t bits = 0;             // ties broken at the start, one bit per dimension
  std::uint8_t phase = 0;
  bool operator==(const RouteState&) const = default;
};

struct Choice {
  std::uint32_t link;
  std::uint8_t lane;
};

/// The links that may be taken next. Not initialised beyond `count`.
struct Choices {
  static constexpr unsigned capacity = 256;  // routers with more ports to choose among are refused when built
  unsigned count = 0;
  Choice items[capacity];
  void clear() { count = 0; }
  void add(std::uint32_t link, unsigned lane = 0) { items[count++] = {link, static_cast<std::uint8_t>(lane)}; }
  const Choice* begin() const { return items; }
  const Choice* end() const { return items + count; }
  const Choice& operator[](unsigned index) const { return items[index]; }
};

/// What an engine does with several choices.
enum class Selection : std::uint8_t {
  first,         // there is only one
  random,        // each with the same probability
  least_loaded,  // the free or least queued one, the first of equals
};

/// Random numbers as routings need them; the engine's own stream behind it.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual std::uint64_t next() = 0;  // 64 uniform bits
  /// Uniform in 0..bound-1, by multiplication with rejection (Lemire 2019).
  std::uint32_t below(std::uint32_t bound);
};

/// What a routing may see of the network's load: flits or messages waiting for a link's lane, as the engine counts
/// them.
class Load {
 public:
  virtual ~Load() = default;
  [[nodiscard]] virtual std::uint32_t queue(std::uint32_t /*link*/, unsigned /*lane*/) const { return 0; }
};

/// One way in which `begin` can turn out.
struct Beginning {
  RouteState state;
  double probability;
};

class Routing {
 public:
  /// `lanes`: virtual channels that network links must have. The claims are tested for every pair on small instances.
  struct Claims {
    std::string name;
    bool minimal = false;
    bool deadlock_free = false;
    unsigned lanes = 1;
    Selection selection = Selection::first;
  };

  Routing(const Fabric& fabric, Claims claims) : fabric_(fabric), claims_(std::move(claims)) {}
  Routing(const Routing&) = delete;
  Routing& operator=(const Routing&) = delete;
  virtual ~Routing() = default;

  [[nodiscard]] const Fabric& fabric() const { return fabric_; }
  [[nodiscard]] const Claims& claims() const { return claims_; }
  [[nodiscard]] Selection selection() const { return claims_.selection; }

  /// Fixes what is decided once, at the source: intermediate router, ties.
  virtual void begin(RouteState& state, std::uint32_t source, std::uint32_t destination, RandomSource& random,
                     const Load& load) const;
  /// Every outcome of `begin`, with its probability in an unloaded network (sums to 1).
  [[nodiscard]] virtual std::vector<Beginning> beginnings(std::uint32_t source, std::uint32_t destination) const;
  /// The injection links a message may take; all of the source's by default.
  virtual void inject(const RouteState& state, Choices& out) const;
  /// The links of the one way that the routing leaves between two nodes, the injection link first: for routings that
  /// choose and draw nothing, where nothing has failed.
  virtual void way(std::uint32_t source, std::uint32_t destination, std::vector<std::uint32_t>& links) const;
  /// Where to go from `router`, reached by `link` on `lane`. At the destination's router: its ejection link. May move
  /// `state` to its next phase; asking again at the same place gives the same answer.
  void choices(std::uint32_t router, std::uint32_t link, unsigned lane, RouteState& state, Choices& out) const {
    out.clear();
    next(router, link, lane, state, out);
    if (fabric_.any_failed()) drop_failed(out);
  }

 protected:
  /// `choices` without failed links taken out.
  virtual void next(std::uint32_t router, std::uint32_t link, unsigned lane, RouteState& state, Choices& out) const = 0;
  /// True, and the ejection link chosen, if the destination sits at this router.
  bool eject(std::uint32_t router, const RouteState& state, Choices& out) const {
    for (const auto link : fabric_.ejection(state.destination))
      if (fabric_.links[link].from == router) {
        out.add(link);
        return true;
      }
    return false;
  }
  void drop_failed(Choices& out) const;

  const Fabric& fabric_;
  Claims claims_;
};

}  // namespace assay::network
