// The described machine at work: ranks as coroutines on one event queue, and the matching of their messages.
//
// Events are served by (time, order of scheduling), on more ranks than a cache has room for by (time, place in memory),
// so that equal times keep a defined order and a run is the same bits everywhere; at each time the ranks' events come
// before the model's own clockwork (message_model.hpp). A rank is 192 bytes beside its coroutines' frames: its own
// words, a message and a receive under way. Each rank has two queues in order of arrival: receives that wait for a
// message, and messages that wait for a receive. A receive takes the first message that fits it (source or any, tag); a
// message goes to the first receive that it fits, when it is announced: its data may come later (rendezvous). When no
// event is left and ranks still wait, that is a deadlock, and it is a result: which rank waits for which.
//
// The model knows ahead of time when a message will arrive. Where nothing that can still happen changes which receive
// it goes to (a receive from its very source waits, and no message to that rank is due before it), the receive is given
// its data at once with the time from which they count, and the arrival is no event of its own.
//
// A processor that computes can be interrupted: steal(rank, cost) makes its computing that much longer. What a model
// can only do inside the rank's message calls it defers until the next one.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "events/agenda.hpp"
#include "events/large_pages.hpp"
#include "events/prefetch.hpp"
#include "events/radix_heap.hpp"
#include "ranks/communicator.hpp"
#include "ranks/exposed.hpp"
#include "ranks/groups.hpp"
#include "ranks/kernel_cost.hpp"
#include "ranks/log.hpp"
#include "ranks/long_queue.hpp"
#include "ranks/message_model.hpp"
#include "ranks/own_places.hpp"
#include "ranks/recorder.hpp"
#include "ranks/replayed_noise.hpp"
#include "ranks/sent_order.hpp"
#include "ranks/task.hpp"

namespace assay::described {

using RequestId = std::uint32_t;
inline constexpr std::uint32_t none = ~0U;
inline constexpr RequestId of_one_sided = none - 1;  // of a one-sided message: complete() waits for it

// What a rank was doing when nothing could happen any more.
struct Waiting {
  int rank;
  std::string call;  // "recv", "send", "wait", "wait_any", "probe", "sendrecv", "barrier", "complete"
  int peer;          // ranks::any_source where any rank would have done
  int tag;           // ranks::any_tag where any would have done
};

struct Arrived {
  int source = -1;
  int tag = 0;
  std::size_t bytes = 0;
  bool truncated = false;  // the receive had less room
};

enum class Call : std::uint8_t { recv, wait, isend, irecv, sendrecv, wait_any };

class FileSystem;
// Tags of what ranks and I/O nodes send each other; only they reach beyond the ranks.
inline constexpr int file_tag = ranks::last_tag + 1000;

class World {
 public:
  // What only saves work, and changes no time (tests/test_matching.py): receives that are given their data ahead, and
  // events of one time by place in memory on more ranks than `near`, whose words lie too far from each other for a
  // cache.
  struct ShortCuts {
    bool ahead = true;
    std::size_t near = 4096;
  };
  World(int ranks, MessageModel& model) : World(ranks, model, ShortCuts()) {}
  World(int ranks, MessageModel& model, ShortCuts shorter);
  ~World();
  World(const World&) = delete;

