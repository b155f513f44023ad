// What one run of the simulated network gives. Cycles and flits; nothing is judged here but `saturated`.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "network/statistics.hpp"

namespace assay::network {

struct Outcome {
  std::string engine;
  std::uint64_t measured_cycles = 0, simulated_cycles = 0;
  double cpu_seconds = 0;       // of this thread, building the engine included
  std::uint64_t generated = 0;  // while it was measured
  std::uint64_t messages = 0;   // delivered while it was measured
  std::uint64_t simulated_messages = 0;
  std::uint64_t head_hops = 0, flit_hops = 0, memory_bytes = 0;
  double offered = 0, throughput = 0, worst_node = 0;  // flits per node per cycle; worst: the source least served
  std::map<std::string, Latency> latencies;
  std::vector<std::uint64_t> backlog;  // messages generated and not delivered, at each batch's end
  std::vector<double> utilisation;     // by link of the fabric, if asked for: busy share of a channel
  bool saturated = false;
  /// Messages that wait for each other in a circle, each with the link it waits for and the one behind it holds.
  struct Waiting {
    std::uint64_t message, waits_for, holds;
    std::uint32_t source, destination;
  };
  std::vector<Waiting> deadlock;
  std::uint64_t deadlocked = 0;  // messages that can never move again
  std::uint64_t unroutable = 0;
};

struct Trace {
  std::vector<std::uint64_t> id, cycle;
  std::vector<std::uint32_t> source, destination, flits;
};

/// A packet on a link: the cycles in which its head and its tail start to cross.
struct Crossing {
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  std::uint64_t message, packet;  // row of the trace; 0 where messages are not cut
  std::uint64_t link, channel;    // channel: which of the link's, times the lanes of one, plus the lane
  std::uint64_t head, tail;       // tail: `never` where the packet stands there for ever
};

/// By row of the trace; -1 where a message was never delivered.
struct Delivered {
  std::vector<std::int64_t> head, tail;
  std::vector<std::int32_t> hops;
  std::vector<Crossing> crossings;  // if asked for
  bool wants_crossings = false;
  Outcome outcome;
};

}  // namespace assay::network
