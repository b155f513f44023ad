// Whether a way leads to the destination, where links have failed and the routing may not go round them. Engines ask
// this before a message holds anything: one whose every way ends on the way is unroutable and never sent.
#pragma once
#include "network/routing.hpp"

namespace assay::network {

/// Of the choices that the routing gave in `state`, keeps those from which some way on ends at the destination.
void keep_leading(const Routing& routing, const RouteState& state, Choices& choices);

}  // namespace assay::network
