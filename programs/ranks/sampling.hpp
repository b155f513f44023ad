// The sampling loop of message-passing programs: all cases, block by block, in a new random order each block.
//
// A program gives a kernel:
//     Case at(const CaseSettings&)                          one case's parameters, a few words
//     Json label(C&, const Case&)                           the case as the samples carry it
//     Task operate(C&, const Case&, Run, int64_t* ticks)    on every rank: `run.readings` times `run.batch` operations;
//                                                           rank 0 stores what each reading took (others get no room)
//     Task verify(C&, const Case&, Verdict&)                untimed, on every rank; rank 0 says whether the data are
//                                                           right
//     static constexpr metric; cache(const Case&)
//     bool single(const Case&)                              optional: whether a reading must be one operation
//     std::vector<Series>& beside()                         optional, at rank 0: what else each reading gave, in its
//                                                           own unit; operate() appends, the loop clears
//     double spacing()                                      optional, at rank 0: how many seconds readings are apart at
//                                                           least, where they wait for a common start
//     bool possible(const Case&)                            optional: whether this machine can do the case, alike on
//                                                           every rank; the others are passed over
//     std::int64_t draws(const Case&)                       optional: readings of a case on a described machine, where
//                                                           repetitions are not stated: more than one of what is random
//     static constexpr bool ends_together                   optional: on a simulated machine operate() ends with all
//                                                           that take part, and they alone verify
//     void admit(C&, Session&)                              optional, on every rank before all else: throws where the
//                                                           program cannot do what is asked
// A kernel of several metrics, none of which is how long an operation takes, gives in place of metric and operate():
//     static constexpr std::array metrics                   their names
//     Task warm(C&, const Case&, int64_t block)             optional, before what is accounted for
//     Task take(C&, const Case&, vector<BlockLine>& lines)  a block of the case, on every rank; rank 0 fills the lines
//     ended()                                               why a block ends
// Ranks agree on a Run by a broadcast outside timed regions; on a described machine it is fixed and nothing is sent.
#pragma once

#include <type_traits>
#include <vector>

#include "ranks/block_lines.hpp"
#include "ranks/collectives.hpp"
#include "ranks/launch_time.hpp"
#include "ranks/meeting.hpp"
#include "ranks/session.hpp"

namespace assay::ranks {

// A second metric of the same readings.
struct Series {
  std::string_view metric;
  std::vector<double> values;
};
template <class Kernel>
concept GivesMore = requires(Kernel kernel) { kernel.beside(); };
template <class Kernel>
concept TimesSingly = requires(Kernel kernel, const decltype(kernel.at({}))& at) { kernel.single(at); };
template <class Kernel>
concept ChoosesCases = requires(Kernel kernel, const decltype(kernel.at({}))& at) { kernel.possible(at); };
template <class Kernel>
concept TakesBlocks = requires { Kernel::metrics; };
// Whether the record, where the kernel carries it, has a section for the metric.
template <class Kernel>
consteval bool record_names(std::string_view metric) {
  if constexpr (requires { std::string_view(Kernel::record); }) {
    constexpr std::string_view opens = "[metric.";
    std::string_view left = Kernel::record;
    for (std::size_t at = left.find(opens); at != std::string_view::npos; at = left.find(opens)) {
      left = left.substr(at + opens.size());
      if (left.starts_with(metric) && left.substr(metric.size()).starts_with("]")) return true;
    }
    return false;
  }
  return true;
}
template <class Kernel>
consteval bool record_names_metrics() {
  if constexpr (TakesBlocks<Kernel>) {
    for (const std::string_view metric : Kernel::metrics)
      if (!record_names<Kernel>(metric)) return false;
    return true;
  } else {
    return record_names<Kernel>(Kernel::metric);
  }
}
template <class Kernel>
double spacing(const Kernel& kernel) {
  if constexpr (requires { kernel.spacing(); }) return kernel.spacing();
  return 0;
}
template <class Kernel>
void forget_beside(Kernel& kernel) {
  if constexpr (GivesMore<Kernel>) {
    for (Series& series : kernel.beside()) series.values.clear();
  }
}

// The counters of all ranks and hosts together, at rank 0.
template <Communicator C>
Task account(C& comm, const Session& session, timing::Accounting& total) {
  const timing::Accounting mine = timing::read_accounting();
  std::vector<timing::Accounting> all(comm.rank() == 0 ? static_cast<std::size_t>(comm.size()) : 0);
  co_await gather(comm, &mine, sizeof mine, all.data());
  total = mine;
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    const timing::Accounting& each = all[rank];
    total.own += each.own;
    total.waited += each.waited;
    total.involuntary += each.involuntary;
    total.voluntary += each.voluntary;
    total.minor_faults += each.minor_faults;
    total.major_faults += each.major_faults;
    if (rank < session.leads.size() && session.leads[rank]) {
      total.busy += each.busy;
      total.steal += each.steal;
      for (std::size_t part = 0; part < total.energy.size(); ++part) total.energy[part] += each.energy[part];
    }
  }
}

