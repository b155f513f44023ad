#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <tuple>

#include "goal/replay.hpp"
#include "ranks/frames.hpp"
#include "ranks/playing.hpp"
#include "ranks/simulated.hpp"

namespace assay::goal {
namespace {
using described::Simulated;
using described::Time;
using described::World;

// What one message takes alone, by its length and how far it goes: measured on the empty machine.
class Alone {
 public:
  Alone(int ranks, const described::MachineParameters& machine)
      : model_(described::model_of(machine)), world_(ranks, *model_) {}
  struct Cost {
    Time sender = 0, free = 0, latency = 0, gap = 0, receiver = 0;
  };
  const Cost& of(int from, int to, std::uint64_t bytes) {
    const Key key{bytes, from == to ? -2 : model_->hops(from, to).value_or(-1), model_->same_node(from, to)};
    if (key == last_key_) return *last_;
    auto found = costs_.find(key);
    if (found == costs_.end()) {
      const auto [empty, none] = once(from, to, 0);
      auto [cost, transit] = once(from, to, bytes);
      cost.latency = std::min(none, transit);
      cost.gap = transit - cost.latency;
      found = costs_.emplace(key, cost).first;
    }
    last_key_ = key;
    last_ = &found->second;
    return *last_;
  }

 private:
  using Key = std::tuple<std::uint64_t, int, bool>;
  struct Moments {
    Time begun = 0, returned = 0, free = 0, received = 0;
  };
  static ranks::Task send(World& world, int from, int to, std::uint64_t bytes, Moments& at) {
    at.begun = world.now();
    const auto receive = from == to ? world.post(to, nullptr, bytes, from, 0) : described::none;
    Simulated::Isend sending{world, nullptr, bytes, from, to, 0};
    const auto request = co_await sending;
    at.returned = world.now();
    co_await Simulated::WaitSent{{world, request.id, described::Call::wait, 0}};
    at.free = world.now();
    if (receive == described::none) co_return;
    co_await Simulated::WaitSent{{world, receive, described::Call::wait, 0}};
    at.received = world.now();
  }
  static ranks::Task receive(World& world, int from, int to, std::uint64_t bytes, Moments& at) {
    const auto request = world.post(to, nullptr, bytes, from, 0);
    co_await Simulated::WaitSent{{world, request, described::Call::recv, 0}};
    at.received = world.now();
  }
  std::pair<Cost, Time> once(int from, int to, std::uint64_t bytes) {
    Moments at;
    if (from != to) world_.start(to, receive(world_, from, to, bytes, at));
    world_.start(from, send(world_, from, to, bytes, at));
    world_.run();
    Cost cost;
    cost.sender = at.returned - at.begun;
    cost.free = std::max(at.free, at.returned) - at.begun;
    cost.receiver = model_->receiving({from, to, 0, false, bytes});
    return {cost, at.received - at.begun - cost.sender - cost.receiver};
  }

  const described::FrameArena arena_;
  std::unique_ptr<described::MessageModel> model_;
  World world_;
  std::map<Key, Cost> costs_;
  Key last_key_{0, -3, false};
  const Cost* last_ = nullptr;
};

struct Coming {
  int source, destination, tag;
  std::uint64_t bytes;
  Time gap, receiver;
};
struct Receive {
  std::uint32_t op;
  int source, tag;
};
bool fits(const Receive& receive, const Coming& coming) {
  return (receive.source < 0 || receive.source == coming.source) && (receive.tag < 0 || receive.tag == coming.tag);
}

class LogGops {
 public:
  LogGops(const Schedule& schedule, const described::MachineParameters& machine)
      : schedule_(schedule), alone_(static_cast<int>(schedule.ranks.size()), machine) {
    for (const RankOps& its : schedule.ranks) ranks_.emplace_back(its);
  }
  Time run() {
    Time last = 0;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) put(0, What::turn, rank, 0);
    std::vector<std::uint32_t> touched;
    while (!events_.empty()) {
      now_ = events_.top().at;
      touched.clear();
      while (!events_.empty() && events_.top().at == now_) {  // all that happens at a time, then who goes on
        const Event event = events_.top();
        events_.pop();
        happens(event, last);
        touched.push_back(event.rank);
      }
      for (const std::uint32_t rank : touched) turn(rank);
    }
    return last;
  }

