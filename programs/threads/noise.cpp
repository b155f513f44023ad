// Noise of the node: what is taken from a program that computes and nothing else, on every hardware thread at once, by
// fixed work quanta and by fixed time quanta (threads/detours.hpp).
//
// Each block also leaves a line a thread, {"event":"trace","format":"assay noise 1",…}, with the start and length of
// each detour and what the kernel counted on that hardware thread meanwhile: src/assay/machine/noise_traces.py reads
// it, the report's spectrum is made of it, and a simulated hardware thread can be kept from its work by it.
#include <sys/resource.h>

#include <cmath>

#include "threads/detours.hpp"
#include "threads/interrupts.hpp"
#include "threads/team.hpp"

constexpr std::string_view record = R"record(
name = "noise"
title = "Noise of the node"
part = "threads"
kind = "node"
summary = "time that is taken from a program by everything else on its hardware threads: how much, how often, how long at once"
cost = "one operation is a step of a linear congruential generator; a quantum is some thousands of them"
check = "the generators stand where jumping ahead by all their steps leads; in a trial, interruptions made on purpose are found at their places and lengths"
source = "Petrini, Kerbyson and Pakin 2003; Sottile and Minnich 2004; Beckman et al. 2006"
traces = true
unjudged = ["lost", "detours", "median_detour", "largest_detour", "thread_lost", "thread_detours", "thread_largest", "involuntary", "waited"]
slice_quick = 0.07
slice_standard = 0.2
slice_full = 2
blocks_quick = 2
blocks_standard = 3
blocks_full = 8

[parameter.method]
type = "choice"
default = ["work", "time"]
choices = ["work", "time"]
sweep = true
help = "work: fixed work quanta, their time is read; time: fixed time quanta, the work done in each is counted"

[parameter.threads]
type = "integer"
default = 0
min = 0
max = 4096
sweep = true
help = "threads at work, each on a hardware thread of its own; 0: one on every hardware thread"

[parameter.quantum]
type = "real"
default = 0
min = 0
max = 0.1
unit = "s"
help = "of work: about what a piece takes, detours are placed as exactly as that; of time: a span, the spectrum reaches up to half of its frequency; 0: 20 us of work, 200 us of time"

[parameter.least]
type = "real"
default = 1e-6
min = 1e-7
max = 1
unit = "s"
help = "what is shorter is not called a detour (time: nor what is below two units of work, some 0.4 us)"

[metric.quantum]
unit = "s"
help = "median time of a fixed piece of work, or of a unit of those that fill a fixed span"

[metric.lost]
unit = "1"
help = "share of the time that detours took, over all hardware threads"

[metric.detours]
unit = "1/s"
help = "detours per second of one hardware thread, over all hardware threads"

[metric.median_detour]
unit = "s"
help = "median length of a detour, over all hardware threads"

[metric.largest_detour]
unit = "s"
help = "the longest detour of any hardware thread"

[metric.thread_lost]
unit = "1"
help = "share of the time that detours took on one hardware thread"

[metric.thread_detours]
unit = "1/s"
help = "detours per second on one hardware thread"

[metric.thread_largest]
unit = "s"
help = "the longest detour on one hardware thread"

[headline.lost]
figure = "lost"
where = "method=work"
title = "time lost to noise"
says = "loses to noise a share of"
order = 3

[figure.lost]
metric = "lost"
unit = "1"
better = "lower"
headline = true
help = "share of the time lost to detours, mean of all hardware threads"

[figure.detours]
metric = "detours"
unit = "1/s"
better = "lower"
help = "detours per second and hardware thread, mean of all"

[figure.median_detour]
metric = "median_detour"
unit = "s"
better = "lower"
help = "median length of a detour"

[figure.largest_detour]
metric = "largest_detour"
unit = "s"
better = "lower"
help = "the longest detour of a block, on any hardware thread"

[figure.thread_lost]
metric = "thread_lost"
unit = "1"
better = "lower"
help = "share of the time lost on each hardware thread; thread: which one"

[figure.thread_detours]
metric = "thread_detours"
unit = "1/s"
better = "lower"
help = "detours per second on each hardware thread; thread: which one"

[figure.thread_largest]
metric = "thread_largest"
unit = "s"
better = "lower"
help = "the longest detour of a block on each hardware thread; thread: which one"

[figure.quantum]
metric = "quantum"
unit = "s"
better = "lower"
help = "time of an undisturbed quantum of work"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr std::int64_t unit_steps = 100;  // of a fixed span's units