// The block event, at rank 0, and one for each further metric.
template <class Kernel, class Case>
void write_block(Session& session, Kernel& kernel, const timing::Json& label, const Case& at, std::int64_t block,
                 std::int64_t order, const CaseState& state, const Pace& pace, double from, double to,
                 const timing::Accounting& accounting) {
  const BlockFacts facts{block, pace.ended(), kernel.cache(at)};
  const timing::Json spent = accounting.json();
  write_line(session, {kernel.metric, label, state.batch, pace.values(), state.first}, order, facts, from, to, spent);
  if constexpr (GivesMore<Kernel>) {
    for (const Series& series : kernel.beside()) {
      if (series.values.empty()) continue;
      write_line(session, {series.metric, label, state.batch, series.values}, order, facts, from, to, spent);
    }
  }
  forget_beside(kernel);
}

// Of a described machine: read where they are needed, as of a million ranks each would keep a copy in its frame.
template <class Kernel, class Case>
Pacing described_pacing(const Session& session, const Kernel& kernel, const Case& at) {
  if constexpr (requires { kernel.draws(at); }) return session.drawing(kernel.draws(at));
  return session.pacing();
}
template <class Kernel, class Case>
Run described_run(const Session& session, const Kernel& kernel, const Case& at) {
  const Pacing pacing = described_pacing(session, kernel, at);
  return {*pacing.repetitions, *pacing.batch};
}

template <Communicator C, class Kernel, class Case>
void write_described(C& comm, Session& session, Kernel& kernel, const Case& at, std::int64_t order,
                     const std::int64_t* ticks, std::int64_t from) {
  CaseState state;
  const Pacing pacing = described_pacing(session, kernel, at);
  Pace pace(pacing, state, C::ticks_a_second);
  for (Run run = pace.next(); run.readings > 0; run = pace.next()) {
    pace.took({ticks, static_cast<std::size_t>(run.readings)}, 0);
  }
  timing::Accounting unaccounted;
  unaccounted.wall = static_cast<double>(comm.now() - from) / C::ticks_a_second;
  const double start = session.began + static_cast<double>(from) / C::ticks_a_second;
  write_block(session, kernel, kernel.label(comm, at), at, 0, order, state, pace, start, start + unaccounted.wall,
              unaccounted);
}

