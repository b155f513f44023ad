// One collective operation of the table, or the library's own, from a common start to the last exit: the kernel of the
// programs that time collectives. A Program gives its record, a case from its settings, the label of a case, and
// `copies_own` (algorithms/table.hpp).
#pragma once

#include <map>
#include <optional>

#include "ranks/algorithms/right.hpp"
#include "ranks/sampling.hpp"
#include "ranks/windows.hpp"

namespace assay::ranks {

// When a rank enters after the common start: at a random moment of `most` seconds, another for each reading of a
// program and for each seed, of which every launch has its own. `before`: readings of blocks before this one.
struct Skewed {
  double most = 0;
  int rank = 0;
  std::uint64_t seed = 0;
  std::int64_t before = 0;
  double operator()(std::int64_t reading) const {
    auto state = seed * 2654435761U + static_cast<std::uint64_t>(rank) * 1000003U;
    state = Session::random(state) + static_cast<std::uint64_t>(before + reading);
    return most * static_cast<double>(Session::random(state) >> 11) / 9007199254740992.0;
  }
};

template <class Program, OwnBarrier C>
struct CollectiveKernel {
  using Case = CollectiveCase;
  // The ranks that take part in a case, and their two levels where it has them.
  struct Circle {
    std::optional<C> group;  // none: all ranks
    BothLevels<C> levels;
  };
  static constexpr std::string_view record = Program::record;
  static constexpr std::string_view metric = "time";
  std::span<Series> beside() { return ranks::beside(windows_); }
  double spacing() const { return windows_->length + longest_skew_; }
  std::string_view cache(const Case&) const { return "same buffer"; }
  bool single(const Case&) const { return true; }
  std::int64_t draws(const Case& at) const { return at.skew > 0 ? 25 : 1; }
  Case at(const timing::CaseSettings& settings) const { return Program::case_of(settings, all_); }
  timing::Json label(C&, const Case& at) const { return Program::label(at); }

  // Every rank calls it for each case in turn: the groups of those that take part are made once.
  Task join(C& comm, const Nodes& nodes, Case at) {
    if (at.among != comm.size() && !circles_.contains(at.among)) {
      const bool inside = comm.rank() < at.among;
      circles_[at.among].group.emplace(co_await comm.split(inside ? 0 : 1, comm.rank()));
    }
    if (at.algorithm != Algorithm::two_level || comm.rank() >= at.among) co_return;
    co_await circles_[at.among].levels.make(circle(comm, at), nodes, at.operation);
  }
  Task part(C& comm) {
    for (auto& [among, circle] : circles_) {
      co_await circle.levels.release(comm);
      if (circle.group) co_await comm.release(*circle.group);
    }
  }

  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    const Skewed skewed{at.skew, comm.rank(), seed_, entered_};
    entered_ += run.readings;
    if (comm.is_simulated()) return described(comm, at, run, ticks, skewed);
    return in_windows(
        comm, at.among, run.readings, ticks, *windows_,
        [this, &comm, &at] { return once(comm, at, held_.exchange(at.bytes, at.root, Program::copies_own)); }, skewed);
  }
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    const auto on = [this, &comm, at](Exchange x) { return once(comm, at, x); };
    if (at.operation == Operation::barrier) return verify_late(comm, at.among, verdict, [on] { return on({}); });
    return verify_data(comm, at, held_, wrong_, "", verdict, on);
  }

  C& circle(C& comm, const Case& at) { return at.among == comm.size() ? comm : *circles_.at(at.among).group; }
  Task once(C& comm, const Case& at, Exchange x) {
    C& group = circle(comm, at);
    if constexpr (Program::non_blocking) {
      if (!at.blocking) return at_once(group, levels(at), at.operation, at.algorithm, x);
    }
    if (at.algorithm == Algorithm::library) return library(group, at.operation, x);
#ifdef ASSAY_BREAK  // the tests' saboteur: nobody waits
    if (at.operation == Operation::barrier) return {};
#endif
    const Row<C>& row = *row_of<C>(at.operation, at.algorithm);
    return row.by_node ? row.by_node(group, *levels(at), x) : row.all(group, x);
  }

  Levels<C>* levels(const Case& at) {
    const auto found = circles_.find(at.among);
    return found == circles_.end() ? nullptr : &found->second.levels.of(at.operation);
  }

  Task library(C& comm, Operation operation, Exchange x) {
    if (operation == Operation::barrier) {
      co_await comm.barrier(comm.size());
    } else if constexpr (OwnCollectives<C>) {
      co_await comm.collective(operation, x.in, x.out, x.block, x.root);
    }
  }

  // On a described machine: from a common start to the last exit, without carrying data.
  Task described(C& comm, Case at, Run run, std::int64_t* ticks, Skewed skewed) {
    if (comm.rank() >= at.among) co_return;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      if (reading > 0) co_await together(comm, at.among);
      if (at.skew > 0) co_await comm.compute(skewed(reading), [] {});
      std::int64_t in = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) co_await once(comm, at, {.block = at.bytes, .root = at.root});
      std::int64_t out = comm.now();
      co_await together(comm, at.among, &out);
      if (at.skew > 0) co_await together(comm, at.among, &in);
      if (ticks) ticks[reading] = out - in;
    }
  }

  int all_ = 0;               // ranks
  double longest_skew_ = 0;   // s
  std::uint64_t seed_ = 0;    // of the moments at which ranks enter
  std::int64_t entered_ = 0;  // readings so far
  Held held_;
  std::int64_t wrong_ = 0;  // beside the data: nothing
  std::unique_ptr<Windows> windows_;
  std::map<int, Circle> circles_;  // by number of ranks
};

}  // namespace assay::ranks
