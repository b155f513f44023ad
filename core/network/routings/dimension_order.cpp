// Dimension order on grids: correct one coordinate after the other, the shorter way round where there are two. On a
// torus a message starts each dimension on lane 0 and is on lane 1 once it has crossed the dimension's wrap-around link
// (Dally and Seitz 1987), which leaves no cycle of waiting channels; with `dateline = "none"` the cycles are there.
//
// At distance k/2 both ways are shortest. By default they are taken by the parity of the source's coordinates: then
// both directions carry alike, and uniform traffic reaches the bound that textbooks give a torus and that people expect
// (1 flit per node per cycle on the 8-ary 2-cube, 63/64 without messages to oneself; all one way holds it at 0.8),
// while a pair of nodes keeps one path, so that its messages stay in order and a trace needs no seed.
#include <bit>

#include "network/registry.hpp"
#include "network/shapes/grid.hpp"

namespace assay::network::routings::dimension_order {
namespace {

enum class Tie : std::uint8_t { plus, minus, random, alternate };

class DimensionOrder final : public Routing {
 public:
  DimensionOrder(const Fabric& fabric, const Grid& grid, bool highest_first, Tie tie, bool dateline)
      : Routing(fabric, claims(grid, dateline)),
        grid_(grid),
        highest_first_(highest_first),
        tie_(tie),
        dateline_(dateline),
        dimensions_(grid.dimensions()),
        coordinates_(grid.coordinates.empty() ? nullptr : grid.coordinates.data()),
        nodes_are_routers_(coordinates_ != nullptr) {
    for (std::uint32_t node = 0; node < fabric.nodes; ++node) nodes_are_routers_ &= fabric.router_of(node) == node;
    for (unsigned d = 0; d < grid.dimensions(); ++d)
      if (grid.wraps[d] && grid.extents[d] % 2 == 0) even_rings_ |= 1u << d;
    for (const Link& link : fabric.links) {
      Step step;
      if (link.kind == LinkKind::network && link.dimension >= 0) {
        const auto d = static_cast<unsigned>(link.dimension);
        const auto from = grid.coordinate(link.from, d), to = grid.coordinate(link.to, d);
        const bool minus = link.direction < 0;
        const bool wraps = link.direction > 0 ? to < from : to > from;
        step = {grid.port(link.to, d, minus), to & (most_routers - 1), wraps, d & 31};
      }
      steps_.push_back(step);
    }
  }

  void begin(RouteState& state, std::uint32_t source, std::uint32_t destination, RandomSource& random,
             const Load& load) const override {
    Routing::begin(state, source, destination, random, load);
    if (tie_ == Tie::random && even_rings_) state.bits = static_cast<std::uint32_t>(random.next() >> 32) & even_rings_;
    if (tie_ == Tie::alternate) state.bits = alternate(fabric_.router_of(source));
  }

  std::vector<Beginning> beginnings(std::uint32_t source, std::uint32_t destination) const override {
    auto out = Routing::beginnings(source, destination);
    if (tie_ == Tie::alternate) out[0].state.bits = alternate(fabric_.router_of(source));
    if (tie_ != Tie::random) return out;
    const auto from = fabric_.router_of(source), to = fabric_.router_of(destination);
    for (unsigned d = 0; d < grid_.dimensions(); ++d) {
      const auto k = grid_.extents[d];
      if (!(even_rings_ >> d & 1) || (grid_.coordinate(to, d) + k - grid_.coordinate(from, d)) % k != k / 2) continue;
      for (std::size_t index = out.size(); index-- > 0;) {  // only real ties double the outcomes
        out[index].probability /= 2;
        out.push_back(out[index]);
        out.back().state.bits |= 1u << d;
      }
    }
    return out;
  }

  void way(std::uint32_t source, std::uint32_t destination, std::vector<std::uint32_t>& links) const override {
    if (tie_ == Tie::random && even_rings_) return Routing::way(source, destination, links);
    const RouteState state{.source = source,
                           .destination = destination,
                           .bits = tie_ == Tie::alternate ? alternate(fabric_.router_of(source)) : 0};
    links.assign(1, fabric_.injection(source)[0]);
    std::uint32_t router = fabric_.links[links[0]].to;
    const std::uint32_t target = fabric_.router_of(destination);
    for (unsigned step = 0; step < dimensions_; ++step) {
      const unsigned d = highest_first_ ? dimensions_ - 1 - step : step;
      const auto here = coordinate(router, d), there = coordinate(target, d);
      if (here == there) continue;
      const bool minus = enters_minus(d, here, there, state);
      std::uint32_t hops = minus ? here - there : there - here;
      if (static_cast<std::int32_t>(hops) < 0) hops += grid_.extents[d];
      const std::size_t before = links.size();
      links.resize(before + hops);
      std::uint32_t link = grid_.port(router, d, minus);
      for (std::size_t i = before; i < before + hops; ++i, link = steps_[link].ahead) links[i] = link;
      router += (there - here) * grid_.strides[d];
    }
    links.push_back(fabric_.ejection(destination)[0]);
  }

 protected:
  void next(std::uint32_t router, std::uint32_t arrived, unsigned lane, RouteState& state,
            Choices& out) const override {
    if (arrived == none) return turn(router, state, out);
    const Step& along = steps_[arrived];
    if (along.dimension == no_dimension) return turn(router, state, out);
    if (!nodes_are_routers_) return next_along(along, router, lane, state, out);
    // Straight on while its dimension is not corrected: those that come before it are.
    if (coordinates_[std::size_t{state.destination} * dimensions_ + along.dimension] == along.end)
      return turn(router, state, out);
    go_on(along, lane, out);
  }

