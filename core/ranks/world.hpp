// The described machine at work: ranks as coroutines on one event queue, and the matching of their messages.
//
// Events are served by (time, order of scheduling), so that equal times keep a defined order and a run is the same bits
// everywhere; at each time the ranks' events come before the model's own clockwork (message_model.hpp). A rank is 32
// bytes beside its coroutine's frame. Each rank has two queues in order of arrival: receives that wait for a message,
// and messages that wait for a receive. A receive takes the first message that fits it (source or any, tag); a message
// goes to the first receive that it fits, when it is announced: its data may come later (rendezvous). When no event is
// left and ranks still wait, that is a deadlock, and it is a result: who waits for whom.
//
// A processor that computes can be interrupted: steal(rank, cost) makes its computing that much longer. What a model
// can only do inside the rank's message calls it defers until the next one.
#pragma once

#include <coroutine>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "events/large_pages.hpp"
#include "events/radix_heap.hpp"
#include "ranks/exposed.hpp"
#include "ranks/log.hpp"
#include "ranks/message_model.hpp"
#include "ranks/noise.hpp"
#include "ranks/task.hpp"

namespace assay::described {

using RequestId = std::uint32_t;
inline constexpr std::uint32_t none = ~0U;
inline constexpr RequestId of_nobody = none - 1;  // of a one-sided message: complete() waits for it

// What a rank was doing when nothing could happen any more.
struct Waiting {
  int rank;
  std::string call;  // "recv", "send", "wait", "barrier", "complete"
  int peer;          // ranks::any_source where anybody would have done
  int tag;
};

struct Arrived {
  int source = -1;
  std::size_t bytes = 0;
};

enum class Call : std::uint8_t { recv, wait, isend, irecv };

class World {
 public:
  World(int ranks, MessageModel& model);
  ~World();
  World(const World&) = delete;

  // Give rank `rank` its program; then run all of them to the end. Empty when all ended; throws what a rank threw.
  void start(int rank, ranks::Task task);
  std::vector<Waiting> run();
  int ranks() const { return static_cast<int>(ranks_.size()); }
  // The rank that is the host processor, the last one.
  std::optional<int> host() const { return host_; }
  void last_is_host() { host_ = ranks() - 1; }
  Time now() const { return now_; }
  // What a rank reads: whole ticks of the machine's clock.
  Time clock() const { return now_ - now_ % clock_tick_; }
  void clock_tick(Time tick) { clock_tick_ = tick; }
  Time after(double seconds) const;
  // What takes the ranks' processors away from their computing: the traces in turn, none for undisturbed ones.
  void noise(std::vector<Noise> traces) { noise_ = std::move(traces); }
  // Whether a rank also does the work whose cost it is charged (Communicator::compute).
  bool verifies() const { return verifies_; }
  void verify(bool really) { verifies_ = really; }
  std::uint64_t events() const { return events_served_; }
  std::uint64_t messages() const { return messages_sent_; }
  const MessageModel& model() const { return model_; }
  // Where everything is written down, or nowhere.
  void log(Log* log) { log_ = log; }
  Log* log() const { return log_; }

  // What the model owes for each message: at a time from now on.
  void call_returns(MessageId id, Time at);
  void buffer_free(MessageId id, Time at);
  void arrives(MessageId id, Time at);  // its data, and with them itself if it was not announced
  void announces(MessageId id);         // now; the data arrive later
  // What else the model may ask for.
  void at(Time at, std::uint64_t subject) { schedule(at, Kind::model, subject); }
  void model_next(Time at) { model_next_ = at; }
  std::uint64_t next_event() const { return events_.first(); }
  const Message& message(MessageId id) const { return messages_[id].message; }
  bool immediate(MessageId id) const { return messages_[id].request != none; }
  bool announced(MessageId id) const { return messages_[id].announced; }
  bool computing(int rank) const { return ranks_[static_cast<std::size_t>(rank)].computing != none; }
  void steal(int rank, Time cost);
  void defer(int rank, std::uint64_t subject) { deferred_[rank].push_back(subject); }

