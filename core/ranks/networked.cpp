#include "ranks/networked.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace assay::described {

Networked::Networked(MachineParameters machine, std::unique_ptr<network::Live> live)
    : machine_(std::move(machine)),
      live_(std::move(live)),
      tick_(std::max<Time>(1, std::llround(machine_.tick))),
      ticks_(1 / static_cast<double>(tick_)),
      word_(flits({}, 0)) {
  if (machine_.interface > 0) interface_free_.resize(live_->nodes(), 0);
  if (machine_.intake > 0) intake_free_.resize(live_->nodes(), 0);
  for (Protocol& each : machine_.one_sided) {  // memory that is exposed needs no buffer
    each.handshake = false;
    each.handshake_every = 0;
  }
}

void Networked::servers_are(int first, const std::vector<std::uint32_t>& nodes) {
  for (const std::uint32_t each : nodes)
    if (each >= live_->nodes())
      throw std::invalid_argument("storage.nodes holds " + std::to_string(each) + "; expected up to " +
                                  std::to_string(live_->nodes() - 1));
  first_server_ = first;
  servers_ = nodes;
}

std::optional<int> Networked::hops(int from, int to) const {
  return static_cast<int>(live_->hops(node(from), node(to)));
}

Time Networked::barrier(int among) const {
  if (machine_.barrier < 0) return -1;
  const auto rounds = static_cast<Time>(std::bit_width(static_cast<unsigned>(std::max(1, among) - 1)));
  switch (machine_.barrier_by) {
    case BarrierBy::linear:
      return machine_.barrier * among;
    case BarrierBy::tree:
      return machine_.barrier * 2 * rounds;
    case BarrierBy::tree_exchange:
      return machine_.barrier * std::max<Time>(0, 2 * rounds - 1);
    case BarrierBy::hardware:
      return machine_.barrier;
    default:
      return machine_.barrier * rounds;
  }
}

// A request is there once it has come; a message in one piece, once the receiver's processor has taken it in. Where
// both occur, a request may be there before a message that was sent before it.
bool Networked::keeps_order() const {
  const auto whole = [](const Protocol& each) { return each.packet == 0; };
  const auto asks_first = [](const Protocol& each) { return each.handshake; };
  const bool mixed =
      std::ranges::any_of(machine_.protocols, asks_first) && !std::ranges::all_of(machine_.protocols, asks_first);
  return machine_.bus == 0 && !mixed && live_->keeps_order() && std::ranges::all_of(machine_.protocols, whole);
}

std::uint32_t Networked::flits(const Protocol& protocol, std::uint64_t bytes) const {
  const double all = static_cast<double>(std::max(bytes, protocol.minimum) + protocol.header);
  const double count = std::max(1.0, std::ceil(all / machine_.flit_bytes - 1e-9));
  if (count > network::Live::most_flits)
    throw std::length_error("a message of " + std::to_string(bytes) + " bytes has too many flits on " + machine_.name +
                            ": " + std::to_string(static_cast<std::uint64_t>(count)) + "; expected up to " +
                            std::to_string(network::Live::most_flits));
  return static_cast<std::uint32_t>(count);
}

