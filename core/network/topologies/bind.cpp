// Python's view of topologies, routings and the networks built of them.
#include "network/topologies/bind.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "network/channel_rates.hpp"
#include "network/crossed_by_all.hpp"
#include "network/placement.hpp"
#include "network/registry.hpp"
#include "network/values/bind.hpp"

namespace nb = nanobind;
using namespace assay::network;

namespace {

const char* kind_name(Kind kind) {
  static constexpr const char* names[] = {"integer", "number", "flag", "text", "integers", "pairs", "table"};
  return names[static_cast<int>(kind)];
}

nb::list parameters_of(const std::vector<Parameter>& parameters) {
  nb::list out;
  for (const auto& parameter : parameters) {
    nb::dict item;
    item["name"] = parameter.name;
    item["kind"] = kind_name(parameter.kind);
    item["default"] = to_python(parameter.fallback);
    item["unit"] = parameter.unit;
    item["description"] = parameter.description;
    item["accepts"] = parameter.accepts();
    item["required"] = parameter.fallback.absent() && !parameter.optional;
    out.append(item);
  }
  return out;
}

nb::list topology_records() {
  nb::list out;
  for (const auto* record : all_topologies()) {
    nb::dict item;
    item["name"] = record->name;
    item["description"] = record->description;
    item["numbering"] = record->numbering;
    item["routing"] = record->routing;
    item["parameters"] = parameters_of(record->parameters);
    out.append(item);
  }
  return out;
}

nb::list routing_records() {
  nb::list out;
  for (const auto* record : all_routings()) {
    nb::dict item;
    item["name"] = record->name;
    item["description"] = record->description;
    item["parameters"] = parameters_of(record->parameters);
    out.append(item);
  }
  return out;
}

const char* name_of(LinkKind kind) {
  static constexpr const char* names[] = {"network", "injection", "ejection"};
  return names[static_cast<int>(kind)];
}

nb::list links_of(const Network& network) {
  nb::list out;
  for (std::uint32_t index = 0; index < network.fabric->links.size(); ++index) {
    const auto& link = network.fabric->links[index];
    nb::dict item;
    item["from"] = link.from;
    item["to"] = link.to;
    item["kind"] = name_of(link.kind);
    item["channels"] = link.channels;
    item["lanes"] = link.lanes;
    item["buffer_flits"] = link.buffer;
    item["flit_ticks"] = link.flit;
    item["body_ticks"] = link.body;
    item["head_ticks"] = link.head;
    item["credit_ticks"] = link.credit;
    item["dimension"] = link.dimension;
    item["direction"] = link.direction;
    item["failed"] = network.fabric->failed(index);
    out.append(item);
  }
  return out;
}

// Every way from source to destination: a list of (probability, [(link, lane), ...]), choices taken alike. A way that
// ends without an ejection link is unroutable and returned as far as it got.
nb::list routes(const Network& network, std::uint32_t source, std::uint32_t destination, std::size_t limit) {
  const auto& fabric = *network.fabric;
  if (source >= fabric.nodes || destination >= fabric.nodes) throw nb::index_error("no such node");
  struct Way {
    RouteState state;
    double probability;
    std::vector<Choice> hops;
  };
  std::vector<Way> open;
  for (const auto& beginning : network.routing->beginnings(source, destination))
    open.push_back({beginning.state, beginning.probability, {}});
  nb::list out;
  Choices choices;
  const std::size_t longest = 4 * std::size_t{fabric.routers} + 8;
  while (!open.empty()) {
    auto way = std::move(open.back());
    open.pop_back();
    bool done = false;
    if (way.hops.empty()) {
      network.routing->inject(way.state, choices);
    } else {
      const auto& last = fabric.links[way.hops.back().link];
      if (last.kind == LinkKind::ejection || way.hops.size() > longest) {
        done = true;
      } else {
        network.routing->choices(last.to, way.hops.back().link, way.hops.back().lane, way.state, choices);
      }
    }
    if (done || choices.count == 0) {
      nb::list hops;
      for (const auto& hop : way.hops) hops.append(nb::make_tuple(hop.link, hop.lane));
      out.append(nb::make_tuple(way.probability, hops));
      if (out.size() > limit) throw nb::value_error("more ways than the limit");
      continue;
    }
    for (const auto& choice : choices) {
      auto further = way;
      further.probability /= choices.count;
      further.hops.push_back(choice);
      open.push_back(std::move(further));
    }
  }
  return out;
}

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::dict rates_dict(const ChannelRates& rates) {
  nb::dict out;
  out["rate"] = rates.rate;
  out["unroutable"] = rates.unroutable;
  if (!rates.turns.empty()) {
    std::vector<std::uint32_t> from, to;
    std::vector<double> rate;
    for (const auto& [key, flow] : std::map(rates.turns.begin(), rates.turns.end())) {
      from.push_back(static_cast<std::uint32_t>(key >> 32));
      to.push_back(static_cast<std::uint32_t>(key));
      rate.push_back(flow);
    }
    out["turns"] = nb::make_tuple(from, to, rate);
  }
  return out;
}

nb::dict rates_of_matrix(const Network& network, const Matrix& traffic, bool turns) {
  const std::vector<double> copy(traffic.data(), traffic.data() + traffic.size());
  for (const double flow : copy)
    if (!(flow >= 0)) throw nb::value_error("a rate of traffic is negative or no number");
  return rates_dict(channel_rates(*network.routing, copy, turns));
}

std::vector<double> pattern_matrix(const Network& network, const std::string& pattern, bool self) {
  Traffic traffic;
  traffic.pattern = pattern;
  traffic.self = self;
  return traffic_matrix(traffic, *network.fabric);
}

nb::dict rates_of_pattern(const Network& network, const std::string& pattern, bool self, bool turns) {
  return rates_dict(channel_rates(*network.routing, pattern_matrix(network, pattern, self), turns));
}

void bind_placement(nb::module_& module) {
  module.def(
      "hamming_placement", &hamming_placement, nb::arg("dimension"),
      "Routers of a hypercube that have an I/O node, in order of I/O address (Ghosh, Goveas and Draper, section 3.2).");
  module.def("perfect_placement", &perfect_placement, nb::arg("dimension"));
  module.def("io_network_dimension", &io_network_dimension, nb::arg("dimension"),
             "Dimension of the I/O nodes' own hypercube: ceil(log2(N / (log2 N + 1))).");
  module.def("minimum_dominating_set", &minimum_dominating_set, nb::arg("dimension"),
             "A smallest set with every router in it or next to it; dimension 1 to 8.");
  module.def(
      "domination_bounds",
      [](unsigned dimension) {
        const auto bounds = domination_bounds(dimension);
        return nb::make_tuple(bounds.lower, bounds.upper);
      },
      nb::arg("dimension"), "(lower, upper): what is known of that set's size; dimension 1 to 15.");
  module.def("dominates", &dominates, nb::arg("dimension"), nb::arg("routers"));
  module.def("sorting_scaling", &sorting_scaling, nb::arg("processors"), nb::arg("memory_words"),
             "I/O capacity that keeps N processors balanced for sorting, in those of one (section 3.1).");
  module.def("io_scaling", &io_scaling, nb::arg("processors"), "N / log2 N.");
  module.def("matrix_scaling", &matrix_scaling, nb::arg("processors"), "sqrt N, for matrix multiplication.");
  module.def("sorting_balance", &sorting_balance, nb::arg("processors"), nb::arg("memory_words"), nb::arg("io_ratio"),
             "t_comp / t_io of equation 3; 1 is balanced.");
}

nb::list points(const std::vector<Point>& at) {
  nb::list out;
  for (const auto& point : at) out.append(nb::make_tuple(point.x, point.y));
  return out;
}

}  // namespace

