#include "batch/placed/placed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "batch/placed/reservations.hpp"
#include "events/stop.hpp"

namespace assay::batch {

class PlacedQueue {
 public:
  PlacedQueue(const PlacedSettings& settings, Jobs jobs, std::vector<Needs> needs)
      : set_(settings),
        jobs_(std::move(jobs)),
        needs_(std::move(needs)),
        nodes_(set_.layout),
        used_(set_.limits.size()),
        progress_(set_.shared, jobs_, set_.layout.nodes),
        reservations_(jobs_, needs_, set_.limits),
        holds_(set_.policy != "conservative" || set_.decision_cost == 0),
        end_of_(jobs_.size(), never) {
    out_.starts.assign(jobs_.size(), never);
    out_.ends.assign(jobs_.size(), never);
    out_.places.resize(jobs_.size());
    out_.failures.assign(jobs_.size(), 0);
    for (std::size_t at = 0; at < set_.closures.size(); ++at) {
      events_.emplace(set_.closures[at].from, at);
      events_.emplace(set_.closures[at].to, at);
      if (set_.closures[at].known) known_.push_back(set_.closures[at]);
    }
  }

  PlacedOutcome run() {
    if (!jobs_.empty()) now_ = jobs_.front().submitted;
    while (!events_.empty() && events_.begin()->first < now_) close_or_open();
    set_.decision_cost == 0 ? decide_at_once() : decide_in_time();
    out_.killed = progress_.killed();
    return std::move(out_);
  }

  std::vector<std::size_t> step(Seconds now, const std::vector<std::size_t>& ended,
                                const std::vector<std::size_t>& submitted) {
    reservations_.forget();  // a job may end later than was expected, which only the jobs that run show
    if (now < now_) throw std::invalid_argument("time runs backwards");
    pass(now - now_);
    now_ = now;
    for (const std::size_t job : ended) {
      if (job >= jobs_.size() || !ends_.contains({end_of_[job], job}))
        throw std::invalid_argument("job " + std::to_string(job) + " cannot be ended");
      end(job);
    }
    for (const std::size_t job : submitted) {
      if (job != next_) throw std::invalid_argument("job " + std::to_string(job) + " cannot be submitted");
      ++next_;
      waiting_.push_back(job);
    }
    started_.clear();
    decide_for(now_);
    return started_;
  }
  Seconds wakes() const { return reservations_.first(); }
  const PlacedOutcome& outcome() const { return out_; }

 private:
  bool over() const { return next_ == jobs_.size() && waiting_.empty() && decided_.empty() && ends_.empty(); }

  void decide_at_once() {
    for (events::Paced paced; !over(); paced.step()) {
      advance(sooner(next_event(), wakes()));
      do {
        happens();
        decide_for(now_);
        settle();
      } while (!ends_.empty() && ends_.begin()->first == now_);
    }
  }

  // As `simulate` with a cost: a decision knows what had happened when it began, and is for the second at which it is
  // done. What it starts has its place from its beginning on. A node that fails meanwhile puts its jobs back.
  void decide_in_time() {
    const Seconds cost = set_.decision_cost;
    for (events::Paced paced; !over(); paced.step()) {
      const Seconds wakes_at = wakes() == never ? never : std::max(now_, wakes() - cost);
      advance(sooner(next_event(), done_ != never ? done_ : wakes_at));
      happens();
      if (now_ == done_) {
        done_ = never;
        for (const std::size_t job : std::exchange(decided_, {})) begin(job);
        settle();
        while (!ends_.empty() && ends_.begin()->first == now_) end(ends_.begin()->second);  // those of no time
      }
      const bool wakes_now = wakes() != never && wakes() - cost <= now_;
      if (done_ == never && (news_ || wakes_now)) {
        done_ = now_ + cost;
        decide_for(done_);
      }
      settle();
    }
  }