  // Give rank `rank` its program, which begins at once, while what it touches is at hand; then run all of them to the
  // end. Empty when all ended; throws what a rank threw.
  void start(int rank, ranks::Task task);
  std::vector<Waiting> run();
  int ranks() const { return static_cast<int>(ranks_.size()) - servers_; }
  // The last so many are I/O nodes, which programs do not see; they serve without end, and no end is waited for.
  void last_are_servers(int servers) { servers_ = servers; }
  // Where files are read and written, or nowhere (file_system.hpp).
  void files(FileSystem* files) { files_ = files; }
  FileSystem* files() const { return files_; }
  // A coroutine that sleeps in the machine itself goes on at that time.
  void wake(Time at, std::coroutine_handle<> sleeper) { resume(at, sleeper); }
  // The rank that is the host processor, the last one.
  std::optional<int> host() const { return host_; }
  void last_is_host() { host_ = ranks() - 1; }
  Time now() const { return now_; }
  // What a rank reads: whole ticks of the machine's clock.
  Time clock(Time since = 0) const { return now_ - since - (now_ - since) % clock_tick_; }
  void clock_tick(Time tick) { clock_tick_ = tick; }
  Time after(double seconds) const;
  // What takes the ranks' processors away from their computing: the traces in turn, none for undisturbed ones.
  void noise(std::vector<ReplayedNoise> traces) { noise_ = std::move(traces); }
  // What a unit of work takes, by kernel, on nodes of `on_node` ranks; none where the description does not say it.
  void costs(std::map<std::string, KernelCost, std::less<>> costs, int on_node) {
    costs_ = std::move(costs);
    on_node_ = on_node;
  }
  // Seconds of a unit on one processor whose data fit no cache.
  std::optional<double> cost_of(std::string_view kernel) const;
  // What work is charged, in seconds: of one rank alone, of these the node's bus, and what it takes at least of what
  // all ranks of a node do together. NotDescribed where the kernel is not.
  struct Charge {
    double alone = 0, bus = 0, shared = 0;
  };
  Charge charge(const ranks::Work& work) const;
  // The MPI library whose collectives a program may call; empty where none is described.
  void library(std::string name) { library_ = std::move(name); }
  const std::string& library() const { return library_; }
  std::uint64_t events() const { return events_served_; }
  std::uint64_t messages() const { return messages_sent_; }
  const MessageModel& model() const { return model_; }
  // Where everything is written down, or nowhere.
  void log(Log* log) { log_ = log; }
  void recorder(Recorder* recorder) { recorder_ = recorder; }
  // Room for a rank's communicator, where the rank's own words lie.
  void* beside(int rank) { return ranks_[static_cast<std::size_t>(rank)].beside; }
  Log* log() const { return log_; }

  // What the model owes for each message: at a time from now on.
  void call_returns(MessageId id, Time at);
  void buffer_free(MessageId id, Time at);
  void arrives(MessageId id, Time at);                      // its data, and with them itself if it was not announced
  void announces(MessageId id);                             // now; the data arrive later
  void expects(MessageId id) { ++receiver(id).announced; }  // will be announced, at a time that is known
  // What arrives(id) will touch, in four steps: what each names lies in what the one before names.
  template <int step>
  void fetch_arrival(MessageId id) const {
    if constexpr (step == 0) {
      events::prefetch(&messages_[id]);
      if (messages_.owned(id)) events::prefetch(&requests_[id]);  // which its sender mostly waits for
    } else {
      const Rank& rank = ranks_[static_cast<std::size_t>(messages_[id].message.destination)];
      if constexpr (step == 1) return events::prefetch(&rank);
      if (rank.receives.head == none) return;
      const Request& request = requests_[rank.receives.head];
      if constexpr (step == 2) events::prefetch(&request);
      if (step == 3 && messages_[id].message.bytes > sizeof request.few) events::prefetch(request.buffer);
    }
  }
  bool far() const { return far_; }
  // What else the model may ask for.
  void at(Time at, std::uint64_t subject) { schedule(at, Kind::model, subject); }
  void model_next(Time at) { model_next_ = at; }
  void model_sooner(Time at) { model_next_ = std::min(model_next_, at); }
  std::uint64_t next_event() const { return far() ? agenda_.first() : events_.first(); }
  const Message& message(MessageId id) const { return messages_[id].message; }
  // 64 bytes of the model's own for each message that it asks them for, from its send to its delivery.
  template <class Kept>
  Kept& kept(MessageId id) {
    static_assert(sizeof(Kept) <= sizeof(Models) && std::is_trivially_copyable_v<Kept>);
    if (id >= models_.size()) models_.resize(messages_.size());
    return *std::launder(reinterpret_cast<Kept*>(models_[id].bytes));
  }
  bool immediate(MessageId id) const { return messages_[id].request != none && !messages_[id].joined(); }
  bool announced(MessageId id) const { return messages_[id].announced; }
  bool computing(int rank) const { return ranks_[static_cast<std::size_t>(rank)].computing != none; }
  void steal(int rank, Time cost);
  // The part of a rank's computing that waits where others hold its node's bus; 0 where it does not compute.
  double bus_share(int rank) const;
  void defer(int rank, std::uint64_t subject, MessageId about) { deferred_[rank].push_back({subject, about}); }