 private:
  static constexpr unsigned no_dimension = 31;
  /// What a link is to the one after it; no dimension: not of the grid.
  struct Step {
    std::uint32_t ahead = none;               // the link straight on, if there is one
    std::uint32_t end : most_dimensions = 0;  // the coordinate that it leads to in its dimension
    std::uint32_t wraps : 1 = 0;
    std::uint32_t dimension : 5 = no_dimension;
  };
  static_assert(sizeof(Step) == 8);

  static Claims claims(const Grid& grid, bool dateline) {
    bool ring = false;
    for (unsigned d = 0; d < grid.dimensions(); ++d) ring |= grid.wraps[d] != 0;
    return {"dimension-order", true, !ring || dateline, ring && dateline ? 2u : 1u, Selection::first};
  }

  // One bit per dimension: the parity of the source's coordinates, so that the two ways carry alike.
  [[nodiscard]] std::uint32_t alternate(std::uint32_t router) const {
    std::uint32_t sum = 0;
    for (unsigned d = 0; d < grid_.dimensions(); ++d) sum += grid_.coordinate(router, d);
    return sum % 2 ? even_rings_ : 0;
  }

  [[nodiscard]] std::uint32_t coordinate(std::uint32_t router, unsigned d) const {
    return coordinates_ != nullptr ? coordinates_[std::size_t{router} * dimensions_ + d] : grid_.coordinate(router, d);
  }
  void go_on(const Step& along, unsigned lane, Choices& out) const {
    out.add(along.ahead, (lane | unsigned{along.wraps}) & unsigned{dateline_});
  }
  /// The same as in `next` for nodes with other numbers than their routers.
  [[gnu::noinline]] void next_along(const Step& along, std::uint32_t router, unsigned lane, const RouteState& state,
                                    Choices& out) const {
    if (coordinate(fabric_.router_of(state.destination), along.dimension) == along.end) return turn(router, state, out);
    go_on(along, lane, out);
  }
  /// Into the next dimension, or out.
  [[gnu::noinline]] void turn(std::uint32_t router, const RouteState& state, Choices& out) const {
    const auto target = fabric_.router_of(state.destination);
    if (router == target) return out.add(fabric_.ejection(state.destination)[0]);
    unsigned d = highest_first_ ? dimensions_ - 1 : 0;
    while (coordinate(router, d) == coordinate(target, d)) d += highest_first_ ? ~0u : 1u;
    const auto here = coordinate(router, d), there = coordinate(target, d);
    out.add(grid_.port(router, d, enters_minus(d, here, there, state)));
  }

  /// Which way it goes in a dimension that it enters here.
  [[nodiscard]] bool enters_minus(unsigned d, std::uint32_t here, std::uint32_t there, const RouteState& state) const {
    return grid_.wraps[d] ? goes_minus(d, here, there, state) : there < here;
  }
  /// Which way round a ring that it enters here.
  [[nodiscard]] bool goes_minus(unsigned d, std::uint32_t here, std::uint32_t there, const RouteState& state) const {
    const auto k = grid_.extents[d], ahead = there - here + (there > here ? 0 : k);
    const bool tie = (state.bits >> d & 1 & (tie_ != Tie::plus)) | (tie_ == Tie::minus);
    return (2 * ahead > k) | ((2 * ahead == k) & tie);
  }

  const Grid& grid_;
  bool highest_first_;
  Tie tie_;
  bool dateline_;
  const unsigned dimensions_;
  const std::uint16_t* const coordinates_;  // of the grid, where it has them
  bool nodes_are_routers_;                  // with the same numbers, and coordinates are kept
  std::uint32_t even_rings_ = 0;
  std::vector<Step> steps_;  // by link
};

std::unique_ptr<Routing> make(const Fabric& fabric, const Settings& settings) {
  const auto* grid = fabric.shape<Grid>();
  if (!grid) throw ParameterError("routing", "dimension-order routes on hypercube, mesh, torus and ring only");
  std::uint64_t full = 1;
  for (const auto extent : grid->extents) full *= extent;
  if (full != grid->routers)
    throw ParameterError("routing", "dimension-order needs a complete grid; e-cube takes incomplete hypercubes");
  const auto& word = settings.text("tie");
  const auto tie = word == "plus"     ? Tie::plus
                   : word == "minus"  ? Tie::minus
                   : word == "random" ? Tie::random
                                      : Tie::alternate;
  return std::make_unique<DimensionOrder>(fabric, *grid, settings.text("order") == "highest-first", tie,
                                          settings.text("dateline") == "wrap");
}

}  // namespace

extern const RoutingRecord record;
const RoutingRecord record{
    "dimension-order",
    "grids: correct one coordinate after the other, with dateline lanes where links wrap around",
    {{"order", Kind::text, "lowest-first", "", "which dimension first", 0, 0, {"highest-first", "lowest-first"}},
     {"tie",
      Kind::text,
      "alternate",
      "",
      "which way at distance k/2: plus, minus, drawn for each message and dimension, or by the "
      "parity of the source's coordinates",
      0,
      0,
      {"plus", "minus", "random", "alternate"}},
     {"dateline",
      Kind::text,
      "wrap",
      "",
      "lane 1 from the wrap-around link on, or one lane only (can deadlock)",
      0,
      0,
      {"wrap", "none"}}},
    make};

}  // namespace assay::network::routings::dimension_order
