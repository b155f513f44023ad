#include "ranks/world.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "events/stop.hpp"
#include "ranks/communicator.hpp"
#include "timing/faults.hpp"

namespace assay::described {

World::World(int ranks, MessageModel& model, ShortCuts shorter)
    : model_(model),
      keeps_order_(model.keeps_order()),
      interrupts_(model.interrupts()),
      ahead_(shorter.ahead && keeps_order_ && model.arrives_quietly()),
      far_(static_cast<std::size_t>(ranks) > shorter.near),
      ranks_(static_cast<std::size_t>(ranks)) {
  messages_.reserve(ranks_.size());  // for what goes on behind a rank's next message
}
World::~World() {
  for (auto& flight : messages_.all())
    if (flight.data == Data::kept) delete[] flight.kept;
}

namespace {
// Who asked for it to be sent.
int caller_of(const Message& message) { return message.tag == Exposed::get_tag ? message.destination : message.source; }
}  // namespace

void World::start(int rank, ranks::Task task) {
  ranks::Task& its = ranks_[static_cast<std::size_t>(rank)].task;
  its = std::move(task);
  ++events_served_;
  its.handle().resume();
}

// Until nothing is left up to that time, halt() is called, or so many pieces of it are done (0: any number).
void World::serve(Time until, std::uint32_t pieces) {
  events::Steps steps;
  for (std::uint32_t left = steps.next(); !halted_; --left) {
    if (left == 0) {
      if (pieces > 0 && --pieces == 0) break;
      left = steps.next();
    }
    const std::uint64_t first = next_event();
    if (first <= static_cast<std::uint64_t>(model_next_)) {
      if (first > static_cast<std::uint64_t>(until)) break;
      const Event event = far() ? take_far() : events_.pop();
      now_ = event.at;
      ++events_served_;
      dispatch(event);
    } else if (model_next_ > until) {
      break;
    } else {
      now_ = model_next_;
      model_.serve(*this);
    }
  }
}

std::vector<Waiting> World::run() {
  serve(never - 1, 0);
  for (const auto& rank : ranks_) {
    if (rank.task.done()) rank.task.result();  // what ended a rank explains more than which ranks waited for it
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    if (!ranks_[static_cast<std::size_t>(rank)].task.done()) return waiting();
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
      secure(id);
      if (messages_[id].joined()) {
        sent(id, now_);
        break;
      }
      answered(id, owes_buffer);
      if (request == none) {
        if (log_) log_->ends(rank, now_);
        caller.resume();
      } else if (request != of_one_sided) {
        complete_request(request);
      }
      break;
    }
    case Kind::arrival:
      data_arrives(id);
      break;
    case Kind::due:
      came_due(id);
      break;
    case Kind::computed:
      computed(event.what & ((std::uint64_t{1} << 56) - 1));
      break;
    case Kind::first:
      is_first(id);
      break;
    case Kind::turn:
      take_turn(id);
      break;
    case Kind::met:
      go_on(id);
      break;
  }
}

std::uint32_t World::place(const Event& event) {
  const auto kind = static_cast<Kind>(event.what >> 56);
  return kind == Kind::resume || kind == Kind::model ? 0 : static_cast<std::uint32_t>(event.what);
}

// Fetches the words that a later event will access: those of a million ranks are in no cache.
template <int step>
void World::fetch(const Event& event) const {
  const auto lines = [](const void* from, int count) {
    for (int line = 0; line < count; ++line) events::prefetch(static_cast<const char*>(from) + 64 * line);
  };
  const std::uint64_t subject = event.what & ((std::uint64_t{1} << 56) - 1);
  switch (static_cast<Kind>(event.what >> 56)) {
    case Kind::resume:
      if (step < 2) lines(reinterpret_cast<const void*>(subject), 5);
      break;
    case Kind::completes:
      if (step == 0) lines(&requests_[subject], 1);
      if (step == 1) lines(requests_[subject].waiter.address(), 3);
      if (requests_.owned(subject)) {  // its rank goes on, and mostly sends and receives
        if (step == 0) lines(&ranks_[subject], 1);
        if (step == 0) lines(&messages_[subject], 1);
        if (step == 1) {
          model_.fetch(static_cast<int>(subject));
          if (const auto waits = ranks_[subject].messages.head; waits != none) lines(&messages_[waits], 1);
        }
      }
      break;
    case Kind::returns:
    case Kind::freed:
      if (step == 0) lines(&messages_[subject], 1);
      if (step == 0 && messages_.owned(subject)) {  // the sender's own, which it will look at next
        lines(&requests_[subject], 1);
        lines(&ranks_[subject], 1);
      }
      if (step == 1) lines(messages_[subject].caller.address(), 4);
      break;
    case Kind::arrival:
      fetch_arrival<step>(static_cast<MessageId>(subject));
      break;
    default:
      break;
  }
}

