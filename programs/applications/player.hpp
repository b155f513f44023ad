// How an application is timed and checked by the sampling loop, over MPI and on described machines.
//
// A program gives
//     record                                    its record, with a metric "time"
//     Case at(const CaseSettings&)              one case's parameters; comparable
//     Json label<C>(C&, const Case&)            the case as the samples carry it
//     unique_ptr<Application> made<C>(C&, const Case&, bool carries)
//     bool small(const Case&, int ranks)        whether a described run is repeated with its data, unasked
//
// Where the time goes (account.hpp) is noted in a run of its own, after the check of a launch's first block, and with
// it a timeline where one is asked for (span.hpp); simulated calls take no longer for being noted, so that on a
// described machine it is the timed run that is noted.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "applications/accounted.hpp"
#include "applications/application.hpp"
#include "applications/message_times.hpp"
#include "ranks/collectives.hpp"
#include "ranks/meeting.hpp"
#include "ranks/sampling.hpp"

namespace assay::applications {

struct Greatest {
  void operator()(std::int64_t& mine, std::int64_t theirs) const { mine = std::max(mine, theirs); }
};

inline constexpr int most_with_data = 64;  // simulated ranks, which share one process
inline constexpr int most_noted = 4096;    // simulated ranks: each has a kilobyte, and its numbers in the event

inline constexpr const char* not_carried = "simulated without data; --verify computes and checks";

// Leaves out all cases where a described machine has no rate for one of the kernels by which they are charged.
template <ranks::Communicator C>
void keep_charged(const C& comm, ranks::Session& session, std::initializer_list<std::string_view> kernels) {
  for (const std::string_view kernel : kernels) {
    const std::string reason = "the description has no rate for kernel " + std::string(kernel);
    session.keep([&](const auto&) { return !comm.is_simulated() || comm.cost_of(kernel).has_value(); }, reason.c_str(),
                 comm.rank() == 0);
  }
}

template <ranks::Communicator C, class Program>
struct Player {
  using Case = typename Program::Case;
  C& comm;
  bool with_data = false;                // of a simulated machine, whatever that takes
  std::unique_ptr<Application> ready{};  // of the case `of`, with its data
  Case of{};
  ranks::Session* session = nullptr;
  Ledger ledger{};
  Accounted<C> accounted{comm, &ledger};
  std::vector<MessageTime> messages{};

  static constexpr std::string_view record = Program::record;
  static constexpr std::string_view metric = "time";
  std::string_view cache(const Case&) const { return "as used"; }
  bool single(const Case&) const { return true; }
  Case at(const timing::CaseSettings& settings) const { return Program::at(settings); }
  timing::Json label(C&, const Case& at) const { return Program::template label<C>(comm, at); }

  void admit(C&, ranks::Session& given) { session = &given; }

  // Each reading is one run, from a common start to the end of the last rank.
  ranks::Task operate(C&, const Case& at, ranks::Run run, std::int64_t* ticks) {
    if (!ready || of != at) ready = Program::template made<Accounted<C>>(accounted, at, !comm.is_simulated()), of = at;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      co_await ready->prepare();
      if (comm.is_simulated())
        co_await ranks::together(comm, comm.size());
      else
        co_await ranks::barrier(comm);
      const bool noted = comm.is_simulated() && comm.size() <= most_noted;
      if (noted) ledger.begin(comm.size());
      const std::int64_t start = comm.now();
      co_await ready->run();
      std::int64_t took = comm.now() - start, theirs = 0;
      if (noted) ledger.end(static_cast<double>(took) / C::ticks_a_second, false);
      if (comm.is_simulated())
        co_await ranks::together(comm, comm.size(), &took);
      else
        co_await ranks::reduce(comm, comm.size(), &took, &theirs, 1, Greatest());
      if (ticks) ticks[reading] = took;
    }
  }

