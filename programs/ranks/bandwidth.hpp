// Bandwidth between pairs of ranks that send at once: one way or both, by messages or by one-sided access.
//
// Rank i < pairs is one end of a pair, rank i + ranks/2 the other; the ends of a pair are on unlike nodes where there
// are two. An operation is a window of 16: immediate sends to posted receives, answered by a 0-byte word, or puts, gets
// or accumulates that are complete at the target when the operation ends. With two directions both ends do at once what
// one does with one. All pairs start after a common barrier, and rank 0 stops its clock when it knows, up a tree of the
// first ends, that all are done. Every access of a window is to the same memory.
// Source: osu_bw, osu_bibw, osu_mbw_mr, osu_put_bw, osu_get_bw of the OSU suite, in this project's own form.
#pragma once

#include <cstring>

#include "ranks/one_sided.hpp"
#include "ranks/paths.hpp"
#include "ranks/sampling.hpp"
#include "ranks/streams.hpp"

namespace assay::ranks {

struct Bandwidth {
  static constexpr std::string_view record = R"record(
name = "bandwidth"
title = "Bandwidth of pairs"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 2
profiles = ["full"]
summary = "windows of messages, puts, gets or accumulates between pairs of ranks, one way or both, by number of pairs at once"
cost = "16 messages or accesses of `bytes` bytes per pair, direction and operation, and one word of none per pair"
check = "of each case a window on data of its own: every byte of each end against a pattern of sender, place in the window and position; after accumulates every word against its sum"
source = "osu_bw, osu_bibw, osu_mbw_mr, osu_put_bw and osu_get_bw of the OSU micro-benchmarks, in this project's own form"

[parameter.bytes]
type = "integer"
default = [8, 1024, 16384, 262144, 4194304]
described = [8, 1024, 16384, 65536]
min = 8
max = 67108864
unit = "B"
sweep = true
help = "length of a message or access (accumulates take whole 8-byte words)"

[parameter.means]
type = "choice"
default = ["message", "put", "get", "accumulate"]
choices = ["message", "put", "get", "accumulate"]
sweep = true
help = "sends and receives; or one-sided: writing into the other's memory, reading it, adding 64-bit words to it"

[parameter.directions]
type = "integer"
default = [1, 2]
min = 1
max = 2
unit = "1"
sweep = true
help = "1: the first of a pair acts; 2: both at once"

[parameter.pairs]
type = "integer"
default = 0
min = 0
max = 8388608
unit = "1"
sweep = true
help = "pairs at once; 0: 1 to 8, powers of two beyond, and all"

[metric.time]
unit = "s"
help = "one window of every pair and direction, until all is there"

[figure.rate]
metric = "time"
formula = "pairs * directions * 16 * bytes / value"
unit = "B/s"
better = "higher"
headline = true
help = "bytes of all pairs and directions per second"
)record";

  enum class Means : std::uint8_t { message, put, get, accumulate };
  static constexpr std::array<std::string_view, 4> means_names = {"message", "put", "get", "accumulate"};
  struct Case {
    std::size_t bytes;
    Means means;
    bool both;
    int pairs;
  };
  static constexpr int window = 16;

  static Case case_of(const timing::CaseSettings& settings) {
    const auto found = std::ranges::find(means_names, settings.at("means").text);
    return {static_cast<std::size_t>(settings.at("bytes").integer), static_cast<Means>(found - means_names.begin()),
            settings.at("directions").integer == 2, static_cast<int>(settings.at("pairs").integer)};
  }

  template <OneSided C>
  static Task run(C& comm, Session& session);
};

// The kernel of sampling.hpp.
template <OneSided C>
class BandwidthKernel {
 public:
  using Case = Bandwidth::Case;
  using Means = Bandwidth::Means;
  static constexpr std::string_view record = Bandwidth::record;
  static constexpr std::string_view metric = "time";
  std::string_view cache(const Case&) const { return Buffers::label(Buffers::Way::same); }
  Case at(const timing::CaseSettings& settings) const { return Bandwidth::case_of(settings); }
  timing::Json label(C&, const Case& at) const {
    timing::Json json;
    json.text("means", Bandwidth::means_names[static_cast<std::size_t>(at.means)]);
    json.integer("bytes", static_cast<std::int64_t>(at.bytes)).integer("directions", at.both ? 2 : 1);
    return json.integer("pairs", at.pairs);
  }

  // `exposed`: bytes of each rank that the others access.
  Task begin(C& comm, const Session& session, std::size_t exposed) {
    half_ = comm.size() / 2;
    if (comm.rank() < 2 * half_) buffers_ = Buffers(comm, session, Buffers::Way::same);
    exposed_ = exposed;
    if (exposed > 0) memory_ = co_await comm.expose(comm.rank() < 2 * half_ ? exposed : 0);
  }
  bool copies() const {
    if constexpr (requires { memory_.copies(); }) return memory_.copies();
    return false;
  }
  Task end(C& comm) {
    if (exposed_ > 0) co_await comm.withdraw(memory_);
  }