void bind_topologies(nb::module_& module) {
  module.def("topologies", &topology_records, "The records of all topologies, one dict each.");
  module.def("routings", &routing_records, "The records of all routings, one dict each.");
  module.def(
      "network_parameters", [] { return parameters_of(common_parameters()); },
      "The keys of [network] that every topology takes.");
  nb::class_<Network>(module, "Network", "A fabric with a routing on it.")
      .def_prop_ro("nodes", [](const Network& n) { return n.fabric->nodes; })
      .def_prop_ro("processors", [](const Network& n) { return n.fabric->processors; })
      .def_prop_ro("routers", [](const Network& n) { return n.fabric->routers; })
      .def_prop_ro("links", &links_of)
      .def_prop_ro(
          "crossed_by_all",
          [](const Network& n) -> std::optional<std::pair<std::uint32_t, std::string>> {
            const auto found = crossed_by_all(*n.fabric);
            if (!found) return std::nullopt;
            return std::pair{found->flit_ticks, std::string(name_of(found->kind))};
          },
          "Ticks between flits of the slowest channel that no message between two nodes can avoid, and its kind; or "
          "None.")
      .def_prop_ro("router_at", [](const Network& n) { return points(n.fabric->router_at); })
      .def_prop_ro("node_at", [](const Network& n) { return points(n.fabric->node_at); })
      .def_prop_ro("failed_nodes",
                   [](const Network& n) {
                     std::vector<std::uint32_t> out;
                     for (std::uint32_t node = 0; node < n.fabric->nodes; ++node)
                       if (n.fabric->node_failed(node)) out.push_back(node);
                     return out;
                   })
      .def_prop_ro("routing",
                   [](const Network& n) {
                     static constexpr const char* selections[] = {"first", "random", "least-loaded"};
                     const auto& claims = n.routing->claims();
                     nb::dict out;
                     out["name"] = claims.name;
                     out["minimal"] = claims.minimal;
                     out["deadlock_free"] = claims.deadlock_free;
                     out["lanes"] = claims.lanes;
                     out["selection"] = selections[static_cast<int>(claims.selection)];
                     return out;
                   })
      .def("channel_rates", &rates_of_matrix, nb::arg("traffic"), nb::arg("turns") = false,
           "Exact rates {rate: by link, unroutable} for a matrix of what each node (row) sends to each (column); with "
           "turns also ([link], [next link], [rate]).")
      .def("channel_rates", &rates_of_pattern, nb::arg("pattern"), nb::arg("self") = false, nb::arg("turns") = false,
           "The same for a pattern's name, each sending node sending 1; self: a node may send to itself.")
      .def("pattern", &pattern_matrix, nb::arg("name"), nb::arg("self") = false,
           "A pattern as a matrix, row by row: what each node sends to each, 1 in all from every sending node.")
      .def("routes", &routes, nb::arg("source"), nb::arg("destination"), nb::arg("limit") = 100000,
           "Every way: (probability, [(link, lane), ...]); one without an ejection link at its end cannot be routed.");
  module.def(
      "build_network",
      [](const nb::dict& given) {
        const Table table = std::get<Table>(to_value(given, "network").held);
        const nb::gil_scoped_release release;
        return build_network(table);
      },
      nb::arg("network"), "A network from the keys of [network]; ValueError(key, message) where they are wrong.");
  bind_placement(module);
}