  static Seconds sooner(Seconds a, Seconds b) { return a == never ? b : b == never ? a : std::min(a, b); }
  Seconds next_event() const {
    Seconds at = next_ < jobs_.size() ? jobs_[next_].submitted : never;
    if (!ends_.empty()) at = sooner(at, ends_.begin()->first);
    return events_.empty() ? at : sooner(at, events_.begin()->first);
  }
  void advance(Seconds to) {
    if (to == never) throw std::invalid_argument("job " + std::to_string(waiting_.front()) + " never finds a place");
    pass(to - now_);
    now_ = to;
  }

  // Ends, nodes that close or open, and submissions of this second.
  void happens() {
    while (!ends_.empty() && ends_.begin()->first == now_) end(ends_.begin()->second);
    for (; !events_.empty() && events_.begin()->first == now_; news_ = true) close_or_open();
    for (; next_ < jobs_.size() && jobs_[next_].submitted == now_; ++next_, news_ = true) waiting_.push_back(next_);
  }

  void decide_for(Seconds when) {
    when_ = when;
    for (const std::size_t job : std::exchange(ended_, {})) {  // learned of now: they end in the second decided for
      const Job& of = jobs_[job];
      charge(job, static_cast<double>(std::min<Seconds>(0, when_ - of.started - of.requested)));
      if (when_ >= of.started + of.requested) continue;
      early_ = true;
      early_ended_.push_back(job);
    }
    news_ = false;
    decide();
    ++out_.decisions;
  }

  void settle() {
    progress_.settle(now_, [this](std::size_t job, Seconds end) { set_end(job, end); });
  }
  void set_end(std::size_t job, Seconds end) {
    ends_.erase({end_of_[job], job});
    end_of_[job] = end;
    ends_.emplace(end, job);
  }
  bool allowed(std::size_t job) const { return allow(set_.limits, used_, needs_[job].limits, jobs_[job].processors); }
  void count(std::size_t job, std::int64_t sign) { count(used_, job, sign); }
  void count(std::vector<std::int64_t>& used, std::size_t job, std::int64_t sign) const {
    count_towards(set_.limits, used, needs_[job].limits, sign, jobs_[job].processors);
  }

  // A place for the job from `from` on, clear of all reservations that would begin before it ends.
  std::optional<Placement> place(const Nodes& nodes, std::size_t job, Seconds from) const {
    std::vector<const Closure*> ahead;
    const Seconds held = from == when_ ? now_ : from;  // a place is held from the decision's beginning on
    for (const Closure& each : known_)
      if (held < each.to && each.from < from + jobs_[job].requested && each.from > now_) ahead.push_back(&each);
    if (ahead.empty()) return nodes.find(jobs_[job].processors, needs_[job]);
    Nodes masked = nodes;
    for (const Closure* each : ahead)
      for (const std::int32_t node : each->nodes) masked.close(node);
    return masked.find(jobs_[job].processors, needs_[job]);
  }

  void close_or_open() {
    const auto [time, at] = *events_.begin();
    events_.erase(events_.begin());
    const Closure& of = set_.closures[at];
    for (const std::int32_t node : of.nodes) time == of.from ? nodes_.close(node) : nodes_.open(node);
    if (!of.known) {
      (time == of.from ? anew_ : early_) = true;
      reservations_.forget();
    }
    if (time != of.from || of.known) return;
    const std::set<std::int32_t> gone(of.nodes.begin(), of.nodes.end());
    std::vector<std::size_t> hit;
    for (const auto& [end, job] : ends_)
      for (const auto& [node, cpus] : out_.places[job])
        if (gone.contains(node) && (hit.empty() || hit.back() != job)) hit.push_back(job);
    std::vector<std::size_t> undone;
    for (const std::size_t job : decided_)
      for (const auto& [node, cpus] : out_.places[job])
        if (gone.contains(node) && (undone.empty() || undone.back() != job)) undone.push_back(job);
    for (const std::size_t job : undone) {  // it has not begun: it waits as if it had not been decided on
      std::erase(decided_, job);
      release(job, holds_);
      charge(job, -static_cast<double>(jobs_[job].requested));
      waiting_.insert(std::lower_bound(waiting_.begin(), waiting_.end(), job), job);
    }
    for (const std::size_t job : hit) {
      ends_.erase({end_of_[job], job});
      leave(job);
      out_.idle.lost += jobs_[job].processors * (now_ - jobs_[job].started);
      ++out_.failures[job];
      out_.ends[job] = now_;
      if (set_.again) waiting_.insert(std::lower_bound(waiting_.begin(), waiting_.end(), job), job);
    }
  }

