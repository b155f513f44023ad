#include "network/composition.hpp"

#include <bit>

#include "network/placement.hpp"
#include "network/shapes/grid.hpp"

namespace assay::network {
namespace {

// Nearest I/O node of each PE by breadth first search from all of them at once. Of equals in a hypercube that over the
// lowest dimensions, so that in a cube put together of smaller ones with perfect codes (the paper, section 3) each PE
// is served within its own part; elsewhere the lowest address.
std::vector<std::uint32_t> nearest(const Fabric& fabric, const std::vector<std::uint32_t>& at) {
  std::vector<std::uint32_t> label(fabric.routers, none), frontier, further;
  for (std::uint32_t address = 0; address < at.size(); ++address) {
    const auto router = fabric.entered_by(at[address]);
    if (label[router] != none) continue;
    label[router] = address;
    frontier.push_back(router);
  }
  const bool cube = fabric.topology == "hypercube";
  const auto better = [&](std::uint32_t router, std::uint32_t a, std::uint32_t b) {
    if (!cube || b == none) return a < b;
    return (fabric.router_of(at[a]) ^ router) < (fabric.router_of(at[b]) ^ router);
  };
  std::vector<std::uint32_t> distance(fabric.routers, none);
  for (const auto router : frontier) distance[router] = 0;
  for (std::uint32_t steps = 1; !frontier.empty(); ++steps, frontier.swap(further)) {
    further.clear();
    for (const auto router : frontier)
      for (const auto link : fabric.outgoing(router)) {
        if (fabric.links[link].kind != LinkKind::network || fabric.failed(link)) continue;
        const auto to = fabric.links[link].to;
        if (distance[to] == none) {
          distance[to] = steps;
          further.push_back(to);
        }
        if (distance[to] == steps && better(to, label[router], label[to])) label[to] = label[router];
      }
  }
  std::vector<std::uint32_t> local(fabric.nodes);
  for (std::uint32_t node = 0; node < fabric.nodes; ++node) local[node] = label[fabric.router_of(node)];
  return local;
}

class TwoNetworks final : public Routing {
 public:
  TwoNetworks(const Fabric& fabric, const WithIo& shape, Network processors, Network io)
      : Routing(fabric, claims(processors, io)), shape_(shape), processors_(std::move(processors)), io_(std::move(io)) {
    std::uint32_t inner = 0;
    inner_.assign(fabric.links.size(), none);
    for (std::uint32_t link = 0; link < fabric.links.size(); ++link) {
      const auto& ends = fabric.links[link];
      if (ends.kind != LinkKind::network) break;
      if (ends.from < shape_.processor_routers) {
        inner_[link] = inner++;
        outer_.push_back(link);
      } else if (ends.to >= shape_.processor_routers) {
        inner_[link] = static_cast<std::uint32_t>(outer_io_.size());
        outer_io_.push_back(link);
      } else {
        into_processors_.resize(ends.from - shape_.processor_routers + 1, none);
        into_processors_.back() = link;
      }
    }
  }

  void begin(RouteState& state, std::uint32_t source, std::uint32_t destination, RandomSource& random,
             const Load& load) const override {
    processors_.routing->begin(state, entry(source, destination), processor(destination), random, load);
    state.source = source;
    state.destination = destination;
  }

  std::vector<Beginning> beginnings(std::uint32_t source, std::uint32_t destination) const override {
    auto out = processors_.routing->beginnings(entry(source, destination), processor(destination));
    for (auto& beginning : out) {
      beginning.state.source = source;
      beginning.state.destination = destination;
    }
    return out;
  }

  void inject(const RouteState& state, Choices& out) const override {
    out.clear();
    out.add(fabric_.injection(state.source)[by_io(state.source, state.destination) ? 1 : 0]);
    drop_failed(out);
  }

 protected:
  void next(std::uint32_t router, std::uint32_t link, unsigned lane, RouteState& state, Choices& out) const override {
    const bool to_io = state.destination >= fabric_.processors;
    RouteState inner = state;
    if (router >= shape_.processor_routers) {
      const auto here = router - shape_.processor_routers;
      const auto address = to_io ? state.destination - fabric_.processors : shape_.local[state.destination];
      if (io_.fabric->router_of(address) == here) {
        out.add(to_io ? fabric_.ejection(state.destination)[1] : into_processors_[here]);
        return;
      }
      inner = RouteState{};
      inner.source = inner.destination = address;
      io_.routing->choices(here, link == none ? none : inner_[link], lane, inner, out);
      for (unsigned index = 0; index < out.count; ++index) out.items[index].link = outer_io_[out.items[index].link];
      return;
    }
    const auto destination = processor(state.destination);
    inner.source = entry(state.source, state.destination);
    inner.destination = destination;
    const bool inside = link != none && fabric_.links[link].kind == LinkKind::network &&
                        fabric_.links[link].from < shape_.processor_routers;
    processors_.routing->choices(router, inside ? inner_[link] : none, lane, inner, out);
    state.phase = inner.phase;
    state.bits = inner.bits;
    const auto& links = processors_.fabric->links;
    for (unsigned index = 0; index < out.count; ++index) {
      auto& choice = out.items[index].link;
      choice = links[choice].kind == LinkKind::ejection ? fabric_.ejection(state.destination)[0] : outer_[choice];
    }
  }