void Networked::send(World& world, MessageId id, const Message& message) {
  if (machine_.memory > 0 && static_cast<double>(message.bytes) > machine_.memory)
    throw std::length_error("rank " + std::to_string(world.number(message.source)) + ": a message of " +
                            std::to_string(message.bytes) + " bytes; a node of " + machine_.name + " has memory for " +
                            std::to_string(static_cast<std::uint64_t>(machine_.memory)));
  ++where_.messages;
  where_.bytes += message.bytes;
  if (hosted(message)) return inside_node(world, id, message, machine_.host);
  if (node(message.source) == node(message.destination))
    return inside_node(world, id, message,
                       machine_.self.empty() && served(message) ? machine_.protocols : machine_.self);
  if (message.tag < 0) return send_one_sided(world, id, message);
  const Quote& quoted = quote(message.bytes, message.ready);
  const Protocol& protocol = *quoted.protocol;
  where_.startup += quoted.startup;
  where_.copying += quoted.copying;
  const Time done = world.now() + quoted.startup + quoted.copying;
  if (quoted.whole) {
    world.call_returns(id, done);
    if (protocol.buffered) world.buffer_free(id, done);
    const Stage stage = protocol.buffered ? whole_buffered : whole;
    where_.waiting += hand_in(world, done, message.source, message.destination, quoted.flits, id, stage) - done;
    return;
  }
  new (&world.kept<Sending>(id)) Sending{&protocol, message.bytes + protocol.envelope, 0, 0, 0, 0, 0};
  if (protocol.handshake) return world.at(done, std::uint64_t{id} << stage_bits | submit);
  world.call_returns(id, done);
  if (protocol.buffered) world.buffer_free(id, done);
  next_packet(world, id, done);
}

void Networked::quote_anew(std::uint64_t bytes, bool ready) {
  if (ready && machine_.ready.empty())
    throw NotDescribed("it has no [forced], what a message takes whose receive is known to be posted");
  const Protocol& protocol = protocol_for(ready ? machine_.ready : machine_.protocols, bytes);
  const auto copied = static_cast<double>(std::min<std::uint64_t>(bytes, protocol.copy_limit));
  const bool whole = !protocol.handshake && (protocol.packet == 0 || bytes + protocol.envelope <= protocol.packet) &&
                     protocol.acknowledge_every != 1 && machine_.bus <= 0 && machine_.interface <= 0 &&
                     machine_.intake <= 0;
  quoted_ = {&protocol,
             bytes,
             protocol.startup + (protocol.handshake ? protocol.handshake_startup : 0),
             std::llround(protocol.copy * copied),
             protocol.receive,
             std::llround(protocol.receive_copy * copied),
             flits(protocol, bytes + protocol.envelope),
             ready,
             whole};
}

// Nobody is in the way of what stays in a node: its processor carries it.
void Networked::inside_node(World& world, MessageId id, const Message& message, const std::vector<Protocol>& path) {
  if (path.empty())  // there is a host only where [[host]] is
    throw NotDescribed("it has no [[self]], which messages within a node take (rank " + std::to_string(message.source) +
                       " to rank " + std::to_string(message.destination) + ")");
  const Protocol& protocol = protocol_for(path, message.bytes);
  const Time copying =
      std::llround(protocol.copy * static_cast<double>(std::min(
                                       std::max<std::uint64_t>(message.bytes, protocol.minimum), protocol.copy_limit)));
  Time ends = world.now() + protocol.startup + copying;
  where_.startup += protocol.startup;
  where_.copying += copying;
  if (machine_.host_files && served(message)) {
    where_.waiting += std::max<Time>(0, host_free_ - world.now());
    ends = host_free_ = std::max(world.now(), host_free_) + protocol.startup + copying;
  }
  world.call_returns(id, ends);
  world.buffer_free(id, ends);
  world.arrives(id, ends);
}

Time Networked::hand_in(World& world, Time at, int from, int to, std::uint32_t flits, MessageId id, Stage stage) {
  if (at != handed_) {
    // A division of 64 bits costs as much as all the rest: a guess by floating point, and put right.
    auto cycle = static_cast<std::uint64_t>(static_cast<double>(at) * ticks_);
    while (static_cast<Time>(cycle) * tick_ < at) ++cycle;
    while (cycle > 0 && static_cast<Time>(cycle - 1) * tick_ >= at) --cycle;
    handed_ = at;
    handed_cycle_ = cycle;
  }
  live_->submit(handed_cycle_, node(from), node(to), flits, id << stage_bits | stage);
  if (Log* log = world.log(); log && stage != acknowledged)
    log->crosses(id, crossing(stage), node(from), node(to), flits, at);
  const Time submitted = static_cast<Time>(handed_cycle_) * tick_;
  world.model_sooner(submitted);
  return submitted;
}

