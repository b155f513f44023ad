#include "network/slower_links.hpp"

#include <cmath>
#include <set>

namespace assay::network {
namespace {

const std::vector<Parameter>& keys_of_a_link() {
  static const std::vector<Parameter> list{
      {"routers", Kind::integers, {}, "", "the two routers that it joins", 0, 4294967294.0, {}, true},
      {"node",
       Kind::integer,
       {},
       "",
       "the node whose links to and from its router they are",
       0,
       4294967294.0,
       {},
       true},
      {"slower", Kind::number, {}, "", "how many times as long a flit takes", 1, 1e6},
      {"one_way", Kind::flag, false, "", "from the first router to the second only; of a node, into the network"},
  };
  return list;
}

std::uint32_t slowed(const Settings& entry, std::uint32_t ticks) {
  const double factor = entry.number("slower"), exact = factor * ticks, whole = std::round(exact);
  if (std::abs(exact - whole) > 1e-6 * exact || whole > 1e9)
    throw entry.wrong("slower", "makes " + std::to_string(ticks) + " ticks " + Value(exact).text() +
                                    ", accepted is a factor that makes them whole, at most 1e9: " +
                                    Value(static_cast<double>(ticks + 1) / ticks).text() +
                                    " is the least here, and a cycle N times as short with N times as many ticks has "
                                    "finer ones");
  return static_cast<std::uint32_t>(whole);
}

void between(const Fabric& fabric, std::uint32_t from, std::uint32_t to, std::vector<std::uint32_t>& out) {
  for (const auto link : fabric.outgoing(from))
    if (fabric.links[link].kind == LinkKind::network && fabric.links[link].to == to) out.push_back(link);
}

std::vector<std::uint32_t> named(const Fabric& fabric, const Settings& entry) {
  const auto check = [&](const char* key, std::int64_t value, std::uint32_t bound) {
    if (value >= bound)
      throw entry.wrong(key, "names " + std::to_string(value) + ", but there are 0 to " + std::to_string(bound - 1));
    return static_cast<std::uint32_t>(value);
  };
  const bool both = !entry.flag("one_way");
  std::vector<std::uint32_t> out;
  if (entry.has("node")) {
    const auto node = check("node", entry.integer("node"), fabric.nodes);
    const auto in = fabric.injection(node), from = fabric.ejection(node);
    out.assign(in.begin(), in.end());
    if (both) out.insert(out.end(), from.begin(), from.end());
    return out;
  }
  const auto ends = entry.integers("routers");
  if (ends.size() != 2) throw entry.wrong("routers", "must be given: two routers, or else a node");
  const auto a = check("routers", ends[0], fabric.routers), b = check("routers", ends[1], fabric.routers);
  between(fabric, a, b, out);
  if (out.empty()) throw entry.no_link("routers", a, b);
  if (both && a != b) between(fabric, b, a, out);
  return out;
}

}  // namespace

Value take_slower_links(Table& keys) {
  const auto found = keys.find("links");
  const auto* list = found == keys.end() ? nullptr : std::get_if<Value::List>(&found->second.held);
  if (list == nullptr || list->empty() || !std::holds_alternative<Table>(list->front().held)) return {};
  Value taken = std::move(found->second);
  keys.erase(found);
  return taken;
}

void slow_down(Fabric& fabric, const Value& entries) {
  const auto* list = std::get_if<Value::List>(&entries.held);
  if (list == nullptr) return;
  std::set<std::uint32_t> seen;
  for (std::size_t index = 0; index < list->size(); ++index) {
    const std::string prefix = "network.links." + std::to_string(index);
    const auto* table = std::get_if<Table>(&(*list)[index].held);
    if (table == nullptr) throw ParameterError::not_accepted(prefix, (*list)[index], "a table");
    const auto entry = Settings::resolve(*table, keys_of_a_link(), prefix + ".");
    for (const auto at : named(fabric, entry)) {
      if (!seen.insert(at).second)
        throw entry.wrong(entry.has("node") ? "node" : "routers", "names a link that an entry before it names");
      Link link = fabric.links[at];
      link.flit = slowed(entry, link.flit);
      link.body = slowed(entry, link.body);
      fabric.replace_link(at, link);
    }
  }
}

}  // namespace assay::network