  // What the ranks call, from their awaiters.
  void send(int from, const void* data, std::size_t bytes, int to, int tag, bool forced,
            std::coroutine_handle<> caller);
  RequestId isend(int from, const void* data, std::size_t bytes, int to, int tag, std::coroutine_handle<> caller);
  RequestId post(int rank, void* buffer, std::size_t room, int from, int tag);
  bool complete(RequestId id) const { return requests_[id].done && requests_[id].cost == 0; }
  void await(RequestId id, std::coroutine_handle<> waiter, Call call);
  Arrived finish(RequestId id);  // of a complete request, which is gone afterwards
  void compute(int rank, double seconds, std::coroutine_handle<> sleeper);
  // The machine's own barrier: the last of `among` ranks to enter releases all, `cost` later.
  void barrier(int rank, int among, Time cost, std::coroutine_handle<> caller);

  // One-sided messages (exposed.hpp), which no receive takes.
  Exposed& exposed() { return exposed_; }
  MessageId one_sided(int from, const void* data, std::size_t bytes, int to, int tag, std::coroutine_handle<> caller);
  std::byte* carried(MessageId id);  // its data, or null
  void delivered(MessageId id);

 private:
  static constexpr std::uint8_t owes_return = 1, owes_buffer = 2, owes_delivery = 4;
  enum class Kind : std::uint8_t { resume, completes, returns, freed, arrival, model, computed };
  struct Event {
    Time at;
    std::uint64_t what;  // the kind in the highest byte; a coroutine, a number
  };
  struct alignas(64) InFlight {
    Message message;
    // A copy: the sender may write over its buffer before the receiver looks. Few bytes lie here themselves.
    union {
      std::byte few[16];
      std::byte* many;
    };
    std::coroutine_handle<> caller;
    RequestId request = none;   // of an immediate send
    RequestId taken_by = none;  // the receive that it goes to
    std::uint32_t next = none;
    std::uint8_t owed = 0;                    // bits: what the model still owes for it
    bool here = false;                        // its data have come
    bool announced = false, carries = false;  // carries: data were given
    bool held = false;                        // came before one that was sent before it
  };
  struct alignas(64) Request {
    void* buffer;
    std::size_t room;
    std::coroutine_handle<> waiter;
    std::size_t bytes;  // of what arrived
    Time cost;          // what the receiver's processor still owes for it
    int source;         // of what arrived
    int rank, peer, tag;
    std::uint32_t next;
    Call call;
    bool done, send, live;
  };
  struct Queue {
    std::uint32_t head = none, tail = none;
  };
  struct Rank {
    ranks::Task task;
    Queue receives, messages;
    std::uint32_t computing = none;
  };
  struct Computing {
    std::coroutine_handle<> sleeper;
    Time end;
    int rank;
  };

  void schedule(Time at, Kind kind, std::uint64_t subject) {
    events_.push({at, static_cast<std::uint64_t>(kind) << 56 | subject});
  }
  void resume(Time at, std::coroutine_handle<> handle);
  MessageId announce(int from, const void* data, std::size_t bytes, int to, int tag, bool forced,
                     std::coroutine_handle<> caller);
  RequestId new_request();
  void dispatch(const Event& event);
  void fetch(const Event& event, int step) const;
  void data_arrives(MessageId id);
  void arrive(MessageId id);
  bool in_turn(MessageId id);
  void match(MessageId id);
  void deliver(MessageId id);
  void answered(MessageId id, std::uint8_t what);
  void complete_request(RequestId id);
  void attend(int rank);
  void computed(std::uint32_t index);
  Time computing_until(int rank, Time begin, Time work) const;
  static bool fits(const Request& receive, const Message& message);
  std::vector<Waiting> waiting() const;

  std::optional<int> host_;
  MessageModel& model_;
  Exposed exposed_{*this, model_};
  Time now_ = 0, clock_tick_ = 1, model_next_ = never;
  bool verifies_ = true;
  const bool keeps_order_;
  std::unordered_map<std::uint64_t, std::vector<MessageId>> under_way_;  // by source and destination, in order of send
  Log* log_ = nullptr;
  std::uint64_t events_served_ = 0, messages_sent_ = 0;
  events::RadixHeap<Event> events_;
  std::vector<Rank> ranks_;
  std::vector<Noise> noise_;
  events::LargeVector<InFlight> messages_;
  std::vector<MessageId> free_messages_;
  events::LargeVector<Request> requests_;
  std::vector<RequestId> free_requests_;
  std::vector<Computing> computing_;
  std::vector<std::uint32_t> free_computing_;
  std::unordered_map<int, std::vector<std::uint64_t>> deferred_;
  std::map<int, std::vector<std::pair<int, std::coroutine_handle<>>>> in_barrier_;  // by number of ranks
};

}  // namespace assay::described