struct Switches {
  std::int64_t voluntary = 0, involuntary = 0;
  static Switches of_this_thread() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return {usage.ru_nvcsw, usage.ru_nivcsw};
  }
};

struct Watcher {  // a case's threads; one block at a time
  std::shared_ptr<threads::Team> team;
  int members;
  bool by_work;
  std::int64_t steps, quantum, least;  // steps of a piece; ns
  std::vector<threads::Chain> chains;
  std::vector<threads::Watch> watches;
  std::vector<Switches> switches;
  threads::Counters before, after;

  void watch_one(threads::Watch& watch, threads::Chain& chain, std::int64_t span,
                 threads::Interruption interruption = {}, std::vector<std::int64_t>* made = nullptr) const {
    const std::int64_t fit = span / quantum;
    watch.readings.assign(static_cast<std::size_t>(by_work ? 2 * fit + 16 : fit + 1), 1);
    if (by_work) {
      threads::watch_work(watch, chain, steps, span, least, interruption);
    } else {
      threads::watch_time(watch, chain, unit_steps, quantum, span, least, interruption);
    }
    if (made) *made = interruption.made;
  }
  void block(std::int64_t span) {
    watches.assign(static_cast<std::size_t>(members), {});
    switches.assign(watches.size(), {});
    team->run(members, [](int) {});  // awake before the first quantum
    before = threads::read_counters();
    team->run(members, [&](int rank) {
      const auto at = static_cast<std::size_t>(rank);
      const Switches from = Switches::of_this_thread();
      watch_one(watches[at], chains[at], span);
      const Switches to = Switches::of_this_thread();
      switches[at] = {to.voluntary - from.voluntary, to.involuntary - from.involuntary};
    });
    after = threads::read_counters();
  }

  double lost() const {
    double sum = 0;
    for (const auto& each : watches) sum += each.lost();
    return sum / static_cast<double>(members);
  }
  double rate() const {
    double sum = 0;
    for (const auto& each : watches) sum += static_cast<double>(each.detours.size()) / each.seconds();
    return sum / static_cast<double>(members);
  }
  std::vector<double> lengths() const {
    std::vector<double> all;
    for (const auto& each : watches)
      for (const threads::Detour& detour : each.detours) all.push_back(1e-9 * static_cast<double>(detour.length));
    std::sort(all.begin(), all.end());
    return all;
  }
  double typical() const {
    double sum = 0;
    for (const auto& each : watches)
      sum += by_work ? each.typical : 1e-9 * static_cast<double>(quantum) / std::max(1.0, each.typical);
    return sum / static_cast<double>(members);
  }

  // The line that holds a thread's block for the spectrum and for replay; times in s, counted from t0.
  Json trace(int rank, std::int64_t block, const Json& settings) const {
    const threads::Watch& watch = watches[static_cast<std::size_t>(rank)];
    const int cpu = team->cpu(rank);
    std::vector<double> start, length, done;
    for (const threads::Detour& each : watch.detours) {
      start.push_back(static_cast<double>(each.start) / 1e9);
      length.push_back(static_cast<double>(each.length) / 1e9);
    }
    if (!by_work) done.assign(watch.readings.begin(), watch.readings.end());
    Json counts;
    if (const auto now = after.interrupts.find(cpu); now != after.interrupts.end())
      for (const auto& [name, count] : now->second) {
        const auto then = before.interrupts.find(cpu);
        const bool known = then != before.interrupts.end() && then->second.count(name);
        if (const std::int64_t more = count - (known ? then->second.at(name) : 0); more > 0) counts.integer(name, more);
      }
    const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    double steal = 0;
    if (after.steal.count(cpu) && before.steal.count(cpu))
      steal = static_cast<double>(after.steal.at(cpu) - before.steal.at(cpu)) / ticks;
    timespec coarse{};  // the kernel's tick: its coarse clock goes on once a tick
    const bool known = clock_getres(CLOCK_MONOTONIC_COARSE, &coarse) == 0 && coarse.tv_nsec > 0;
    Json line;
    line.text("event", "trace").text("format", "assay noise 1").object("case", settings).integer("block", block);
    line.integer("thread", rank).integer("cpu", cpu).number("t0", watch.began_unix).number("seconds", watch.seconds());
    line.number("quantum", by_work ? watch.typical : static_cast<double>(quantum) / 1e9);
    line.number("least", static_cast<double>(least) / 1e9);
    known ? line.number("tick", 1e9 / static_cast<double>(coarse.tv_nsec)) : line.null("tick");
    line.numbers("start", start).numbers("length", length).numbers("done", done);
    line.object("interrupts", counts).number("steal", steal);
    const Switches& mine = switches[static_cast<std::size_t>(rank)];
    return line.integer("involuntary", mine.involuntary).integer("voluntary", mine.voluntary);
  }