void Networked::event(World& world, std::uint64_t subject) {
  const auto stage = static_cast<Stage>(subject & ((1U << stage_bits) - 1));
  if (stage == passing) return forward(world, subject >> stage_bits);
  const auto id = static_cast<MessageId>(subject >> stage_bits);
  Sending& sending = world.kept<Sending>(id);
  const Message message = world.message(id);
  if (stage == outgoing) {  // a packet is out: it came over its node's bus
    const std::uint64_t packet = sending.protocol->packet, before = packet * (sending.sent - 1);
    return use_bus(world, node(message.source), packet == 0 ? message.bytes : std::min(packet, message.bytes - before));
  }
  if (stage == fetched) {
    sending.crossing = false;
    sending.crossed = true;
    if (sending.clear) hand_packet(world, id, world.now());
    return;
  }
  if (stage == drained) return take_packet(world, id);
  if (stage == acknowledging) {
    const std::uint32_t header = flits(*sending.protocol, 0);
    hand_in(world, world.now(), message.destination, message.source, header, id, acknowledged);
    return;
  }
  if (message.tag < 0 && stage != packet && stage != clear) return one_sided_event(world, id, message, stage);
  switch (stage) {
    case submit:  // the sender's processor has done its part
      world.call_returns(id, world.now());
      if (sending.protocol->buffered) world.buffer_free(id, world.now());
      ask(world, id);
      break;
    case request:  // has come
      if (!world.announced(id)) {
        world.announces(id);
        if (sending.protocol->posted) break;
      }
      attend(world, message.destination, id, answer);
      break;
    case answer:
      hand_in(world, world.now(), message.destination, message.source, word_, id, reply);
      break;
    case reply:  // has come
      attend(world, message.source, id, go);
      break;
    case go:
      where_.protocol += world.now() - sending.requested;
      next_packet(world, id, world.now());
      break;
    case packet:
      if (const Protocol& p = *sending.protocol; p.handshake_every > 0 && sending.sent + 1 >= p.handshake_from &&
                                                 (sending.sent + 1 - p.handshake_from) % p.handshake_every == 0) {
        where_.startup += p.handshake_startup;
        world.at(world.now() + p.handshake_startup, std::uint64_t{id} << stage_bits | requesting);
      } else {
        next_packet(world, id, world.now());
      }
      break;
    case requesting:
      ask(world, id);
      break;
    case clear:
      next_packet(world, id, world.now());
      break;
    default:
      break;
  }
}

// Asks the receiver's node for a buffer.
void Networked::ask(World& world, MessageId id) {
  Sending& sending = world.kept<Sending>(id);
  const Message message = world.message(id);
  sending.requested = world.now();
  hand_in(world, world.now(), message.source, message.destination, word_, id, request);
}

// The way is clear for a message's next packet.
void Networked::next_packet(World& world, MessageId id, Time at) {
  if (machine_.interface <= 0) return hand_packet(world, id, at);
  if (at > world.now()) return world.at(at, std::uint64_t{id} << stage_bits | clear);
  Sending& sending = world.kept<Sending>(id);
  sending.clear = true;
  sending.cleared = at;
  if (sending.crossed) return hand_packet(world, id, at);
  if (!sending.crossing) bring_packet(world, id);
}

// The next packet begins to cross its node's interface.
void Networked::bring_packet(World& world, MessageId id) {
  Sending& sending = world.kept<Sending>(id);
  sending.crossing = true;
  const Time over = over_interface(world.now(), world.message(id).source, piece(*sending.protocol, sending.left));
  world.at(over, std::uint64_t{id} << stage_bits | fetched);
}

