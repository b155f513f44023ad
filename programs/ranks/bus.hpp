// The shared bus: what a memory stream and passing messages leave each other (Dunigan 1995, section 3, the text after
// Table 3.4: one pfldq thread beside one communication thread).
//
// Rank 0 streams. In the form `put` rank 1 writes messages into rank 0's memory, one-sided, so that two processors do;
// in the form `echo` ranks 1 and 2 echo messages beside it, which takes three. A round is three windows of equal time,
// each entered together: the stream alone, the messages alone, both; their order turns from round to round. Streams and
// messages step through more memory than the last-level cache holds. Where ranks would share a processor, a form is
// left out; so is `put` where messages only arrive while their target calls the library. Described machines:
// bus_described.hpp.
#pragma once

#include <cstring>

#include "memory/caches.hpp"
#include "ranks/buffers.hpp"
#include "ranks/bus_described.hpp"
#include "ranks/one_sided.hpp"
#include "ranks/sampling.hpp"
#include "ranks/seats.hpp"
#include "timing/memory_limits.hpp"

namespace assay::ranks {

template <Communicator C>
class BusRun;

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
help = "put: rank 1 writes into the memory of rank 0, which streams (2 processors); echo: ranks 1 and 2 echo beside it (3)"

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
help = "bytes of each array, and of the memory that messages step through; 0: four times the last-level cache that the processors in use can count on, 64 MiB to 1 GiB"

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
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    BusRun<C> bus(comm, session);
    if (comm.is_simulated()) {
      if constexpr (OneSided<C>) co_await DescribedBus<C>(comm, session).measure();
      co_return;
    }
    co_await bus.measure();
  }
};

// Bytes of each array where none are asked for.
inline std::size_t array_bytes(const memory::LastLevel& cache) {
  return std::clamp<std::size_t>(4 * static_cast<std::size_t>(cache.bytes), std::size_t{64} << 20,
                                 std::size_t{1} << 30);
}

template <class C>
struct NoWindow {};
template <class C>
struct WindowOf {
  using type = NoWindow<C>;
};
template <OneSided C>
struct WindowOf<C> {
  using type = typename C::Window;
};

// On one rank. Ranks beyond the third only keep step.
template <Communicator C>
class BusRun {
 public:
  BusRun(C& comm, Session& session) : comm_(comm), session_(session) {}

  void leave_out(std::string_view why) {
    if (comm_.rank() != 0) return;
    session_.write(timing::Json().text("event", "note").text("text", "left out: " + std::string(why)));
  }

  Task measure() {
    const auto& given = session_.cases().front();
    seconds_ = given.at("window").real;
    size_ = static_cast<std::size_t>(given.at("size").integer);
    std::vector<Seat> seats;
    co_await gather_seats(comm_, seats);
    memory::LastLevel cache;
    if (comm_.rank() == 0) cache = memory::find_last_level(processors_of(seats, 3));
    if (size_ == 0) size_ = array_bytes(cache);
    co_await broadcast(comm_, &size_, sizeof size_);  // the first rank's: hosts may differ
    const auto last = static_cast<std::size_t>(cache.bytes);
    size_ = size_ / piece * piece;
    for (const auto& each : session_.cases())
      if (2 * static_cast<std::size_t>(each.at("bytes").integer) > size_ || size_ == 0)
        throw timing::InputFault("parameter 'size': too small for two messages and a piece of 64 KiB");
    if (comm_.rank() == 0 && size_ < 2 * last)
      session_.write(timing::Json()
                         .text("event", "note")
                         .text("text", "arrays of " + std::to_string(size_) + " bytes: the last-level cache of " +
                                           std::to_string(last) + " bytes holds part of them"));
    if (comm_.rank() == 0 && size_ < 4 * static_cast<std::size_t>(cache.stated) && !cache.doubt.empty())
      session_.write(timing::Json().text("event", "note").text("text", cache.doubt));
    co_await prepare(seats);
    std::int64_t order = 0;
    for (std::int64_t block = 0; block < session_.blocks(); ++block)
      for (const std::size_t index : Session::Order(session_.order(block))) {
        const timing::CaseSettings& settings = session_.cases()[index];
        const Case at{settings.at("form").text == "put", settings.at("kernel").text == "copy",
                      static_cast<std::size_t>(settings.at("bytes").integer)};
        if (!(at.put ? can_put_ : can_echo_)) continue;
        co_await take(at, settings, block, order);
        order += metrics;
        if (block == 0) co_await verify(at, settings);
      }
    if constexpr (OneSided<C>) co_await comm_.withdraw(window_);
  }

