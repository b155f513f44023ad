// Synchronous sends, which are over when a receive has taken their message; and messages that are taken before they are
// received.
//
// The receiver's node answers with a message without data, by the machine's protocol of such a one, when the receive
// takes the synchronous message; the sender has posted a receive for that answer.
#include "ranks/world.hpp"

namespace assay::described {
namespace {
constexpr int answers = Groups::contexts - 1;  // the context of answers
}

World::Synchronous World::synchronous_send(int from, const void* data, std::size_t bytes, int to, int tag,
                                           std::coroutine_handle<> caller) {
  const int word = answers << tag_bits | static_cast<int>(answered_++ & ranks::greatest_tag);
  const RequestId answer = post(from, nullptr, 0, to, word);
  if (log_) log_->begins(from, Log::Doing::isend, now_);
  const MessageId id = announce(from, data, bytes, to, tag, false, caller);
  const RequestId request = new_request(from, Call::isend, nullptr, bytes, to, tag);
  messages_[id].request = request;
  synchronous_[id] = word;
  model_.send(*this, id, messages_[id].message);
  return {request, answer};
}

// A receive has taken the message.
void World::answer(MessageId id) {
  const auto found = synchronous_.find(id);
  if (found == synchronous_.end()) return;
  const Message message = messages_[id].message;
  const MessageId answer =
      announce(message.destination, nullptr, 0, message.source, std::exchange(found->second, 0), false, noop_);
  synchronous_.erase(id);
  messages_[answer].request = of_one_sided;  // nobody waits for its buffer
  model_.send(*this, answer, messages_[answer].message);
}

std::optional<World::Claimed> World::claim(int rank, int from, int tag) {
  attend(rank);
  if (tag < 0) takes_any_tag(rank);
  const MessageId id = waiting_message(rank, from, tag, true);
  if (id == none) return std::nullopt;
  const Message& message = messages_[id].message;
  return Claimed{id, {message.source, plain_tag(message.tag), message.bytes}};
}

RequestId World::post_claimed(int rank, void* buffer, std::size_t room, MessageId claimed) {
  attend(rank);
  const Message message = messages_[claimed].message;
  const RequestId id = new_request(rank, Call::irecv, buffer, room, message.source, message.tag);
  takes(claimed, id);
  return id;
}

}  // namespace assay::described
