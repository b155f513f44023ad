#include "ranks/world.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "ranks/communicator.hpp"

namespace assay::described {

World::World(int ranks, MessageModel& model)
    : model_(model), keeps_order_(model.keeps_order()), ranks_(static_cast<std::size_t>(ranks)) {}
World::~World() {
  for (auto& flight : messages_)
    if (flight.carries && flight.message.bytes > sizeof flight.few) delete[] flight.many;
}

namespace {
std::uint64_t pair_of(const Message& message) {
  return std::uint64_t{static_cast<std::uint32_t>(message.source)} << 32 |
         static_cast<std::uint32_t>(message.destination);
}
// Who asked for it to be sent.
int caller_of(const Message& message) { return message.tag == Exposed::get_tag ? message.destination : message.source; }
}  // namespace

void World::start(int rank, ranks::Task task) {
  ranks_[static_cast<std::size_t>(rank)].task = std::move(task);
  resume(0, ranks_[static_cast<std::size_t>(rank)].task.handle());
}

std::vector<Waiting> World::run() {
  while (true) {
    const std::uint64_t first = events_.first();
    if (first <= static_cast<std::uint64_t>(model_next_)) {
      if (first == static_cast<std::uint64_t>(never)) break;
      const Event event = events_.pop([this](const Event& each, bool soon) { fetch(each, soon ? 1 : 0); });
      // Of many events at one time, in three steps: what one names lies in what the one before names.
      if (const Event* next = events_.peek(20)) fetch(*next, 0);
      if (const Event* next = events_.peek(13)) fetch(*next, 1);
      if (const Event* next = events_.peek(6)) fetch(*next, 2);
      now_ = event.at;
      ++events_served_;
      dispatch(event);
    } else if (model_next_ == never) {
      break;
    } else {
      now_ = model_next_;
      model_.serve(*this);
    }
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
  const std::uint64_t subject = event.what & ((std::uint64_t{1} << 56) - 1);
  const auto id = static_cast<MessageId>(subject);
  switch (static_cast<Kind>(event.what >> 56)) {
    case Kind::resume:
      std::coroutine_handle<>::from_address(reinterpret_cast<void*>(subject)).resume();
      break;
    case Kind::completes:
      std::exchange(requests_[id].waiter, nullptr).resume();
      break;
    case Kind::model:
      model_.event(*this, subject);
      break;
    case Kind::returns: {
      const auto caller = messages_[id].caller;
      if (log_) log_->ends(caller_of(messages_[id].message), now_);
      answered(id, owes_return);
      caller.resume();
      break;
    }
    case Kind::freed: {
      const auto request = messages_[id].request;
      const auto caller = messages_[id].caller;
      const int rank = messages_[id].message.source;
      answered(id, owes_buffer);
      if (request == none) {
        if (log_) log_->ends(rank, now_);
        caller.resume();
      } else if (request != of_nobody) {
        complete_request(request);
      }
      break;
    }
    case Kind::arrival:
      data_arrives(id);
      break;
    case Kind::computed:
      computed(id);
      break;
  }
}

// The words that an event to come will touch, fetched in time: a million ranks' lie far apart.
void World::fetch(const Event& event, int step) const {
  const auto lines = [](const void* from, int count) {
    for (int line = 0; line < count; ++line) __builtin_prefetch(static_cast<const char*>(from) + 64 * line, 1);
  };
  const std::uint64_t subject = event.what & ((std::uint64_t{1} << 56) - 1);
  switch (static_cast<Kind>(event.what >> 56)) {
    case Kind::resume:
      if (step < 2) lines(reinterpret_cast<const void*>(subject), 5);
      break;
    case Kind::completes:
      if (step == 0) lines(&requests_[subject], 1);
      if (step == 1) lines(requests_[subject].waiter.address(), 5);
      break;
    case Kind::returns:
    case Kind::freed:
      if (step == 0) lines(&messages_[subject], 1);
      if (step == 1) lines(messages_[subject].caller.address(), 5);
      break;
    case Kind::arrival: {
      if (step == 0) return lines(&messages_[subject], 1);
      const Rank& rank = ranks_[static_cast<std::size_t>(messages_[subject].message.destination)];
      if (step == 1) lines(&rank, 1);
      if (step == 2 && rank.receives.head != none) lines(&requests_[rank.receives.head], 1);
      break;
    }
    default:
      break;
  }
}

Time World::after(double seconds) const { return now_ + std::llround(seconds * picoseconds_a_second); }
void World::resume(Time at, std::coroutine_handle<> handle) {
  schedule(at, Kind::resume, reinterpret_cast<std::uint64_t>(handle.address()));
}
// A blocking send's caller goes on when its buffer is free.
void World::call_returns(MessageId id, Time at) {
  if (immediate(id)) return schedule(at, Kind::returns, id);
  answered(id, owes_return);
}
void World::buffer_free(MessageId id, Time at) { schedule(at, Kind::freed, id); }
void World::arrives(MessageId id, Time at) { schedule(at, Kind::arrival, id); }
void World::announces(MessageId id) {
  messages_[id].announced = true;
  arrive(id);
}

MessageId World::announce(int from, const void* data, std::size_t bytes, int to, int tag, bool forced,
                          std::coroutine_handle<> caller) {
  if (to < 0 || to >= ranks()) {
    throw std::out_of_range("rank " + std::to_string(from) + " sends to rank " + std::to_string(to) + " of " +
                            std::to_string(ranks()));
  }
  attend(tag == Exposed::get_tag ? to : from);
  MessageId id;
  if (free_messages_.empty()) {
    id = static_cast<MessageId>(messages_.size());
    messages_.emplace_back();
  } else {
    id = free_messages_.back();
    free_messages_.pop_back();
    if (!free_messages_.empty()) __builtin_prefetch(&messages_[free_messages_.back()], 1);
  }
  ++messages_sent_;
  InFlight& flight = messages_[id];
  flight.message = {from, to, tag, forced, bytes};
  flight.caller = caller;
  flight.request = none;
  flight.taken_by = none;
  flight.next = none;
  flight.owed = owes_return | owes_buffer | owes_delivery;
  flight.here = flight.announced = false;
  flight.held = false;
  if (!keeps_order_ && tag >= 0) under_way_[pair_of(flight.message)].push_back(id);
  if (log_) log_->sends(id, flight.message, now_);
  flight.carries = data && bytes > 0;
  if (flight.carries) {
    if (bytes > sizeof flight.few) flight.many = new std::byte[bytes];
    std::memcpy(bytes > sizeof flight.few ? flight.many : flight.few, data, bytes);
  }
  return id;
}

void World::send(int from, const void* data, std::size_t bytes, int to, int tag, bool forced,
                 std::coroutine_handle<> caller) {
  if (log_) log_->begins(from, Log::Doing::send, now_);
  const MessageId id = announce(from, data, bytes, to, tag, forced, caller);
  const Message message = messages_[id].message;
  model_.send(*this, id, message);
}

RequestId World::isend(int from, const void* data, std::size_t bytes, int to, int tag, std::coroutine_handle<> caller) {
  if (log_) log_->begins(from, Log::Doing::isend, now_);
  const MessageId id = announce(from, data, bytes, to, tag, false, caller);
  const RequestId request = new_request();
  requests_[request] = {nullptr, bytes, nullptr, 0, 0, -1, from, to, tag, none, Call::isend, false, true, true};
  messages_[id].request = request;
  const Message message = messages_[id].message;
  model_.send(*this, id, message);
  return request;
}

MessageId World::one_sided(int from, const void* data, std::size_t bytes, int to, int tag,
                           std::coroutine_handle<> caller) {
  const MessageId id = announce(from, data, bytes, to, tag, true, caller);
  messages_[id].request = of_nobody;
  return id;
}

std::byte* World::carried(MessageId id) {
  InFlight& flight = messages_[id];
  if (!flight.carries) return nullptr;
  return flight.message.bytes > sizeof flight.few ? flight.many : flight.few;
}

void World::delivered(MessageId id) {
  if (log_) log_->delivers(id, now_);
  answered(id, owes_delivery);
}

void MessageModel::acknowledge(World& world, MessageId id) { world.exposed().done(id); }

RequestId World::new_request() {
  if (free_requests_.empty()) {
    requests_.emplace_back();
    return static_cast<RequestId>(requests_.size() - 1);
  }
  const RequestId id = free_requests_.back();
  free_requests_.pop_back();
  if (!free_requests_.empty()) __builtin_prefetch(&requests_[free_requests_.back()], 1);
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
  attend(rank);
  const RequestId id = new_request();
  requests_[id] = {buffer, room, nullptr, 0, 0, -1, rank, from, tag, none, Call::irecv, false, false, true};
  Rank& mine = ranks_[static_cast<std::size_t>(rank)];
  std::uint32_t before = none;
  for (auto m = mine.messages.head; m != none; before = m, m = messages_[m].next) {
    if (!fits(requests_[id], messages_[m].message)) continue;
    (before == none ? mine.messages.head : messages_[before].next) = messages_[m].next;
    if (mine.messages.tail == m) mine.messages.tail = before;
    messages_[m].taken_by = id;
    messages_[m].here ? deliver(m) : model_.matched(*this, m);
    return id;
  }
  (mine.receives.head == none ? mine.receives.head : requests_[mine.receives.tail].next) = id;
  mine.receives.tail = id;
  return id;
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
    auto& all = under_way_[pair];
    all.erase(std::ranges::find(all, id));
    const auto next = std::ranges::find_if(all, [&](MessageId each) { return messages_[each].message.tag == tag; });
    const bool more = next != all.end() && messages_[*next].held;
    const MessageId following = more ? *next : id;
    if (all.empty()) under_way_.erase(pair);
    match(id);
    if (!more) return;
    id = following;
    messages_[id].held = false;
  }
}

bool World::in_turn(MessageId id) {
  const Message& message = messages_[id].message;
  for (const MessageId each : under_way_[pair_of(message)]) {
    if (each == id) return true;
    if (messages_[each].message.tag == message.tag) return false;
  }
  return true;
}

void World::match(MessageId id) {
  Rank& receiver = ranks_[static_cast<std::size_t>(messages_[id].message.destination)];
  std::uint32_t before = none;
  for (auto r = receiver.receives.head; r != none; before = r, r = requests_[r].next) {
    if (!fits(requests_[r], messages_[id].message)) continue;
    (before == none ? receiver.receives.head : requests_[before].next) = requests_[r].next;
    if (receiver.receives.tail == r) receiver.receives.tail = before;
    messages_[id].taken_by = r;
    messages_[id].here ? deliver(id) : model_.matched(*this, id);
    return;
  }
  messages_[id].next = none;
  (receiver.messages.head == none ? receiver.messages.head : messages_[receiver.messages.tail].next) = id;
  receiver.messages.tail = id;
}

void World::data_arrives(MessageId id) {
  model_.arriving(*this, messages_[id].message);
  if (messages_[id].message.tag < 0) return exposed_.come(id);
  messages_[id].here = true;
  if (!messages_[id].announced) return arrive(id);
  if (messages_[id].taken_by != none) deliver(id);
}

void World::deliver(MessageId id) {
  const InFlight& flight = messages_[id];
  const RequestId to = flight.taken_by;
  Request& request = requests_[to];
  request.source = flight.message.source;
  request.bytes = flight.message.bytes;
  request.cost = model_.receiving(*this, flight.message);
  if (const std::size_t bytes = flight.message.bytes; request.buffer && flight.carries && bytes <= request.room) {
    std::memcpy(request.buffer, bytes > sizeof flight.few ? flight.many : flight.few, bytes);
  }
  if (log_) log_->delivers(id, now_);
  answered(id, owes_delivery);
  complete_request(to);
}

// The last of the three answers (returned, buffer free, delivered) gives the message's place back.
void World::answered(MessageId id, std::uint8_t what) {
  messages_[id].owed &= static_cast<std::uint8_t>(~what);
  if (messages_[id].owed != 0) return;
  InFlight& flight = messages_[id];
  if (std::exchange(flight.carries, false) && flight.message.bytes > sizeof flight.few) delete[] flight.many;
  free_messages_.push_back(id);
}

void World::complete_request(RequestId id) {
  Request& request = requests_[id];
  request.done = true;
  if (!request.waiter) return;
  const Time cost = std::exchange(request.cost, 0);
  if (log_) log_->ends(request.rank, now_ + cost);
  if (cost > 0) return schedule(now_ + cost, Kind::completes, id);
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

Arrived World::finish(RequestId id) {
  Request& request = requests_[id];
  const Arrived arrived{request.source, request.bytes};
  const bool truncated = !request.send && request.bytes > request.room;
  request.live = false;
  free_requests_.push_back(id);
  if (truncated) {
    throw std::length_error("rank " + std::to_string(request.rank) + ": a message of " + std::to_string(arrived.bytes) +
                            " bytes from rank " + std::to_string(arrived.source) + ", tag " +
                            std::to_string(request.tag) + ", into room for " + std::to_string(request.room));
  }
  return arrived;
}

// --- processors

void World::compute(int rank, double seconds, std::coroutine_handle<> sleeper) {
  std::uint32_t index = static_cast<std::uint32_t>(computing_.size());
  if (free_computing_.empty()) {
    computing_.emplace_back();
  } else {
    index = free_computing_.back();
    free_computing_.pop_back();
  }
  if (log_) log_->begins(rank, Log::Doing::compute, now_);
  computing_[index] = {sleeper, computing_until(rank, now_, after(seconds) - now_), rank};
  ranks_[static_cast<std::size_t>(rank)].computing = index;
  schedule(computing_[index].end, Kind::computed, index);
}

void World::computed(std::uint32_t index) {
  const Computing done = computing_[index];
  if (done.end > now_) return schedule(done.end, Kind::computed, index);
  ranks_[static_cast<std::size_t>(done.rank)].computing = none;
  free_computing_.push_back(index);
  if (log_) log_->ends(done.rank, now_);
  done.sleeper.resume();
}

void World::steal(int rank, Time cost) {
  if (computing_.size() == free_computing_.size()) return;  // nobody computes
  const auto index = ranks_[static_cast<std::size_t>(rank)].computing;
  if (index != none) computing_[index].end = computing_until(rank, computing_[index].end, cost);
}

Time World::computing_until(int rank, Time begin, Time work) const {
  if (noise_.empty()) [[likely]]
    return begin + work;
  return noise_[static_cast<std::size_t>(rank) % noise_.size()].ends(begin, work);
}

// The rank is inside a message call: what waited for that happens.
void World::attend(int rank) {
  if (deferred_.empty()) [[likely]]
    return;
  const auto found = deferred_.find(rank);
  if (found == deferred_.end()) return;
  for (const auto subject : found->second) schedule(now_, Kind::model, subject);
  deferred_.erase(found);
}

void World::barrier(int rank, int among, Time cost, std::coroutine_handle<> caller) {
  attend(rank);
  if (log_) log_->begins(rank, Log::Doing::barrier, now_);
  auto& inside = in_barrier_[among];
  inside.emplace_back(rank, caller);
  if (static_cast<int>(inside.size()) < among) return;
  for (const auto& [who, each] : std::exchange(inside, {})) {
    if (log_) log_->ends(who, now_ + cost);
    resume(now_ + cost, each);
  }
}

std::vector<Waiting> World::waiting() const {
  static constexpr const char* calls[] = {"recv", "wait", "isend", "irecv"};
  std::vector<Waiting> found;
  for (const auto& request : requests_) {
    if (request.live && !request.done && request.waiter) {
      found.push_back({request.rank, calls[static_cast<std::size_t>(request.call)], request.peer, request.tag});
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
  exposed_.add_waiting(found);
  std::ranges::sort(found, {}, &Waiting::rank);
  return found;
}

}  // namespace assay::described
