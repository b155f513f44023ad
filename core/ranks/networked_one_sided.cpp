// One-sided messages over a simulated network (exposed.hpp): no receive, no buffer request, memory that is exposed.
//
//   put   startup + copy | data | target's part | a word back
//   get   startup | a word there | owner's part | data | asker's part
//
// The part of a node that is only written to or read from takes no processor where progress is hardware. Elsewhere its
// processor does it, receive + receive_copy for what came and startup + copy for what goes, in its next message call or
// at an interrupt, and its computing is that much longer. A word is one flit, as a buffer request is.
#include <algorithm>
#include <cmath>

#include "ranks/networked.hpp"

namespace assay::described {
namespace {
Time copied(double a_byte, const Protocol& protocol, std::size_t bytes) {
  return std::llround(a_byte * static_cast<double>(std::min<std::uint64_t>(bytes, protocol.copy_limit)));
}
}  // namespace

bool Networked::stays(const Message& message) const {
  return message.source == host_ || message.destination == host_ || node(message.source) == node(message.destination);
}

void Networked::send_one_sided(World& world, MessageId id, const Message& message) {
  if (!describes_puts()) throw NotDescribed("it has no [one_sided], what puts and gets take");
  const Protocol& protocol = protocol_for(machine_.one_sided, message.bytes);
  new (&world.kept<Sending>(id)) Sending{&protocol, message.bytes + protocol.envelope, 0, 0, 0, 0, 0};
  const bool put = message.tag == Exposed::put_tag;
  const Time copying = put ? copied(protocol.copy, protocol, message.bytes) : 0;
  where_.startup += protocol.startup;
  where_.copying += copying;
  const Time done = world.now() + protocol.startup + copying;
  world.call_returns(id, done);
  if (!put) return world.at(done, std::uint64_t{id} << stage_bits | submit);
  if (protocol.buffered) world.buffer_free(id, done);
  next_packet(world, id, done);
}

// What a rank's processor spends on others' memory traffic: its program's computing becomes longer by that.
Time Networked::own_part(World& world, int rank, Time cost) {
  if (machine_.progress == Progress::hardware) return 0;
  if (world.computing(rank)) world.steal(rank, cost);
  return cost;
}

void Networked::one_sided_event(World& world, MessageId id, const Message& message, Stage stage) {
  Sending& sending = world.kept<Sending>(id);
  const Protocol& protocol = *sending.protocol;
  const std::uint64_t subject = std::uint64_t{id} << stage_bits;
  switch (stage) {
    case submit:  // the asker's processor has done its part
      sending.requested = world.now();
      hand_in(world, world.now(), message.destination, message.source, word_, id, request);
      break;
    case request:  // has come to the owner
      attend(world, message.source, id, answer);
      break;
    case answer: {
      const Time cost =
          own_part(world, message.source, protocol.startup + copied(protocol.copy, protocol, message.bytes));
      world.at(world.now() + cost, subject | go);
      break;
    }
    case go:
      world.exposed().read(id);
      where_.protocol += world.now() - sending.requested;
      if (protocol.buffered) world.buffer_free(id, world.now());
      next_packet(world, id, world.now());
      break;
    case landing:  // the data are at the node
      sending.requested = world.now();
      attend(world, message.destination, id, landed);
      break;
    case landed: {
      const Time cost = own_part(world, message.destination,
                                 protocol.receive + copied(protocol.receive_copy, protocol, message.bytes));
      where_.protocol += world.now() + cost - sending.requested;
      world.arrives(id, world.now() + cost);
      break;
    }
    case reply:  // has come: what was put is there
      attend(world, message.source, id, known);
      break;
    case known:
      where_.protocol += world.now() - sending.requested;
      world.exposed().done(id);
      break;
    default:
      break;
  }
}

void Networked::acknowledge(World& world, MessageId id) {
  const Message message = world.message(id);
  if (stays(message)) return world.exposed().done(id);
  world.kept<Sending>(id).requested = world.now();
  hand_in(world, world.now(), message.destination, message.source, word_, id, reply);
}

}  // namespace assay::described
