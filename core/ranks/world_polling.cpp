// The World's answers to ranks that ask: whether a request is over, what has come, and which of several receives is
// first.
//
// A request that is over by its data still owes the receiver's processor some time; the rank that asks then pays it, as
// one that waits does. Who asks in vain goes on poll_seconds later. Of several receives that first has its data which
// is first by time, then by the order of events; of those that had it when they were asked for, the one named first. A
// rank that asks again and again while nothing moves is an error and not a hang.
#include <algorithm>
#include <stdexcept>

#include "ranks/communicator.hpp"
#include "ranks/world.hpp"

namespace assay::described {
namespace {
constexpr std::uint64_t patience = std::uint64_t{1} << 20;  // polls in a row with nothing else between them
}

void World::test(int rank, RequestId id, bool& over, std::coroutine_handle<> caller) {
  attend(rank);
  Request& request = requests_[id];
  over = request.done && request.due <= now_;
  if (!over) return poll(rank, caller);
  goes_on(now_ + std::exchange(request.cost, 0), rank, caller);
}

bool World::moves() const {
  return computing_.size() != free_computing_.size() || model_next_ != never ||
         std::ranges::any_of(messages_.all(), [](const InFlight& each) {
           return (each.owed & owes_delivery) != 0 && (each.taken_by != none || !(each.announced || each.here));
         });
}

void World::poll(int rank, std::coroutine_handle<> caller) {
  polls_ = events_served_ == last_poll_ + 1 ? polls_ + 1 : 0;
  last_poll_ = events_served_;
  if (polls_ == patience) {
    if (!moves())
      throw std::runtime_error("rank " + std::to_string(number(rank)) + " asks for ever: nothing is under way");
    polls_ = 0;
  }
  goes_on(after(ranks::poll_seconds), rank, caller);
}

void World::await_any(int rank, std::vector<RequestId> requests, std::size_t& place, std::coroutine_handle<> caller) {
  attend(rank);
  if (log_) log_->begins(rank, Log::Doing::wait, now_);
  const std::vector<RequestId>& all = (several_[rank] = {std::move(requests), &place, caller}).requests;
  for (const RequestId id : all) {
    requests_[id].call = Call::wait_any;
    requests_[id].waiter = caller;
  }
  for (const RequestId id : all) {
    if (!requests_[id].done) continue;
    if (requests_[id].due <= now_) return is_first(id);
    schedule(requests_[id].due, Kind::first, id);
  }
}

// The data of a receive are there, or will be: one of several, if no other was sooner.
void World::is_first(RequestId id) {
  Request& request = requests_[id];
  const auto found = several_.find(request.rank);
  if (found == several_.end() || !request.live || !request.done) return;
  const auto at = std::ranges::find(found->second.requests, id);
  if (at == found->second.requests.end()) return;
  if (request.due > now_) return schedule(request.due, Kind::first, id);
  *found->second.place = static_cast<std::size_t>(at - found->second.requests.begin());
  for (const RequestId each : found->second.requests) {
    requests_[each].waiter = nullptr;
    requests_[each].call = Call::irecv;
  }
  const auto caller = found->second.caller;
  several_.erase(found);
  const Time goes = now_ + std::exchange(request.cost, 0);
  if (log_) log_->ends(request.rank, goes);
  goes_on(goes, request.rank, caller);
}

std::optional<Arrived> World::sighted(int rank, int from, int tag) {
  attend(rank);
  if (tag < 0) takes_any_tag(rank);
  const MessageId found = waiting_message(rank, from, tag, false);
  if (found == none) return std::nullopt;
  const Message& message = messages_[found].message;
  return Arrived{message.source, plain_tag(message.tag), message.bytes};
}

void World::probe(int rank, int from, int tag, Arrived& found, std::coroutine_handle<> caller) {
  if (const auto there = sighted(rank, from, tag)) {
    found = *there;
    return goes_on(now_, rank, caller);
  }
  if (log_) log_->begins(rank, Log::Doing::wait, now_);
  looking_[rank] = {from, tag, &found, caller};
}

// A message waits for a receive: a rank that looks for it goes on.
void World::sight(MessageId id) {
  const Message& message = messages_[id].message;
  const auto found = looking_.find(message.destination);
  if (found == looking_.end() || !fits(found->second.from, found->second.tag, message)) return;
  *found->second.found = {message.source, plain_tag(message.tag), message.bytes};
  const auto caller = found->second.caller;
  looking_.erase(found);
  if (log_) log_->ends(message.destination, now_);
  goes_on(now_, message.destination, caller);
}

void World::takes_any_tag(int rank) {
  if (keeps_order_) return;
  any_tags_.resize(ranks_.size());
  any_tags_[static_cast<std::size_t>(rank)] = true;
}

}  // namespace assay::described
