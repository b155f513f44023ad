// The World's messages: sends, receives, which goes to which, and whose data lie where.
//
// A sender's data are not copied while it waits: they go from its buffer to the receiver's when that is known, at the
// latest when the sender goes on; only then, if no receive is known, into a copy.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "ranks/world.hpp"

namespace assay::described {
namespace {
std::uint64_t pair_of(const Message& message) {
  return std::uint64_t{static_cast<std::uint32_t>(message.source)} << 32 |
         static_cast<std::uint32_t>(message.destination);
}
}  // namespace

// A blocking send's caller goes on when its buffer is free.
void World::call_returns(MessageId id, Time at) {
  if (immediate(id)) return schedule(at, Kind::returns, id);
  answered(id, owes_return);
}
// A sendrecv's caller is not woken for it, unless its data may have to be copied then.
void World::buffer_free(MessageId id, Time at) {
  const InFlight& flight = messages_[id];
  if (!flight.joined() || at <= now_ || (flight.data == Data::lent && (flight.owed & owes_delivery) != 0))
    return schedule(at, Kind::freed, id);
  sent(id, at);
}
void World::arrives(MessageId id, Time at) {
  if (messages_[id].message.tag >= 0) {
    if (ahead_ && gives_ahead(id, at)) return;
    if (!messages_[id].announced) ++receiver(id).announced;
  }
  schedule(at, Kind::arrival, id);
}
void World::announces(MessageId id) {
  messages_[id].announced = true;
  --receiver(id).announced;
  arrive(id);
}

MessageId World::announce(int from, const void* data, std::size_t bytes, int to, int tag, bool ready,
                          std::coroutine_handle<> caller) {
  if (to < 0 || to >= within_reach(tag)) {
    throw std::out_of_range("rank " + std::to_string(from) + " sends to rank " + std::to_string(to) +
                            "; expected 0 to " + std::to_string(ranks() - 1));
  }
  attend(tag == Exposed::get_tag ? to : from);
  auto id = static_cast<MessageId>(from);
  if (messages_[id].owed == 0) {  // its own place
  } else if (free_messages_.empty()) {
    id = messages_.add();
  } else {
    id = free_messages_.back();
    free_messages_.pop_back();
  }
  ++messages_sent_;
  InFlight& flight = messages_[id];
  flight.message = {from, to, tag, ready, bytes};
  flight.caller = caller;
  flight.request = none;
  flight.taken_by = none;
  flight.next = none;
  flight.owed = owes_return | owes_buffer | owes_delivery;
  flight.here = flight.announced = flight.held = false;
  if (!keeps_order_ && tag >= 0) sent_.add(pair_of(flight.message), id);
  if (log_) log_->sends(id, flight.message, now_);
  flight.data = !data || bytes == 0 ? Data::none : bytes <= sizeof flight.few ? Data::few : Data::lent;
  if (flight.data == Data::few) copy(flight.few, data, bytes);
  if (flight.data == Data::lent) flight.lent = static_cast<const std::byte*>(data);
  if (next_note_) [[unlikely]]
    notes_[id] = *std::exchange(next_note_, std::nullopt);
  return id;
}

void World::refuse_tag(int rank, const char* does, int tag) {
  throw std::out_of_range("rank " + std::to_string(rank) + " " + does + " with tag " + std::to_string(tag) +
                          "; expected 0 to " + std::to_string(ranks::last_tag));
}

void World::send(int from, const void* data, std::size_t bytes, int to, int tag, bool ready,
                 std::coroutine_handle<> caller) {
  if (log_) log_->begins(from, Log::Doing::send, now_);
  if (recorder_) recorder_->sends(from, bytes, to, tag);
  const MessageId id = announce(from, data, bytes, to, tag, ready, caller);
  model_.send(*this, id, messages_[id].message);
}

RequestId World::isend(int from, const void* data, std::size_t bytes, int to, int tag, std::coroutine_handle<> caller) {
  if (log_) log_->begins(from, Log::Doing::isend, now_);
  const MessageId id = announce(from, data, bytes, to, tag, false, caller);
  const RequestId request = new_request(from, Call::isend, nullptr, bytes, to, tag);
  messages_[id].request = request;
  if (recorder_) recorder_->begins_send(from, request, bytes, to, tag);
  model_.send(*this, id, messages_[id].message);
  return request;
}

MessageId World::sendrecv(int from, const void* data, std::size_t bytes, int to, int tag, RequestId with) {
  if (log_) log_->begins(from, Log::Doing::sendrecv, now_);
  if (recorder_) recorder_->sends(from, bytes, to, tag);
  const MessageId id = announce(from, data, bytes, to, tag, false, nullptr);
  messages_[id].request = with;
  return id;
}

void World::exchange(MessageId sent, RequestId with, std::coroutine_handle<> caller) {
  Request& request = requests_[with];
  request.call = Call::sendrecv;
  request.waiter = caller;
  request.sending = true;
  model_.send(*this, sent, messages_[sent].message);
}

// A sendrecv's buffer is free at that time, from which on its caller waits for the receive alone.
void World::sent(MessageId id, Time at) {
  const RequestId with = messages_[id].request;
  Request& request = requests_[with];
  answered(id, owes_buffer);
  request.sending = false;
  request.due = std::max(request.due, at);
  if (request.done) complete_request(with);
}

MessageId World::one_sided(int from, const void* data, std::size_t bytes, int to, int tag,
                           std::coroutine_handle<> caller) {
  if (recorder_) recorder_->lacks("one-sided messages");
  const MessageId id = announce(from, data, bytes, to, tag, true, caller);
  messages_[id].request = of_one_sided;
  if (messages_[id].data == Data::lent) keep(id);  // no call waits until it has gone
  return id;
}

std::byte* World::carried(MessageId id) {
  InFlight& flight = messages_[id];
  return flight.data == Data::none ? nullptr : flight.data == Data::few ? flight.few : flight.kept;
}

void World::delivered(MessageId id) {
  if (log_) log_->delivers(id, now_);
  answered(id, owes_delivery);
}

void MessageModel::acknowledge(World& world, MessageId id) { world.exposed().done(id); }

RequestId World::new_request(int rank, Call call, void* buffer, std::size_t room, int peer, int tag) {
  auto id = static_cast<RequestId>(rank);
  if (!requests_[id].live) {  // its own place
  } else if (free_requests_.empty()) {
    id = requests_.add();
  } else {
    id = free_requests_.back();
    free_requests_.pop_back();
  }
  Request& request = requests_[id];  // word by word: a copy of what was just written waits for it
  request.buffer = buffer;
  request.waiter = nullptr;
  request.cost = 0;
  request.due = 0;
  request.room = room;
  request.bytes = 0;
  request.call = call;
  request.done = false;
  request.send = call == Call::isend;
  request.live = true;
  request.sending = false;
  request.ahead = false;
  request.ready = false;
  request.holds = false;
  request.truncated = false;
  request.rank = rank;
  request.peer = peer;
  request.tag = tag;
  request.next = none;
  return id;
}

RequestId World::post(int rank, void* buffer, std::size_t room, int from, int tag) {
  if (from != ranks::any_source && (from < 0 || from >= within_reach(tag))) {
    throw std::out_of_range("rank " + std::to_string(rank) + " receives from rank " + std::to_string(from) +
                            "; expected 0 to " + std::to_string(ranks() - 1) + ", or any_source");
  }
  attend(rank);
  if (tag < 0) takes_any_tag(rank);
  const RequestId id = new_request(rank, Call::irecv, buffer, room, from, tag);
  if (recorder_) recorder_->posts(rank, id, room, from, tag);
  const MessageId message = waiting_message(rank, from, tag, true);
  message == none ? add_receive(rank, id) : takes(message, id);
  return id;
}

// A receive takes a message that was announced.
void World::takes(MessageId id, RequestId receive) {
  if (!synchronous_.empty()) [[unlikely]]
    answer(id);
  if (!notes_.empty()) [[unlikely]]
    pass_note(id, receive);
  messages_[id].taken_by = receive;
  messages_[id].here ? deliver(id) : model_.matched(*this, id);
}

// A message is announced. Those of one pair of ranks and one tag are matched in the order of their sends: one that
// comes early waits for those before it.
void World::arrive(MessageId id) {
  if (keeps_order_) return match(id);
  if (!in_turn(id)) {
    messages_[id].held = true;
    return;
  }
  const auto pair = pair_of(messages_[id].message);
  const int tag = messages_[id].message.tag;
  while (true) {
    sent_.take(pair, id);
    const bool any = takes_in_order(id);
    MessageId next = sent_.first(pair);
    while (next != none && !any && messages_[next].message.tag != tag) next = sent_.after(next);
    const bool more = next != none && messages_[next].held;
    match(id);
    if (!more) return;
    id = next;
    messages_[id].held = false;
  }
}

bool World::in_turn(MessageId id) {
  const Message& message = messages_[id].message;
  const bool any = takes_in_order(id);
  for (MessageId each = sent_.first(pair_of(message)); each != id; each = sent_.after(each)) {
    if (any || messages_[each].message.tag == message.tag) return false;
  }
  return true;
}

void World::match(MessageId id) {
  const RequestId receive = take_receive(messages_[id].message, false);
  if (receive != none) return takes(id, receive);
  if (messages_[id].message.ready && messages_[id].here && model_.loses_unposted()) [[unlikely]]
    return answered(id, owes_delivery);
  add_message(id);
  if (!looking_.empty()) [[unlikely]]
    sight(id);
}

// A message that will arrive at `at`, if it is certain already which receive it goes to.
bool World::gives_ahead(MessageId id, Time at) {
  const InFlight& flight = messages_[id];
  Rank& rank = receiver(id);
  if (rank.computing != none || at <= now_) return false;
  RequestId to = flight.taken_by;
  if (!flight.announced) {
    if (rank.announced != 0) return false;
    if (!synchronous_.empty() && synchronous_.contains(id)) return false;
    if (!notes_.empty() && notes_.contains(id)) return false;
    to = take_receive(flight.message, true);
    if (to == none) return false;
  } else if (to == none) {
    return false;
  }
  if (log_) log_->delivers(id, at);
  give(id, to);
  Request& request = requests_[to];
  request.due = std::max(request.due, at);
  if (!request.waiter && interrupts_) {
    request.ahead = true;
    put_in(requests_, rank.ahead, to);
  }
  complete_request(to);
  return true;
}

// The receiver began to compute before this was due: it is interrupted.
void World::came_due(RequestId id) {
  Request& request = requests_[id];
  model_.arriving(*this, {request.peer, request.rank, request.tag, request.ready, request.bytes});
  if (!computing(request.rank)) return;
  steal(request.rank, std::exchange(request.cost, 0));
}

void World::data_arrives(MessageId id) {
  model_.arriving(*this, messages_[id].message);
  if (messages_[id].message.tag < 0) return exposed_.come(id);
  messages_[id].here = true;
  if (!messages_[id].announced) {
    --receiver(id).announced;
    return arrive(id);
  }
  if (messages_[id].taken_by != none) deliver(id);
}

void World::deliver(MessageId id) {
  const RequestId to = messages_[id].taken_by;
  if (log_) log_->delivers(id, now_);
  give(id, to);
  Request& request = requests_[to];
  if (interrupts_ && computing(request.rank)) steal(request.rank, std::exchange(request.cost, 0));
  complete_request(to);
}

// A message's data into a receive's buffer, and what is said of it.
void World::give(MessageId id, RequestId to) {
  const InFlight& flight = messages_[id];
  Request& request = requests_[to];
  request.peer = flight.message.source;
  request.tag = flight.message.tag;
  request.bytes = flight.message.bytes;
  request.ready = flight.message.ready;
  request.cost = model_.receiving(flight.message);
  request.truncated = flight.message.bytes > request.room;
  hand_over(flight, request);
  answered(id, owes_delivery);
}

// A number stays with the receive until its rank looks: the buffer is a line of memory more.
void World::hand_over(const InFlight& flight, Request& request) {
  if (!request.buffer || flight.data == Data::none || flight.message.bytes > request.room) return;
  if (flight.data == Data::few && flight.message.bytes <= sizeof request.few) {
    std::memcpy(request.few, flight.few, sizeof request.few);
    request.holds = true;
  } else {
    copy(request.buffer, flight.data == Data::few ? flight.few : flight.lent, flight.message.bytes);
  }
}

// The sender goes on, and may write over its buffer before the receiver has looked.
void World::secure(MessageId id) {
  InFlight& flight = messages_[id];
  if (flight.data != Data::lent || (flight.owed & owes_delivery) == 0) return;
  if (flight.taken_by == none) return keep(id);
  hand_over(flight, requests_[flight.taken_by]);
  flight.data = Data::none;
}
void World::keep(MessageId id) {
  InFlight& flight = messages_[id];
  auto* const copy = new std::byte[flight.message.bytes];
  std::memcpy(copy, flight.lent, flight.message.bytes);
  flight.kept = copy;
  flight.data = Data::kept;
}

// The last of the three answers (returned, buffer free, delivered) gives the message's place back.
void World::answered(MessageId id, std::uint8_t what) {
  InFlight& flight = messages_[id];
  flight.owed &= static_cast<std::uint8_t>(~what);
  if (flight.owed != 0) return;
  if (flight.data == Data::kept) delete[] flight.kept;
  flight.data = Data::none;
  if (!messages_.owned(id)) free_messages_.push_back(id);
}

void World::complete_request(RequestId id) {
  Request& request = requests_[id];
  request.done = true;
  if (!request.waiter || request.sending) return;
  if (request.call == Call::wait_any) [[unlikely]]
    return is_first(id);
  const Time at = std::max(now_, request.due) + std::exchange(request.cost, 0);
  if (log_) log_->ends(request.rank, at);
  if (at > now_) return schedule(at, Kind::completes, id);
  std::exchange(request.waiter, nullptr).resume();  // always the last thing that an event does
}

void World::await(RequestId id, std::coroutine_handle<> waiter, Call call) {
  Request& request = requests_[id];
  attend(request.rank);
  if (log_) log_->begins(request.rank, call == Call::recv ? Log::Doing::recv : Log::Doing::wait, now_);
  request.call = call;
  request.waiter = waiter;
  if (request.done) complete_request(id);
}

Arrived World::conclude(RequestId id) {
  Request& request = requests_[id];
  if (recorder_) recorder_->passes(request.rank, id);
  const bool truncated = !request.send && request.truncated;
  const Arrived arrived{request.send ? -1 : request.peer, plain_tag(request.tag), request.bytes, truncated};
  if (request.ahead) {
    Queue& queue = ranks_[static_cast<std::size_t>(request.rank)].ahead;
    RequestId before = none;
    for (RequestId each = queue.head; each != id; each = requests_[each].next) before = each;
    take_out(requests_, queue, before, id);
  }
  if (request.holds) copy(request.buffer, request.few, request.bytes);
  request.live = false;
  if (!requests_.owned(id)) free_requests_.push_back(id);
  return arrived;
}

Arrived World::finish(RequestId id) {
  const Arrived arrived = conclude(id);
  if (!arrived.truncated) [[likely]]
    return arrived;
  const Request& request = requests_[id];  // its words stay until the next one's
  throw std::length_error("rank " + std::to_string(number(request.rank)) + ": a message of " +
                          std::to_string(arrived.bytes) + " bytes from rank " + std::to_string(number(arrived.source)) +
                          ", tag " + std::to_string(arrived.tag) + ", into room for " + std::to_string(request.room));
}

}  // namespace assay::described