 private:
  static Claims claims(const Network& processors, const Network& io) {
    auto claims = processors.routing->claims();
    claims.minimal = false;  // the way to a remote I/O node is laid down, not shortest
    if (io.routing) claims.deadlock_free = claims.deadlock_free && io.routing->claims().deadlock_free;
    return claims;
  }
  /// Whether it leaves its source, an I/O node, by the I/O network.
  [[nodiscard]] bool by_io(std::uint32_t source, std::uint32_t destination) const {
    if (source < fabric_.processors || !io_.fabric) return false;
    if (destination >= fabric_.processors) return true;
    return shape_.local[destination] != none && shape_.local[destination] != source - fabric_.processors;
  }
  /// The processor at whose router it enters the processors' network: there that network's routing begins.
  [[nodiscard]] std::uint32_t entry(std::uint32_t source, std::uint32_t destination) const {
    const bool from_io = destination < fabric_.processors && by_io(source, destination);
    return from_io ? shape_.at[shape_.local[destination]] : processor(source);
  }
  [[nodiscard]] std::uint32_t processor(std::uint32_t node) const {
    return node < fabric_.processors ? node : shape_.at[node - fabric_.processors];
  }

  const WithIo& shape_;
  Network processors_, io_;
  std::vector<std::uint32_t> inner_, outer_, outer_io_, into_processors_;
};

LinkClass as_class(const Link& link) {
  return {link.channels, link.lanes, link.buffer, link.flit, link.body, link.head, link.credit};
}

LinkClass of_width(LinkClass like, std::int64_t channels) {
  like.channels = static_cast<std::uint16_t>(channels);
  return like;
}

}  // namespace

const std::vector<Parameter>& io_parameters() {
  static const std::vector<Parameter> list{
      {"nodes",
       Kind::integers,
       {},
       "",
       "PEs that have an I/O node, in order of I/O address; in a hypercube by default "
       "the Hamming code placement",
       0,
       4294967295.0,
       {},
       true},
      {"b", Kind::integer, 1, "", "channels between I/O routers; 0: no I/O network", 0, 65535},
      {"m", Kind::integer, 8, "", "channels between an I/O node and its PE's router, each way", 1, 65535},
      {"n",
       Kind::integer,
       {},
       "",
       "channels from an I/O router to its PE's router; 4 b by default",
       1,
       65535,
       {},
       true},
      {"r",
       Kind::integer,
       {},
       "",
       "channels between an I/O node and its I/O router, each way; 4 b by default",
       1,
       65535,
       {},
       true},
      {"topology", Kind::text, "hypercube", "", "topology of the I/O network; its own keys stand beside this one"},
  };
  return list;
}

Network with_io_network(Network processors, const Value& io, const LinkClasses& classes) {
  const std::string prefix = "network.io.";
  if (!std::holds_alternative<Table>(io.held)) throw ParameterError::not_accepted("network.io", io, "a table");
  Table rest = std::get<Table>(io.held), own;
  for (const auto& parameter : io_parameters())
    if (auto found = rest.extract(parameter.name); !found.empty()) own.insert(std::move(found));
  const auto settings = Settings::resolve(own, io_parameters(), prefix);
  const auto& inner = *processors.fabric;

  auto shape = std::make_shared<WithIo>();
  shape->processors = inner.geometry;
  shape->processor_routers = inner.routers;
  if (settings.has("nodes")) {
    std::vector<bool> taken(inner.nodes);
    for (const auto node : settings.integers("nodes")) {
      if (node >= inner.nodes)
        throw settings.wrong(
            "nodes", "names " + std::to_string(node) + ", but there are 0 to " + std::to_string(inner.nodes - 1));
      if (taken[static_cast<std::size_t>(node)])
        throw settings.wrong("nodes", "names " + std::to_string(node) + " twice");
      taken[static_cast<std::size_t>(node)] = true;
      shape->at.push_back(static_cast<std::uint32_t>(node));
    }
  } else {
    const auto* grid = inner.shape<Grid>();
    if (inner.topology != "hypercube" || !grid || grid->routers != 1u << grid->dimensions())
      throw settings.wrong("nodes", "must be given: the Hamming code places I/O nodes in complete hypercubes only");
    shape->at = hamming_placement(grid->dimensions());
  }
  const auto count = static_cast<std::uint32_t>(shape->at.size());
  if (count == 0) throw settings.wrong("nodes", "is empty, accepted is at least one PE");
  shape->local = nearest(inner, shape->at);

  Network io_network;
  const auto b = settings.integer("b");
  if (b > 0) {
    rest["topology"] = settings.text("topology");
    rest["channels"] = b;
    if (settings.text("topology") == "hypercube" && !rest.contains("dimension")) {
      rest["dimension"] = static_cast<std::int64_t>(count > 2 ? std::bit_width(count - 1) : 1);
    }
    for (const auto& parameter : topology(settings.text("topology")).parameters)
      if (parameter.name == "nodes") rest["nodes"] = static_cast<std::int64_t>(count);
    const auto& like = classes.network;
    for (const auto& [key, ticks] : {std::pair{"buffer_flits", like.buffer},
                                     {"flit_ticks", like.flit},
                                     {"body_ticks", like.body},
                                     {"head_ticks", like.head},
                                     {"credit_ticks", like.credit}})
      rest.try_emplace(key, static_cast<std::int64_t>(ticks));
    try {
      io_network = count > 1 || settings.text("topology") != "hypercube" ? build_network(rest) : Network{};
    } catch (const ParameterError& error) {
      throw error.at("network.io" + error.key().substr(std::string("network").size()));
    }
    if (io_network.fabric && io_network.fabric->nodes != count)
      throw settings.wrong("topology", "has " + std::to_string(io_network.fabric->nodes) + " nodes for " +
                                           std::to_string(count) + " I/O nodes");
    if (io_network.routing)
      for (std::uint32_t address = 0; address < count; ++address)
        if (io_network.routing->beginnings(0, address).size() != 1)
          throw ParameterError("network.io.routing",
                               "draws its route; in the I/O network accepted is a routing that does not");
  } else if (!rest.empty()) {
    throw settings.wrong(rest.begin()->first, "describes an I/O network, but b = 0 leaves it out");
  }

  const bool joined = io_network.fabric != nullptr;
  const std::uint32_t io_routers = joined ? io_network.fabric->routers : 0;
  FabricBuilder builder(inner.topology, inner.routers + io_routers, classes.network, classes.injection,
                        classes.ejection);
  const auto copy = [&](const Fabric& part, std::uint32_t offset) {
    for (const auto& link : part.links)
      if (link.kind == LinkKind::network)
        builder.connect(link.from + offset, link.to + offset, link.dimension, link.direction, as_class(link));
    for (std::uint32_t router = 0; router < part.router_at.size(); ++router)
      builder.place_router(router + offset, part.router_at[router].x + (offset ? 0.45f : 0),
                           part.router_at[router].y + (offset ? 0.45f : 0));
  };
  copy(inner, 0);
  if (joined) copy(*io_network.fabric, inner.routers);
  for (std::uint32_t node = 0; node < inner.nodes; ++node) {
    builder.also_attach(node, inner.entered_by(node), inner.router_of(node), classes.injection, classes.ejection);
    if (node < inner.node_at.size()) builder.place_node(node, inner.node_at[node].x, inner.node_at[node].y);
  }
  const auto wide = 4 * std::max<std::int64_t>(b, 1);
  const auto width = [&](const char* key) { return settings.has(key) ? settings.integer(key) : wide; };
  for (std::uint32_t address = 0; address < count; ++address) {
    const auto node = inner.nodes + address, into = inner.entered_by(shape->at[address]);
    builder.also_attach(node, into, inner.router_of(shape->at[address]),
                        of_width(classes.injection, settings.integer("m")),
                        of_width(classes.ejection, settings.integer("m")));
    if (!joined) continue;
    const auto io_router = inner.routers + io_network.fabric->router_of(address);
    builder.also_attach(node, inner.routers + io_network.fabric->entered_by(address), io_router,
                        of_width(classes.injection, width("r")), of_width(classes.ejection, width("r")));
    builder.connect(io_router, into, -1, 0, of_width(classes.network, width("n")));
  }
  builder.processors(inner.nodes);

  Network out;
  out.fabric = std::make_unique<Fabric>(builder.finish(shape));
  for (std::uint32_t node = 0; node < inner.nodes; ++node)
    if (inner.node_failed(node)) out.fabric->fail_node(node);
  for (std::uint32_t link = 0, sub = 0; link < out.fabric->links.size() && sub < inner.links.size(); ++link, ++sub)
    if (inner.links[sub].kind == LinkKind::network && inner.failed(sub)) out.fabric->fail_link(link);
  out.routing = std::make_unique<TwoNetworks>(*out.fabric, *shape, std::move(processors), std::move(io_network));
  return out;
}

}  // namespace assay::network
