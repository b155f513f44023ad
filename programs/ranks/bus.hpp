// The shared bus: what a memory stream and passing messages leave each other (Dunigan 1995, section 3, the text after
// Table 3.4: one pfldq thread beside one communication thread).
//
// Rank 0 streams. In the form `put` rank 1 writes messages into rank 0's memory, one-sided, so that two hardware
// threads do; in the form `echo` ranks 1 and 2 echo messages beside it, which takes three. A round is three windows of
// equal time, each entered together: the stream alone, the messages alone, both; their order turns from round to
// round. Streams and messages step through more memory than the last-level cache holds (bus_sides.hpp). Where ranks
// would share a hardware thread, a form is left out; so is `put` where messages only arrive while their target calls
// the library (bus_forms.hpp). Simulated machines: bus_described.hpp.
#pragma once

#include "memory/caches.hpp"
#include "ranks/bus_checks.hpp"
#include "ranks/bus_described.hpp"
#include "ranks/bus_forms.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

// Bytes of each array where none are asked for.
inline std::size_t array_bytes(const memory::LastLevel& cache) {
  return std::clamp<std::size_t>(4 * static_cast<std::size_t>(cache.bytes), std::size_t{64} << 20,
                                 std::size_t{1} << 30);
}

struct Bus {
  static constexpr std::string_view record = R"record(
name = "bus"
title = "The shared bus"
part = "messages"
kind = "ranks"
computes = ["stream"]
ranks = "all"
most_ranks = 3
least_ranks = 2
summary = "a memory stream and messages, each alone and both together: each side's share of the memory's bus, and the sum"
cost = "stream: read 8 bytes per element, copy 16, as STREAM counts them; messages: their own bytes, once (put) or once each way (echo); what copies within the library cost beside is not counted"
check = "put: every byte of several messages is compared at the target with a pattern of its position; echo: the same there and back; the sum that the stream reads, with a closed form"
source = "Dunigan 1995, section 3, the text after Table 3.4"
published = ["pfldq-with-messages"]
slice_quick = 0.06
slice_standard = 0.08
slice_full = 1
blocks_quick = 3
blocks_standard = 3
blocks_full = 8

[parameter.form]
type = "choice"
default = ["put", "echo"]
choices = ["put", "echo"]
sweep = true
help = "put: rank 1 writes into the memory of rank 0, which streams (2 hardware threads); echo: ranks 1 and 2 echo beside it (3)"

[parameter.kernel]
type = "choice"
default = ["read", "copy"]
quick = "read"
described = "read"
choices = ["read", "copy"]
sweep = true
help = "what the stream does: sum up an array, or copy one to another"

[parameter.bytes]
type = "integer"
default = [65536, 1048576]
quick = 65536
full = [64, 4096, 65536, 1048576]
described = [64, 4096, 65536, 1048576]
min = 1
max = 16777216
unit = "B"
sweep = true
help = "length of a message"

[parameter.size]
type = "integer"
default = 0
min = 0
max = 17179869184
unit = "B"
help = "bytes of each array, and of the memory that messages step through; 0: four times the last-level cache that the hardware threads in use can count on, 64 MiB to 1 GiB"

[parameter.window]
type = "real"
default = 0.005
described = 0.2
min = 0.0001
max = 10
unit = "s"
help = "time that each side works for in one go"

[parameter.stream]
type = "real"
default = 0
min = 0
max = 1e15
unit = "B/s"
help = "on a described machine: the stream's rate alone, which its description states; 0: not known"

[metric.stream]
unit = "B/s"
help = "bytes that the stream moved over the time it took; load: alone, or both at once"

[metric.messages]
unit = "B/s"
help = "bytes of messages that arrived over the time they took; load: alone, or both at once"

[metric.sum]
unit = "B/s"
help = "both sides' rates added up, while both work"

[metric.stream_kept]
unit = "1"
help = "of its rate alone, what the stream keeps beside messages"

[metric.messages_kept]
unit = "1"
help = "of their rate alone, what messages keep beside the stream"

[shares]
parts = ["stream", "messages"]
over = "load"
sum = "sum"

[figure.stream]
metric = "stream"
unit = "B/s"
better = "higher"
help = "the stream's rate; load=alone, or load=both: its share"

[figure.messages]
metric = "messages"
unit = "B/s"
better = "higher"
help = "the messages' rate; load=alone, or load=both: their share"

[figure.sum]
metric = "sum"
unit = "B/s"
better = "higher"
headline = true
help = "what stream and messages move together, both at work"

[figure.stream_kept]
metric = "stream_kept"
unit = "1"
better = "higher"
help = "part of its rate alone that the stream keeps beside messages"

[figure.messages_kept]
metric = "messages_kept"
unit = "1"
better = "higher"
help = "part of their rate alone that messages keep beside the stream"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session);
};

