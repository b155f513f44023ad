#include "ranks/world.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "ranks/communicator.hpp"

namespace assay::described {

World::World(int ranks, MessageModel& model) : model_(model), ranks_(static_cast<std::size_t>(ranks)) {}
World::~World() = default;

void World::start(int rank, ranks::Task task) {
  ranks_[static_cast<std::size_t>(rank)].task = std::move(task);
  resume(0, ranks_[static_cast<std::size_t>(rank)].task.handle());
}

std::vector<Waiting> World::run() {
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    dispatch(event);
  }
  for (const auto& rank : ranks_) {
    if (rank.task.done()) rank.task.result();  // what ended a rank is more telling than who then waited for it
  }
  for (const auto& rank : ranks_) {
    if (!rank.task.done()) return waiting();
  }
  return {};
}

void World::dispatch(const Event& event) {
  switch (event.kind) {
    case Kind::resume:
      std::coroutine_handle<>::from_address(reinterpret_cast<void*>(event.subject)).resume();
      break;
    case Kind::model:
      model_.event(*this, event.subject);
      break;
    case Kind::returns: {
      const auto id = static_cast<MessageId>(event.subject);
      const auto caller = messages_[id].request == none ? nullptr : messages_[id].caller;
      answered(id, owes_return);
      if (caller) caller.resume();
      break;
    }
    case Kind::freed: {
      const auto id = static_cast<MessageId>(event.subject);
      const auto request = messages_[id].request;
      const auto caller = messages_[id].caller;
      answered(id, owes_buffer);
      if (request == none) {
        caller.resume();
      } else {
        complete_request(request);
      }
      break;
    }
    case Kind::arrival:
      arrive(static_cast<MessageId>(event.subject));
      break;
  }
}

Time World::after(double seconds) const { return now_ + std::llround(seconds * picoseconds_a_second); }
void World::schedule(Time at, Kind kind, std::uint64_t subject) { events_.push({at, order_++, subject, kind}); }
void World::resume(Time at, std::coroutine_handle<> handle) {
  schedule(at, Kind::resume, reinterpret_cast<std::uint64_t>(handle.address()));
}
void World::call_returns(MessageId id, Time at) { schedule(at, Kind::returns, id); }
void World::buffer_free(MessageId id, Time at) { schedule(at, Kind::freed, id); }
void World::arrives(MessageId id, Time at) { schedule(at, Kind::arrival, id); }

MessageId World::announce(int from, const void* data, std::size_t bytes, int to, int tag,
                          std::coroutine_handle<> caller) {
  if (to < 0 || to >= ranks()) {
    throw std::out_of_range("rank " + std::to_string(from) + " sends to rank " + std::to_string(to) + " of " +
                            std::to_string(ranks()));
  }
  MessageId id;
  if (free_messages_.empty()) {
    id = static_cast<MessageId>(messages_.size());
    messages_.emplace_back();
  } else {
    id = free_messages_.back();
    free_messages_.pop_back();
  }
  ++messages_sent_;
  InFlight& flight = messages_[id];
  flight.message = {from, to, tag, bytes};
  flight.caller = caller;
  flight.request = none;
  flight.next = none;
  flight.owed = owes_return | owes_buffer | owes_delivery;
  if (data && bytes > 0) {
    flight.data = std::make_unique_for_overwrite<std::byte[]>(bytes);
    std::memcpy(flight.data.get(), data, bytes);
  }
  return id;
}

void World::send(int from, const void* data, std::size_t bytes, int to, int tag, std::coroutine_handle<> caller) {
  const MessageId id = announce(from, data, bytes, to, tag, caller);
  const Message message = messages_[id].message;
  model_.send(*this, id, message);
}

RequestId World::isend(int from, const void* data, std::size_t bytes, int to, int tag, std::coroutine_handle<> caller) {
  const MessageId id = announce(from, data, bytes, to, tag, caller);
  const RequestId request = new_request();
  requests_[request] = {.buffer = nullptr,
                        .room = bytes,
                        .waiter = nullptr,
                        .call = "isend",
                        .arrived = {},
                        .rank = from,
                        .peer = to,
                        .tag = tag,
                        .next = none,
                        .done = false,
                        .send = true,
                        .live = true};
  messages_[id].request = request;
  const Message message = messages_[id].message;
  model_.send(*this, id, message);
  return request;
}

RequestId World::new_request() {
  if (free_requests_.empty()) {
    requests_.emplace_back();
    return static_cast<RequestId>(requests_.size() - 1);
  }
  const RequestId id = free_requests_.back();
  free_requests_.pop_back();
  return id;
}

bool World::fits(const Request& receive, const Message& message) {
  return (receive.peer == ranks::any_source || receive.peer == message.source) && receive.tag == message.tag;
}

