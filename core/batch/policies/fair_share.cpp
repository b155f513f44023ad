// Fair share with decay, and EASY backfilling in its order: the user who has used least goes first, and of one user's
// jobs the one submitted first.
//
// Our choices. What a job uses is charged to its user when it starts, by what it requested, and set right when it ends;
// it counts half after the half-life. The order is made anew after every start, so that no user fills the machine in
// one second; a reservation stays, within one decision, with the job that it was made for. Of two queues the one of the
// higher rank goes first, whoever used what.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "batch/ordered.hpp"

namespace assay::batch {
namespace {

class FairShare final : public Policy {
 public:
  FairShare(const Jobs& jobs, const Machine& machine, Decay decay)
      : jobs_(jobs),
        free_(machine.processors),
        limits_(machine.queues),
        decay_(decay),
        users_(users_of(jobs)),
        used_(users_.size()),
        share_(users_.size()),
        pile_(jobs.size()),
        piles_(piles_of(jobs)),
        waiting_(as_submitted(jobs), piles_.size(), [&](std::size_t job) { return pile_[job]; }) {
    for (std::size_t pile = 0; pile < piles_.size(); ++pile) order_.push_back(pile);
  }

  void submit(std::size_t job) override {
    ++piles_[pile_[job]].waiting;
    waiting_.add(job, jobs_[job].processors, jobs_[job].requested);
  }

  void end(std::size_t job) override {
    const Job& ended = jobs_[job];
    free_ += ended.processors;
    limits_.ends(ended);
    running_.remove(ended.started + ended.requested, ended.processors);
    charge(ended, static_cast<double>(ended.runs - ended.requested));
  }

  void withdraw(std::size_t job, Seconds) override { forget(job); }

  void extend(std::size_t job, Seconds more, Seconds) override {
    const Job& on = jobs_[job];
    running_.remove(on.started + on.requested, on.processors);
    running_.add(on.started + on.requested + more, on.processors);
    charge(on, static_cast<double>(more));
  }

  void adopt(std::size_t job, Seconds) override {
    free_ -= jobs_[job].processors;
    limits_.begins(jobs_[job]);
    running_.add(jobs_[job].started + jobs_[job].requested, jobs_[job].processors);
    charge(jobs_[job], static_cast<double>(jobs_[job].requested));
  }

  void decide(Seconds now, Scheduler& scheduler) override {
    std::size_t head = first(any, ever, 0);
    for (; head != none && jobs_[head].processors <= free_; head = first(any, ever, 0)) start(head, now, scheduler);
    if (head == none) return;
    Shadow shadow = running_.shadow(free_, jobs_[head].processors, now);
    limits_.begins(jobs_[head]);  // so that none starts by which a limit would keep it back
    for (std::size_t job = head; (job = first(free_, shadow.time - now, shadow.extra)) != none;) {
      if (now + jobs_[job].requested > shadow.time) shadow.extra -= jobs_[job].processors;
      start(job, now, scheduler);
    }
    limits_.ends(jobs_[head]);
  }

 private:
  static constexpr double finest = 1e9;  // shares of all use are compared to nine digits: rounding makes no order
  static constexpr std::size_t none = GroupedWaiting::none;
  static constexpr std::int64_t any = std::numeric_limits<std::int32_t>::max() - 1;
  static constexpr Seconds ever = std::numeric_limits<Seconds>::max() - 1;

  // The jobs of one user to which the same limits apply.
  struct Pile {
    std::size_t group = 0, user = 0, waiting = 0;
    double rank = 0;
  };

  // Usage as it will count at the second 0: dividing all of it by the same decay changes no order.
  void charge(const Job& job, double seconds) {
    used_[users_.at(job.user)] +=
        job.processors * seconds * std::exp2(static_cast<double>(job.started) / decay_.half_life);
    ordered_ = false;
  }

  void forget(std::size_t job) {
    --piles_[pile_[job]].waiting;
    waiting_.remove(job);
  }

  void start(std::size_t job, Seconds now, Scheduler& scheduler) {
    forget(job);
    free_ -= jobs_[job].processors;
    limits_.begins(jobs_[job]);
    running_.add(now + jobs_[job].requested, jobs_[job].processors);
    scheduler.start(job);
    charge(jobs_[job], static_cast<double>(jobs_[job].requested));
  }

  // The first job of the order that limits allow, that needs at most `processors` and either requests at most `time` or
  // needs at most `extra`: of users who have used equally little the one submitted first.
  std::size_t first(std::int64_t processors, Seconds time, std::int64_t extra) {
    make_order();
    for (std::size_t at = 0; at < order_.size();) {
      const std::size_t begin = at;
      std::size_t found = none;
      for (; at < order_.size() && !before(order_[begin], order_[at]); ++at) {
        const Pile& pile = piles_[order_[at]];
        const std::int64_t widest = std::min({processors, limits_.room(pile.group), any});
        if (pile.waiting == 0 || widest <= 0) continue;
        found = std::min(found, waiting_.first_of(order_[at], static_cast<std::int32_t>(widest), time,
                                                  static_cast<std::int32_t>(std::min(extra, any))));
      }
      if (found != none) return found;
    }
    return none;
  }

  bool before(std::size_t a, std::size_t b) const {
    if (piles_[a].rank != piles_[b].rank) return piles_[a].rank > piles_[b].rank;
    return share_[piles_[a].user] < share_[piles_[b].user];
  }

  void make_order() {
    if (std::exchange(ordered_, true)) return;
    double total = 0;
    for (const double used : used_) total += used;
    for (std::size_t user = 0; user < used_.size(); ++user)
      share_[user] = total > 0 ? std::llround(finest * used_[user] / total) : 0;
    std::sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) { return before(a, b); });
  }

  static std::map<std::int32_t, std::size_t> users_of(const Jobs& jobs) {
    std::map<std::int32_t, std::size_t> found;
    for (const Job& job : jobs) found.try_emplace(job.user);
    std::size_t next = 0;
    for (auto& [_, number] : found) number = next++;
    return found;
  }
  std::vector<Pile> piles_of(const Jobs& jobs) {
    std::vector<Pile> found;
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> known;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      const auto [pile, fresh] = known.try_emplace({jobs[job].group, jobs[job].user}, found.size());
      pile_[job] = pile->second;
      const auto group = static_cast<std::size_t>(jobs[job].group);
      if (fresh) found.push_back({group, users_.at(jobs[job].user), 0, limits_.of(jobs[job]).rank});
    }
    return found;
  }

  const Jobs& jobs_;
  std::int64_t free_;
  Limits limits_;
  Decay decay_;
  Running running_;
  std::map<std::int32_t, std::size_t> users_;  // their numbers
  std::vector<double> used_;                   // processor seconds of each user
  std::vector<std::int64_t> share_;            // of each, of all that was used
  std::vector<std::size_t> pile_;              // of each job
  std::vector<Pile> piles_;
  std::vector<std::size_t> order_;  // of piles
  bool ordered_ = false;
  GroupedWaiting waiting_;
};

}  // namespace

std::unique_ptr<Policy> fair_share(const Jobs& jobs, const Machine& machine, Decay decay) {
  return std::make_unique<FairShare>(jobs, machine, decay);
}

}  // namespace assay::batch