// A packet that has come crosses the interface of its receiver's node, or is taken in by the processor: from its first
// flit on, or once the processor has done what came before.
void Networked::take_packet(World& world, MessageId id) {
  Sending& sending = world.kept<Sending>(id);
  const Message message = world.message(id);
  const std::uint64_t before = sending.protocol->packet * sending.taken++;
  const std::uint64_t bytes = piece(*sending.protocol, message.bytes + sending.protocol->envelope - before);
  const bool last = sending.left == 0 && sending.taken == sending.sent;
  Time over = world.now(), receive = 0;
  if (machine_.interface > 0) over = over_interface(over, message.destination, bytes);
  if (takes_in(message)) {
    if (last && message.tag >= 0) {
      const Quote& quoted = quote(message.bytes, message.ready);
      receive = quoted.receive + quoted.receive_copying;
    }
    over = take_in(world, message.destination, flits(*sending.protocol, bytes), receive);
  }
  if (last) {
    account(sending.handed, static_cast<std::uint32_t>(*hops(message.source, message.destination)) + 2,
            flits(*sending.protocol, bytes), world.now());
    account_interface(bytes, over - world.now());
  }
  packet_there(world, id, over + receive);
}

// When the receiver's processor has moved a packet that has come; its part of a receive follows at once.
Time Networked::take_in(World& world, int rank, std::uint32_t flits, Time receive) {
  const Time moving = std::llround(machine_.intake * flits);
  Time& free = intake_free_[node(rank)];
  const Time moved = std::max(world.now(), free + moving);
  free = moved + receive;
  world.steal(rank, moving + receive);
  return moved;
}

// When so many bytes are over the interface of a rank's node, which serves one after another.
Time Networked::over_interface(Time now, int rank, std::uint64_t bytes) {
  Time& free = interface_free_[node(rank)];
  free = std::max(free, now) + std::llround(machine_.interface * static_cast<double>(bytes));
  return free;
}

void Networked::hand_packet(World& world, MessageId id, Time at) {
  Sending& sending = world.kept<Sending>(id);
  const Protocol& protocol = *sending.protocol;
  const Message message = world.message(id);
  const std::uint64_t bytes = piece(protocol, sending.left);
  sending.left -= bytes;
  ++sending.sent;
  ++sending.open;
  sending.handed = at;
  if (machine_.interface > 0) account_interface(bytes, at - sending.cleared);
  sending.clear = sending.crossed = false;
  at += bus_wait(world, node(message.source), bytes);
  hand_in(world, at, message.source, message.destination, flits(protocol, bytes), id, data);
  if (machine_.interface > 0 && sending.left > 0) bring_packet(world, id);
}

// Work for this rank's processor in addition to its program's.
void Networked::attend(World& world, int rank, MessageId id, Stage stage) {
  const std::uint64_t subject = std::uint64_t{id} << stage_bits | stage;
  if (stage == answer && takes_in(world.message(id))) {
    world.steal(rank, machine_.interrupt);
    Time& free = intake_free_[node(rank)];
    free = std::max(free, world.now()) + machine_.interrupt;
    return world.at(free, subject);
  }
  if (machine_.progress == Progress::hardware || !world.computing(rank)) return event(world, subject);
  if (machine_.progress == Progress::calls) return world.defer(rank, subject, id);
  world.steal(rank, machine_.interrupt);
  world.at(world.now() + machine_.interrupt, subject);
}

void Networked::matched(World& world, MessageId id) {
  if (world.kept<Sending>(id).protocol->posted) attend(world, world.message(id).destination, id, answer);
}

void Networked::arriving(World& world, const Message& message) {
  if (hosted(message)) return;
  if (node(message.source) == node(message.destination)) return;
  if (machine_.progress == Progress::interrupt && message.tag >= 0)
    world.steal(message.destination, machine_.interrupt);
  use_bus(world, node(message.destination), message.bytes);
}

Time Networked::receiving(const Message& message) {
  if (hosted(message)) return 0;
  if (node(message.source) == node(message.destination)) return 0;
  const Quote& quoted = quote(message.bytes, message.ready);
  where_.protocol += quoted.receive;
  where_.copying += quoted.receive_copying;
  return takes_in(message) ? 0 : quoted.receive + quoted.receive_copying;  // spent as it was taken in
}