// One block of one case on a real machine, on every rank; rank 0 decides and writes.
template <Communicator C, class Kernel>
Task sample_case(C& comm, Session& session, Kernel& kernel, std::size_t index, std::int64_t block, std::int64_t order,
                 LaunchTime& time, double elapsed_before) {
  const auto at = kernel.at(session.cases()[index]);
  timing::Accounting before, after;
  CaseState& state = session.state(index);
  Pacing pacing = session.pacing();
  if constexpr (TimesSingly<Kernel>) {
    if (kernel.single(at)) pacing.batch = 1;
  }
  Pace pace(pacing, state, C::ticks_a_second, time.share(elapsed_before));
  double from = 0;
  bool opened = false;  // the accounted part begins with the first run that counts
  while (true) {
    Run run;
    if (comm.rank() == 0) run = pace.next(spacing(kernel));
    std::int64_t agreed[3] = {run.readings, run.batch, pace.measuring() && !opened};
    co_await broadcast(comm, agreed, sizeof agreed);
    run = {agreed[0], agreed[1]};
    if (run.readings == 0) break;
    if (agreed[2]) {
      opened = true;
      co_await account(comm, session, before);
      from = timing::unix_time();
    }
    std::int64_t* ticks = comm.rank() == 0 ? session.ticks(run.readings) : nullptr;
    const std::int64_t start = comm.now();
    co_await kernel.operate(comm, at, run, ticks);
    if (comm.rank() == 0) {
      const double elapsed = static_cast<double>(comm.now() - start) / C::ticks_a_second;
      if (!pace.measuring()) forget_beside(kernel);
      pace.took({ticks, static_cast<std::size_t>(run.readings)}, elapsed);
    }
  }
  const double to = timing::unix_time();
  co_await account(comm, session, after);
  if (comm.rank() == 0) {
    write_block(session, kernel, kernel.label(comm, at), at, block, order, state, pace, from, to, after.since(before));
    time.measured(!pace.cut_short());
  }
}

// One block of one case of a kernel that takes blocks itself, on every rank; each of its lines has a place in the
// order.
template <Communicator C, class Kernel>
Task sample_lines(C& comm, Session& session, Kernel& kernel, std::size_t index, std::int64_t block,
                  std::int64_t& order) {
  const auto at = kernel.at(session.cases()[index]);
  if constexpr (requires { kernel.warm(comm, at, block); }) co_await kernel.warm(comm, at, block);
  const BlockFacts facts{block, kernel.ended(), kernel.cache(at)};
  std::vector<BlockLine> lines;
  if (comm.is_simulated()) {
    const std::int64_t start = comm.now();
    co_await kernel.take(comm, at, lines);
    timing::Accounting unaccounted;
    unaccounted.wall = static_cast<double>(comm.now() - start) / C::ticks_a_second;
    const double from = session.began + static_cast<double>(start) / C::ticks_a_second;
    for (const BlockLine& line : lines)
      write_line(session, line, order++, facts, from, from + unaccounted.wall, unaccounted.json());
    co_return;
  }
  timing::Accounting before, after;
  co_await account(comm, session, before);
  const double from = timing::unix_time();
  co_await kernel.take(comm, at, lines);
  const double to = timing::unix_time();
  co_await account(comm, session, after);
  for (const BlockLine& line : lines) {  // the block's time and accounting are written once
    const bool leads = &line == &lines.front();
    const timing::Accounting spent = leads ? after.since(before) : timing::Accounting();
    write_line(session, line, order++, facts, leads ? from : to, to, spent.json());
  }
}

// Refuses what the program does not have.
template <class Kernel>
void require_metrics(Session& session, Kernel& kernel) {
  static_assert(record_names_metrics<Kernel>(), "the kernel's metric is no [metric.NAME] of its record");
  if constexpr (TakesBlocks<Kernel>) {
    for (const std::string_view metric : Kernel::metrics) session.require_metric(metric);
  } else {
    session.require_metric(Kernel::metric);
  }
  if constexpr (GivesMore<Kernel>) {
    for (const Series& series : kernel.beside()) session.require_metric(series.metric);
  }
}
template <class Kernel>
bool is_possible(Kernel& kernel, const Session& session, std::size_t index) {
  if constexpr (ChoosesCases<Kernel>) return kernel.possible(kernel.at(session.cases()[index]));
  return true;
}