  void end(std::size_t job) {
    ends_.erase({end_of_[job], job});
    leave(job);
    out_.ends[job] = now_;
  }

  void leave(std::size_t job) {
    release(job);
    progress_.end(job);
    busy_ -= jobs_[job].processors;
    ended_.push_back(job);
    news_ = true;
  }

  void release(std::size_t job, bool taken = true) {
    if (taken) nodes_.give(out_.places[job], needs_[job]);
    count(job, -1);
    expected_.erase({jobs_[job].started + jobs_[job].requested, job});
  }

  void start(std::size_t job, Placement at) {
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), job));
    started_.push_back(job);
    jobs_[job].started = out_.starts[job] = when_;
    if (holds_) nodes_.take(at, needs_[job]);
    count(job, 1);
    out_.places[job] = std::move(at);
    expected_.emplace(when_ + jobs_[job].requested, job);
    charge(job, static_cast<double>(jobs_[job].requested));
    if (set_.decision_cost == 0)
      begin(job);
    else
      decided_.push_back(job);
  }

  void begin(std::size_t job) {
    if (!holds_) nodes_.take(out_.places[job], needs_[job]);
    busy_ += jobs_[job].processors;
    if (progress_.slows())
      progress_.start(job, now_, &out_.places[job]);
    else
      set_end(job, now_ + jobs_[job].runs);
  }

  void charge(std::size_t job, double seconds) {
    const Job& of = jobs_[job];
    charged_[of.user] += of.processors * seconds * std::exp2(static_cast<double>(of.started) / set_.decay.half_life);
  }

  // Jobs that wait, in the policy's order, without those that a limit keeps back.
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> found;
    for (const std::size_t job : waiting_)
      if (allowed(job)) found.push_back(job);
    if (set_.policy == "priority") {
      const auto key = [&](std::size_t job) {
        return jobs_[job].priority - set_.ageing.per_second * static_cast<double>(jobs_[job].submitted);
      };
      std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
    } else if (set_.policy == "fairshare") {
      double total = 0;
      for (const auto& [user, used] : charged_) total += used;
      const auto share = [&](std::size_t job) {
        const auto used = charged_.find(jobs_[job].user);
        return total > 0 && used != charged_.end() ? std::llround(1e9 * used->second / total) : 0;
      };
      std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) { return share(a) < share(b); });
    }
    std::stable_sort(found.begin(), found.end(),
                     [&](std::size_t a, std::size_t b) { return needs_[a].rank > needs_[b].rank; });
    return found;
  }

  void decide() {
    if (set_.policy == "conservative") return keep_reservations();
    if (set_.policy == "firstfit") return start_all_that_fit();
    std::vector<std::size_t> waiting = order();
    for (; !waiting.empty(); waiting = order()) {
      auto at = place(nodes_, waiting.front(), when_);
      if (!at) break;
      start(waiting.front(), std::move(*at));
    }
    if (!waiting.empty() && set_.policy != "fcfs") backfill(waiting.front());
  }

  void start_all_that_fit() {
    for (const std::size_t job : order()) {
      if (!allowed(job) || jobs_[job].processors > nodes_.free()) continue;
      if (auto at = place(nodes_, job, when_)) start(job, std::move(*at));
    }
  }

  // Conservative over places: every job has a second and a place from its submission on, the earliest at which one
  // place is free for all that it requests, beside those of others. At an early end each waiting job, in order, is
  // lifted out and put back where it has a place earlier than it had; else it keeps second and place; and so again
  // until none moves. A node that fails
  // takes its reservations away: all are made anew, in order. The order is that of queues, and of submission.
  void keep_reservations() {
    std::vector<std::size_t> order = waiting_;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return needs_[a].rank > needs_[b].rank; });
    anew_ = anew_ || (reservations_.first() != never && reservations_.first() < when_);  // the scheduler comes too late
    if (anew_) reservations_.clear();
    if (anew_ || !reservations_.current()) {
      reservations_.renew(expected());
    } else {
      reservations_.advance(when_);
      for (const std::size_t job : early_ended_)
        reservations_.ended_early(job, out_.places[job], jobs_[job].started + jobs_[job].requested);
    }
    early_ended_.clear();
    if (early_ && !anew_) reservations_.compress(order);
    events::Paced paced;
    for (const std::size_t job : anew_ ? order : waiting_) {
      paced.step();
      if (!reservations_.has(job)) reservations_.reserve(job);
    }
    early_ = anew_ = false;
    if (reservations_.first() == never || reservations_.first() > when_) return;
    for (const std::size_t job : order)
      if (auto at = reservations_.starts(job, when_)) start(job, std::move(*at));
  }

  // What is free over time to come, by what the running jobs requested and by reservations of nodes.
  NodeTimeline expected() const {
    NodeTimeline line(when_, nodes_, used_);
    for (const auto& [end, job] : expected_)
      line.between(end, never, [&](Nodes& nodes, std::vector<std::int64_t>& used) {
        nodes.give(out_.places[job], needs_[job]);
        count(used, job, -1);
      });
    for (const Closure& each : known_) {
      if (each.to <= now_) continue;
      const bool begun = each.from <= now_;
      line.between(begun ? each.to : each.from, begun ? never : each.to, [&](Nodes& nodes, std::vector<std::int64_t>&) {
        for (const std::int32_t node : each.nodes) begun ? nodes.open(node) : nodes.close(node);
      });
    }
    return line;
  }

  // EASY over places: the head's reservation is the first expected end at which it has a place. Another may start if it
  // ends by then, or if the head has a place then with the other still there.
  void backfill(std::size_t head) {
    count(head, 1);  // so that none starts by whom a limit would keep the head back
    Nodes then = nodes_;
    Seconds shadow = std::numeric_limits<Seconds>::max();
    std::set<Seconds> times;  // at which something is expected to become free
    for (const auto& [end, job] : expected_) times.insert(std::max(end, when_));  // what should have ended ends now
    for (const Closure& each : known_)
      if (each.to > now_) times.insert(std::max(each.to, when_));
    auto at = expected_.begin();
    for (const Seconds time : times) {
      for (; at != expected_.end() && at->first <= time; ++at) then.give(out_.places[at->second], needs_[at->second]);
      for (const Closure& each : known_)
        if (each.from <= now_ && each.to > now_ && std::max(each.to, when_) == time)
          for (const std::int32_t node : each.nodes) then.open(node);
      if (place(then, head, time)) {
        shadow = time;
        break;
      }
    }
    const bool reserved = shadow != std::numeric_limits<Seconds>::max();
    std::vector<std::size_t> waiting = order();
    for (std::size_t i = 0; i < waiting.size();) {
      const std::size_t job = waiting[i++];
      if (job == head || jobs_[job].processors > nodes_.free()) continue;
      auto found = place(nodes_, job, when_);
      if (!found) continue;
      if (reserved && when_ + jobs_[job].requested > shadow) {
        if (needs_[job].sharing == Sharing::own_machine) continue;
        Nodes with = then;
        with.take(*found, needs_[job]);
        if (!place(with, head, shadow)) continue;
        then = with;
      }
      start(job, std::move(*found));
      waiting = order();
      i = 0;
    }
    count(head, -1);
  }

  // What was idle over the seconds until the next event, and why.
  void pass(Seconds seconds) {
    if (seconds == 0) return;
    const std::int64_t all = std::int64_t{set_.layout.nodes} * set_.layout.cpus;
    std::int64_t free = nodes_.free();
    const std::int64_t closed = all - nodes_.open_cpus();
    if (holds_)
      for (const std::size_t job : decided_)  // which have their places, and have not begun
        for (const auto& [node, cpus] : out_.places[job]) free += cpus;
    out_.idle.closed += closed * seconds;
    out_.idle.unused += (all - closed - free - busy_) * seconds;
    bool fits = false, some_allowed = false, placed = false;  // of those that need no more than is free
    for (const std::size_t job : waiting_) {
      if (jobs_[job].processors > free) continue;
      fits = true;
      if (!allowed(job)) continue;
      some_allowed = true;
      placed = nodes_.find(jobs_[job].processors, needs_[job]).has_value();
      if (placed) break;
    }
    for (const std::size_t job : decided_)
      if (jobs_[job].processors <= free) fits = some_allowed = placed = true;
    std::int64_t& why = waiting_.empty() && decided_.empty() ? out_.idle.none.queue_empty
                        : !fits                              ? out_.idle.none.none_fitted
                        : !some_allowed                      ? out_.idle.none.limited
                        : !placed                            ? out_.idle.fragmented
                        : done_ != never                     ? out_.idle.none.scheduler
                                                             : out_.idle.none.held;
    why += free * seconds;
  }

  using At = std::pair<Seconds, std::size_t>;
  PlacedSettings set_;
  Jobs jobs_;
  std::vector<Needs> needs_;
  Nodes nodes_;
  std::vector<std::int64_t> used_;    // of each limit
  std::vector<std::size_t> waiting_;  // in order of submission
  std::vector<std::size_t> started_;  // by the last step
  std::set<At> ends_, expected_;      // of running jobs: as they will end, and as they requested
  std::vector<Closure> known_;        // reservations
  std::multiset<At> events_;          // closures' begins and ends
  std::map<std::int32_t, double> charged_;
  Progress progress_;
  Reservations reservations_;             // conservative: of jobs that wait
  std::vector<std::size_t> early_ended_;  // since the last decision
  bool early_ = false, anew_ = false;     // something became free before it was expected; a node failed
  bool holds_;  // a job has its place from the decision on; else from its beginning, as another may end there just then
  std::vector<Seconds> end_of_;  // of each job that runs
  std::int64_t busy_ = 0;
  Seconds now_ = 0, when_ = 0, done_ = never;  // when_: for which is decided; done_: when a decision is
  std::size_t next_ = 0;                       // of the jobs, to be submitted
  bool news_ = false;                          // something happened since the last decision began
  std::vector<std::size_t> decided_, ended_;   // to begin at done_; ended since the last decision began
  PlacedOutcome out_;
};

