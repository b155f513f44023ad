// A processor network joined with an independent I/O network at chosen nodes.
#pragma once
#include "network/registry.hpp"

namespace assay::network {

/// `io` is the table [network.io]; `classes` gives the timing of its links.
Network with_io_network(Network processors, const Value& io, const LinkClasses& classes);

}  // namespace assay::network
