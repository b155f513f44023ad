// Bulk-synchronous steps: every rank computes for the same time, then all wait for the last in a barrier, and so on.
//
// What is taken from one rank then delays all. A reading is `steps` steps, and its time that of one on average;
// `quiet` is the step that a tenth of them are shorter than, `slowdown` the first over the second, less one: what noise
// adds, where a tenth of the steps have none. On a described machine whose node has `noise`, the computing makes way
// for it (core/ranks/replayed_noise.hpp). Source: Petrini, Kerbyson and Pakin, The case of the missing supercomputer
// performance (SC 2003); Agarwal, Garg and Vishnoi, The impact of noise on the scaling of collectives (HiPC 2005).
#pragma once

#include <algorithm>
#include <vector>

#include "ranks/sampling.hpp"
#include "ranks/turns.hpp"

namespace assay::ranks {

struct BulkSynchronous {
  static constexpr std::string_view record = R"record(
name = "bulk-synchronous"
title = "Bulk-synchronous steps"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 2
profiles = ["full"]
computes = ["turn"]
unjudged = ["time", "quiet", "slowdown"]  # what others take is what it measures
summary = "computing of equal length on every rank and a barrier, again and again: what noise on one rank costs all"
cost = "`steps` times a loop of `work` seconds on each rank, and the library's barrier"
check = "every rank's loops are compared with their closed form"
source = "Petrini, Kerbyson and Pakin 2003; Agarwal, Garg and Vishnoi 2005"

[parameter.work]
type = "real"
default = [1e-4, 1e-3]
min = 1e-6
max = 10
unit = "s"
sweep = true
help = "how long a rank computes in a step"

[parameter.steps]
type = "integer"
default = 100
min = 10
max = 1000000
unit = "1"
help = "steps of a reading"

[metric.time]
unit = "s"
help = "a step, mean of a reading's"

[metric.quiet]
unit = "s"
help = "the step that a tenth of a reading's steps are shorter than"

[metric.slowdown]
unit = "1"
difference = true
help = "time over quiet, less one"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
headline = true
help = "a step, mean of a reading's"

[figure.quiet]
metric = "quiet"
unit = "s"
better = "lower"
help = "the step that a tenth of a reading's steps are shorter than"

[figure.slowdown]
metric = "slowdown"
unit = "1"
better = "lower"
headline = true
help = "part by which a step is longer than a quiet one"
)record";

  template <OwnBarrier C>
  static Task run(C& comm, Session& session) {
    BulkSynchronous kernel;
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    double work;
    std::int64_t steps;
  };
  static constexpr std::string_view metric = "time";
  std::string_view cache(const Case&) const { return "none"; }
  bool single(const Case&) const { return true; }
  std::vector<Series>& beside() { return beside_; }
  Case at(const timing::CaseSettings& settings) const {
    return {settings.at("work").real, settings.at("steps").integer};
  }
  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    return timing::Json().number("work", at.work).integer("steps", at.steps);
  }

  template <OwnBarrier C>
  Task operate(C& comm, Case at, Run run, std::int64_t* ticks) {
    const std::int64_t turns = turns_in(comm, at.work);
    std::vector<std::int64_t> steps(comm.rank() == 0 ? static_cast<std::size_t>(at.steps) : 0);
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      co_await comm.barrier(comm.size());
      const std::int64_t start = comm.now();
      std::int64_t last = start;
      for (std::int64_t step = 0; step < at.steps; ++step) {
        co_await busy(comm, turns, wrong_);
        co_await comm.barrier(comm.size());
        if (comm.rank() > 0) continue;
        const std::int64_t now = comm.now();
        steps[static_cast<std::size_t>(step)] = now - last;
        last = now;
      }
      if (comm.rank() > 0) continue;
      const auto tenth = steps.begin() + at.steps / 10;
      std::ranges::nth_element(steps, tenth);
      const double mean = static_cast<double>(last - start) / static_cast<double>(at.steps);
      ticks[reading] = static_cast<std::int64_t>(mean);
      beside_[0].values.push_back(static_cast<double>(*tenth) / C::ticks_a_second);
      beside_[1].values.push_back(*tenth > 0 ? mean / static_cast<double>(*tenth) - 1 : 0);
    }
  }

  template <Communicator C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    co_await busy(comm, turns_in(comm, std::min(at.work, 1e-5)), wrong_);
    std::vector<std::int64_t> all(comm.rank() == 0 ? static_cast<std::size_t>(comm.size()) : 0);
    co_await gather(comm, &wrong_, sizeof wrong_, all.data());
    if (comm.rank() > 0) co_return;
    std::int64_t wrong = wrong_;
    for (std::size_t rank = 1; rank < all.size(); ++rank) wrong += all[rank];
    verdict = {wrong == 0, std::to_string(comm.size()) + " ranks' loops"};
    if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " wrong";
  }

 private:
  std::int64_t wrong_ = 0;
  std::vector<Series> beside_{{"quiet", {}}, {"slowdown", {}}};
};

using Program = BulkSynchronous;

}  // namespace assay::ranks
