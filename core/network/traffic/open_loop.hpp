// Open-loop sources: messages come whatever the state of the network. All nodes together are one merged stream, one
// draw per message instead of one pending event per node:
//  * Poisson: gaps of the sum process are exponential, the source is uniform;
//  * Bernoulli: a trial per node per cycle; the trials in the order (cycle, node) have geometric gaps;
//  * burst: bursts come as a Poisson process, each a geometric number of messages of one node in one cycle.
// Patterns as Dally and Towles (2004), section 3.2, define them on the node's number; a message that a permutation maps
// to its own source is not sent. Spherical locality: Reed and Grunwald (1987), nodes within `radius` links.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "events/random.hpp"
#include "network/settings.hpp"

namespace assay::network {

struct Arrival {
  std::uint32_t source, destination, flits;
};

/// What a pattern may ask of the topology: extents of a grid (for tornado and neighbour), distance (for spherical).
struct Neighbourhood {
  std::uint32_t nodes = 0;
  std::vector<std::uint32_t> extents;                                    // lowest first; empty: one ring of all nodes
  std::function<std::vector<std::uint32_t>(std::uint32_t node)> sphere;  // the nodes within the radius, without itself
};

/// Where a permutation sends a node's messages; `extents` as above, not empty.
std::uint32_t permuted(const std::string& pattern, std::uint32_t node, std::uint32_t nodes,
                       const std::vector<std::uint32_t>& extents);

class OpenLoop {
 public:
  static constexpr bool newest_last = true;  // a message's key is larger than all before it
  OpenLoop(const Traffic& traffic, const Neighbourhood& around, events::Random random);

  /// The cycle of the next message.
  [[nodiscard]] std::uint64_t next_cycle() const { return drawn_[at_].cycle; }
  Arrival take() {
    const Arrival arrival = drawn_[at_].arrival;
    if (++at_ == drawn_.size()) [[unlikely]]
      draw();
    return arrival;
  }
  [[nodiscard]] double mean_flits() const { return mean_flits_; }
  /// Nodes that send at all.
  [[nodiscard]] std::uint32_t sending() const { return sending_; }
  [[nodiscard]] std::uint32_t longest() const { return longest_; }
  [[nodiscard]] std::uint32_t shortest() const { return shortest_; }
  [[nodiscard]] bool own_node() const { return others_ == nodes_; }

 private:
  enum class Process : std::uint8_t { poisson, bernoulli, burst };
  enum class Pattern : std::uint8_t { uniform, fixed, hotspot, spherical };
  std::uint32_t length();
  std::uint32_t destination(std::uint32_t source);
  void advance();
  /// Messages in advance, many at a time: a loop that keeps its generator in registers.
  void draw();
  void draw_uniform();
  Arrival one();

  events::Random random_;
  double time_ = 0, gap_ = 0;
  std::uint64_t cycle_ = 0;
  std::uint32_t nodes_, others_, sending_, flits_ = 32, longest_ = 1, shortest_ = 1, source_ = 0, left_ = 0;
  bool uniform_;
  Process process_ = Process::poisson;
  Pattern pattern_ = Pattern::uniform;
  bool geometric_ = false;
  double mean_flits_ = 32, probability_ = 0, burst_ = 1, share_ = 0;
  std::uint64_t trial_ = 0;
  struct Drawn {
    std::uint64_t cycle;
    Arrival arrival;
  };
  std::array<Drawn, 64> drawn_;
  std::uint32_t at_ = 0;
  struct Length {
    double up_to;
    std::uint32_t flits;
  };
  std::vector<Length> table_;
  std::vector<std::uint32_t> senders_, fixed_, hotspots_;
  std::vector<std::vector<std::uint32_t>> spheres_;
};

}  // namespace assay::network
