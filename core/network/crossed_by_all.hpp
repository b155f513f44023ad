// What the slowest channel takes that no message between two nodes can avoid.
#pragma once
#include <cstdint>
#include <optional>

#include "network/fabric.hpp"

namespace assay::network {

struct CrossedByAll {
  std::uint32_t flit_ticks;  // between flits
  LinkKind kind;             // of equally slow ones that between routers
};

/// A message between two nodes crosses a channel into the network, one out of it, and, where no two nodes have a router
/// in common, one between routers; of each kind the fastest one counts. Nothing of a network without channels.
std::optional<CrossedByAll> crossed_by_all(const Fabric& fabric);

}  // namespace assay::network
