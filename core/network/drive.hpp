// How an engine is driven through a run: warm-up, then batches of equal time; and the clock of what it costs.
#pragma once
#include <ctime>

#include "events/stop.hpp"
#include "network/outcome.hpp"
#include "network/settings.hpp"

namespace assay::network {

/// CPU time of this thread in seconds.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Warm-up, then batches of equal time; either by cycles, or by messages delivered as in the paper.
/// `rate`: messages expected a cycle.
template <class Engine, class Collected>
void drive(Engine& engine, Collected& collected, const Method& method, double rate, Outcome& outcome) {
  std::uint64_t cycle = method.warmup_cycles;
  events::Pieces pieces;
  if (method.warmup_messages == 0) {
    pieces.run(engine, cycle);
  } else {
    cycle = 0;
    while (collected.all() < method.warmup_messages) {
      const double left = static_cast<double>(method.warmup_messages - collected.all());
      pieces.run(engine, cycle += 1 + static_cast<std::uint64_t>(left / rate * 0.9));
    }
  }
  const std::uint64_t start = cycle, created = engine.created();
  std::uint64_t length = method.cycles;
  // A warm-up by deliveries is of the messages that end the run, one by cycles before them.
  const std::uint64_t last = method.messages + (method.warmup_messages == 0 ? collected.all() : 0);
  if (method.messages != 0) {
    const auto wanted = last > collected.all() ? last - collected.all() : 0;
    length = 1 + static_cast<std::uint64_t>(static_cast<double>(wanted) / rate);
  }
  collected.measure(method.batches);
  for (std::uint32_t batch = 0; batch < method.batches; ++batch) {
    collected.turn(batch);
    cycle = start + static_cast<std::uint64_t>(static_cast<unsigned __int128>(length) * (batch + 1) / method.batches);
    pieces.run(engine, cycle);
    outcome.backlog.push_back(engine.live());
    if (method.messages != 0 && collected.all() >= last) break;
  }
  // A run by messages that is not there yet goes on, in the last batch, for as long again at most: then it is
  // saturated.
  for (std::uint64_t more = 0; method.messages != 0 && collected.all() < last && more < 64; ++more)
    pieces.run(engine, cycle += 1 + length / 64);
  outcome.measured_cycles = cycle - start;
  outcome.simulated_cycles = cycle;
  outcome.generated = engine.created() - created;
  outcome.head_hops = engine.head_hops();
  outcome.flit_hops = engine.flit_hops();
  outcome.memory_bytes = engine.memory();
  outcome.saturated = grows(outcome.backlog);
  collected.report(outcome);
}

}  // namespace assay::network
