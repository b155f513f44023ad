// Dragonfly (Kim et al. 2008): groups of a routers, all joined with each other; p nodes and h global links a router.
// Global port q of a group (router q / h) leads to the group's t-th other group, t = q mod (g - 1); q / (g - 1) counts
// the parallel ones where there are fewer groups than a h + 1.
#pragma once
#include <cstdint>
#include <vector>

#include "network/registry.hpp"

namespace assay::network {

struct Dragonfly : Shape {
  std::uint32_t p = 0, a = 0, h = 0, groups = 0, parallel = 0;
  std::vector<std::uint32_t> local;   // [router * a + other's place in the group]: link or none
  std::vector<std::uint32_t> global;  // [(group * groups + other) * parallel + which]: link or none
};

}  // namespace assay::network
