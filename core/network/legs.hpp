// The ways of a routing that leaves no choice, from node to node, found when one is first asked for and kept: a step of
// it is then one look-up, instead of the routing's arithmetic. Several threads may ask at once.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "network/routing.hpp"

namespace assay::network {

/// For a routing that decides nothing by chance at the source.
struct Undrawn final : RandomSource {
  std::uint64_t next() override { return 0; }
};

class Legs {
 public:
  static constexpr std::size_t most_nodes = 512;  // of a network whose ways are kept
  static constexpr unsigned most_hops = 63;       // longer ones are not
  /// A link of a way with its lane; the last one is the ejection link.
  struct Hop {
    std::uint32_t link : 24, lane : 7, last : 1;
  };
  static_assert(sizeof(Hop) == 4);
  /// Where a way begins, and its network links. Without a place it is not kept: there is none, it leaves a choice, or
  /// it is too long.
  struct Leg {
    std::uint32_t place, hops;
    [[nodiscard]] bool kept() const { return place != none; }
  };

  /// None are kept where links have failed or there are too many nodes.
  explicit Legs(const Routing& routing);
  [[nodiscard]] bool empty() const { return legs_.empty(); }
  [[nodiscard]] Leg operator()(std::uint32_t source, std::uint32_t destination) const {
    const std::uint64_t found = legs_[std::size_t{source} * nodes_ + destination].load(std::memory_order_acquire);
    if (found == unknown) [[unlikely]]
      return find(source, destination);
    return {static_cast<std::uint32_t>(found), static_cast<std::uint32_t>(found >> 32)};
  }
  /// The hops of a way lie one behind the other.
  [[nodiscard]] Hop hop(std::uint32_t place) const { return parts_[place / part][place % part]; }

 private:
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  static constexpr std::uint32_t part = 1u << 14;  // hops that lie together
  Leg find(std::uint32_t source, std::uint32_t destination) const;
  /// How many hops a way has, which are written to `way`; 0 where it is not kept.
  unsigned walk(std::uint32_t source, std::uint32_t destination, Hop (&way)[most_hops + 1]) const;

  const Routing& routing_;
  const std::size_t nodes_;
  mutable std::vector<std::atomic<std::uint64_t>> legs_;  // by source and destination: place, hops
  mutable std::vector<std::unique_ptr<Hop[]>> parts_;     // as many as all ways can need; never moved
  mutable std::uint32_t next_ = 0;                        // place of the next way
  mutable std::mutex adding_;
};

}  // namespace assay::network
