// The network as explicit parts: routers, terminals (nodes), directed links. Every engine, every routing and the
// analysis stand on this description; it holds no time-varying state.
//
// Numbering. Routers 0..routers-1. Nodes 0..nodes-1: the processing elements first, then the I/O nodes (from
// `processors` on). Links: network links ordered by (router they leave, port), then injection links by node, then
// ejection links by node, so that the links that leave a router lie together. A direct network of R routers with P
// network ports on each has link(r, p) = r P + p, injection(n) = R P + n, ejection(n) = R P + nodes + n when no port is
// missing.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "network/bounds.hpp"

namespace assay::network {

inline constexpr std::uint32_t none = 0xffffffffu;

enum class LinkKind : std::uint8_t { network, injection, ejection };

/// A directed link: `channels` parallel channels, each with `lanes` virtual channels. Times in whole ticks, as in the
/// rules for unlike links: f between flits, w until a body flit may move on, h the same for the head, r for a credit's
/// return.
struct Link {
  std::uint32_t from = none;  // router; for an injection link the node
  std::uint32_t to = none;    // router; for an ejection link the node
  LinkKind kind = LinkKind::network;
  std::uint8_t lanes = 1;
  std::uint16_t channels = 1;
  std::uint32_t buffer = 1;     // flits of a lane's buffer at the far end; 0 = open, holds whole messages
  std::uint32_t flit = 1;       // f
  std::uint32_t body = 1;       // w
  std::uint32_t head = 1;       // h
  std::uint32_t credit = 0;     // r
  std::int16_t dimension = -1;  // dimension, level or class, as the topology's record says
  std::int16_t direction = 0;   // +1, -1; 0 where there is none
};

/// What is alike in all links of a class, as a person sets it.
struct LinkClass {
  std::uint16_t channels = 1;
  std::uint8_t lanes = 1;
  std::uint32_t buffer = 1, flit = 1, body = 1, head = 1, credit = 0;
};

struct Point {
  float x = 0, y = 0;
};

/// What a topology knows of its own shape; a routing asks for the shape that it can route on (`fabric.shape<Grid>()`).
struct Shape {
  virtual ~Shape() = default;
};

class Fabric {
 public:
  std::string topology;
  std::uint32_t routers = 0;
  std::uint32_t nodes = 0;
  std::uint32_t processors = 0;  // nodes from here on are I/O nodes
  std::vector<Link> links;
  std::vector<Point> router_at, node_at;  // for drawing, in unit squares; may be empty
  std::shared_ptr<const Shape> geometry;

  /// Links that leave a router (network, then ejection), in port order.
  [[nodiscard]] std::span<const std::uint32_t> outgoing(std::uint32_t router) const {
    return {outgoing_.data() + outgoing_begin_[router], outgoing_begin_[router + 1] - outgoing_begin_[router]};
  }
  /// Injection links of a node (mostly one; an I/O node between two networks has two).
  [[nodiscard]] std::span<const std::uint32_t> injection(std::uint32_t node) const {
    return {injection_.data() + injection_begin_[node], injection_begin_[node + 1] - injection_begin_[node]};
  }
  [[nodiscard]] std::span<const std::uint32_t> ejection(std::uint32_t node) const {
    return {ejection_.data() + ejection_begin_[node], ejection_begin_[node + 1] - ejection_begin_[node]};
  }
  /// The router that a node's first injection link enters; in buses and multistage networks not router_of().
  [[nodiscard]] std::uint32_t entered_by(std::uint32_t node) const { return links[injection(node)[0]].to; }
  /// The router that a node's first ejection link leaves.
  [[nodiscard]] std::uint32_t router_of(std::uint32_t node) const { return router_of_[node]; }
  [[nodiscard]] bool failed(std::uint32_t link) const { return any_failed_ && link_failed_[link]; }
  [[nodiscard]] bool node_failed(std::uint32_t node) const { return any_failed_ && node_failed_[node]; }
  [[nodiscard]] bool any_failed() const { return any_failed_; }
  /// The network link from one router to another, or none (the first, were there several).
  [[nodiscard]] std::uint32_t between(std::uint32_t from, std::uint32_t to) const;
  template <class Wanted>
  [[nodiscard]] const Wanted* shape() const {
    return dynamic_cast<const Wanted*>(geometry.get());
  }

  /// The link as its class has it, where an entry of its own made it slower.
  [[nodiscard]] const Link& usual(std::uint32_t link) const {
    const auto found = usual_.find(link);
    return found == usual_.end() ? links[link] : found->second;
  }
  /// Other times for a link; its ends stay.
  void replace_link(std::uint32_t link, const Link& slower);

  void fail_link(std::uint32_t link);
  /// The node and its injection and ejection links.
  void fail_node(std::uint32_t node);
  /// The router, every link at it, and every node that has no other router.
  void fail_router(std::uint32_t router);

 private:
  friend class FabricBuilder;
  std::vector<std::uint32_t> outgoing_begin_, outgoing_, injection_begin_, injection_, ejection_begin_, ejection_,
      router_of_;
  std::vector<std::uint8_t> link_failed_, node_failed_;
  bool any_failed_ = false;
  std::map<std::uint32_t, Link> usual_;  // of the links that were replaced
};

/// Collects parts in any order and numbers them as said above.
class FabricBuilder {
 public:
  FabricBuilder(std::string topology, std::uint32_t routers, LinkClass network, LinkClass injection,
                LinkClass ejection);
  /// One direction. Ports of a router count in the order of these calls.
  void connect(std::uint32_t from, std::uint32_t to, int dimension, int direction);
  void connect(std::uint32_t from, std::uint32_t to, int dimension, int direction, const LinkClass& like);
  /// A node at this router, with one injection and one ejection link. Returns its number.
  std::uint32_t attach(std::uint32_t router);
  /// A further router for a node, with a pair of links of its own.
  void also_attach(std::uint32_t node, std::uint32_t router, const LinkClass& injection, const LinkClass& ejection);
  /// Injects at one router and is reached from another (buses, multistage networks).
  void also_attach(std::uint32_t node, std::uint32_t into, std::uint32_t out_of, const LinkClass& injection,
                   const LinkClass& ejection);
  void place_router(std::uint32_t router, float x, float y);
  void place_node(std::uint32_t node, float x, float y);
  /// Default: all nodes are processing elements.
  void processors(std::uint32_t count) { processors_ = count; }
  Fabric finish(std::shared_ptr<const Shape> geometry);

 private:
  Fabric fabric_;
  LinkClass network_class_, injection_class_, ejection_class_;
  std::vector<Link> network_, in_, out_;
  std::uint32_t processors_ = none;
};

}  // namespace assay::network