void Networked::serve(World& world) {
  std::uint64_t next = network::Live::never;
  do {
    for (bool more = true; more;) {
      reports_.clear();
      more = live_->serve(reports_);
      handle_reports(world);
    }
    next = live_->next();
  } while (next != network::Live::never && next * static_cast<std::uint64_t>(tick_) < world.next_event());
  world.model_next(next == network::Live::never ? never : static_cast<Time>(next) * tick_);
}

// What a report names lies in what the one before names: each is fetched in four steps, `apart` turns from one to the
// next, and handled after the last.
void Networked::handle_reports(World& world) {
  static constexpr std::size_t apart = 5, ahead = 4 * apart;
  const std::size_t count = reports_.size();
  if (!world.far() || count < ahead) {  // too few to be fetched ahead; most cycles have one or none
    for (const network::Report& report : reports_) handle(world, report);
    return;
  }
  const auto fetch = [&]<int step>(std::integral_constant<int, step>, std::size_t turn) {
    const std::size_t which = turn - step * apart;  // not below `count` in turns before the first report's
    if (which < count) world.fetch_arrival<step>(static_cast<MessageId>(reports_[which].cookie >> stage_bits));
  };
  for (std::size_t turn = 0; turn < count + ahead; ++turn) {
    fetch(std::integral_constant<int, 0>(), turn);
    fetch(std::integral_constant<int, 1>(), turn);
    fetch(std::integral_constant<int, 2>(), turn);
    fetch(std::integral_constant<int, 3>(), turn);
    if (turn >= ahead) handle(world, reports_[turn - ahead]);
  }
}

void Networked::handle(World& world, const network::Report& report) {
  const auto id = static_cast<MessageId>(report.cookie >> stage_bits);
  const auto stage = static_cast<Stage>(report.cookie & ((1U << stage_bits) - 1));
  const Time time = static_cast<Time>(report.time) * tick_;
  const std::uint64_t subject = std::uint64_t{id} << stage_bits;
  if (stage == acknowledged && report.what != network::Report::What::passes) return;  // the message may be gone
  if (Log* log = world.log(); log && report.what != network::Report::What::passes) {
    if (report.what == network::Report::What::left) log->left(id, crossing(stage), time);
    if (report.what == network::Report::What::through)
      log->left(id, crossing(stage), static_cast<Time>(report.left) * tick_);
    if (report.what != network::Report::What::left) log->arrived(id, crossing(stage), time);
  }
  switch (report.what) {
    case network::Report::What::left:
      if (stage == data) packet_left(world, id, time);
      if (stage == whole) world.buffer_free(id, time);
      break;
    case network::Report::What::through:
    case network::Report::What::arrived:
      if (stage == whole || stage == whole_buffered) {
        account(static_cast<Time>(report.born) * tick_, report.hops, report.flits, time);
        world.arrives(id, time);
        if (stage == whole && report.what == network::Report::What::through)
          world.buffer_free(id, static_cast<Time>(report.left) * tick_);
        break;
      }
      if (stage == data) {
        packet_arrived(world, id, report, time);
        if (report.what == network::Report::What::through)
          packet_left(world, id, static_cast<Time>(report.left) * tick_);
        break;
      }
      if (stage == request && !world.announced(id)) world.expects(id);
      world.at(time, subject | stage);
      break;
    case network::Report::What::passes:  // its router is the node's own processor
      world.at(time,
               (std::uint64_t{report.hops} << 28 | std::min(report.flits, (1U << 28) - 1)) << stage_bits | passing);
      break;
  }
}

void Networked::packet_left(World& world, MessageId id, Time time) {
  const Sending& sending = world.kept<Sending>(id);
  if (machine_.bus > 0) world.at(time, std::uint64_t{id} << stage_bits | outgoing);
  if (sending.left > 0) {
    const Message message = world.message(id);
    account(sending.handed, static_cast<std::uint32_t>(*hops(message.source, message.destination)) + 2,
            flits(*sending.protocol, sending.protocol->packet), time);
    where_.startup += sending.protocol->packet_startup;
  }
  if (sending.left > 0)
    world.at(time + sending.protocol->packet_startup, std::uint64_t{id} << stage_bits | packet);
  else if (!sending.protocol->buffered)
    world.buffer_free(id, time);
}