  // A measured case is checked by its last run; a described one is run once more, with data, where it is small.
  ranks::Task verify(C&, Case at, ranks::Verdict& verdict) {
    if (comm.is_simulated()) co_await write_account(at);
    if (comm.is_simulated() && !with_data && (unchecked() || !Program::small(at, comm.size()))) {
      verdict = {true, not_carried};
      co_return;
    }
    if (comm.is_simulated()) {
      ready = Program::template made<Accounted<C>>(accounted, at, true), of = at;
      co_await ready->prepare();
      co_await ready->run();
    }
    co_await ready->check(verdict);
    if (comm.is_simulated()) ready.reset();
    if (!comm.is_simulated()) co_await note_run(at);
  }

 private:
  bool unchecked() const { return session->options().unchecked; }

  // A run more, in which calls are noted.
  ranks::Task note_run(Case at) {
    co_await ready->prepare();
    co_await ranks::barrier(comm);
    const bool drawn = session->options().timeline;
    ledger.begin(comm.size(), drawn ? spans_of_rank(comm.size()) : 0);
    const std::int64_t start = comm.now();
    co_await ready->run();
    ledger.end(static_cast<double>(comm.now() - start) / C::ticks_a_second, true);
    messages.clear();
    co_await message_times(comm, messages);
    co_await write_account(at);
    if (drawn) co_await write_timeline(at, start);
  }

  // Spans count from rank 0's start where a rank has its clock, else from the rank's own.
  ranks::Task write_timeline(Case at, std::int64_t start) {
    const bool writes = comm.rank() == 0;
    const auto ranks = static_cast<std::size_t>(comm.size());
    const std::size_t most = ledger.most_spans;
    std::int64_t origin = start;
    co_await ranks::broadcast(comm, &origin, sizeof origin);
    if (!comm.same_clock(0)) origin = start;
    for (Span& each : ledger.spans) each.from -= origin, each.to -= origin;
    const std::array<std::int64_t, 2> mine = {static_cast<std::int64_t>(ledger.spans.size()), ledger.passed};
    ledger.spans.resize(most);
    std::vector<std::array<std::int64_t, 2>> counts(writes ? ranks : 0);
    std::vector<Account> accounts(writes ? ranks : 0);
    std::vector<Span> spans(writes ? ranks * most : 0);
    co_await ranks::gather(comm, &mine, sizeof mine, counts.data());
    co_await ranks::gather(comm, &ledger.account, sizeof ledger.account, accounts.data());
    co_await ranks::gather(comm, ledger.spans.data(), most * sizeof(Span), spans.data());
    std::vector<RankTimeline> found;
    std::vector<int> first_ranks;  // of each node
    for (int rank = 0; writes && rank < comm.size(); ++rank) {
      const auto i = static_cast<std::size_t>(rank);
      const auto same =
          std::find_if(first_ranks.begin(), first_ranks.end(), [&](int other) { return comm.same_node(other, rank); });
      const auto node = static_cast<int>(same - first_ranks.begin());
      if (same == first_ranks.end()) first_ranks.push_back(rank);
      const auto kept = static_cast<std::size_t>(counts[i][0]);
      found.push_back({&accounts[i], &spans[i * most], kept, counts[i][1], node, !comm.same_clock(rank)});
    }
    if (writes) session->write(timeline_event(label(comm, at), found, C::ticks_a_second));
    co_await ranks::together(comm, comm.size());
  }

  // Simulated ranks share a process: the places of their accounts are gathered, not the accounts.
  ranks::Task write_account(Case at) {
    if (comm.size() > most_noted) co_return;
    const bool writes = comm.rank() == 0;
    const auto ranks = static_cast<std::size_t>(comm.size());
    std::vector<const Account*> places(writes ? ranks : 0);
    std::vector<Account> copies(writes && !comm.is_simulated() ? ranks : 0);
    if (comm.is_simulated()) {
      const Account* const mine = &ledger.account;
      co_await ranks::gather(comm, &mine, sizeof mine, places.data());
    } else {
      co_await ranks::gather(comm, &ledger.account, sizeof ledger.account, copies.data());
      for (std::size_t rank = 0; rank < copies.size(); ++rank) places[rank] = &copies[rank];
    }
    if (writes) session->write(account_event(label(comm, at), places, messages, !comm.is_simulated()));
    co_await ranks::together(comm, comm.size());
  }
};

}  // namespace assay::applications
