// Contention: the rate of one stream of messages while another loads the channels that it needs, at 0 to 100%.
//
// Four ranks in a line, a, b, c, d: a loads the way to d, which shares the channel from b to c; b streams to c, which
// measures what arrives. On a hypercube that is 0, 1, 3, 7, on a mesh 0 to 3 of a row; on a machine that does not say
// its hops ranks 0 to 3, which share what their node has. The load can be set in two ways (`load_by`):
//
//   time    a sends for that part of the time: after each message it pauses for as long as its message takes alone,
//           times (100 - load) / load
//   length  a sends without a pause, as in the papers, shorter messages for a lower load: so long that they alone reach
//           that part of the rate that messages of `load_bytes` reach alone. The length is found by halving, in
//           `tries` windows; what it reaches is sampled, as rates jump where protocols change
//
// The loading stream does not end before the measured one: c reports to d, and d to a, in the credit that ends each of
// a's windows. Source: Dunigan 1991, section 4.3, Figures 7 and 8; Dunigan 1991 (DELTA), section 3.2, Figures 3.4
// and 3.5.
#pragma once

#include <algorithm>
#include <cmath>

#include "ranks/paths.hpp"
#include "ranks/sampling.hpp"
#include "ranks/streams.hpp"

namespace assay::ranks {

struct Contention {
  static constexpr std::string_view record = R"record(
name = "contention"
title = "Channel contention"
part = "messages"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = 4
least_ranks = 4
summary = "the rate between two ranks while others load the same channels at 0 to 100%"
cost = "32 messages of `bytes` bytes per operation, and a loading stream beside them as long as they take"
check = "every byte of a window of each stream is compared with a pattern of sender, place in the window and position"
source = "Dunigan 1991, section 4.3, Figures 7 and 8; Dunigan 1991 (DELTA), section 3.2, Figures 3.4 and 3.5"
published = ["contention"]
noise_immune = ["load_length"]
slice_quick = 0.02
slice_standard = 0.05
slice_full = 0.1

[parameter.bytes]
type = "integer"
default = [64, 1024, 8192, 65536]
quick = [1024, 65536]
described = [128, 256, 512, 1024, 2048, 4096, 8192, 65536]
min = 1
max = 1048576
unit = "B"
sweep = true
help = "length of a measured message"

[parameter.load]
type = "integer"
default = [0, 25, 50, 75, 100]
quick = [0, 50, 100]
min = 0
max = 100
unit = "1"
sweep = true
help = "per cent: of the time that the loading rank sends, or of the rate of long loading messages (load_by)"

[parameter.load_by]
type = "choice"
default = "time"
choices = ["time", "length"]
sweep = true
help = "what sets the load: pauses between messages of `load_bytes`, or shorter messages without pauses, as in the papers"

[parameter.load_bytes]
type = "integer"
default = 8192
min = 1
max = 1048576
unit = "B"
sweep = true
help = "length of a loading message; of the longest where the load is set by length"

[metric.time]
unit = "s"
help = "from the first of 32 arrivals to the last"

[metric.load_length]
unit = "B"
help = "length of the loading messages, where it sets the load"

[metric.load_reached]
unit = "1"
help = "what these messages alone reach of the rate of messages of `load_bytes`, where their length sets the load"

[figure.rate]
metric = "time"
formula = "31 * bytes / value"
unit = "B/s"
better = "higher"
headline = true
help = "what arrives of the measured stream"

[figure.load_length]
metric = "load_length"
unit = "B"
help = "length of the loading messages, where it sets the load"

[figure.load_reached]
metric = "load_reached"
unit = "1"
better = "higher"
help = "what the loading messages alone reach of the rate of messages of `load_bytes`, where their length sets the load"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    needs(comm.size() >= 4, "4 ranks or more", comm.size());
    Contention kernel;
    kernel.line_ = &session.shared<std::vector<int>>([&] {
      const bool known = comm.hops(0, 1).has_value();
      return known ? line_of_four(comm) : std::vector<int>{0, 1, 2, 3};
    });
    needs(!kernel.line_->empty(), "among its ranks four in a line, each a hop from the next", comm.size());
    if (comm.rank() == 0 && !comm.hops(0, 1)) {
      session.note("no hops are known here: ranks 0 to 3 share what lies between them, whatever that is");
    }
    const auto found = std::ranges::find(*kernel.line_, comm.rank());
    kernel.place_ = static_cast<int>(found - kernel.line_->begin());
    if (kernel.place_ < 4) {
      std::size_t most = 0;
      for (const auto& each : session.cases())
        most = std::max({most, kernel.at(each).bytes, kernel.at(each).load_bytes});
      kernel.out_.resize(most);
      kernel.in_.resize(most);
    }
    co_await sample(comm, session, kernel);
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  struct Case {
    std::size_t bytes, load_bytes;
    int load;
    bool by_length;
  };
  static constexpr std::string_view metric = "time";
  static constexpr int window = 32;
  std::string_view cache(const Case&) const { return "same buffer"; }
  bool single(const Case&) const { return true; }
  Case at(const timing::CaseSettings& settings) const {
    return {static_cast<std::size_t>(settings.at("bytes").integer),
            static_cast<std::size_t>(settings.at("load_bytes").integer), static_cast<int>(settings.at("load").integer),
            settings.at("load_by").text == "length"};
  }
  std::vector<Series>& beside() { return beside_; }
  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    timing::Json json;
    json.integer("bytes", static_cast<std::int64_t>(at.bytes)).integer("load", at.load);
    if (at.by_length) json.text("load_by", "length");
    return json.integer("load_bytes", static_cast<std::int64_t>(at.load_bytes));
  }

