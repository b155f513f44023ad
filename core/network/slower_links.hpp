// [[network.links]]: links that are slower than the others of their kind, one entry a link (or a node's two links).
#pragma once
#include "network/fabric.hpp"
#include "network/parameters.hpp"

namespace assay::network {

/// Takes `links` out of the keys of [network] if it is a list of tables (a graph's own links are a list of pairs).
Value take_slower_links(Table& keys);

/// Multiplies f and w of the links that the entries name by their factor `slower`; h (cable and switch) stays.
/// ParameterError at network.links.I.KEY where a link is not there, is named twice, or would not take whole ticks.
void slow_down(Fabric& fabric, const Value& entries);

}  // namespace assay::network