 private:
  enum class What : std::uint8_t { ended, first_byte, here, turn };
  struct Event {
    Time at;
    std::uint64_t order;
    What what;
    std::uint32_t rank, subject;
    bool operator<(const Event& other) const { return std::tie(other.at, other.order) < std::tie(at, order); }
  };
  struct Rank {
    explicit Rank(const RankOps& its) : progress(its) {}
    Progress progress;
    Time processor = 0, out_free = 0, in_free = 0, wakes = -1;
    Time ends = -1;                        // an operation does, at this very time
    std::deque<std::uint32_t> here;        // messages that its processor has not taken
    std::deque<Receive> receives;          // that wait
    std::deque<std::uint32_t> unexpected;  // messages that wait
  };
  void put(Time at, What what, std::uint32_t rank, std::uint32_t subject) {
    events_.push({at, ++order_, what, rank, subject});
  }
  void happens(const Event& event, Time& last) {
    Rank& rank = ranks_[event.rank];
    if (event.what == What::ended) {
      rank.progress.ended(event.subject);
      rank.ends = -1;
      last = std::max(last, now_);
    } else if (event.what == What::first_byte) {  // its interface takes one message at a time
      rank.in_free = std::max(rank.in_free, now_) + coming_[event.subject].gap;
      put(rank.in_free, What::here, event.rank, event.subject);
    } else if (event.what == What::here) {
      rank.here.push_back(event.subject);
    }
  }
  void end(Rank& rank, Time at, std::uint32_t number, std::uint32_t op) {
    if (at == now_) rank.ends = at;
    put(at, What::ended, number, op);
  }
  void wake(Rank& rank, std::uint32_t number, Time at) {
    if (rank.wakes == at) return;
    rank.wakes = at;
    put(at, What::turn, number, 0);
  }
  void turn(std::uint32_t number) {
    Rank& rank = ranks_[number];
    while (!rank.here.empty() || rank.progress.ready()) {
      if (rank.processor > now_) return wake(rank, number, rank.processor);
      if (rank.ends == now_) return;  // and goes on behind that
      if (!rank.here.empty()) {
        const std::uint32_t message = rank.here.front();
        rank.here.pop_front();
        rank.processor = now_ + coming_[message].receiver;
        const auto fit = std::ranges::find_if(rank.receives, [&](const auto& r) { return fits(r, coming_[message]); });
        if (fit == rank.receives.end()) {
          rank.unexpected.push_back(message);
        } else {
          end(rank, rank.processor, number, fit->op);
          rank.receives.erase(fit);
          free_.push_back(message);
        }
        continue;
      }
      begin(rank, number);
    }
  }
  void begin(Rank& rank, std::uint32_t number) {
    const std::uint32_t which = rank.progress.next();
    const Op& op = schedule_.ranks[number].ops[which];
    if (op.kind == Kind::send && rank.out_free > now_) {
      rank.processor = rank.out_free;  // the send waits for the interface, and what comes behind it for the send
      return;
    }
    rank.progress.take();
    rank.progress.started(which);
    if (op.kind == Kind::recv) {
      const Receive receive{which, op.peer, op.tag};
      const auto fit =
          std::ranges::find_if(rank.unexpected, [&](const auto each) { return fits(receive, coming_[each]); });
      if (fit == rank.unexpected.end()) return rank.receives.push_back(receive);
      free_.push_back(*fit);
      rank.unexpected.erase(fit);
      end(rank, now_, number, which);
    } else if (op.kind == Kind::calc) {
      rank.processor = now_ + static_cast<Time>(op.size) * 1000;
      end(rank, rank.processor, number, which);
    } else {
      const auto& cost = alone_.of(static_cast<int>(number), op.peer, op.size);
      rank.processor = now_ + cost.sender;
      rank.out_free = now_ + cost.gap;
      end(rank, now_ + cost.free, number, which);
      std::uint32_t message = static_cast<std::uint32_t>(coming_.size());
      if (free_.empty()) {
        coming_.emplace_back();
      } else {
        message = free_.back();
        free_.pop_back();
      }
      coming_[message] = {static_cast<int>(number), op.peer, op.tag, op.size, cost.gap, cost.receiver};
      put(now_ + cost.sender + cost.latency, What::first_byte, static_cast<std::uint32_t>(op.peer), message);
    }
  }

  const Schedule& schedule_;
  Alone alone_;
  std::vector<Rank> ranks_;
  std::vector<Coming> coming_;
  std::vector<std::uint32_t> free_;
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
  Time now_ = 0;
};
}  // namespace

Time first_order(const Schedule& schedule, const described::MachineParameters& machine) {
  return LogGops(schedule, machine).run();
}

}  // namespace assay::goal