  // What the ranks call, from their awaiters.
  void send(int from, const void* data, std::size_t bytes, int to, int tag, bool ready, std::coroutine_handle<> caller);
  RequestId isend(int from, const void* data, std::size_t bytes, int to, int tag, std::coroutine_handle<> caller);
  // The receive `with` was posted before; the caller goes on when it has its data and this buffer is free.
  MessageId sendrecv(int from, const void* data, std::size_t bytes, int to, int tag, RequestId with);
  void exchange(MessageId sent, RequestId with, std::coroutine_handle<> caller);
  RequestId post(int rank, void* buffer, std::size_t room, int from, int tag);
  bool complete(RequestId id) const {
    return requests_[id].done && requests_[id].cost == 0 && requests_[id].due <= now_;
  }
  // The same without what the receiver's processor still owes, which test() takes.
  bool over(RequestId id) const { return requests_[id].done && requests_[id].due <= now_; }
  void await(RequestId id, std::coroutine_handle<> waiter, Call call);
  // Of a complete request, which is gone afterwards; finish() throws where a message was longer than its room.
  Arrived conclude(RequestId id);
  Arrived finish(RequestId id);
  bool cancel(RequestId id);  // a receive that no message has come to; false where it is too late
  // A send that is over when its message is received (world_synchronous.cpp): when both of these are complete.
  struct Synchronous {
    RequestId send, answer;
  };
  Synchronous synchronous_send(int from, const void* data, std::size_t bytes, int to, int tag,
                               std::coroutine_handle<> caller);
  // A message that waits is taken for a receive that is posted later.
  struct Claimed {
    MessageId message;
    Arrived about;
  };
  std::optional<Claimed> claim(int rank, int from, int tag);
  RequestId post_claimed(int rank, void* buffer, std::size_t room, MessageId claimed);
  // What goes along with a message in no time, for libraries whose tags are longer than these (world_notes.cpp).
  struct Note {
    std::uint64_t tag = 0, data = 0;
  };
  void note(const Note& note) { next_note_ = note; }  // of the next message that is sent
  Note noted(RequestId receive);                      // of the message that it took; once
  Note noted_at(int rank, int from, int tag);         // of the message that sighted() gives
  // A request of the caller's own, which is complete when it is fulfilled; the last thing that the caller does then.
  RequestId promise(int rank) { return new_request(rank, Call::irecv, nullptr, 0, ranks::any_source, 0); }
  void fulfil(RequestId id) {
    requests_[id].due = now_;
    complete_request(id);
  }
  // From now on long queues of receives and messages are found by source and tag (world_queues.cpp).
  void index_queues() { indexed_.resize(ranks_.size()); }
  // Asking and waiting for whatever comes first (world_polling.cpp).
  void test(int rank, RequestId id, bool& over, std::coroutine_handle<> caller);
  void await_any(int rank, std::vector<RequestId> requests, std::size_t& place, std::coroutine_handle<> caller);
  std::optional<Arrived> sighted(int rank, int from, int tag);  // a message that no receive has taken
  void probe(int rank, int from, int tag, Arrived& found, std::coroutine_handle<> caller);
  void poll(int rank, std::coroutine_handle<> caller);  // it has asked in vain
  bool moves() const;                                   // whether anything is under way that may end a rank's asking
  // Computing of so many `seconds` alone, which takes `memory` seconds of what the node's ranks share: with k of them
  // at such work at a time it goes at the rate of k `memory`, where that is slower.
  void compute(int rank, const Charge& charge, std::coroutine_handle<> sleeper);
  // The machine's own barrier: the last of the first `among` ranks of a group to enter releases all, `cost` later.
  void barrier(int rank, GroupId group, int among, Time cost, std::coroutine_handle<> caller);
  // A rank in a barrier of the measurement's, which is no part of what is simulated: all go on `quiet` after the last
  // has come, at the beginning of a cycle of the network, as at time 0, and each knows the greatest value that any of
  // them brought.
  struct Meeter {
    int rank, place;  // among all, in its group
    std::int64_t value;
    std::coroutine_handle<> caller;
  };
  void meet(GroupId group, int among, Time quiet, Meeter* meeter);