 private:
  static constexpr int tag = 1, done_tag = 2;
  static constexpr std::int64_t metrics = 7;   // lines a block
  static constexpr std::size_t piece = 65536;  // of the stream, between two looks at the clock
  enum Load { stream, messages, both };
  struct Case {
    bool put, copy;
    std::size_t bytes;
  };
  struct Side {  // what one side did
    double bytes = 0, ticks = 0;
    double rate() const { return ticks > 0 ? bytes / ticks * C::ticks_a_second : 0; }
    void operator+=(const Side& other) {
      bytes += other.bytes;
      ticks += other.ticks;
    }
  };
  using Memory = std::vector<std::byte>;

  // Decides which forms there can be, and touches the memory that they need.
  Task prepare(const std::vector<Seat>& seats) {
    bool can[2] = {true, comm_.size() >= 3};  // put, echo
    if (comm_.rank() == 0) {
      const bool wants_put = wants("form", "put"), wants_echo = wants("form", "echo");
      can[0] = wants_put && apart(seats, 2);
      can[1] = wants_echo && can[1] && apart(seats, 3);
      if (wants_put && !can[0]) leave_out("form put: it needs 2 ranks, each with a processor of its own");
      if (wants_echo && !can[1]) leave_out("form echo: it needs 3 ranks, each with a processor of its own");
      if (can[0] && seats[0].host != seats[1].host)
        session_.write(timing::Json()
                           .text("event", "note")
                           .text("text", "rank 1 is on another host: what it puts comes in over the network"));
    }
    co_await find_room(can);
    if constexpr (OneSided<C>) {
      window_ = co_await comm_.expose(comm_.rank() == 0 && can[0] ? size_ : 1);
      if (can[0]) {
        co_await probe(can[0]);
        if (!can[0]) leave_out("form put: this library delivers it only while its target calls the library");
      }
    } else {
      if (can[0]) leave_out("form put: this machine has no one-sided messages");
      can[0] = false;
    }
    co_await broadcast(comm_, can, sizeof can);
    can_put_ = can[0];
    can_echo_ = can[1];
    const int me = comm_.rank();
    if (me == 0 && (can_put_ || can_echo_)) {
      from_.resize(size_ / sizeof(std::uint64_t));
      for (std::size_t i = 0; i < from_.size(); ++i) from_[i] = factor * i;
      if (wants("kernel", "copy")) to_.resize(from_.size());
      if constexpr (OneSided<C>) {
        if (can_put_) std::fill_n(window_.data(), size_, std::byte{0});
      }
    }
    if ((me == 1 && (can_put_ || can_echo_)) || (me == 2 && can_echo_)) {
      out_.assign(size_, std::byte{0});
      if (can_echo_) in_.assign(size_, std::byte{0});
    }
    co_await barrier(comm_);
  }

  bool wants(std::string_view key, std::string_view choice) const {
    return std::ranges::any_of(session_.cases(), [&](const auto& each) { return each.at(key).text == choice; });
  }

  // No rank may take more than its share of half of what the host, a cgroup or a limit leaves; all learn what can be.
  Task find_room(bool (&can)[2]) {
    std::int64_t least = comm_.rank() < 3 ? memory::read_headroom().bytes : std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> all(static_cast<std::size_t>(comm_.size()));
    co_await gather(comm_, &least, sizeof least, all.data());
    if (comm_.rank() == 0) {
      least = *std::ranges::min_element(all);
      const auto size = static_cast<std::int64_t>(size_);
      const std::int64_t stream = (wants("kernel", "copy") ? 2 : 1) * size, messages[2] = {2 * size, 4 * size};
      for (const int form : {0, 1}) {
        if (!can[form] || stream + messages[form] <= least / 2) continue;
        can[form] = false;
        leave_out(std::string("form ") + (form == 0 ? "put" : "echo") + ": " + std::to_string(stream + messages[form]) +
                  " bytes are more than half of the " + std::to_string(least) + " that are free for it");
      }
      if (can[0] && can[1] && stream + messages[0] + messages[1] > least / 2) {
        can[1] = false;
        leave_out("form echo: beside the memory of form put there is none left; ask for it alone");
      }
    }
    co_await broadcast(comm_, can, sizeof can);
  }

