#include "network/registry.hpp"

#include <algorithm>

#include "network/composition.hpp"
#include "network/slower_links.hpp"

namespace assay::network {
namespace {

template <class Record>
const Record& find(const std::vector<const Record*>& records, const std::string& name, const char* key) {
  std::string known;
  for (const auto* record : records) {
    if (record->name == name) return *record;
    known += (known.empty() ? "" : ", ") + record->name;
  }
  throw ParameterError::not_accepted(key, name, "one of " + known);
}

LinkClass link_class(const Settings& settings, const std::string& channels) {
  LinkClass link;
  const auto own = [&](const std::string& key) {
    if (channels == "ejection_channels" && key != "body_ticks" && settings.has("ejection_" + key))
      return static_cast<std::uint32_t>(settings.integer("ejection_" + key));
    const bool node = channels != "channels" && settings.has("node_" + key);
    return static_cast<std::uint32_t>(settings.integer(node ? "node_" + key : key));
  };
  link.channels = static_cast<std::uint16_t>(settings.integer(channels));
  link.buffer = static_cast<std::uint32_t>(settings.integer("buffer_flits"));
  link.flit = own("flit_ticks");
  link.body = own("body_ticks");
  link.head = own("head_ticks");
  link.credit = static_cast<std::uint32_t>(settings.integer("credit_ticks"));
  return link;
}

void fail(Fabric& fabric, const Settings& settings) {
  const auto check = [&](const char* key, std::int64_t value, std::uint32_t bound) {
    if (value < 0 || value >= bound)
      throw settings.wrong(key, "names " + std::to_string(value) + ", but there are 0 to " + std::to_string(bound - 1));
    return static_cast<std::uint32_t>(value);
  };
  for (const auto& [from, to] : settings.pairs("failed_links")) {
    const auto a = check("failed_links", from, fabric.routers), b = check("failed_links", to, fabric.routers);
    const auto link = fabric.between(a, b);
    if (link == none) throw settings.no_link("failed_links", a, b);
    fabric.fail_link(link);
    if (const auto back = fabric.between(b, a); back != none && !settings.flag("failed_one_way"))
      fabric.fail_link(back);
  }
  for (const auto router : settings.integers("failed_routers"))
    fabric.fail_router(check("failed_routers", router, fabric.routers));
  for (const auto node : settings.integers("failed_nodes")) fabric.fail_node(check("failed_nodes", node, fabric.nodes));
}

// The keys that some list names, taken out of the table.
Table take(const Table& given, const std::vector<Parameter>& parameters) {
  Table out;
  for (const auto& parameter : parameters)
    if (const auto found = given.find(parameter.name); found != given.end()) out.insert(*found);
  return out;
}

}  // namespace

const TopologyRecord& topology(const std::string& name) { return find(all_topologies(), name, "network.topology"); }
const RoutingRecord& routing(const std::string& name) { return find(all_routings(), name, "network.routing"); }

const std::vector<Parameter>& common_parameters() {
  static const std::vector<Parameter> list{
      {"topology", Kind::text, {}, "", "name of the topology"},
      {"routing", Kind::text, {}, "", "name of the routing; the topology's own by default", 0, 0, {}, true},
      {"channels", Kind::integer, 1, "", "parallel channels of a network link", 1, 65535},
      {"injection_channels", Kind::integer, 1, "", "parallel channels from a node into its router", 1, 65535},
      {"ejection_channels", Kind::integer, 1, "", "parallel channels from a router into its node", 1, 65535},
      {"lanes",
       Kind::integer,
       {},
       "",
       "virtual channels of a network channel; what the routing needs by default",
       1,
       64,
       {},
       true},
      {"buffer_flits", Kind::integer, 1, "flits", "buffer at a lane's far end; 0 holds whole messages", 0, 1e9},
      {"flit_ticks", Kind::integer, 1, "ticks", "f: time a flit holds the wire", 1, 1e9},
      {"body_ticks", Kind::integer, 1, "ticks", "w: until a body flit may move on", 0, 1e9},
      {"head_ticks", Kind::integer, 1, "ticks", "h: until the head may move on, routing included", 1, 1e9},
      {"credit_ticks", Kind::integer, 0, "ticks", "r: a credit's way back", 0, 1e9},
      {"node_flit_ticks",
       Kind::integer,
       {},
       "ticks",
       "f of the links between a node and its router, both ways; as "
       "flit_ticks by default",
       1,
       1e9,
       {},
       true},
      {"node_body_ticks", Kind::integer, {}, "ticks", "w of those links; as body_ticks by default", 0, 1e9, {}, true},
      {"node_head_ticks",
       Kind::integer,
       {},
       "ticks",
       "h of those links, routing in the router that a node sends into included; as head_ticks by default",
       1,
       1e9,
       {},
       true},
      {"ejection_flit_ticks",
       Kind::integer,
       {},
       "ticks",
       "f of the links from a router into its node alone; as node_flit_ticks by default",
       1,
       1e9,
       {},
       true},
      {"ejection_head_ticks",
       Kind::integer,
       {},
       "ticks",
       "h of the links from a router into its node alone, at whose end nothing is routed; as node_head_ticks by "
       "default",
       1,
       1e9,
       {},
       true},
      {"failed_links", Kind::pairs, Value::List{}, "", "pairs of routers whose link is dead"},
      {"failed_one_way", Kind::flag, false, "", "the pairs of failed_links name one direction only"},
      {"failed_routers", Kind::integers, Value::List{}, "", "dead routers, with all their links and nodes"},
      {"failed_nodes", Kind::integers, Value::List{}, "", "dead nodes; their routers live on"},
  };
  return list;
}

Network build_network(const Table& given) {
  Table keys = given;
  keys.erase("switching");
  const auto io = keys.extract("io");
  const auto slower = take_slower_links(keys);
  const std::string prefix = "network.";
  if (const auto found = keys.find("topology"); found == keys.end() || !std::get_if<std::string>(&found->second.held))
    throw ParameterError(prefix + "topology", "must be given: the name of a topology");
  const auto& shape = topology(std::get<std::string>(keys["topology"].held));
  const auto found = keys.find("routing");
  const auto* wanted = found == keys.end() ? nullptr : std::get_if<std::string>(&found->second.held);
  if (found != keys.end() && !wanted) throw ParameterError::not_accepted(prefix + "routing", found->second, "a text");
  const auto& way = routing(wanted ? *wanted : shape.routing);

  std::vector<Parameter> all = common_parameters();
  all.insert(all.end(), shape.parameters.begin(), shape.parameters.end());
  all.insert(all.end(), way.parameters.begin(), way.parameters.end());
  const auto common = Settings::resolve(keys, all, prefix);
  const auto own = Settings::resolve(take(keys, shape.parameters), shape.parameters, prefix);
  const auto turns = Settings::resolve(take(keys, way.parameters), way.parameters, prefix);

  const LinkClasses classes{link_class(common, "channels"), link_class(common, "injection_channels"),
                            link_class(common, "ejection_channels")};
  Network network;
  network.fabric = std::make_unique<Fabric>(shape.build(own, classes));
  if (network.fabric->nodes == 0) throw ParameterError(prefix + "topology", "has no node");
  auto remake = [&] {
    try {
      network.routing = way.make(*network.fabric, turns);
    } catch (const ParameterError& error) {
      if (error.key() == "routing") throw error.at(prefix + "routing");
      throw;
    }
  };
  fail(*network.fabric, common);
  slow_down(*network.fabric, slower);
  remake();
  const auto needed = network.routing->claims().lanes;
  const auto lanes = common.has("lanes") ? static_cast<unsigned>(common.integer("lanes")) : needed;
  if (lanes < needed)
    throw common.wrong(
        "lanes", "is " + std::to_string(lanes) + ", but " + way.name + " needs " + std::to_string(needed) + " here");
  for (auto& link : network.fabric->links)
    if (link.kind == LinkKind::network) link.lanes = static_cast<std::uint8_t>(lanes);
  if (!io.empty()) return with_io_network(std::move(network), io.mapped(), classes);
  return network;
}

}  // namespace assay::network