  // Groups of ranks (groups.hpp). The tags that the calls above take are words of tag and context, checked before.
  Groups& groups() { return groups_; }
  const Groups& groups() const { return groups_; }
  // The rank's coroutine goes on at that time, unless its program has left by then.
  void goes_on(Time at, int rank, std::coroutine_handle<> caller);
  static void check_tag(int rank, const char* does, int tag) {
    if (static_cast<unsigned>(tag) > static_cast<unsigned>(ranks::greatest_tag)) [[unlikely]]
      refuse_tag(rank, does, tag);
  }

  // Several programs that come and go, each on ranks of its own while it is there (jobs.hpp, world_jobs.cpp): no
  // program has all ranks. A program is a group of ranks, its communicator.
  void hold_programs() { seats_.assign(ranks_.size(), {}); }
  GroupId enter(const std::vector<int>& ranks);  // now; then start_at for each
  void start_at(Time at, int rank, ranks::Task task);
  // It is over, or ended before its time. Its messages go on through the machine, and no rank waits for them.
  void leave(GroupId program);
  // Serves what happens up to `until`, and stops where halt() is called, or after some tenths of a second: then there
  // is more.
  bool advance(Time until);
  void halt() { halted_ = true; }
  // Which ranks of a program wait for which; and whether nothing of it moves, so that it never goes on.
  std::vector<Waiting> waiting(GroupId program) const;
  bool stuck(GroupId program) const;
  // What a rank is called by its own program.
  int number(int rank) const;
  // The program that has a rank, 0 where one has all; and how many had it before, so that what is under way for one
  // that has left is distinguished from what is for the next.
  GroupId program(int rank) const { return seats_.empty() ? 0 : seats_[static_cast<std::size_t>(rank)].program; }
  std::uint32_t turn(int rank) const { return seats_.empty() ? 0 : seats_[static_cast<std::size_t>(rank)].turn; }

  // One-sided messages (exposed.hpp), which no receive takes.
  Exposed& exposed() { return exposed_; }
  MessageId one_sided(int from, const void* data, std::size_t bytes, int to, int tag, std::coroutine_handle<> caller);
  std::byte* carried(MessageId id);  // its data, or null
  void delivered(MessageId id);

