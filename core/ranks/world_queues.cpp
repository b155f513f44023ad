// Which receives and messages of a rank wait, in order of their arrival: in lists, and long ones by source and tag
// (long_queue.hpp), where index_queues() asked for that. What is found is the same.
#include <algorithm>

#include "ranks/world.hpp"

namespace assay::described {

std::uint64_t World::receive_key(const Request& request) {
  const bool any = request.peer == ranks::any_source || request.tag < 0;
  return any ? LongQueue::wild : LongQueue::key(request.peer, request.tag);
}

void World::add_receive(int rank, RequestId id) {
  Rank& mine = ranks_[static_cast<std::size_t>(rank)];
  if (!indexed_.empty()) [[unlikely]] {
    Indexed& its = indexed_[static_cast<std::size_t>(rank)];
    if (!its.receives && ++its.receives_listed > LongQueue::from) {
      its.receives = std::make_unique<LongQueue>();
      for (auto r = std::exchange(mine.receives, {}).head; r != none; r = requests_[r].next)
        its.receives->add(receive_key(requests_[r]), r);
    }
    if (its.receives) return its.receives->add(receive_key(requests_[id]), id);
  }
  put_in(requests_, mine.receives, id);
}

// The receive that a message goes to is taken out; none where there is none. `certain`: only one that names source and
// tag of the message.
RequestId World::take_receive(const Message& message, bool certain) {
  Rank& rank = ranks_[static_cast<std::size_t>(message.destination)];
  if (!indexed_.empty()) [[unlikely]] {
    Indexed& its = indexed_[static_cast<std::size_t>(message.destination)];
    if (its.receives) {
      const auto key = LongQueue::key(message.source, message.tag);
      const auto named = its.receives->first(key);
      const auto any = its.receives->first(LongQueue::wild, [&](RequestId id) { return fits(requests_[id], message); });
      const bool wild = any.arrived < named.arrived;
      const RequestId found = wild ? any.id : named.id;
      if (found == none || (wild && certain)) return none;
      its.receives->remove(wild ? LongQueue::wild : key, found);
      if (its.receives->empty()) its = {nullptr, std::move(its.messages), 0, its.messages_listed};
      return found;
    }
  }
  RequestId before = none;
  for (auto r = rank.receives.head; r != none; before = r, r = requests_[r].next) {
    if (!fits(requests_[r], message)) continue;
    if (certain && (requests_[r].peer == ranks::any_source || requests_[r].tag < 0)) return none;
    take_out(requests_, rank.receives, before, r);
    if (!indexed_.empty()) --indexed_[static_cast<std::size_t>(message.destination)].receives_listed;
    return r;
  }
  return none;
}

void World::add_message(MessageId id) {
  const Message& message = messages_[id].message;
  Rank& rank = receiver(id);
  if (!indexed_.empty()) [[unlikely]] {
    Indexed& its = indexed_[static_cast<std::size_t>(message.destination)];
    const auto key = [&](MessageId m) { return LongQueue::key(messages_[m].message.source, messages_[m].message.tag); };
    if (!its.messages && ++its.messages_listed > LongQueue::from) {
      its.messages = std::make_unique<LongQueue>();
      for (auto m = std::exchange(rank.messages, {}).head; m != none; m = messages_[m].next)
        its.messages->add(key(m), m);
    }
    if (its.messages) return its.messages->add(key(id), id);
  }
  put_in(messages_, rank.messages, id);
}

// The first message that waits and fits, which `take` takes out; none where there is none.
MessageId World::waiting_message(int rank, int from, int tag, bool take) {
  Rank& mine = ranks_[static_cast<std::size_t>(rank)];
  if (!indexed_.empty()) [[unlikely]] {
    Indexed& its = indexed_[static_cast<std::size_t>(rank)];
    if (its.messages) {
      const bool any = from == ranks::any_source || tag < 0;
      const MessageId found =
          (any ? its.messages->first_of_all([&](MessageId m) { return fits(from, tag, messages_[m].message); })
               : its.messages->first(LongQueue::key(from, tag)))
              .id;
      if (found == none || !take) return found;
      its.messages->remove(LongQueue::key(messages_[found].message.source, messages_[found].message.tag), found);
      if (its.messages->empty()) its = {std::move(its.receives), nullptr, its.receives_listed, 0};
      return found;
    }
  }
  MessageId before = none;
  for (auto m = mine.messages.head; m != none; before = m, m = messages_[m].next) {
    if (!fits(from, tag, messages_[m].message)) continue;
    if (!take) return m;
    take_out(messages_, mine.messages, before, m);
    if (!indexed_.empty()) --indexed_[static_cast<std::size_t>(rank)].messages_listed;
    return m;
  }
  return none;
}

bool World::cancel(RequestId id) {
  Request& request = requests_[id];
  if (request.send || request.done) return false;
  Rank& mine = ranks_[static_cast<std::size_t>(request.rank)];
  Indexed* const its = indexed_.empty() ? nullptr : &indexed_[static_cast<std::size_t>(request.rank)];
  if (its && its->receives) {
    if (!its->receives->remove(receive_key(request), id)) return false;
    if (its->receives->empty()) *its = {nullptr, std::move(its->messages), 0, its->messages_listed};
  } else {
    RequestId before = none, at = mine.receives.head;
    for (; at != none && at != id; at = requests_[at].next) before = at;
    if (at == none) return false;
    take_out(requests_, mine.receives, before, id);
    if (its) --its->receives_listed;
  }
  request.live = false;
  if (!requests_.owned(id)) free_requests_.push_back(id);
  return true;
}

}  // namespace assay::described