RequestId World::post(int rank, void* buffer, std::size_t room, int from, int tag) {
  if (from != ranks::any_source && (from < 0 || from >= ranks())) {
    throw std::out_of_range("rank " + std::to_string(rank) + " receives from rank " + std::to_string(from) + " of " +
                            std::to_string(ranks()));
  }
  const RequestId id = new_request();
  requests_[id] = {.buffer = buffer,
                   .room = room,
                   .waiter = nullptr,
                   .call = "irecv",
                   .arrived = {},
                   .rank = rank,
                   .peer = from,
                   .tag = tag,
                   .next = none,
                   .done = false,
                   .send = false,
                   .live = true};
  Rank& mine = ranks_[static_cast<std::size_t>(rank)];
  std::uint32_t before = none;
  for (auto m = mine.messages.head; m != none; before = m, m = messages_[m].next) {
    if (!fits(requests_[id], messages_[m].message)) continue;
    (before == none ? mine.messages.head : messages_[before].next) = messages_[m].next;
    if (mine.messages.tail == m) mine.messages.tail = before;
    deliver(m, id);
    return id;
  }
  (mine.receives.head == none ? mine.receives.head : requests_[mine.receives.tail].next) = id;
  mine.receives.tail = id;
  return id;
}

void World::arrive(MessageId id) {
  Rank& receiver = ranks_[static_cast<std::size_t>(messages_[id].message.destination)];
  std::uint32_t before = none;
  for (auto r = receiver.receives.head; r != none; before = r, r = requests_[r].next) {
    if (!fits(requests_[r], messages_[id].message)) continue;
    (before == none ? receiver.receives.head : requests_[before].next) = requests_[r].next;
    if (receiver.receives.tail == r) receiver.receives.tail = before;
    deliver(id, r);
    return;
  }
  messages_[id].next = none;
  (receiver.messages.head == none ? receiver.messages.head : messages_[receiver.messages.tail].next) = id;
  receiver.messages.tail = id;
}

void World::deliver(MessageId id, RequestId to) {
  const InFlight& flight = messages_[id];
  Request& request = requests_[to];
  request.arrived = {flight.message.source, flight.message.bytes};
  if (request.buffer && flight.data && flight.message.bytes <= request.room) {
    std::memcpy(request.buffer, flight.data.get(), flight.message.bytes);
  }
  answered(id, owes_delivery);
  complete_request(to);
}

// The last of the three answers (returned, buffer free, delivered) gives the message's place back.
void World::answered(MessageId id, std::uint8_t what) {
  messages_[id].owed &= static_cast<std::uint8_t>(~what);
  if (messages_[id].owed != 0) return;
  messages_[id].data.reset();
  free_messages_.push_back(id);
}

void World::complete_request(RequestId id) {
  requests_[id].done = true;
  if (const auto waiter = std::exchange(requests_[id].waiter, nullptr)) resume(now_, waiter);
}

void World::await(RequestId id, std::coroutine_handle<> waiter, const char* call) {
  requests_[id].waiter = waiter;
  requests_[id].call = call;
}

void World::barrier(int rank, int among, std::coroutine_handle<> caller) {
  auto& inside = in_barrier_[among];
  inside.emplace_back(rank, caller);
  if (static_cast<int>(inside.size()) < among) return;
  for (const auto& [_, each] : std::exchange(inside, {})) resume(now_, each);
}

Arrived World::finish(RequestId id) {
  Request& request = requests_[id];
  const Arrived arrived = request.arrived;
  const bool truncated = !request.send && arrived.bytes > request.room;
  request.live = false;
  free_requests_.push_back(id);
  if (truncated) {
    throw std::length_error("rank " + std::to_string(request.rank) + ": a message of " + std::to_string(arrived.bytes) +
                            " bytes from rank " + std::to_string(arrived.source) + ", tag " +
                            std::to_string(request.tag) + ", into room for " + std::to_string(request.room));
  }
  return arrived;
}

std::vector<Waiting> World::waiting() const {
  std::vector<Waiting> found;
  for (const auto& request : requests_) {
    if (request.live && !request.done && request.waiter) {
      found.push_back({request.rank, request.call, request.peer, request.tag});
    }
  }
  for (const auto& flight : messages_) {
    if ((flight.owed & owes_buffer) != 0 && flight.request == none) {
      found.push_back({flight.message.source, "send", flight.message.destination, flight.message.tag});
    }
  }
  for (const auto& [among, inside] : in_barrier_) {
    for (const auto& [rank, _] : inside) found.push_back({rank, "barrier", ranks::any_source, 0});
  }
  std::ranges::sort(found, {}, &Waiting::rank);
  return found;
}

}  // namespace assay::described