 private:
  static constexpr std::uint8_t owes_return = 1, owes_buffer = 2, owes_delivery = 4;
  enum class Kind : std::uint8_t { resume, completes, returns, freed, arrival, due, model, computed, turn, first, met };
  struct Event {
    Time at;
    std::uint64_t what;  // the kind in the highest byte; a coroutine, a number
  };
  enum class Data : std::uint8_t { none, few, lent, kept };  // none given; here; the sender's, until it goes on; a copy
  struct alignas(64) Models {
    std::byte bytes[64];
  };
  struct alignas(64) InFlight {
    Message message;
    union {
      std::byte few[16];
      const std::byte* lent;
      std::byte* kept;
    };
    std::coroutine_handle<> caller;
    RequestId request = none;   // of an immediate send; the receive that its sender waits for with it
    RequestId taken_by = none;  // the receive that it goes to
    std::uint32_t next = none;
    std::uint8_t owed : 3 = 0;  // bits: what the model still owes for it
    bool here : 1 = false;      // its data have come
    bool announced : 1 = false;
    bool held : 1 = false;  // came before one that was sent before it
    Data data : 2 = Data::none;
    bool joined() const { return !caller && request != none; }  // a sendrecv's
  };
  struct alignas(64) Request {
    void* buffer = nullptr;
    std::coroutine_handle<> waiter;
    Time cost = 0;  // what the receiver's processor still owes for it
    Time due = 0;   // when the data are there
    union {
      std::uint64_t room = 0;  // bytes
      std::byte few[8];        // what came, where that is so little, until the receiver looks
    };
    std::uint64_t bytes : 48 = 0;  // of what arrived
    Call call : 3 = Call::recv;
    bool done : 1 = false, send : 1 = false, live : 1 = false;
    bool sending : 1 = false;  // until its sendrecv's buffer is free, at a time that is known
    bool ahead : 1 = false;    // is given its data before `due`: in the rank's list of these
    bool ready : 1 = false;
    bool holds : 1 = false;           // `few`
    bool truncated : 1 = false;       // there was less room than came
    int rank = 0, peer = 0, tag = 0;  // peer: of what arrived, once it has
    std::uint32_t next = none;
  };
  static_assert(sizeof(InFlight) == 64 && sizeof(Request) == 64);
  struct Queue {
    std::uint32_t head = none, tail = none;
  };
  struct alignas(64) Rank {
    ranks::Task task;
    Queue receives, messages;
    std::uint32_t computing = none;
    Queue ahead;                  // receives that have their data before these are due
    std::uint32_t announced = 0;  // messages to it that are known to come and not yet matched
    alignas(8) std::byte beside[16];
    InFlight message;  // the first of each that is under way; more go beyond
    Request request;
  };
  static_assert(sizeof(Rank) == 192);
  struct Computing {
    std::coroutine_handle<> sleeper;
    Time end;
    int rank;
    std::uint32_t version = 0;  // of its end; an event of another one is void
    // Where memory is shared: ps alone, of the bus and at least of the node, what is left of it (1: all), since when,
    // and at what pace.
    double alone = 0, bus = 0, shared = 0, left = 0, pace = 1;
    Time since = 0;
    Time began_with = 0;       // what was to be done at its beginning
    std::uint32_t stolen = 0;  // how often others' messages have taken its processor
  };

  // Who has a rank, and how many had it before.
  struct Seat {
    GroupId program = 0;
    std::uint32_t turn = 0;
  };
  // A coroutine of a program that may have left when its time comes.
  struct Turn {
    std::coroutine_handle<> caller;
    int rank = 0;
    std::uint32_t turn = 0;
  };

