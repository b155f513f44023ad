// What the general worm engine keeps: a worm (a message, or a packet of one) with its path, and a channel of a link.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "events/wheel.hpp"
#include "network/credits.hpp"
#include "network/passage.hpp"
#include "network/routing.hpp"
#include "network/worm/train.hpp"

namespace assay::network {

/// A packet that is granted wires as a whole, on its way.
struct Stage {
  Passage passage;  // over the last link of the path
  Tick ready = 0;   // when its head could ask, were it first in the buffer; at the end, when its tail crossed
};

/// What every request touches comes first: two lines of memory are a worm.
struct alignas(64) Worm {
  std::uint32_t next = events::no_index;  // in the line or bucket it stands in
  std::uint32_t want = none;
  std::uint64_t key = 0;
  std::vector<Column> path;  // of a packet the last two links
  union {
    Progress train;  // wormhole
    Stage packet;    // the other switchings, and whatever has arrived
  };
  RouteState route;
  std::uint32_t source = 0, destination = 0, flits = 0, hops = 0;  // flits: of this packet; hops: where it has no path
  std::uint32_t message = 0;                                       // row in the table of messages in packets
  Tick born = 0, entered = 0;
  std::uint32_t successor = events::no_index;  // fifo buffers: who stands behind it in the buffer
  bool live = false, waiting = false;
  std::uint8_t lane = 0;
  Worm() : train() {}
};
static_assert(sizeof(Worm) == 128);

/// Worms by number; they stay where they are while the pool grows.
class Pool {
 public:
  Worm& operator[](std::uint32_t index) { return chunks_[index / chunk][index % chunk]; }
  const Worm& operator[](std::uint32_t index) const { return chunks_[index / chunk][index % chunk]; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  std::uint32_t add() {
    if (size_ % chunk == 0) chunks_.push_back(std::make_unique<Worm[]>(chunk));
    return size_++;
  }
  [[nodiscard]] std::size_t memory() const {
    std::size_t sum = chunks_.size() * chunk * sizeof(Worm);
    for (std::uint32_t i = 0; i < size_; ++i) sum += (*this)[i].path.capacity() * sizeof(Column);
    return sum;
  }

 private:
  static constexpr std::uint32_t chunk = 32;
  std::vector<std::unique_ptr<Worm[]>> chunks_;
  std::uint32_t size_ = 0;
};

/// When a channel is free again: not known while it is held (wormhole, circuit).
inline constexpr Tick unknown = ~Tick{0};

/// What stands at the far end of a channel, where whole packets do.
struct FarEnd {
  Credits slots;                          // known releases of packet slots
  std::uint32_t slots_open = 0;           // packet slots taken whose release is not known
  std::uint32_t last = events::no_index;  // fifo: the last one in it, while that one's departure is unknown
  Tick departure = 0;  // fifo: from when the next may ask (or go into the sink), by the last that left
};

}  // namespace assay::network
