// The described machine at work: ranks as coroutines on one event queue, and the matching of their messages.
//
// Events are served by (time, order of scheduling), so that equal times keep a defined order and a run is the same bits
// everywhere. A rank is 24 bytes beside its coroutine's frame. Each rank has two queues in order of arrival: receives
// that wait for a message, and messages that wait for a receive. A receive takes the first message that fits it (source
// or any, tag); a message goes to the first receive that it fits. When no event is left and ranks still wait, that is a
// deadlock, and it is a result: who waits for whom.
#pragma once

#include <coroutine>
#include <cstdint>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "ranks/message_model.hpp"
#include "ranks/task.hpp"

namespace assay::described {

using RequestId = std::uint32_t;
inline constexpr std::uint32_t none = ~0U;

// What a rank was doing when nothing could happen any more.
struct Waiting {
  int rank;
  std::string call;  // "recv", "send", "wait", "barrier"
  int peer;          // ranks::any_source where anybody would have done
  int tag;
};

struct Arrived {
  int source = -1;
  std::size_t bytes = 0;
};

class World {
 public:
  World(int ranks, MessageModel& model);
  ~World();
  World(const World&) = delete;

  // Give rank `rank` its program; then run all of them to the end. Empty when all ended; throws what a rank threw.
  void start(int rank, ranks::Task task);
  std::vector<Waiting> run();
  int ranks() const { return static_cast<int>(ranks_.size()); }
  Time now() const { return now_; }
  Time after(double seconds) const;
  // Whether a rank also does the work whose cost it is charged (Communicator::compute).
  bool verifies() const { return verifies_; }
  void verify(bool really) { verifies_ = really; }
  std::uint64_t events() const { return order_; }
  std::uint64_t messages() const { return messages_sent_; }
  const MessageModel& model() const { return model_; }

  // What the model owes for each message.
  void call_returns(MessageId id, Time at);
  void buffer_free(MessageId id, Time at);
  void arrives(MessageId id, Time at);
  void at(Time at, std::uint64_t subject) { schedule(at, Kind::model, subject); }

  // What the ranks call, from their awaiters.
  void send(int from, const void* data, std::size_t bytes, int to, int tag, std::coroutine_handle<> caller);
  RequestId isend(int from, const void* data, std::size_t bytes, int to, int tag, std::coroutine_handle<> caller);
  RequestId post(int rank, void* buffer, std::size_t room, int from, int tag);
  bool complete(RequestId id) const { return requests_[id].done; }
  void await(RequestId id, std::coroutine_handle<> waiter, const char* call);
  Arrived finish(RequestId id);  // of a complete request, which is gone afterwards
  // The machine's own barrier: the last of `among` ranks to enter releases all.
  void barrier(int rank, int among, std::coroutine_handle<> caller);
  void sleep(Time until, std::coroutine_handle<> sleeper) { resume(until, sleeper); }

 private:
  static constexpr std::uint8_t owes_return = 1, owes_buffer = 2, owes_delivery = 4;
  enum class Kind : std::uint8_t { resume, returns, freed, arrival, model };
  struct Event {
    Time at;
    std::uint64_t order;
    std::uint64_t subject;
    Kind kind;
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  struct InFlight {
    Message message;
    std::unique_ptr<std::byte[]> data;  // a copy: the sender may write over its buffer before the receiver looks
    std::coroutine_handle<> caller;
    RequestId request = none;  // of an immediate send
    std::uint32_t next = none;
    std::uint8_t owed = 0;  // bits: what the model still owes for it
  };
  struct Request {
    void* buffer;
    std::size_t room;
    std::coroutine_handle<> waiter;
    const char* call;
    Arrived arrived;
    int rank, peer, tag;
    std::uint32_t next;
    bool done, send, live;
  };
  struct Queue {
    std::uint32_t head = none, tail = none;
  };
  struct Rank {
    ranks::Task task;
    Queue receives, messages;
  };

  void schedule(Time at, Kind kind, std::uint64_t subject);
  void resume(Time at, std::coroutine_handle<> handle);
  MessageId announce(int from, const void* data, std::size_t bytes, int to, int tag, std::coroutine_handle<> caller);
  RequestId new_request();
  void dispatch(const Event& event);
  void arrive(MessageId id);
  void deliver(MessageId id, RequestId to);
  void answered(MessageId id, std::uint8_t what);
  void complete_request(RequestId id);
  static bool fits(const Request& receive, const Message& message);
  std::vector<Waiting> waiting() const;

  MessageModel& model_;
  Time now_ = 0;
  bool verifies_ = true;
  std::uint64_t order_ = 0, messages_sent_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Rank> ranks_;
  std::vector<InFlight> messages_;
  std::vector<MessageId> free_messages_;
  std::vector<Request> requests_;
  std::vector<RequestId> free_requests_;
  std::map<int, std::vector<std::pair<int, std::coroutine_handle<>>>> in_barrier_;  // by number of ranks
};

}  // namespace assay::described
