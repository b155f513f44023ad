// What a described machine must say about messages, and nothing more: when the sender may go on, when its buffer is
// free again, and when the message can be matched at the receiver. Matching, order and data are the World's.
//
// A model may answer at once, as the constant machine does, or keep the message's number and answer later, from events
// of its own: World::at(time, subject) brings `event(subject)` back at that time. A model that has a clockwork beside
// (a network engine) says when it wants to be served next, World::model_next(time): at each time the ranks' events come
// first, then the model's `serve`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::described {

// Simulated time in whole picoseconds: sums are exact, simultaneous is equal, and 106 days fit.
using Time = std::int64_t;
inline constexpr double picoseconds_a_second = 1e12;
inline constexpr Time never = std::numeric_limits<Time>::max();

using MessageId = std::uint32_t;

// Something is asked of the machine of which its description says nothing: there is no figure.
class NotDescribed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// How a machine's own barrier passes the word that all have come (own_barrier.cpp).
enum class BarrierBy : std::uint8_t { dissemination, tree, tree_exchange, linear, hardware };

struct Message {
  int source;
  int destination;
  int tag;
  bool ready;  // ready mode ("forced" in the papers and in a description): the receive is known to be posted
  std::size_t bytes;
};

class World;
struct Where;

class MessageModel {
 public:
  virtual ~MessageModel() = default;
  // The largest number of ranks that this machine has room for; 0: any.
  virtual int nodes() const = 0;
  // Channels between the nodes of two ranks; none where the machine has no network.
  virtual std::optional<int> hops(int, int) const { return std::nullopt; }
  // Whether two ranks are on one node.
  virtual bool same_node(int a, int b) const { return a == b; }
  // Whether there is a host processor with a path of its own; then the rank that is the host.
  virtual bool has_host() const { return false; }
  virtual void host_is(int) {}
  // The ranks from `first` on are I/O nodes, at these nodes of the network.
  virtual void servers_are(int, const std::vector<std::uint32_t>&) {}
  // Whether the description says what puts and gets between nodes take.
  virtual bool describes_puts() const { return true; }
  // A rank calls send now. Owes the World call_returns, buffer_free and arrives (or announces and data_arrives) for
  // this message, each once, now or later.
  virtual void send(World& world, MessageId id, const Message& message) = 0;
  // A rank will soon send: what the model then touches may be fetched.
  virtual void fetch(int) const {}
  // Whether messages between two ranks are announced in the order of their sends, whatever their lengths; where not,
  // the World holds early ones back.
  virtual bool keeps_order() const { return true; }
  // A receive has taken a message that was announced and whose data have not come: a rendezvous may go on.
  virtual void matched(World&, MessageId) {}
  // A message's data come to its receiver's node.
  virtual void arriving(World&, const Message&) {}
  // Whether a message in ready mode is lost that comes before its receive is posted.
  virtual bool loses_unposted() const { return false; }
  // What was put is in its target's memory: its sender may know, World::exposed().done(id), now or later.
  virtual void acknowledge(World& world, MessageId id);
  // Whether arriving() touches only the receiver, and that only if it computes.
  virtual bool arrives_quietly() const { return true; }
  // A receive has its data: what the receiver's processor still spends before its call returns.
  virtual Time receiving(const Message&) { return 0; }
  // Whether a processor that computes then spends that at once, in an interrupt.
  virtual bool interrupts() const { return false; }
  // The times at which something can begin in it are multiples of this.
  virtual Time grain() const { return 1; }
  // What the machine's own barrier takes after the last call, or less than 0: it is made of messages.
  virtual Time barrier(int) const { return 0; }
  // Of which messages.
  virtual BarrierBy barrier_messages() const { return BarrierBy::dissemination; }
  // Given to World::at or World::defer.
  virtual void event(World&, std::uint64_t) {}
  // Its own clockwork, at the time it asked for.
  virtual void serve(World&) {}
  // Nothing can happen any more and ranks still wait: what is wrong inside the model, or nothing.
  virtual std::string stuck() const { return ""; }
  // Where the messages' time went since it was last forgotten; none where the model keeps no such account.
  virtual const Where* where() const { return nullptr; }
  virtual void forget_where() {}
};

}  // namespace assay::described