  Task operate(C& comm, Case at, Run run, std::int64_t* ticks) {
    const Place place = here(comm, at);
    if (place.other < 0) co_return;
    if (comm.is_simulated()) {
      co_await to_last_exit(comm, 2 * at.pairs, place.first, run, ticks, [&] { return once(comm, at, place); });
      co_return;
    }
    char done = 0, room = 0;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      if (place.first) co_await broadcast(comm, &done, 1, at.pairs);  // the common start
      const std::int64_t start = comm.now();
      if (at.both && place.first) co_await comm.send(nullptr, 0, place.other, open_tag);
      if (at.both && !place.first) co_await comm.recv(nullptr, 0, place.other, open_tag);
      if (at.means == Means::message) {
        co_await messages(comm, at, place, run.batch);
      } else {
        if (place.acts)
          for (std::int64_t i = 0; i < run.batch; ++i) co_await accesses(comm, at, place.other);
        if (at.both && !place.first) co_await comm.send(nullptr, 0, place.other, credit_tag);
        if (at.both && place.first) co_await comm.recv(nullptr, 0, place.other, credit_tag);
      }
      if (place.first) co_await reduce(comm, at.pairs, &done, &room, 1, [](char&, char) {});
      if (ticks) ticks[reading] = comm.now() - start;
    }
  }

  Task verify(C& comm, Case at, Verdict& verdict) {
    const Place place = here(comm, at);
    if (place.other < 0) co_return;
    if (!buffers_.hold(at.bytes)) {
      verdict = {true, not_carried};
      co_return;
    }
    std::int64_t wrong = 0, theirs = 0, room = 0;
    for (const bool first : {true, false}) {  // who acts
      if (!first && !at.both) break;
      if (at.means != Means::message)
        co_await check_accesses(comm, at, place.other, place.first == first, wrong);
      else if (place.first == first)
        co_await send_checked(comm, buffers_.out(at.bytes).next(), at.bytes, place.other, Bandwidth::window);
      else
        co_await receive_checked(comm, buffers_.in(at.bytes).next(), at.bytes, std::vector<int>(1, place.other),
                                 Bandwidth::window, wrong);
    }
    if (!place.first) {
      co_await comm.send(&wrong, sizeof wrong, place.other, credit_tag);
      co_return;
    }
    co_await comm.recv(&theirs, sizeof theirs, place.other, credit_tag);
    wrong += theirs;
    co_await reduce(comm, at.pairs, &wrong, &room, 1, [](auto& mine, auto more) { mine += more; });
    verdict.passed = wrong == 0;
    verdict.detail = std::to_string(at.pairs) + " pairs, a window each" + (at.both ? " way" : "");
    if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " wrong";
  }

 private:
  // Of a rank in a case: the other end of its pair, or -1.
  struct Place {
    int other;
    bool first, acts;
  };
  Place here(const C& comm, const Case& at) const {
    const int me = comm.rank();
    if (me < at.pairs) return {me + half_, true, true};
    return {me >= half_ && me < half_ + at.pairs ? me - half_ : -1, false, at.both};
  }

  // A window of a pair, on a described machine, where all begin together.
  Task once(C& comm, Case at, Place place) {
    if (at.means == Means::message) {
      co_await messages(comm, at, place, 1);
      co_return;
    }
    if (place.acts) co_await accesses(comm, at, place.other);
    if (at.both && !place.first) co_await comm.send(nullptr, 0, place.other, credit_tag);
    if (at.both && place.first) co_await comm.recv(nullptr, 0, place.other, credit_tag);
  }
  Task messages(C& comm, Case at, Place place, std::int64_t batch) {
    const bool sends = place.acts, receives = at.both || !place.first;
    std::byte *const out = buffers_.out(at.bytes).next(), *const in = buffers_.in(at.bytes).next();
    sent_.resize(sends ? Bandwidth::window : 0);
    due_.resize(receives ? Bandwidth::window : 0);
    for (std::int64_t i = 0; i < batch; ++i) {
      for (auto& request : due_) request = co_await comm.irecv(in, at.bytes, place.other, stream_tag);
      for (auto& request : sent_) request = co_await comm.isend(out, at.bytes, place.other, stream_tag);
      for (auto& request : due_) co_await comm.wait(request);
      for (auto& request : sent_) co_await comm.wait(request);
      if (at.both) {
        co_await comm.sendrecv(nullptr, 0, place.other, nullptr, 0, place.other, credit_tag);
      } else if (place.first) {
        co_await comm.recv(nullptr, 0, place.other, credit_tag);
      } else {
        co_await comm.send(nullptr, 0, place.other, credit_tag);
      }
    }
  }
  // A window of them, complete at the other end.
  Task accesses(C& comm, Case at, int other) {
    std::byte *const out = buffers_.out(at.bytes).next(), *const in = buffers_.in(at.bytes).next();
    for (int i = 0; i < Bandwidth::window; ++i) {
      if (at.means == Means::put) co_await comm.put(memory_, out, at.bytes, other, 0);
      if (at.means == Means::get) co_await comm.get(memory_, in, at.bytes, other, 0);
      if constexpr (Accumulates<C>)
        if (at.means == Means::accumulate) co_await comm.accumulate(memory_, out, at.bytes / 8, other, 0);
    }
    co_await comm.complete(memory_, other);
  }

  // What one end finds of the other's: it prepares its memory, and looks at it, or at what it got, afterwards.
  Task check_accesses(C& comm, Case at, int other, bool acts, std::int64_t& wrong) {
    std::byte *const out = buffers_.out(at.bytes).next(), *const in = buffers_.in(at.bytes).next();
    const auto salt = [](int rank) { return stream_salt(rank, 0); };
    if (!acts) {
      if (at.means == Means::get)
        write_pattern(memory_.data(), at.bytes, salt(comm.rank()), true);
      else
        poison(memory_.data(), at.bytes);
      co_await comm.send(nullptr, 0, other, open_tag);
      co_await comm.recv(nullptr, 0, other, credit_tag);
      if (at.means == Means::put) wrong += wrong_bytes(memory_.data(), at.bytes, salt(other), true);
      if (at.means == Means::accumulate) wrong += wrong_sums(at.bytes / 8, salt(other));
      co_return;
    }
    if (at.means != Means::get) write_pattern(out, at.bytes, salt(comm.rank()), true);
    if (at.means == Means::get) poison(in, at.bytes);
    co_await comm.recv(nullptr, 0, other, open_tag);
    co_await accesses(comm, at, other);
    co_await comm.send(nullptr, 0, other, credit_tag);
    if (at.means == Means::get) wrong += wrong_bytes(in, at.bytes, salt(other), true);
  }
  // Words that are not what was there and a window times what came.
  std::int64_t wrong_sums(std::size_t words, std::uint64_t salt) const {
    std::vector<std::byte> came(8 * words);
    write_pattern(came.data(), came.size(), salt, true);
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < words; ++i) {
      std::uint64_t one, sum;
      std::memcpy(&one, came.data() + 8 * i, 8);
      std::memcpy(&sum, memory_.data() + 8 * i, 8);
      wrong += sum != 0xa5a5a5a5a5a5a5a5U + Bandwidth::window * one;
    }
    return wrong;
  }

  int half_ = 0;
  std::size_t exposed_ = 0;
  Buffers buffers_;
  typename C::Window memory_;
  std::vector<typename C::SendRequest> sent_;
  std::vector<typename C::ReceiveRequest> due_;
};