  void schedule(Time at, Kind kind, std::uint64_t subject) {
    // half of the clock's range, so that what is added to a time never wraps round it
    if (static_cast<std::uint64_t>(at) > std::uint64_t{1} << 62) [[unlikely]]
      out_of_time();
    enqueue(at, kind, subject);
  }
  [[noreturn]] static void out_of_time();
  [[noreturn]] static void out_of_bits(std::uint64_t subject);
  // A coroutine's address or a number, in the 56 bits below its kind. User addresses of x86-64 with 5-level page tables
  // and of 64-bit Arm have at most 56 bits; tagged pointers (top byte ignore, memory tagging, linear address masking)
  // do not fit, and are refused.
  void enqueue(Time at, Kind kind, std::uint64_t subject) {
    if (subject >> 56 != 0) [[unlikely]]
      out_of_bits(subject);
    const std::uint64_t what = static_cast<std::uint64_t>(kind) << 56 | subject;
    far() ? agenda_.push({at, what}, ring(kind)) : events_.push({at, what});
  }
  void resume(Time at, std::coroutine_handle<> handle);
  [[noreturn]] static void refuse_tag(int rank, const char* does, int tag);
  MessageId announce(int from, const void* data, std::size_t bytes, int to, int tag, bool ready,
                     std::coroutine_handle<> caller);
  RequestId new_request(int rank, Call call, void* buffer, std::size_t room, int peer, int tag);
  void dispatch(const Event& event);
  void serve(Time until, std::uint32_t pieces);
  void take_turn(std::uint32_t index);
  void go_on(std::uint32_t meeting);
  bool gone(const InFlight& flight) const {
    return flight.caller == noop_ || (flight.joined() && requests_[flight.request].waiter == noop_);
  }
  template <int step>
  void fetch(const Event& event) const;
  static std::size_t ring(Kind kind) {
    return kind == Kind::completes ? 1 : kind == Kind::freed ? 2 : kind == Kind::model ? 3 : 0;
  }
  static std::uint32_t place(const Event& event);
  Event take_far();
  // How many there are that a message with this tag may go to.
  int within_reach(int tag) const { return tag >= file_tag ? static_cast<int>(ranks_.size()) : ranks(); }
  Rank& receiver(MessageId id) { return ranks_[static_cast<std::size_t>(messages_[id].message.destination)]; }
  static std::uint64_t receive_key(const Request& request);
  void add_receive(int rank, RequestId id);
  RequestId take_receive(const Message& message, bool certain);
  void add_message(MessageId id);
  MessageId waiting_message(int rank, int from, int tag, bool take);
  void takes(MessageId id, RequestId receive);
  void answer(MessageId id);
  void pass_note(MessageId id, RequestId receive);
  bool gives_ahead(MessageId id, Time at);
  void give(MessageId id, RequestId to);
  void secure(MessageId id);
  void sent(MessageId id, Time at);
  void keep(MessageId id);
  void came_due(RequestId id);
  void data_arrives(MessageId id);
  void arrive(MessageId id);
  bool in_turn(MessageId id);
  void match(MessageId id);
  void deliver(MessageId id);
  void answered(MessageId id, std::uint8_t what);
  void complete_request(RequestId id);
  void is_first(RequestId id);
  void sight(MessageId id);
  // From now on messages from one rank to this one are matched in the order of their sends, whatever their tags are.
  void takes_any_tag(int rank);
  bool takes_in_order(MessageId id) const {
    return !any_tags_.empty() && any_tags_[static_cast<std::size_t>(messages_[id].message.destination)];
  }
  void attend(int rank);
  void computed(std::uint64_t subject);
  void ends(std::uint32_t index);
  void share_anew(int node);
  Time computing_until(int rank, Time begin, Time work) const;
  static bool fits(int peer, int tag, const Message& message) {
    return (tag == message.tag || (tag < 0 && any_fits(tag, message.tag))) &&
           (peer == ranks::any_source || peer == message.source);
  }
  static bool fits(const Request& receive, const Message& message) { return fits(receive.peer, receive.tag, message); }
  static bool any_fits(int any, int tag) {
    return tag >= 0 && context_of(tag) == context_of(any) && (tag < file_tag || context_of(tag) != 0);
  }
  static int said_tag(int word) {  // any also of an answer to a synchronous send (world_synchronous.cpp)
    return word < 0 || context_of(word) == Groups::contexts - 1 ? ranks::any_tag : plain_tag(word);
  }
  // A queue's links lie in its items: in messages_ or requests_.
  template <class Items>
  static void put_in(Items& items, Queue& queue, std::uint32_t id) {
    items[id].next = none;
    (queue.head == none ? queue.head : items[queue.tail].next) = id;
    queue.tail = id;
  }
  template <class Items>
  static void take_out(Items& items, Queue& queue, std::uint32_t before, std::uint32_t id) {
    (before == none ? queue.head : items[before].next) = items[id].next;
    if (queue.tail == id) queue.tail = before;
  }
  static void hand_over(const InFlight& flight, Request& request);
  // Most messages of many ranks are one number.
  static void copy(void* to, const void* from, std::size_t bytes) {
    bytes == 8 ? std::memcpy(to, from, 8) : std::memcpy(to, from, bytes);
  }
  std::vector<Waiting> waiting() const;

