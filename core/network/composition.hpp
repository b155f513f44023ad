// A processor network joined with an independent I/O network at chosen nodes: Ghosh, Goveas and Draper, figure 2.
//
// Widths in parallel channels: k between a processing element (PE) and its router (injection_channels,
// ejection_channels of the processor network), m between an I/O node and the router of its PE, r between an I/O node
// and its I/O router, b between I/O routers, n from an I/O router to the PE's router. With b = 0 there is no I/O
// network: m links only.
//
// Numbering: PEs as the processor topology says, then the I/O nodes in the order of `nodes`, which is their I/O
// address; routers of the processor network, then the I/O routers. An I/O node's first injection and ejection link is
// m, the second r.
//
// Routes: to an I/O node from a PE, over the processor network and out by m; between I/O nodes over the I/O network;
// from an I/O node to a PE, by m if this is the PE's local (nearest, of equals the first) I/O node, else over the I/O
// network to the local I/O node's router and by n into the processor network. With b = 0 everything takes the processor
// network.
#pragma once
#include "network/registry.hpp"

namespace assay::network {

struct WithIo : Shape {
  std::shared_ptr<const Shape> processors;  // the processor topology's own shape
  std::uint32_t processor_routers = 0;
  std::vector<std::uint32_t> at;     // by I/O address: the PE
  std::vector<std::uint32_t> local;  // by PE: the address of its local I/O node
};

/// The keys of [network.io] beyond those of the I/O network's topology and routing.
const std::vector<Parameter>& io_parameters();
/// `io` is the table [network.io]; `classes` gives the timing of its links.
Network with_io_network(Network processors, const Value& io, const LinkClasses& classes);

}  // namespace assay::network