template <OneSided C>
Task Bandwidth::run(C& comm, Session& session) {
  needs(comm.size() >= 2, "2 ranks or more", comm.size());
  const bool says = comm.is_simulated() || comm.rank() == 0;
  const int most = comm.size() / 2;
  session.widen("pairs", [&] { return steps_up_to(most); });
  const auto keep = [&](const Reason& why, auto possible) {
    session.keep([&](const auto& each) { return possible(case_of(each)); }, why, says);
  };
  keep(more_pairs_than(most), [&](const Case& at) { return at.pairs <= most; });
  keep_one_sided(
      comm, keep, [](const Case& at) { return at.means != Means::message; },
      [](const Case& at) { return at.means == Means::accumulate; });
  keep({"accumulates take whole 8-byte words", "bytes", "a multiple of 8"},
       [](const Case& at) { return at.means != Means::accumulate || at.bytes % 8 == 0; });
  const std::size_t room = (std::size_t{128} << 20) / static_cast<std::size_t>(comm.size());
  keep({"one-sided, and too long for so many ranks in one process", "bytes", "up to " + std::to_string(room)},
       [&](const Case& at) { return !comm.is_simulated() || at.means == Means::message || at.bytes <= room; });
  std::size_t exposed = 0;
  for (const auto& each : session.cases())
    if (const Case at = case_of(each); at.means != Means::message) exposed = std::max(exposed, at.bytes);
  BandwidthKernel<C> kernel;
  co_await kernel.begin(comm, session, exposed);
  if (comm.rank() == 0 && kernel.copies())
    session.note("all ranks share a host: a put or a get is a copy within its memory");
  co_await sample(comm, session, kernel);
  co_await kernel.end(comm);
}

using Program = Bandwidth;

}  // namespace assay::ranks