  std::optional<int> host_;
  MessageModel& model_;
  Exposed exposed_{*this, model_};
  Groups groups_{*this};
  Time now_ = 0, clock_tick_ = 1, model_next_ = never;
  const bool keeps_order_, interrupts_, ahead_, far_;
  int servers_ = 0;
  FileSystem* files_ = nullptr;
  SentOrder sent_;  // where messages may overtake one another
  Log* log_ = nullptr;
  Recorder* recorder_ = nullptr;
  std::uint64_t events_served_ = 0, messages_sent_ = 0;
  events::RadixHeap<Event> events_;
  events::Agenda<Event, 4> agenda_;  // in place of events_ where there are very many ranks
  events::LargeVector<Rank> ranks_;
  std::vector<ReplayedNoise> noise_;
  std::map<std::string, KernelCost, std::less<>> costs_;
  int on_node_ = 1;
  std::map<int, std::vector<std::uint32_t>> sharing_;  // which computing is from memory, by node
  std::vector<double> queues_;                         // of these, while they are counted
  std::string library_;
  OwnPlaces<Rank, InFlight, &Rank::message> messages_{ranks_};
  events::LargeVector<Models> models_;
  std::vector<MessageId> free_messages_;
  OwnPlaces<Rank, Request, &Rank::request> requests_{ranks_};
  std::vector<RequestId> free_requests_;
  std::vector<Computing> computing_;
  std::vector<std::uint32_t> free_computing_;
  // What of a message waits until a rank makes a call.
  struct Deferred {
    std::uint64_t subject;
    MessageId about;
  };
  std::unordered_map<int, std::vector<Deferred>> deferred_;
  // By group and number of ranks.
  std::map<std::pair<GroupId, int>, std::vector<std::pair<int, std::coroutine_handle<>>>> in_barrier_;
  std::map<std::pair<GroupId, int>, std::vector<Meeter*>> meeting_;
  std::vector<std::vector<Meeter*>> met_;  // which have met and are to go on, in order of places
  // Where programs come and go: by rank; those to go on.
  std::vector<Seat> seats_;
  std::vector<Turn> turns_;
  std::vector<std::uint32_t> free_turns_;
  // What waits for the first of several receives, and what for a message that it may look at, by rank.
  struct Several {
    std::vector<RequestId> requests;
    std::size_t* place;
    std::coroutine_handle<> caller;
  };
  struct Looking {
    int from, tag;
    Arrived* found;
    std::coroutine_handle<> caller;
  };
  std::unordered_map<int, Several> several_;
  std::unordered_map<int, Looking> looking_;
  // Of a rank: its queues by source and tag, where they are long, and how long its lists are.
  struct Indexed {
    std::unique_ptr<LongQueue> receives, messages;
    std::size_t receives_listed = 0, messages_listed = 0;
  };
  std::vector<Indexed> indexed_;
  std::unordered_map<MessageId, int> synchronous_;  // the words of the answers to these
  std::uint32_t answered_ = 0;
  std::optional<Note> next_note_;
  std::unordered_map<MessageId, Note> notes_;   // of messages that no receive has taken
  std::unordered_map<RequestId, Note> passed_;  // of those that one has
  std::vector<bool> any_tags_;  // ranks that take any tag, where messages do not keep their order by themselves
  std::uint64_t last_poll_ = 0, polls_ = 0;
  bool halted_ = false;
  const std::coroutine_handle<> noop_ = std::noop_coroutine();  // waits in the place of a coroutine that is gone
};

}  // namespace assay::described