  // Some twenty interruptions of a fifth of a millisecond: the detour that each falls into must not be much shorter.
  // Half of them are enough, as a hardware thread that shares its core goes at several speeds, and a slow span looks
  // like a loss.
  Check verify() {
    for (std::size_t rank = 0; rank < chains.size(); ++rank)
      if (threads::Chain::after(chains[rank].steps) != chains[rank].state)
        return {false, "thread " + std::to_string(rank) + " has not done its work"};
    threads::Watch watch;
    threads::Chain chain;
    std::vector<std::int64_t> made;
    constexpr std::int64_t length = 200'000, period = 3'000'000;
    watch_one(watch, chain, std::max(21 * (period + length), 20 * quantum), {period, length, 0, {}}, &made);
    std::size_t found = 0;
    for (const std::int64_t at : made) {
      const auto later = std::find_if(watch.detours.begin(), watch.detours.end(), [&](const threads::Detour& each) {
        return each.start > at - watch.begun + 1000;
      });
      found += later != watch.detours.begin() && std::prev(later)->length >= length * 3 / 4;
    }
    return {!made.empty() && 2 * found >= made.size(), std::to_string(made.size()) + " interruptions made, " +
                                                           std::to_string(found) +
                                                           " found; all generators where they lead"};
  }
};

// Steps that take so many seconds, by the best of several trials.
std::int64_t steps_of(double seconds) {
  threads::Chain chain;
  std::int64_t least = INT64_MAX;
  constexpr std::int64_t steps = 20000;
  for (int trial = 0; trial < 50; ++trial) {
    const std::int64_t from = now_ns();
    chain.work(steps);
    least = std::min(least, now_ns() - from);
  }
  return std::max<std::int64_t>(
      1, std::llround(seconds * 1e9 * steps / static_cast<double>(std::max<std::int64_t>(1, least))));
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  return run_program(record, argc, argv, [&](Case& at) {
    const auto requested = at.integer("threads");
    const int members = static_cast<int>(requested ? requested : team->processors().usable());
    if (!team->holds(at, members)) return;
    const bool by_work = at.choice("method") == "work";
    const double quantum = at.real("quantum") > 0 ? std::max(1e-6, at.real("quantum")) : by_work ? 2e-5 : 2e-4;
    auto watcher = std::make_shared<Watcher>(Watcher{team,
                                                     members,
                                                     by_work,
                                                     steps_of(quantum),
                                                     std::llround(1e9 * quantum),
                                                     std::llround(1e9 * at.real("least")),
                                                     std::vector<threads::Chain>(static_cast<std::size_t>(members)),
                                                     {},
                                                     {},
                                                     {},
                                                     {}});
    Case* self = &at;
    auto blocks = std::make_shared<std::int64_t>(0);
    const double span = std::max(at.slice(), 10 * quantum);
    at.observe("quantum", [=] {
      watcher->block(std::llround(1e9 * span));
      for (int rank = 0; rank < members; ++rank) self->write(watcher->trace(rank, *blocks, self->label()));
      ++*blocks;
      return watcher->typical();
    });
    at.add_metric("lost", [=] { return watcher->lost(); });
    at.add_metric("detours", [=] { return watcher->rate(); });
    at.add_metric("median_detour", [=] {
      const auto lengths = watcher->lengths();
      return lengths.empty() ? 0 : lengths[lengths.size() / 2];
    });
    at.add_metric("largest_detour", [=] {
      const auto lengths = watcher->lengths();
      return lengths.empty() ? 0 : lengths.back();
    });
    for (int rank = 0; rank < members && members > 1; ++rank) {
      const auto which = static_cast<std::size_t>(rank);
      at.observe("thread_lost", "thread", rank, [=] { return watcher->watches[which].lost(); });
      at.observe("thread_detours", "thread", rank, [=] {
        return static_cast<double>(watcher->watches[which].detours.size()) / watcher->watches[which].seconds();
      });
      at.observe("thread_largest", "thread", rank, [=] {
        std::int64_t most = 0;
        for (const threads::Detour& each : watcher->watches[which].detours) most = std::max(most, each.length);
        return 1e-9 * static_cast<double>(most);
      });
    }
    at.check([=] { return watcher->verify(); });
  });
}