  // Whether a put arrives while its target does not call the library.
  Task probe(bool& unaided)
    requires OneSided<C>
  {
    auto* flag = reinterpret_cast<volatile unsigned char*>(window_.data());
    if (comm_.rank() == 0) *flag = 0;
    co_await barrier(comm_);
    const std::byte one{1};
    if (comm_.rank() == 1) {
      co_await comm_.put(window_, &one, 1, 0, 0);
      co_await comm_.complete(window_, 0);
    } else if (comm_.rank() == 0) {
      const std::int64_t end = comm_.now() + static_cast<std::int64_t>(0.5 * C::ticks_a_second);
      while (*flag != 1 && comm_.now() < end) continue;
      unaided = *flag == 1;
    }
    co_await barrier(comm_);
  }

  // --- the two sides ------------------------------------------------------------------------------------------------

  Side run_stream(const Case& at) {
    Side moved;
    constexpr std::size_t words = piece / sizeof(std::uint64_t);
    const std::int64_t start = comm_.now(), end = start + window_ticks();
    std::int64_t now = start;
    do {
      if (streamed_ + words > from_.size()) streamed_ = 0;
      if (at.copy) {
        std::memcpy(to_.data() + streamed_, from_.data() + streamed_, piece);
      } else {
        seen_ += sum(from_.data() + streamed_, words);
      }
      streamed_ += words;
      moved.bytes += at.copy ? 2.0 * piece : 1.0 * piece;
      now = comm_.now();
    } while (now < end);
    moved.ticks = static_cast<double>(now - start);
    return moved;
  }