// Every case on a described machine, once: as many readings as are set beforehand. Its frame is kept small, as there
// may be a million. `Holder` is the kernel, or a reference to it: a program whose frame would hold nothing else leaves
// its kernel to this one, and what it would have refused first to the kernel's admit().
template <class Holder, Communicator C>
Task sample_described(C& comm, Session& session, Holder kernel) {
  using Kernel = std::remove_reference_t<Holder>;
  if constexpr (requires { kernel.admit(comm, session); }) kernel.admit(comm, session);
  if (comm.rank() == 0) require_metrics(session, kernel);
  std::int64_t order = 0;
  Task step;  // one for all that are awaited: each where it is made would keep room of its own in the frame
  for (std::size_t turn = 0; turn < session.cases().size(); ++turn) {
    const std::size_t index = session.order(0)[turn];
    if (!is_possible(kernel, session, index)) continue;
    const auto at = kernel.at(session.cases()[index]);
    if (turn > 0) {  // all begin together, as they do at their start
      step = together(comm, comm.size());
      co_await step;
      step = {};
    }
    if constexpr (TakesBlocks<Kernel>) {
      co_await sample_lines(comm, session, kernel, index, 0, order);
    } else {
      std::int64_t* const ticks =
          comm.rank() == 0 ? session.ticks(described_run(session, kernel, at).readings) : nullptr;
      const std::int64_t from = comm.now();
      step = kernel.operate(comm, at, described_run(session, kernel, at), ticks);
      co_await step;
      step = {};
      if (comm.rank() == 0) write_described(comm, session, kernel, at, order++, ticks, from);
    }
    if constexpr (!requires { Kernel::ends_together; }) {
      step = together(comm, comm.size());
      co_await step;
      step = {};
    }
    Verdict& verdict = session.verdict(comm.rank() == 0);
    step = kernel.verify(comm, at, verdict);
    co_await step;
    step = {};
    if (comm.rank() == 0) session.check(kernel.label(comm, at), verdict);
  }
}

template <Communicator C, class Kernel>
Task sample_measured(C& comm, Session& session, Kernel& kernel) {
  if constexpr (requires { kernel.admit(comm, session); }) kernel.admit(comm, session);
  require_metrics(session, kernel);  // on all ranks alike, so that none waits for one that was refused
  std::int64_t order = 0, cases = 0;
  for (std::size_t index = 0; index < session.cases().size(); ++index) cases += is_possible(kernel, session, index);
  LaunchTime time(session.pacing().slice, cases * session.blocks());
  const std::int64_t began = comm.now();
  const auto elapsed = [&] { return static_cast<double>(comm.now() - began) / C::ticks_a_second; };
  for (std::int64_t block = 0; block < session.blocks(); ++block) {
    if (!TakesBlocks<Kernel> && !session.pacing().repetitions && block > 0) {
      bool over = time.over(elapsed());
      co_await broadcast(comm, &over, sizeof over);
      if (over) break;
    }
    for (std::size_t turn = 0; turn < session.cases().size(); ++turn) {
      const std::size_t index = session.order(block)[turn];
      if (!is_possible(kernel, session, index)) continue;
      if constexpr (TakesBlocks<Kernel>) {
        co_await sample_lines(comm, session, kernel, index, block, order);
      } else {
        co_await sample_case(comm, session, kernel, index, block, order++, time, elapsed());
      }
      if (block > 0) continue;
      const auto at = kernel.at(session.cases()[index]);
      Verdict& verdict = session.verdict(comm.rank() == 0);
      co_await kernel.verify(comm, at, verdict);
      if (comm.rank() == 0) session.check(kernel.label(comm, at), verdict);
    }
  }
  if constexpr (!TakesBlocks<Kernel>) {
    if (const std::string cut = time.cut(); comm.rank() == 0 && !cut.empty()) session.cut(cut);
  }
}

// Every case of the session: measured in blocks, and verified once, right after its first block.
template <Communicator C, class Kernel>
Task sample(C& comm, Session& session, Kernel& kernel) {
  if (comm.is_simulated()) return sample_described<Kernel&>(comm, session, kernel);
  return sample_measured(comm, session, kernel);
}

}  // namespace assay::ranks