// Many events at one time go by place in memory, and what one names lies in what the one before names: two steps.
World::Event World::take_far() {
  const auto most = [this] { return static_cast<std::uint32_t>(std::max(messages_.size(), requests_.size())); };
  const Event event = agenda_.pop(most, place);
  if (const Event* next = agenda_.peek(16)) fetch<0>(*next);
  if (const Event* next = agenda_.peek(8)) fetch<1>(*next);
  return event;
}

void World::out_of_time() {
  throw timing::InputFault(
      "simulated time passes 53 days, which its clock of picoseconds does not hold; expected shorter start-ups and "
      "work, fewer or shorter messages");
}
void World::out_of_bits(std::uint64_t subject) {
  throw std::logic_error("an event's subject has more than 56 bits: got " + std::to_string(subject) +
                         "; expected addresses without tags in their highest byte");
}
Time World::after(double seconds) const {
  if (!(seconds * picoseconds_a_second < 0x1p62)) out_of_time();
  return now_ + std::llround(seconds * picoseconds_a_second);
}
void World::resume(Time at, std::coroutine_handle<> handle) {
  schedule(at, Kind::resume, reinterpret_cast<std::uint64_t>(handle.address()));
}
namespace {
const KernelLevel* level_of(const KernelCost& cost, double memory) {
  const auto found = std::ranges::find_if(cost.levels, [&](const KernelLevel& each) { return memory <= each.up_to; });
  return found == cost.levels.end() ? nullptr : &*found;
}
// Which key of the description would have what a kernel takes.
std::string missing_key(std::string_view kernel) {
  constexpr std::string_view device = "device_";
  if (!kernel.starts_with(device))
    return "[compute] has neither rate." + std::string(kernel) + " nor time." + std::string(kernel);
  const std::string of(kernel.substr(device.size()));
  return "[device] has no " + std::string(of == "memory" || of == "link" || of == "launch" ? "" : "peak.") + of;
}
}  // namespace

std::optional<double> World::cost_of(std::string_view kernel) const {
  const auto found = costs_.find(kernel);
  const KernelLevel* level = found == costs_.end() ? nullptr : level_of(found->second, ranks::Work::any);
  return level ? std::optional(level->own + level->bus) : std::nullopt;
}
World::Charge World::charge(const ranks::Work& work) const {
  const auto found = costs_.find(work.kernel);
  const KernelLevel* level = found == costs_.end() ? nullptr : level_of(found->second, work.memory);
  if (!level) throw NotDescribed(missing_key(work.kernel));
  const double unit = level->own + level->bus;
  return {(unit + unit * found->second.half / work.length) * work.amount, level->bus * work.amount,
          found->second.shared * work.amount};
}
// --- processors

namespace {
// Of the mean queue at a bus by so many processors, one processor's part: mean value analysis of a closed network whose
// processors need the bus for this share of their time (src/assay/described/node_model.py).
double queue_of_one(double share, std::size_t processors) {
  double queue = 0;
  for (std::size_t at_work = 1; at_work <= processors; ++at_work) {
    const double response = share * (1 + queue);
    queue = static_cast<double>(at_work) * response / (1 - share + response);
  }
  return processors == 0 ? 0 : queue / static_cast<double>(processors);
}
}  // namespace

double World::bus_share(int rank) const {
  const auto index = ranks_[static_cast<std::size_t>(rank)].computing;
  if (index == none || computing_[index].bus <= 0) return 0;
  return computing_[index].bus / computing_[index].alone;
}

