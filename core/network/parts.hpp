// Messages that travel as several packets: what is still to be sent of each, and what has arrived of it. A message's
// head is the first that arrives of its packets' heads, its tail the last of their tails.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/fabric.hpp"

namespace assay::network {

class Parts {
 public:
  using Tick = std::uint64_t;
  static constexpr unsigned packet_bits = 24;  // a packet's key: the message's key, then the packet's number
  struct Message {
    std::uint64_t key = 0;
    std::uint32_t source = 0, destination = 0, flits = 0, hops = 0;
    Tick born = 0, entered = 0, head = 0, tail = 0;
    std::uint32_t left = 0, open = 0;   // flits not yet sent; packets sent and not delivered
    bool headed = false, lost = false;  // lost: a packet had no way, no more are sent
  };

  /// A message of which `first` flits go first.
  std::uint32_t add(const Message& message, std::uint32_t first) {
    std::uint32_t row = static_cast<std::uint32_t>(rows_.size());
    if (free_.empty()) {
      rows_.emplace_back();
    } else {
      row = free_.back();
      free_.pop_back();
    }
    rows_[row] = message;
    rows_[row].left = message.flits - first;
    rows_[row].open = 1;
    return row;
  }
  Message& operator[](std::uint32_t row) { return rows_[row]; }
  /// Flits of the next packet, or 0.
  std::uint32_t take(std::uint32_t row, std::uint32_t most) {
    Message& message = rows_[row];
    const std::uint32_t flits = std::min(message.left, most);
    message.left -= flits;
    message.open += flits != 0;
    return flits;
  }
  /// A packet has arrived; true if it was the last.
  bool arrived(std::uint32_t row, Tick entered, Tick head, Tick tail, std::uint32_t hops) {
    Message& message = rows_[row];
    if (!message.headed || head < message.head) message.head = head, message.entered = entered, message.headed = true;
    message.tail = std::max(message.tail, tail);
    message.hops = std::max(message.hops, hops);
    if (--message.open != 0 || message.left != 0) return false;
    free_.push_back(row);
    return true;
  }
  /// A packet has no way, and no more of its message is sent; true if none is under way.
  bool lose(std::uint32_t row) {
    rows_[row].lost = true;
    rows_[row].left = 0;
    if (--rows_[row].open != 0) return false;
    free_.push_back(row);
    return true;
  }
  [[nodiscard]] std::size_t memory() const { return rows_.capacity() * sizeof(Message) + free_.capacity() * 4; }

 private:
  std::vector<Message> rows_;
  std::vector<std::uint32_t> free_;
};

}  // namespace assay::network
