// Programs that come and go in one world, for native tests of it: who begins, goes on and ends; and a machine whose
// messages need both sides.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "expect.hpp"
#include "ranks/constant.hpp"
#include "ranks/simulated.hpp"

namespace assay::described {

inline constexpr Time second = 1'000'000'000'000;

// Request, reply, data: the request waits for its receive, and both sides handle theirs only inside message calls;
// receiving costs the processor something, in an interrupt where it computes. Nobody is in anybody's way, but that with
// `one_by_one` a rank handles one after the other; then there is a barrier of the machine's own, too.
class Handshaking final : public MessageModel {
 public:
  explicit Handshaking(bool one_by_one = false) : one_by_one_(one_by_one) {}
  int nodes() const override { return 0; }
  Time barrier(int) const override { return one_by_one_ ? 1'000'000 : -1; }
  Time receiving(const Message&) override { return 500'000; }
  bool interrupts() const override { return true; }
  bool arrives_quietly() const override { return false; }
  void send(World& world, MessageId id, const Message& message) override {
    const Time done = world.now() + startup;
    if (message.tag < 0) {  // puts and gets need nobody on the other side
      world.call_returns(id, done);
      world.buffer_free(id, done);
      world.arrives(id, done + latency);
      return;
    }
    world.at(done, subject(id, Stage::submit));
  }
  void matched(World& world, MessageId id) override {
    attend(world, world.message(id).destination, subject(id, Stage::answer));
  }
  void event(World& world, std::uint64_t what) override {
    const auto id = static_cast<MessageId>(what >> 2);
    const Message message = world.message(id);
    switch (static_cast<Stage>(what & 3)) {
      case Stage::submit:
        world.call_returns(id, world.now());
        world.at(world.now() + latency, subject(id, Stage::request));
        break;
      case Stage::request:
        world.announces(id);
        break;
      case Stage::answer:
        attend(world, message.source, subject(id, Stage::go));
        break;
      case Stage::go: {
        const Time gone = world.now() + static_cast<Time>(message.bytes) * per_byte;
        world.buffer_free(id, gone);
        world.arrives(id, gone + latency);
        break;
      }
    }
  }

 private:
  enum class Stage : std::uint8_t { submit, request, answer, go };
  static constexpr Time startup = 3'000'000, latency = 7'000'000, handling = 1'000'000, per_byte = 10'000;
  static std::uint64_t subject(MessageId id, Stage stage) {
    return std::uint64_t{id} << 2 | static_cast<unsigned>(stage);
  }
  void attend(World& world, int rank, std::uint64_t what) {
    if (world.computing(rank)) return world.defer(rank, what, static_cast<MessageId>(what >> 2));
    Time& busy = busy_[rank];
    busy = (one_by_one_ ? std::max(world.now(), busy) : world.now()) + handling;
    world.at(busy + latency, what);
  }

  bool one_by_one_;
  std::map<int, Time> busy_;
};

class Beside {
 public:
  using Program = std::function<ranks::Task(Simulated&)>;
  struct Job {
    std::deque<Simulated> comms;
    GroupId group = 0;
    std::size_t left = 0;
    Time begun = 0, end = never;
    Program program;
  };
  explicit Beside(int ranks, MessageModel& machine) : world(ranks, machine) { world.hold_programs(); }

  Job& begin(Time at, const std::vector<int>& ranks, Program program) {
    go_on(at);
    Job& job = jobs_.emplace_back();
    job.group = world.enter(ranks);
    job.left = ranks.size();
    job.begun = at;
    job.program = std::move(program);
    for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank) {
      Simulated& comm = job.comms.emplace_back(world, Groups::Place{job.group, rank});
      world.start_at(at, ranks[static_cast<std::size_t>(rank)], occupy(job, job.program(comm)));
    }
    return job;
  }
  // Up to a time; who ends meanwhile leaves.
  void go_on(Time until) {
    while (true) {
      const bool more = world.advance(until);
      bool some = false;
      for (Job& job : jobs_) {
        if (job.left > 0 || job.group == 0) continue;
        world.leave(job.group);
        job.group = 0;
        some = true;
      }
      if (!more && !some) return;
    }
  }
  void end(Job& job) {
    if (job.group == 0) return;
    world.leave(job.group);
    job.group = 0;
  }

 private:
  std::deque<Job> jobs_;

 public:
  World world;

 private:
  ranks::Task occupy(Job& job, ranks::Task program) {
    co_await program;
    if (--job.left > 0) co_return;
    job.end = world.now();
    world.halt();
  }
};

}  // namespace assay::described
