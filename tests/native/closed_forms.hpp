// What tests of described machines share: exact times, and a cube of circuits whose closed forms are easily said.
#pragma once
#include <cstdio>

#include "network/parameters.hpp"
#include "ranks/message_model.hpp"

namespace assay::described::closed_forms {

inline int failures = 0;
inline void expect(Time seen, Time wanted, const char* what, int line) {
  if (seen == wanted) return;
  std::fprintf(stderr, "line %d: %s is %lld, wanted %lld\n", line, what, static_cast<long long>(seen),
               static_cast<long long>(wanted));
  ++failures;
}
#define EXPECT(seen, wanted) expect(seen, wanted, #seen, __LINE__)

// A cycle is 1 ns, a flit 1 B. On a cube of circuits: 400 ns a byte, 10 us a hop, 1 ns into and out of a node's router.
inline constexpr Time ns = 1000, us = 1000 * ns;
inline constexpr Time byte = 400 * ns, hop = 10 * us, ends = 2 * ns;

inline network::Table cube(int dimension) {
  network::Table keys;
  keys["topology"] = network::Value("hypercube");
  keys["dimension"] = network::Value(dimension);
  keys["switching"] = network::Value("circuit");
  keys["acknowledgement"] = network::Value(0);
  keys["flit_ticks"] = network::Value(400);
  keys["head_ticks"] = network::Value(10000);
  keys["body_ticks"] = network::Value(0);
  keys["node_head_ticks"] = network::Value(1);
  return keys;
}

}  // namespace assay::described::closed_forms
