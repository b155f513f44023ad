// How an application is timed and checked by the sampling loop, over MPI and on described machines.
//
// A program gives
//     record                                    its record, with a metric "time"
//     Case at(const CaseSettings&)              one case's parameters; comparable
//     Json label<C>(C&, const Case&)            the case as the samples carry it
//     unique_ptr<Application> made<C>(C&, const Case&, bool carries)
//     bool small(const Case&, int ranks)        whether a described run is repeated with its data, unasked
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>

#include "applications/application.hpp"
#include "ranks/collectives.hpp"
#include "ranks/meeting.hpp"
#include "ranks/sampling.hpp"

namespace assay::applications {

struct Greatest {
  void operator()(std::int64_t& mine, std::int64_t theirs) const { mine = std::max(mine, theirs); }
};

inline constexpr const char* not_carried = "simulated without data; --verify computes and checks";

template <ranks::Communicator C, class Program>
struct Player {
  using Case = typename Program::Case;
  C& comm;
  bool with_data = false;                // of a simulated machine, whatever that takes
  std::unique_ptr<Application> ready{};  // of the case `of`, with its data
  Case of{};

  static constexpr std::string_view record = Program::record;
  static constexpr std::string_view metric = "time";
  std::string_view cache(const Case&) const { return "as used"; }
  bool single(const Case&) const { return true; }
  Case at(const timing::CaseSettings& settings) const { return Program::at(settings); }
  timing::Json label(C&, const Case& at) const { return Program::template label<C>(comm, at); }

  // Each reading is one run, from a common start to the end of the last rank.
  ranks::Task operate(C&, const Case& at, ranks::Run run, std::int64_t* ticks) {
    if (!ready || of != at) ready = Program::template made<C>(comm, at, !comm.is_simulated()), of = at;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      co_await ready->prepare();
      if (comm.is_simulated())
        co_await ranks::together(comm, comm.size());
      else
        co_await ranks::barrier(comm);
      const std::int64_t start = comm.now();
      co_await ready->run();
      std::int64_t took = comm.now() - start, theirs = 0;
      if (comm.is_simulated())
        co_await ranks::together(comm, comm.size(), &took);
      else
        co_await ranks::reduce(comm, comm.size(), &took, &theirs, 1, Greatest());
      if (ticks) ticks[reading] = took;
    }
  }

  // A measured case is checked by its last run; a described one is run once more, with data, where it is small.
  ranks::Task verify(C&, Case at, ranks::Verdict& verdict) {
    if (comm.is_simulated() && !with_data && !Program::small(at, comm.size())) {
      verdict = {true, not_carried};
      co_return;
    }
    if (comm.is_simulated()) {
      ready = Program::template made<C>(comm, at, true), of = at;
      co_await ready->prepare();
      co_await ready->run();
    }
    co_await ready->check(verdict);
    if (comm.is_simulated()) ready.reset();
  }
};

}  // namespace assay::applications
