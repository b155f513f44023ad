// Small random networks and traces for the comparisons of engines, and what the tests of an engine report by.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "events/random.hpp"
#include "network/outcome.hpp"
#include "network/registry.hpp"

namespace trial {

using namespace assay::network;
using assay::events::Random;

inline int failures = 0;
inline void expect(bool holds, const std::string& what) {
  if (holds) return;
  if (++failures <= 20) std::fprintf(stderr, "FAILED: %s\n", what.c_str());
}

inline Value::List list(std::initializer_list<int> items) { return Value::List(items.begin(), items.end()); }

inline Trace random_trace(Random& random, std::uint32_t messages, std::uint32_t nodes, std::uint32_t longest,
                          std::uint32_t cycles) {
  Trace trace;
  for (std::uint32_t i = 0; i < messages; ++i) {
    trace.id.push_back(i * 7919 % messages);  // messages is no multiple of the prime
    trace.cycle.push_back(random.below(cycles));
    trace.source.push_back(random.below(nodes));
    trace.destination.push_back(random.below(nodes));
    trace.flits.push_back(1 + random.below(longest));
  }
  return trace;
}

/// Links of unlike speed, delay and buffers, each drawn for itself.
inline void make_unlike(Fabric& fabric, Random& random, bool open) {
  for (auto& link : fabric.links) {
    link.flit = 1 + random.below(3);
    link.body = random.below(5);
    link.head = 1 + random.below(5);
    link.credit = random.below(4);
    link.buffer = open && random.below(4) == 0 ? 0 : 1 + random.below(6);
  }
}

inline void expect_equal(const std::string& what, const std::vector<std::int64_t>& one,
                         const std::vector<std::int64_t>& other) {
  for (std::size_t i = 0; i < one.size(); ++i)
    if (one[i] != other[i])
      return expect(false, what + ": row " + std::to_string(i) + " " + std::to_string(one[i]) + " against " +
                               std::to_string(other[i]));
}

}  // namespace trial
