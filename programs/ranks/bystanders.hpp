// An echo between rank 0 and a partner two hops away, and the ranks in between, whose nodes its messages pass through.
//
// On a machine whose hops are unknown the partner is rank 1 and those "between" are ranks 2 and 3: not on the way, but
// on the same node or switch; a note says so. The echo goes on until every bystander has sent the partner its end
// message, which the partner passes to rank 0 in the first byte of its next reply.
#pragma once

#include <algorithm>
#include <vector>

#include "ranks/buffers.hpp"
#include "ranks/paths.hpp"
#include "ranks/session.hpp"

namespace assay::ranks {

inline constexpr std::string_view bystanders_fragment = R"fragment(
ranks = "all"
least_ranks = 3
needs = ["forwarding"]
slice_quick = 0.02
slice_standard = 0.05
slice_full = 0.1
blocks_quick = 3
blocks_standard = 6
blocks_full = 8

[parameter.bytes]
type = "integer"
default = [8, 64, 512, 4096, 32768]
quick = [8, 4096]
described = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192]
min = 1
max = 16777216
unit = "B"
sweep = true
help = "length of the echoed message"
)fragment";

class Bystanders {
 public:
  static constexpr int echo_tag = 21, report_tag = 22;

  template <Communicator C>
  Bystanders(C& comm, Session& session)
      : who_(&session.shared<Who>([&] { return find(comm); })), out_(longest(session) + 1), in_(out_.size()) {
    needs(who_->partner > 0, "among its ranks two that are two hops apart and one between them", comm.size());
    if (comm.rank() == 0 && !comm.hops(0, 1)) {
      session.note("no hops are known here: those that compute sit beside the echo, not on its way");
    }
  }

  int partner() const { return who_->partner; }
  const std::vector<int>& between() const { return who_->between; }
  bool stands_by(int rank) const { return std::ranges::find(who_->between, rank) != who_->between.end(); }
  std::byte* out() { return out_.data(); }
  std::byte* in() { return in_.data(); }

  // At rank 0: a given number of echoes; no rank ends them.
  template <Communicator C>
  Task echo(C& comm, std::size_t bytes, std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) {
      co_await comm.send(out(), bytes, partner(), echo_tag);
      co_await comm.recv(in(), bytes, partner(), echo_tag);
    }
  }
  // At the partner: replies until each of `bystanders` has sent its end message, or so many times without bystanders.
  template <Communicator C>
  Task reply(C& comm, std::size_t bytes, std::int64_t times, int bystanders) {
    const bool counted = bystanders > 0;
    for (bool going = counted || times > 0; going;) {
      const auto arrived = co_await comm.recv(in(), bytes, any_source, echo_tag);
      if (arrived.source() != 0) {
        --bystanders;
        continue;
      }
      going = counted ? bystanders > 0 : --times > 0;
      out_[0] = std::byte{going};
      co_await comm.send(out(), bytes, 0, echo_tag);
    }
  }
  // At rank 0: echoes until the partner's reply carries the end flag; returns how many.
  template <Communicator C>
  Task echo_until_end(C& comm, std::size_t bytes, std::int64_t& times) {
    do {
      co_await comm.send(out(), bytes, partner(), echo_tag);
      co_await comm.recv(in(), bytes, partner(), echo_tag);
      ++times;
    } while (in_[0] != std::byte{0});
  }
  // At a bystander, when it is done.
  template <Communicator C>
  Task send_end(C& comm) {
    co_await comm.send(nullptr, 0, partner(), echo_tag);
  }

  // One echo, the bytes of which the partner checks; `wrong`: what a bystander's loops have found wrong.
  template <Communicator C>
  Task verify(C& comm, std::size_t bytes, std::int64_t wrong, Verdict& verdict) {
    const int me = comm.rank();
    if (me == 0) {
      write_pattern(out(), bytes, bytes, true);
      co_await echo(comm, bytes, 1);
      std::vector<int> others = between();
      others.push_back(partner());
      wrong = 0;
      for (const int each : others) {  // by rank: one that is ahead may already have sent its next message
        std::int64_t theirs = 0;
        co_await comm.recv(&theirs, sizeof theirs, each, report_tag);
        wrong += theirs;
      }
      verdict.passed = wrong == 0;
      verdict.detail = "an echo past " + std::to_string(between().size()) + " ranks in between";
      if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " wrong";
    } else if (me == partner()) {
      co_await reply(comm, bytes, 1, 0);
      wrong = wrong_bytes(in(), bytes, bytes, true);
      co_await comm.send(&wrong, sizeof wrong, 0, report_tag);
    } else if (stands_by(me)) {
      co_await comm.send(&wrong, sizeof wrong, 0, report_tag);
    }
  }

 private:
  struct Who {
    int partner = -1;
    std::vector<int> between;
  };
  template <Communicator C>
  static Who find(const C& comm) {
    if (comm.size() < 3) return {};
    if (!comm.hops(0, 1)) {
      return {1, comm.size() > 3 ? std::vector<int>{2, 3} : std::vector<int>{2}};
    }
    for (int to = 1; to < comm.size(); ++to) {
      if (comm.hops(0, to) != 2) continue;
      const std::vector<int> all = ranks::between(comm, 0, to);
      if (!all.empty()) return {to, all};
    }
    return {};
  }
  static std::size_t longest(const Session& session) {
    std::size_t found = 0;
    for (const auto& each : session.cases()) {
      found = std::max(found, static_cast<std::size_t>(each.at("bytes").integer));
    }
    return found;
  }

  const Who* who_;
  std::vector<std::byte> out_, in_;
};

}  // namespace assay::ranks