PlacedOutcome simulate_placed(const PlacedSettings& settings, Jobs jobs, std::vector<Needs> needs) {
  return PlacedQueue(settings, std::move(jobs), std::move(needs)).run();
}

PlacedStepper::PlacedStepper(const PlacedSettings& settings, Jobs jobs, std::vector<Needs> needs)
    : queue_(std::make_unique<PlacedQueue>(settings, std::move(jobs), std::move(needs))) {}
PlacedStepper::~PlacedStepper() = default;
std::vector<std::size_t> PlacedStepper::step(Seconds now, const std::vector<std::size_t>& ended,
                                             const std::vector<std::size_t>& submitted) {
  return queue_->step(now, ended, submitted);
}
const Placement& PlacedStepper::place(std::size_t job) const { return queue_->outcome().places.at(job); }
Seconds PlacedStepper::wakes() const { return queue_->wakes(); }
const PlacedOutcome& PlacedStepper::outcome() const { return queue_->outcome(); }

std::vector<bool> placeable(const Layout& layout, const Jobs& jobs, const std::vector<Needs>& needs) {
  const Nodes empty(layout);
  std::vector<bool> found;
  for (std::size_t job = 0; job < jobs.size(); ++job)
    found.push_back(jobs[job].processors <= empty.free() && empty.find(jobs[job].processors, needs[job]));
  return found;
}

}  // namespace assay::batch