void World::compute(int rank, const Charge& charge, std::coroutine_handle<> sleeper) {
  std::uint32_t index = static_cast<std::uint32_t>(computing_.size());
  if (free_computing_.empty()) {
    computing_.emplace_back();
  } else {
    index = free_computing_.back();
    free_computing_.pop_back();
  }
  if (log_) log_->begins(rank, Log::Doing::compute, now_);
  if (recorder_) recorder_->computes(rank, charge.alone);
  const std::uint32_t version = computing_[index].version;
  computing_[index] = {sleeper, computing_until(rank, now_, after(charge.alone) - now_), rank, version};
  Computing& own = computing_[index];
  own.began_with = own.end - now_;
  Rank& mine = ranks_[static_cast<std::size_t>(rank)];
  mine.computing = index;
  for (RequestId each = std::exchange(mine.ahead, {}).head; each != none; each = requests_[each].next) {
    requests_[each].ahead = false;
    if (requests_[each].due > now_) schedule(requests_[each].due, Kind::due, each);
  }
  own.alone = charge.alone * picoseconds_a_second;
  own.bus = charge.bus * picoseconds_a_second;
  own.shared = charge.shared * picoseconds_a_second;
  if (on_node_ == 1 || own.bus + own.shared <= 0) return ends(index);
  own.left = 1;
  own.since = now_;
  sharing_[rank / on_node_].push_back(index);
  share_anew(rank / on_node_);
}

void World::ends(std::uint32_t index) {
  schedule(computing_[index].end, Kind::computed, std::uint64_t{computing_[index].version & 0xffffffU} << 32 | index);
}

// Another rank of the node begins or ends to compute from the memory that they share. Each waits for the bus behind the
// queue that the others are: exact for equal kernels and for two of any kind, else an approximation by networks of one
// kernel each.
void World::share_anew(int node) {
  auto& group = sharing_[node];
  double queue = 0;
  std::vector<double>& queues = queues_;
  queues.clear();
  for (const std::uint32_t index : group) {
    queues.push_back(queue_of_one(computing_[index].bus / computing_[index].alone, group.size() - 1));
    queue += queues.back();
  }
  for (std::size_t place = 0; place < group.size(); ++place) {
    const std::uint32_t index = group[place];
    Computing& each = computing_[index];
    each.left = std::clamp(each.left - static_cast<double>(now_ - each.since) / each.pace, 0.0, 1.0);
    each.since = now_;
    const double waiting = each.bus * (queue - queues[place]);
    each.pace = std::max({1.0, each.alone + waiting, static_cast<double>(group.size()) * each.shared});
    each.end = computing_until(each.rank, now_, std::llround(each.left * each.pace));
    ++each.version;
    ends(index);
  }
}

void World::computed(std::uint64_t subject) {
  const auto index = static_cast<std::uint32_t>(subject);
  const Computing done = computing_[index];
  if ((done.version & 0xffffffU) != subject >> 32) return;
  if (done.end > now_) return ends(index);
  ++computing_[index].version;
  if (on_node_ > 1 && done.bus + done.shared > 0) {
    std::erase(sharing_[done.rank / on_node_], index);
    share_anew(done.rank / on_node_);
  }
  ranks_[static_cast<std::size_t>(done.rank)].computing = none;
  free_computing_.push_back(index);
  if (log_) log_->ends(done.rank, now_);
  done.sleeper.resume();
}

void World::steal(int rank, Time cost) {
  if (computing_.size() == free_computing_.size()) return;  // no rank computes
  const auto index = ranks_[static_cast<std::size_t>(rank)].computing;
  if (index == none) return;
  Computing& mine = computing_[index];
  mine.end = computing_until(rank, mine.end, cost);
  mine.since += cost;
  static constexpr std::uint32_t often = 100'000;  // in that time what comes in takes all that there is, or it does not
  if (++mine.stolen % often == 0 && mine.end - now_ >= mine.began_with)
    throw std::runtime_error("rank " + std::to_string(number(rank)) +
                             " computes for ever: the messages that it receives or forwards take all of its time");
}

