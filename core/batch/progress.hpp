// How far jobs are that slow one another down: the stated model of interference. Jobs demand shared resources (a
// machine's network, the memory of a node, a switch's links); where together they demand D of a resource of capacity C
// and D > C, everybody waits D / C times as long there (proportional sharing). A job that spends the part s of its run
// with the resource when it is alone then takes 1 - s + s D / C times as long, of several resources the sum of what
// each adds; of a resource that several nodes have each its own of, a job has the pace of the most loaded one of its
// own.
//
// Between two starts or ends all paces are constant: progress is integrated exactly and jobs' ends are set anew only
// where their pace changed. A job ends in the first whole second at which its work is done, or is ended at its limit.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "batch/job.hpp"

namespace assay::batch {

using Placement = std::vector<std::pair<std::int32_t, std::int32_t>>;  // nodes, and processors of each that it holds

struct SharedResource {
  double capacity = 1;
  std::int32_t nodes = 0;  // that share one; 0: all of the machine
};
struct SharedUse {
  double demand = 0;  // of each processor of a job that runs alone, in the unit of the capacity
  double part = 0;    // of its run alone that it spends with the resource
};

struct SharedResources {
  std::vector<SharedResource> resources;
  std::vector<std::vector<SharedUse>> kinds;  // what jobs of a kind use of each resource
  std::vector<std::int32_t> kind;             // of each job
};

class Progress {
 public:
  Progress(SharedResources shared, const std::vector<Job>& jobs, std::int32_t nodes = 1)
      : shared_(std::move(shared)), jobs_(jobs) {
    for (const SharedResource& each : shared_.resources)
      demand_.emplace_back(each.nodes > 0 ? (nodes + each.nodes - 1) / each.nodes : 1);
    if (slows()) killed_.resize(jobs.size());
  }

  bool slows() const { return !shared_.resources.empty(); }
  const std::vector<bool>& killed() const { return killed_; }  // which were ended at their limit

  /// The job starts at `now`, on `place`, which stays where it is; nullptr: anywhere.
  void start(std::size_t job, Seconds now, const Placement* place = nullptr) {
    running_[job] = {static_cast<double>(jobs_[job].runs), 0, now, now + jobs_[job].requested, place};
    changed_ = true;
  }
  void end(std::size_t job) { changed_ = running_.erase(job) > 0 || changed_; }

  /// After all starts and ends of the second `now`: `set(job, end)` for each job whose end is another one than before.
  template <class Set>
  void settle(Seconds now, Set&& set) {
    if (!std::exchange(changed_, false)) return;
    add_up();
    for (auto& [job, run] : running_) {
      const double pace = pace_of(job, run);
      if (pace == run.pace) continue;
      if (run.pace > 0) run.left -= static_cast<double>(now - run.since) / run.pace;
      run.pace = pace;
      run.since = now;
      const Seconds done = now + static_cast<Seconds>(std::max(0.0, std::ceil(run.left * pace - rounding)));
      killed_[job] = done > run.limit;
      set(job, std::min(done, run.limit));
    }
  }

 private:
  static constexpr double rounding = 1e-6;  // seconds by which sums of doubles may be off

  struct Run {
    double left = 0;    // seconds of its run alone
    double pace = 0;    // seconds for each of these; 0: not known yet
    Seconds since = 0;  // when `left` was what it says
    Seconds limit = 0;  // when it is ended
    const Placement* place = nullptr;
  };

  const std::vector<SharedUse>& uses(std::size_t job) const {
    return shared_.kinds[static_cast<std::size_t>(shared_.kind[job])];
  }
  std::size_t group(std::size_t resource, std::int32_t node) const {
    const std::int32_t nodes = shared_.resources[resource].nodes;
    return nodes > 0 ? static_cast<std::size_t>(node / nodes) : 0;
  }

  void add_up() {
    for (std::vector<double>& each : demand_) std::fill(each.begin(), each.end(), 0.0);
    for (const auto& [job, run] : running_)
      for (std::size_t at = 0; at < demand_.size(); ++at) {
        const double each = uses(job)[at].demand;
        if (run.place == nullptr || shared_.resources[at].nodes == 0) {
          demand_[at][0] += each * jobs_[job].processors;
          continue;
        }
        std::int32_t left = jobs_[job].processors;  // nodes may be held wholly and used in part
        for (const auto& [node, cpus] : *run.place) {
          const std::int32_t used = std::min(cpus, left);
          demand_[at][group(at, node)] += each * used;
          left -= used;
        }
      }
  }

  double pace_of(std::size_t job, const Run& run) const {
    double pace = 1;
    for (std::size_t at = 0; at < demand_.size(); ++at) {
      double most = 0;
      if (run.place == nullptr || shared_.resources[at].nodes == 0)
        most = demand_[at][0];
      else
        for (const auto& [node, cpus] : *run.place) most = std::max(most, demand_[at][group(at, node)]);
      pace += uses(job)[at].part * (std::max(1.0, most / shared_.resources[at].capacity) - 1);
    }
    return pace;
  }

  SharedResources shared_;
  const std::vector<Job>& jobs_;
  std::vector<std::vector<double>> demand_;  // of each resource, on each of its groups of nodes
  std::map<std::size_t, Run> running_;
  std::vector<bool> killed_;
  bool changed_ = false;
};

}  // namespace assay::batch