  // Rank 0 is always a. Each reading: a sends d and b a start message; the streams run; c sends a its time.
  template <Communicator C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    switch (place_) {
      case 0:
        return load(comm, at, run, ticks);
      case 1:
        return stream(comm, at.bytes, run);
      case 2:
        return measure(comm, at, run);
      case 3:
        return drain(comm, at, run);
      default:
        return {};
    }
  }

  template <Communicator C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    std::int64_t wrong = 0;
    if (place_ == 0) {
      co_await send_checked(comm, out_.data(), at.load_bytes, line(3), window);
      for (int left = 2; left > 0; --left) {
        std::int64_t theirs = 0;
        co_await comm.recv(&theirs, sizeof theirs, any_source, word_tag);
        wrong += theirs;
      }
      verdict.passed = wrong == 0;
      verdict.detail = "a window of each stream";
      if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " wrong";
    } else if (place_ == 1) {
      co_await send_checked(comm, out_.data(), at.bytes, line(2), window);
    } else if (place_ < 4) {
      const std::vector<int> from(1, place_ == 2 ? line(1) : line(0));
      co_await receive_checked(comm, in_.data(), place_ == 2 ? at.bytes : at.load_bytes, from, window, wrong);
      co_await comm.send(&wrong, sizeof wrong, line(0), word_tag);
    }
  }

 private:
  static constexpr int word_tag = 1, load_window = 4, tries = 14;
  static int windows_alone(const Case& at) { return at.by_length ? 2 + tries : 2; }
  int line(int place) const { return (*line_)[static_cast<std::size_t>(place)]; }

  template <Communicator C>
  Task load(C& comm, Case at, Run run, std::int64_t* ticks) {
    const int sink = line(3);
    double alone = 0, reached = 0;  // s per loading message, without other messages; share of its rate
    double least = 1, most = static_cast<double>(at.load_bytes);
    std::size_t bytes = at.load_bytes, chosen = bytes;
    for (int turn = 0; at.load > 0 && turn < windows_alone(at); ++turn) {  // the first is not looked at
      if (turn > 1 && at.load < 100) bytes = static_cast<std::size_t>(std::round(std::sqrt(least * most)));
      char going = 1;
      const std::int64_t start = comm.now();
      for (int left = load_window; left > 0; --left) co_await comm.send(out_.data(), bytes, sink, stream_tag);
      co_await comm.recv(&going, 1, sink, credit_tag);
      const double took = static_cast<double>(comm.now() - start) / C::ticks_a_second / load_window;
      if (turn < 2) {
        alone = took;
        continue;
      }
      const double share = static_cast<double>(bytes) / static_cast<double>(at.load_bytes) * alone / took;
      (share < at.load / 100.0 ? least : most) = static_cast<double>(bytes);
      if (turn > 2 && std::abs(share - at.load / 100.0) >= std::abs(reached - at.load / 100.0)) continue;
      reached = share;
      chosen = bytes;
    }
    bytes = chosen;
    const double pause = at.load > 0 && !at.by_length ? alone * (100 - at.load) / at.load : 0;
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      char going = at.load > 0;
      if (going && at.by_length) {
        beside_[0].values.push_back(static_cast<double>(bytes));
        beside_[1].values.push_back(reached);
      }
      co_await comm.send(nullptr, 0, line(1), word_tag);
      while (going) {
        for (int left = load_window; left > 0; --left) {
          co_await comm.send(out_.data(), bytes, sink, stream_tag);
          if (pause > 0) co_await comm.compute(pause, [&] { spin(comm, pause); });
        }
        co_await comm.recv(&going, 1, sink, credit_tag);
      }
      co_await comm.recv(&ticks[reading], sizeof ticks[reading], line(2), word_tag);
    }
  }

  template <Communicator C>
  static void spin(const C& comm, double seconds) {
    if (comm.is_simulated()) return;
    const std::int64_t until = comm.now() + static_cast<std::int64_t>(seconds * C::ticks_a_second);
    while (comm.now() < until) {
    }
  }

  template <Communicator C>
  Task stream(C& comm, std::size_t bytes, Run run) {
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      co_await comm.recv(nullptr, 0, line(0), word_tag);
      for (int left = window; left > 0; --left) co_await comm.send(out_.data(), bytes, line(2), stream_tag);
    }
  }

  template <Communicator C>
  Task measure(C& comm, Case at, Run run) {
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      co_await comm.recv(in_.data(), at.bytes, line(1), stream_tag);
      const std::int64_t start = comm.now();
      for (int left = window - 1; left > 0; --left) co_await comm.recv(in_.data(), at.bytes, line(1), stream_tag);
      const std::int64_t taken = comm.now() - start;
      if (at.load > 0) co_await comm.send(nullptr, 0, line(3), stream_tag);
      co_await comm.send(&taken, sizeof taken, line(0), word_tag);
    }
  }

  // Receives loading messages and, from c, the message that ends them; a learns of it with the next credit.
  template <Communicator C>
  Task drain(C& comm, Case at, Run run) {
    if (at.load == 0) co_return;
    char going = 1;
    for (int left = windows_alone(at) * load_window; left > 0; --left) {
      co_await comm.recv(in_.data(), at.load_bytes, line(0), stream_tag);
      if (left % load_window == 1) co_await comm.send(&going, 1, line(0), credit_tag);
    }
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      going = 1;
      int had = 0;
      while (going || had % load_window != 0) {
        const auto arrived = co_await comm.recv(in_.data(), at.load_bytes, any_source, stream_tag);
        if (arrived.source() == line(2)) {
          going = 0;
          if (had % load_window != 0) continue;
          // The credit for the window before is out already: one more window comes.
          for (int left = load_window; left > 0; --left) {
            co_await comm.recv(in_.data(), at.load_bytes, line(0), stream_tag);
          }
          co_await comm.send(&going, 1, line(0), credit_tag);
        } else if (++had % load_window == 0) {
          co_await comm.send(&going, 1, line(0), credit_tag);
        }
      }
    }
  }

  const std::vector<int>* line_ = nullptr;
  int place_ = 4;
  std::vector<Series> beside_{{"load_length", {}}, {"load_reached", {}}};
  std::vector<std::byte> out_, in_;
};

using Program = Contention;

}  // namespace assay::ranks
