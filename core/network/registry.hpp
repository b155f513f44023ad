// The records of all topologies and routings. Each lies in one file of topologies/ or routings/ which defines, in the
// namespace named after the file (topologies::hypercube), `const TopologyRecord record` or `const RoutingRecord
// record`; the list of them is written by CMake from the folder's contents.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "network/fabric.hpp"
#include "network/parameters.hpp"
#include "network/routing.hpp"

namespace assay::network {

/// The classes of links that a topology starts from (from the keys common to all networks).
struct LinkClasses {
  LinkClass network, injection, ejection;
};

struct TopologyRecord {
  std::string name;
  std::string description;
  std::string numbering;  // of nodes, and what a link's dimension and direction mean
  std::vector<Parameter> parameters;
  std::string routing;  // the default one
  std::function<Fabric(const Settings&, const LinkClasses&)> build;
};

struct RoutingRecord {
  std::string name;
  std::string description;
  std::vector<Parameter> parameters;
  /// Throws ParameterError("routing", …) where this routing has nothing to go by on that fabric.
  std::function<std::unique_ptr<Routing>(const Fabric&, const Settings&)> make;
};

/// In the order of their files' names.
const std::vector<const TopologyRecord*>& all_topologies();
const std::vector<const RoutingRecord*>& all_routings();
const TopologyRecord& topology(const std::string& name);  // ParameterError names the ones there are
const RoutingRecord& routing(const std::string& name);
/// Keys of [network] common to all topologies: link classes, failures.
const std::vector<Parameter>& common_parameters();

/// A fabric with the routing on it. Does not move: the routing refers to the fabric.
struct Network {
  std::unique_ptr<Fabric> fabric;
  std::unique_ptr<Routing> routing;
};
/// From the keys of [network] (switching is not read here). ParameterError's keys begin with "network.".
Network build_network(const Table& given);

}  // namespace assay::network
