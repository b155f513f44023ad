// How much of a traffic each link carries, from the routes themselves: no simulation, no approximation.
//
// Every way a message can go counts with its probability: outcomes of `begin` with theirs, several choices at a router
// alike (an adaptive routing is taken as spreading evenly, UGAL as going straight: what they do unloaded).
// Deterministic routings are followed pair by pair. Where choices branch, all the flow to one destination is pushed
// through the graph of (link, lane, state) in topological order, so that the number of ways does not matter. Valiant's
// two phases are two traffics on the routing below: source to all nodes alike, all nodes alike to destination.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "network/registry.hpp"
#include "network/settings.hpp"
#include "network/traffic/open_loop.hpp"

namespace assay::network {

struct ChannelRates {
  std::vector<double> rate;  // by link, in the unit of the traffic; all its channels and lanes together
  double unroutable = 0;     // traffic that failures cut off (or partly: what ends on the way still loads it so far)
  std::unordered_map<std::uint64_t, double>
      turns;  // if asked for: by (link << 32 | next link), what goes from one on to the next
};

/// `traffic[source * nodes + destination]`: what is sent. Throws std::runtime_error if ways go round in circles.
ChannelRates channel_rates(const Routing& routing, const std::vector<double>& traffic, bool turns = false);

/// A pattern as that matrix: every sending node sends 1, I/O nodes neither send nor receive. ParameterError as in
/// OpenLoop.
std::vector<double> traffic_matrix(const Traffic& traffic, const Fabric& fabric);

/// What patterns ask of a fabric: its processing elements, the extents of grids, who is within `radius` links of
/// routers.
Neighbourhood neighbourhood(const Fabric& fabric, std::uint32_t radius);

}  // namespace assay::network