// The kernel, on one rank.
template <Communicator C>
class BusKernel {
 public:
  using Case = BusCase;
  static constexpr std::string_view record = Bus::record;
  static constexpr auto metrics = bus_metrics;

  BusKernel(Session& session, BusForms<C>& forms, BusSides<C>& sides, double seconds)
      : session_(session), forms_(forms), sides_(sides), seconds_(seconds) {}

  Case at(const timing::CaseSettings& settings) const {
    return {settings.at("form").text == "put", settings.at("kernel").text == "copy",
            static_cast<std::size_t>(settings.at("bytes").integer)};
  }
  bool possible(const Case& at) const { return at.put ? forms_.put() : forms_.echo(); }
  timing::Json label(C&, const Case& at) const { return bus_label(at, "both"); }
  const char* cache(const Case&) const { return "beyond the caches"; }
  const char* ended() const { return "slice spent"; }

  Task warm(C&, const Case& at, std::int64_t block) {
    first_ = {};
    co_await round(at, block, first_);
  }

  Task take(C& comm, const Case& at, std::vector<BlockLine>& lines) {
    Rates rates;
    const auto fitting = static_cast<std::int64_t>(session_.pacing().slice / (3 * seconds_));
    const std::int64_t rounds = session_.pacing().repetitions.value_or(std::max<std::int64_t>(3, fitting));
    for (std::int64_t turn = 0; turn < rounds; ++turn) co_await round(at, turn, rates);
    if (comm.rank() != 0) co_return;
    const auto counted = [&](const BusSide& side, std::size_t unit) {  // operations per window
      const auto done = static_cast<std::int64_t>(side.bytes) / rounds / static_cast<std::int64_t>(unit);
      return std::max<std::int64_t>(2, done);
    };
    const std::int64_t pieces = counted(rates.totals[0], BusSides<C>::piece);
    const std::int64_t sent = counted(rates.totals[1], at.bytes);
    const auto add = [&](std::string_view metric, const char* load, std::int64_t batch, std::vector<double>& values,
                         const std::vector<double>& first) {
      lines.push_back({metric, bus_label(at, load), batch, std::move(values), first.front()});
    };
    add("stream", "alone", pieces, rates.stream_alone, first_.stream_alone);
    add("messages", "alone", sent, rates.messages_alone, first_.messages_alone);
    add("stream", "both", pieces, rates.stream_both, first_.stream_both);
    add("messages", "both", sent, rates.messages_both, first_.messages_both);
    add("sum", "both", pieces, rates.sum, first_.sum);
    const auto kept = [&](std::string_view metric, std::int64_t batch, const BusSide& both, const BusSide& alone) {
      const double part = both.rate(C::ticks_a_second) / alone.rate(C::ticks_a_second);
      lines.push_back({metric, bus_label(at, "both"), batch, {part}});
    };
    kept("stream_kept", pieces, rates.totals[2], rates.totals[0]);
    kept("messages_kept", sent, rates.totals[3], rates.totals[1]);
  }