  [[gnu::noinline]] static std::uint64_t sum(const std::uint64_t* from, std::size_t words) {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < words; ++i) found += from[i];
    return found;
  }

  Task put_messages(const Case& at, Side& moved)
    requires OneSided<C>
  {
    if (comm_.rank() != 1) co_return;
    const std::int64_t start = comm_.now(), end = start + window_ticks();
    std::int64_t now = start;
    do {
      const std::size_t offset = step(at.bytes);
      co_await comm_.put(window_, out_.data() + offset, at.bytes, 0, offset);
      co_await comm_.complete(window_, 0);
      moved.bytes += static_cast<double>(at.bytes);
      now = comm_.now();
    } while (now < end);
    moved.ticks = static_cast<double>(now - start);
  }

  // The first byte says whether it is the last round trip.
  Task echo_messages(const Case& at, Side& moved) {
    if (comm_.rank() == 1) {
      const std::int64_t start = comm_.now(), end = start + window_ticks();
      std::int64_t now = start;
      for (bool last = false, over = false; !over; last = now >= end) {
        const std::size_t offset = step(at.bytes);
        out_[offset] = std::byte{last};
        co_await comm_.send(out_.data() + offset, at.bytes, 2, tag);
        co_await comm_.recv(in_.data() + offset, at.bytes, 2, tag);
        moved.bytes += 2 * static_cast<double>(at.bytes);
        over = last;
        now = comm_.now();
      }
      moved.ticks = static_cast<double>(now - start);
    } else if (comm_.rank() == 2) {
      for (bool last = false; !last;) {
        const std::size_t offset = step(at.bytes);
        co_await comm_.recv(in_.data() + offset, at.bytes, 1, tag);
        last = in_[offset] != std::byte{0};
        co_await comm_.send(out_.data() + offset, at.bytes, 1, tag);
      }
    }
  }

  std::size_t step(std::size_t bytes) {  // through the memory, a message after the other
    const std::size_t here = stepped_ + bytes > size_ ? 0 : stepped_;
    stepped_ = here + (bytes + 63) / 64 * 64;
    return here;
  }
  std::int64_t window_ticks() const { return static_cast<std::int64_t>(seconds_ * C::ticks_a_second); }

  // --- measuring ----------------------------------------------------------------------------------------------------

  Task enter(const Case& at, Load load, Side& streamed, Side& passed) {
    co_await barrier(comm_);
    Side mine;
    if (load != messages && comm_.rank() == 0) streamed = run_stream(at);
    if (load != stream) {
      if constexpr (OneSided<C>) {
        if (at.put) co_await put_messages(at, mine);
      }
      if (!at.put) co_await echo_messages(at, mine);
      if (comm_.rank() == 1) co_await comm_.send(&mine, sizeof mine, 0, done_tag);
      if (comm_.rank() == 0) co_await comm_.recv(&passed, sizeof passed, 1, done_tag);
    }
  }

  struct Rates {  // of the rounds of a block: those alone, those together, and their totals
    std::vector<double> stream_alone, messages_alone, stream_both, messages_both, sum;
    Side totals[4];
  };

  Task round(const Case& at, std::int64_t turn, Rates& rates) {
    for (int k = 0; k < 3; ++k) {
      const auto load = static_cast<Load>((turn + k) % 3);
      Side streamed, passed;
      co_await enter(at, load, streamed, passed);
      if (load == stream) rates.stream_alone.push_back(streamed.rate());
      if (load == messages) rates.messages_alone.push_back(passed.rate());
      if (load == both) {
        rates.stream_both.push_back(streamed.rate());
        rates.messages_both.push_back(passed.rate());
        rates.sum.push_back(streamed.rate() + passed.rate());
      }
      rates.totals[load == both ? 2 : 0] += streamed;
      rates.totals[load == both ? 3 : 1] += passed;
    }
  }

  Task take(const Case& at, const timing::CaseSettings& settings, std::int64_t block, std::int64_t order) {
    Rates warm, rates;
    co_await round(at, block, warm);
    const auto fitting = static_cast<std::int64_t>(session_.pacing().slice / (3 * seconds_));
    const std::int64_t rounds = session_.pacing().repetitions.value_or(std::max<std::int64_t>(3, fitting));
    timing::Accounting before, after;
    co_await account(comm_, session_, before);
    const double from = timing::unix_time();
    for (std::int64_t turn = 0; turn < rounds; ++turn) co_await round(at, turn, rates);
    const double to = timing::unix_time();
    co_await account(comm_, session_, after);
    if (comm_.rank() != 0) co_return;
    const timing::Json spent = after.since(before).json(), nothing = timing::Accounting().json();
    const auto counted = [&](const Side& side, std::size_t unit) {  // operations a window
      return std::max<std::int64_t>(2,
                                    static_cast<std::int64_t>(side.bytes) / rounds / static_cast<std::int64_t>(unit));
    };
    const std::int64_t pieces = counted(rates.totals[0], piece), sent = counted(rates.totals[1], at.bytes);
    bool leads = true;  // the block's accounting is told once
    const auto write = [&](const char* metric, const char* load, std::int64_t batch, const std::vector<double>& values,
                           const std::vector<double>& first) {
      timing::Json line;
      line.text("event", "block").object("case", label(settings, load)).text("metric", metric);
      line.integer("block", block).integer("order", order++).integer("batch", batch);
      block == 0 && !first.empty() ? line.number("first", first.front()) : line.null("first");
      line.numbers("values", values).text("ended", "slice spent").number("t0", leads ? from : to).number("t1", to);
      session_.write(line.text("cache", "beyond the caches").object("accounting", leads ? spent : nothing));
      leads = false;
    };
    write("stream", "alone", pieces, rates.stream_alone, warm.stream_alone);
    write("messages", "alone", sent, rates.messages_alone, warm.messages_alone);
    write("stream", "both", pieces, rates.stream_both, warm.stream_both);
    write("messages", "both", sent, rates.messages_both, warm.messages_both);
    write("sum", "both", pieces, rates.sum, warm.sum);
    write("stream_kept", "both", pieces, {rates.totals[2].rate() / rates.totals[0].rate()}, {});
    write("messages_kept", "both", sent, {rates.totals[3].rate() / rates.totals[1].rate()}, {});
  }

  timing::Json label(const timing::CaseSettings& settings, const char* load) const {
    timing::Json json;
    json.text("form", settings.at("form").text).text("kernel", settings.at("kernel").text);
    return json.integer("bytes", settings.at("bytes").integer).text("load", load);
  }

  // --- checking -----------------------------------------------------------------------------------------------------

  Task verify(const Case& at, const timing::CaseSettings& settings) {
    Verdict verdict;
    std::int64_t wrong = 0;
    if constexpr (OneSided<C>) {
      if (at.put) co_await verify_put(at, wrong);
    }
    if (!at.put) co_await verify_echo(at, wrong);
    if (comm_.rank() != 0) co_return;
    const bool right = at.copy ? copied() : sum(from_.data(), from_.size()) == closed_sum(from_.size());
    verdict.passed = wrong == 0 && right;
    verdict.detail = std::to_string(wrong) + " bytes of messages wrong; the stream's " +
                     (at.copy ? "copy is " : "sum is ") + (right ? "right" : "wrong");
    session_.check(label(settings, "both"), verdict);
  }

  Task verify_put(const Case& at, std::int64_t& wrong)
    requires OneSided<C>
  {
    const std::size_t places[] = {0, (size_ - at.bytes) / 2, size_ - at.bytes};
    if (comm_.rank() == 0)
      for (const std::size_t place : places) poison(window_.data() + place, at.bytes);
    co_await barrier(comm_);
    if (comm_.rank() == 1) {
      for (const std::size_t place : places) {
        write_pattern(out_.data() + place, at.bytes, place, true);
        co_await comm_.put(window_, out_.data() + place, at.bytes, 0, place);
        co_await comm_.complete(window_, 0);
      }
    }
    co_await barrier(comm_);
    if (comm_.rank() == 0)
      for (const std::size_t place : places) wrong += wrong_bytes(window_.data() + place, at.bytes, place, true);
  }

  Task verify_echo(const Case& at, std::int64_t& wrong) {
    if (comm_.rank() == 1) {
      write_pattern(out_.data(), at.bytes, at.bytes, false);
      poison(in_.data(), at.bytes);
      co_await comm_.send(out_.data(), at.bytes, 2, tag);
      co_await comm_.recv(in_.data(), at.bytes, 2, tag);
      wrong = wrong_bytes(in_.data(), at.bytes, at.bytes, true);
      co_await comm_.send(&wrong, sizeof wrong, 0, done_tag);
    } else if (comm_.rank() == 2) {
      poison(in_.data(), at.bytes);
      co_await comm_.recv(in_.data(), at.bytes, 1, tag);
      const bool came = wrong_bytes(in_.data(), at.bytes, at.bytes, false) == 0;
      write_pattern(out_.data(), at.bytes, at.bytes, came);  // what came wrong goes back wrong
      co_await comm_.send(out_.data(), at.bytes, 1, tag);
    } else if (comm_.rank() == 0) {
      co_await comm_.recv(&wrong, sizeof wrong, 1, done_tag);
    }
  }

  static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  // Of factor * i over [0, n), modulo 2^64.
  static std::uint64_t closed_sum(std::size_t n) {
    const std::uint64_t half = n % 2 == 0 ? n / 2 : n, other = n % 2 == 0 ? n - 1 : (n - 1) / 2;
    return factor * half * other;
  }
  bool copied() {
    std::memset(to_.data(), 0xa5, to_.size() * sizeof to_.front());
    std::memcpy(to_.data(), from_.data(), to_.size() * sizeof to_.front());
    for (std::size_t i = 0; i < to_.size(); i += i + 1 < to_.size() ? std::min<std::size_t>(61, to_.size() - 1 - i) : 1)
      if (to_[i] != factor * i) return false;
    return true;
  }

  C& comm_;
  Session& session_;
  typename WindowOf<C>::type window_{};
  bool can_put_ = false, can_echo_ = false;
  double seconds_ = 0;
  std::size_t size_ = 0, streamed_ = 0, stepped_ = 0;
  std::uint64_t seen_ = 0;  // or the sums would be dropped
  std::vector<std::uint64_t> from_, to_;
  Memory out_, in_;
};

using Program = Bus;

}  // namespace assay::ranks
