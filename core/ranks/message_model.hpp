// What a described machine must say about messages, and nothing more: when the sender may go on, when its buffer is
// free again, and when the message can be matched at the receiver. Matching, order and data are the World's.
//
// A model may answer at once, as the constant machine does, or keep the message's number and answer later, from events
// of its own (a network engine): World::at(time, subject) brings `event(subject)` back at that time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace assay::described {

// Simulated time in whole picoseconds: sums are exact, simultaneous is equal, and 106 days fit.
using Time = std::int64_t;
inline constexpr double picoseconds_a_second = 1e12;

using MessageId = std::uint32_t;

struct Message {
  int source;
  int destination;
  int tag;
  std::size_t bytes;
};

class World;

class MessageModel {
 public:
  virtual ~MessageModel() = default;
  // The largest number of ranks that this machine has room for; 0: any.
  virtual int nodes() const = 0;
  // Channels between the nodes of two ranks; none where the machine has no network.
  virtual std::optional<int> hops(int, int) const { return std::nullopt; }
  // A rank calls send now. Owes the World call_returns, buffer_free and arrives for this message, each once, now or
  // later.
  virtual void send(World& world, MessageId id, const Message& message) = 0;
  // A receive that can take this announced message was posted; only protocols with a rendezvous care.
  virtual void event(World&, std::uint64_t) {}
};

}  // namespace assay::described