  Task verify(C& comm, const Case& at, Verdict& verdict) {
    BusChecks<C> checks(comm, sides_);
    std::int64_t wrong = 0;
    co_await checks.messages(at, wrong);
    if (comm.rank() != 0) co_return;
    const bool right = checks.stream(at);
    verdict.passed = wrong == 0 && right;
    verdict.detail = std::to_string(wrong) + " bytes of messages wrong; the stream's " +
                     (at.copy ? "copy is " : "sum is ") + (right ? "right" : "wrong");
  }

 private:
  struct Rates {  // of the rounds of a block, B/s: those alone, those together, and their totals
    std::vector<double> stream_alone, messages_alone, stream_both, messages_both, sum;
    BusSide totals[4];
  };

  Task round(const Case& at, std::int64_t turn, Rates& rates) {
    for (int k = 0; k < 3; ++k) {
      const auto load = static_cast<BusLoad>((turn + k) % 3);
      BusSide streamed, passed;
      co_await sides_.enter(at, load, streamed, passed);
      const double stream = streamed.rate(C::ticks_a_second), messages = passed.rate(C::ticks_a_second);
      if (load == BusLoad::stream) rates.stream_alone.push_back(stream);
      if (load == BusLoad::messages) rates.messages_alone.push_back(messages);
      if (load == BusLoad::both) {
        rates.stream_both.push_back(stream);
        rates.messages_both.push_back(messages);
        rates.sum.push_back(stream + messages);
      }
      rates.totals[load == BusLoad::both ? 2 : 0] += streamed;
      rates.totals[load == BusLoad::both ? 3 : 1] += passed;
    }
  }

  Session& session_;
  BusForms<C>& forms_;
  BusSides<C>& sides_;
  double seconds_;
  Rates first_;  // of the round before a block's first one that counts
};

// On a real machine, on every rank.
template <Communicator C>
Task measure_bus(C& comm, Session& session) {
  const auto& given = session.cases().front();
  auto size = static_cast<std::size_t>(given.at("size").integer);
  std::vector<Seat> seats;
  co_await gather_seats(comm, seats);
  memory::LastLevel cache;
  if (comm.rank() == 0) cache = memory::find_last_level(processors_of(seats, 3));
  if (size == 0) size = array_bytes(cache);
  co_await broadcast(comm, &size, sizeof size);  // the first rank's: hosts may differ
  size = size / BusSides<C>::piece * BusSides<C>::piece;
  for (const auto& each : session.cases())
    if (2 * static_cast<std::size_t>(each.at("bytes").integer) > size || size == 0)
      refuse("size", "too small for two messages and a piece of 64 KiB", given.at("size").text,
             "0 (by the cache), " + std::to_string(2 * each.at("bytes").integer + BusSides<C>::piece) + " or more");
  const auto last = static_cast<std::size_t>(cache.bytes);
  if (comm.rank() == 0 && size < 2 * last)
    session.note("arrays of " + std::to_string(size) + " bytes: the last-level cache of " + std::to_string(last) +
                 " bytes holds part of them");
  if (comm.rank() == 0 && size < 4 * static_cast<std::size_t>(cache.stated) && !cache.warning.empty())
    session.note(cache.warning);
  const double seconds = given.at("window").real;
  BusForms<C> forms(comm, session, size);
  BusSides<C> sides(comm, size, seconds);
  co_await forms.find(seats, sides.window);
  sides.fill(forms.put(), forms.echo(), forms.wants("kernel", "copy"));
  co_await barrier(comm);
  BusKernel<C> kernel(session, forms, sides, seconds);
  co_await sample(comm, session, kernel);
  if constexpr (OneSided<C>) co_await comm.withdraw(sides.window);
}

template <Communicator C>
Task Bus::run(C& comm, Session& session) {
  needs(comm.size() >= 2, "2 ranks or more", comm.size());
  if (!comm.is_simulated()) {
    co_await measure_bus(comm, session);
  } else if constexpr (OneSided<C>) {
    co_await DescribedBus<C>(comm, session).measure();
  }
}

using Program = Bus;

}  // namespace assay::ranks