void Networked::packet_arrived(World& world, MessageId id, const network::Report& report, Time time) {
  const Sending& sending = world.kept<Sending>(id);
  if (machine_.interface > 0 || takes_in(world.message(id)))
    return world.at(time, std::uint64_t{id} << stage_bits | drained);
  if (sending.open == 1 && sending.left == 0) account(sending.handed, report.hops, report.flits, time);
  packet_there(world, id, time);
}

// A packet is in the memory of its receiver's node.
void Networked::packet_there(World& world, MessageId id, Time time) {
  Sending& sending = world.kept<Sending>(id);
  if (machine_.bus > 0) {
    const Message message = world.message(id);
    const std::uint64_t packet = sending.protocol->packet;
    time += bus_wait(world, node(message.destination), packet == 0 ? message.bytes : std::min(packet, message.bytes));
  }
  sending.last = std::max(sending.last, time);
  --sending.open;
  const std::uint32_t every = sending.protocol->acknowledge_every;
  if (every > 0 && (sending.sent - sending.open) % every == 0)  // before the message can have been received
    world.at(time, std::uint64_t{id} << stage_bits | acknowledging);
  if (sending.open > 0 || sending.left > 0) return;
  if (world.message(id).tag >= 0) return world.arrives(id, sending.last);
  world.at(sending.last, std::uint64_t{id} << stage_bits | landing);
}

// Where the time went since a packet was handed to the network: what it takes alone is transport, the rest waiting. Of
// packets one behind the other each counts until it has left, the last until all are there, so that parts add up to the
// whole.
void Networked::account(Time handed, std::uint32_t hops, std::uint32_t flits, Time until) {
  const Time alone = static_cast<Time>(live_->unloaded(hops, flits)) * tick_, took = until - handed;
  where_.transport += std::min(alone, took);
  where_.waiting += std::max<Time>(0, took - alone);
}

// The same of a packet at its node's interface: what crossing takes alone, less what went on before, is transport.
void Networked::account_interface(std::uint64_t bytes, Time took) {
  const Time alone = std::llround(machine_.interface * static_cast<double>(bytes));
  where_.transport += std::min(alone, took);
  where_.waiting += std::max<Time>(0, took - alone);
}

// A message goes on from a node whose processor does the forwarding.
void Networked::forward(World& world, std::uint64_t node_and_flits) {
  const double bytes = static_cast<double>(node_and_flits & ((1U << 28) - 1)) * machine_.flit_bytes;
  steal(world, static_cast<std::uint32_t>(node_and_flits >> 28),
        machine_.forward + std::llround(machine_.forward_byte * bytes));
}

// Bytes of a message have passed a node's bus: ranks that computed from memory there waited meanwhile.
void Networked::use_bus(World& world, std::uint32_t node, std::uint64_t bytes) {
  if (machine_.bus <= 0) return;
  for_ranks(world, node, [&](int rank) {
    const double held = machine_.bus * static_cast<double>(bytes) * world.bus_share(rank);
    if (held > 0) world.steal(rank, std::llround(held));
  });
}

// What bytes of a message wait at a node's bus for those that compute from memory there: one request of each is before
// them, as long as one of theirs.
Time Networked::bus_wait(const World& world, std::uint32_t node, std::uint64_t bytes) const {
  if (machine_.bus <= 0) return 0;
  double queue = 0;
  for_ranks(world, node, [&](int rank) { queue += world.bus_share(rank); });
  return std::llround(machine_.bus * static_cast<double>(bytes) * queue);
}

void Networked::steal(World& world, std::uint32_t node, Time cost) {
  for_ranks(world, node, [&](int rank) { world.steal(rank, cost); });
}

}  // namespace assay::described
