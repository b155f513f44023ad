#include "network/fabric.hpp"

#include <algorithm>
#include <numeric>

#include "events/stop.hpp"
#include "network/parameters.hpp"

namespace assay::network {
namespace {

Link make_link(std::uint32_t from, std::uint32_t to, LinkKind kind, const LinkClass& like) {
  Link link;
  link.from = from;
  link.to = to;
  link.kind = kind;
  link.channels = like.channels;
  link.lanes = kind == LinkKind::network ? like.lanes : 1;
  link.buffer = like.buffer;
  link.flit = like.flit;
  link.body = like.body;
  link.head = like.head;
  link.credit = like.credit;
  return link;
}

// Groups the indices of links by a key: offsets and the indices in order.
template <class Key>
void group(const std::vector<Link>& links, std::uint32_t groups, std::vector<std::uint32_t>& offset,
           std::vector<std::uint32_t>& members, Key key) {
  offset.assign(groups + 1, 0);
  for (const auto& link : links)
    if (const auto at = key(link); at != none) ++offset[at + 1];
  std::partial_sum(offset.begin(), offset.end(), offset.begin());
  members.resize(offset.back());
  auto next = offset;
  for (std::uint32_t index = 0; index < links.size(); ++index)
    if (const auto at = key(links[index]); at != none) members[next[at]++] = index;
}

}  // namespace

std::uint32_t Fabric::between(std::uint32_t from, std::uint32_t to) const {
  for (const auto link : outgoing(from))
    if (links[link].kind == LinkKind::network && links[link].to == to) return link;
  return none;
}

void Fabric::replace_link(std::uint32_t link, const Link& slower) {
  usual_.emplace(link, links[link]);
  links[link] = slower;
}

void Fabric::fail_link(std::uint32_t link) {
  link_failed_.resize(links.size());
  node_failed_.resize(nodes);
  any_failed_ = true;
  link_failed_[link] = 1;
}

void Fabric::fail_node(std::uint32_t node) {
  for (const auto link : injection(node)) fail_link(link);
  for (const auto link : ejection(node)) fail_link(link);
  node_failed_[node] = 1;
}

void Fabric::fail_router(std::uint32_t router) {
  for (std::uint32_t index = 0; index < links.size(); ++index) {
    const auto& link = links[index];
    if ((link.kind != LinkKind::injection && link.from == router) ||
        (link.kind != LinkKind::ejection && link.to == router))
      fail_link(index);
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const auto out = injection(node);
    if (std::all_of(out.begin(), out.end(), [&](std::uint32_t link) { return failed(link); })) node_failed_[node] = 1;
  }
}

FabricBuilder::FabricBuilder(std::string topology, std::uint32_t routers, LinkClass network, LinkClass injection,
                             LinkClass ejection)
    : network_class_(network), injection_class_(injection), ejection_class_(ejection) {
  fabric_.topology = std::move(topology);
  fabric_.routers = routers;
}

void FabricBuilder::connect(std::uint32_t from, std::uint32_t to, int dimension, int direction) {
  connect(from, to, dimension, direction, network_class_);
}

void FabricBuilder::connect(std::uint32_t from, std::uint32_t to, int dimension, int direction, const LinkClass& like) {
  auto link = make_link(from, to, LinkKind::network, like);
  link.dimension = static_cast<std::int16_t>(dimension);
  link.direction = static_cast<std::int16_t>(direction);
  network_.push_back(link);
}

std::uint32_t FabricBuilder::attach(std::uint32_t router) {
  const auto node = fabric_.nodes;
  also_attach(node, router, injection_class_, ejection_class_);
  return node;
}

void FabricBuilder::also_attach(std::uint32_t node, std::uint32_t router, const LinkClass& injection,
                                const LinkClass& ejection) {
  also_attach(node, router, router, injection, ejection);
}

void FabricBuilder::also_attach(std::uint32_t node, std::uint32_t into, std::uint32_t out_of,
                                const LinkClass& injection, const LinkClass& ejection) {
  if (in_.size() % 65536 == 0) events::check_stop();
  fabric_.nodes = std::max(fabric_.nodes, node + 1);
  in_.push_back(make_link(node, into, LinkKind::injection, injection));
  out_.push_back(make_link(out_of, node, LinkKind::ejection, ejection));
}

void FabricBuilder::place_router(std::uint32_t router, float x, float y) {
  fabric_.router_at.resize(fabric_.routers);
  fabric_.router_at[router] = {x, y};
}

void FabricBuilder::place_node(std::uint32_t node, float x, float y) {
  if (fabric_.node_at.size() <= node) fabric_.node_at.resize(node + 1);
  fabric_.node_at[node] = {x, y};
}

Fabric FabricBuilder::finish(std::shared_ptr<const Shape> geometry) {
  auto& f = fabric_;
  std::stable_sort(network_.begin(), network_.end(), [](const Link& a, const Link& b) { return a.from < b.from; });
  events::check_stop();
  std::stable_sort(in_.begin(), in_.end(), [](const Link& a, const Link& b) { return a.from < b.from; });
  std::stable_sort(out_.begin(), out_.end(), [](const Link& a, const Link& b) { return a.to < b.to; });
  events::check_stop();
  f.links = std::move(network_);
  f.links.insert(f.links.end(), in_.begin(), in_.end());
  f.links.insert(f.links.end(), out_.begin(), out_.end());
  f.processors = processors_ == none ? f.nodes : processors_;
  f.geometry = std::move(geometry);
  group(f.links, f.routers, f.outgoing_begin_, f.outgoing_,
        [](const Link& link) { return link.kind == LinkKind::injection ? none : link.from; });
  events::check_stop();
  group(f.links, f.nodes, f.injection_begin_, f.injection_,
        [](const Link& link) { return link.kind == LinkKind::injection ? link.from : none; });
  events::check_stop();
  group(f.links, f.nodes, f.ejection_begin_, f.ejection_,
        [](const Link& link) { return link.kind == LinkKind::ejection ? link.to : none; });
  events::check_stop();
  for (std::uint32_t node = 0; node < f.nodes; ++node) f.router_of_.push_back(f.links[f.ejection(node)[0]].from);
  if (!f.node_at.empty()) f.node_at.resize(f.nodes);
  return std::move(f);
}

}  // namespace assay::network
