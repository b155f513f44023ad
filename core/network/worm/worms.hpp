// What the general worm engine keeps: a worm (a message, or a packet of one) with its path, and a channel of a link.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "events/wheel.hpp"
#include "network/passage.hpp"
#include "network/routing.hpp"
#include "network/worm/train.hpp"

namespace assay::network {

struct Worm {
  std::uint32_t next = events::nobody;       // in the queue or bucket it stands in
  std::uint32_t successor = events::nobody;  // fifo buffers: who stands behind it in the buffer
  std::uint64_t key = 0;
  RouteState route;
  std::uint32_t source = 0, destination = 0, flits = 0;  // flits: of this packet
  Tick born = 0, entered = 0, ready = 0;                 // ready: when its head could ask, were it first in the buffer
  std::uint32_t want = none, settled = 0, lane = 0;
  std::uint32_t message = 0;  // row in the table of messages in packets
  Passage passage;            // packets: over the last link of the path
  bool live = false, waiting = false;
  std::vector<Column> path;
};

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
  static constexpr std::uint32_t chunk = 256;
  std::vector<std::unique_ptr<Worm[]>> chunks_;
  std::uint32_t size_ = 0;
};

/// One channel of a link.
struct Channel {
  static constexpr Tick unknown = ~Tick{0};
  Tick free_at = 0;                     // wire; `unknown` while held (wormhole, circuit)
  std::uint32_t slots_open = 0;         // packet slots taken whose release is not known
  std::vector<Tick> slots;              // known releases, ascending
  std::uint32_t last = events::nobody;  // fifo: the last one in its far buffer, while that one's departure is unknown
  Tick departure = 0;                   // fifo: from when the next may ask (or go into the sink), by the last that left
};

}  // namespace assay::network