Time World::computing_until(int rank, Time begin, Time work) const {
  if (noise_.empty()) [[likely]]
    return begin + work;
  const auto place = static_cast<std::size_t>(rank);
  const ReplayedNoise& mine = noise_[place % noise_.size()];
  const Time from = mine.moment(place / noise_.size());
  return mine.ends(begin + from, work) - from;
}

// The rank is inside a message call: what waited for that happens.
void World::attend(int rank) {
  if (deferred_.empty()) [[likely]]
    return;
  const auto found = deferred_.find(rank);
  if (found == deferred_.end()) return;
  for (const Deferred& each : found->second) schedule(now_, Kind::model, each.subject);
  deferred_.erase(found);
}

void World::barrier(int rank, GroupId group, int among, Time cost, std::coroutine_handle<> caller) {
  attend(rank);
  if (log_) log_->begins(rank, Log::Doing::barrier, now_);
  if (recorder_ && cost > 0) recorder_->lacks("a barrier of the machine's own");
  auto& inside = in_barrier_[{group, among}];
  inside.emplace_back(rank, caller);
  if (static_cast<int>(inside.size()) < among) return;
  for (const auto& [who, each] : std::exchange(inside, {})) {
    if (log_) log_->ends(who, now_ + cost);
    goes_on(now_ + cost, who, each);
  }
}

void World::meet(GroupId group, int among, Time quiet, Meeter* meeter) {
  attend(meeter->rank);
  auto& inside = meeting_[{group, among}];
  if (inside.empty()) inside.reserve(static_cast<std::size_t>(among));
  inside.push_back(meeter);
  if (static_cast<int>(inside.size()) < among) return;
  std::vector<Meeter*> all = std::exchange(inside, {});
  if (recorder_)
    for (const Meeter* const each : all) recorder_->meets(each->rank);
  const std::int64_t greatest = std::ranges::max(all, {}, &Meeter::value)->value;
  for (Meeter* const each : all) each->value = greatest;
  if (!std::ranges::is_sorted(all, {}, &Meeter::place)) std::ranges::sort(all, {}, &Meeter::place);
  const Time grain = model_.grain(), at = (now_ + quiet + grain - 1) / grain * grain;
  if (!seats_.empty()) {  // some may have left by then
    for (const Meeter* const each : all) goes_on(at, each->rank, each->caller);
    return;
  }
  met_.push_back(std::move(all));
  schedule(at, Kind::met, met_.size() - 1);
}

// One after the other, in order of their places, and never an event for each: there may be a million.
void World::go_on(std::uint32_t meeting) {
  const std::vector<Meeter*> all = std::exchange(met_[meeting], {});
  while (!met_.empty() && met_.back().empty()) met_.pop_back();
  for (const Meeter* const each : all) each->caller.resume();
}

std::vector<Waiting> World::waiting() const {
  static constexpr const char* calls[] = {"recv", "wait", "isend", "irecv", "sendrecv", "wait_any"};
  std::vector<Waiting> found;
  for (const auto& request : requests_.all()) {
    if (request.live && !request.done && request.waiter && request.waiter != noop_ && !request.sending) {
      found.push_back(
          {request.rank, calls[static_cast<std::size_t>(request.call)], request.peer, said_tag(request.tag)});
    }
  }
  for (const auto& flight : messages_.all()) {
    if ((flight.owed & owes_buffer) != 0 && (flight.request == none || flight.joined()) && !gone(flight)) {
      found.push_back({flight.message.source, "send", flight.message.destination, plain_tag(flight.message.tag)});
    }
  }
  for (const int rank : groups_.waiting()) found.push_back({rank, "split", ranks::any_source, 0});
  for (const auto& [_, inside] : in_barrier_) {
    for (const auto& [rank, caller] : inside) found.push_back({rank, "barrier", ranks::any_source, 0});
  }
  for (const auto& [rank, each] : looking_) found.push_back({rank, "probe", each.from, said_tag(each.tag)});
  exposed_.add_waiting(found);
  for (const auto& [_, inside] : meeting_) {
    for (const Meeter* const each : inside) found.push_back({each->rank, "barrier", ranks::any_source, 0});
  }
  std::erase_if(found, [this](const Waiting& each) { return each.rank >= ranks(); });
  std::ranges::sort(found, {}, &Waiting::rank);
  return found;
}

}  // namespace assay::described
