// Programs that come and go in one world: what a group's messages must keep whoever had the ranks before, whatever was
// under way when that one was ended; that nobody's time changes by it; and who waits for whom in one that never goes
// on.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "beside.hpp"
#include "expect.hpp"
#include "group_checks.hpp"

using namespace assay::described;
using assay::ranks::any_source;
using assay::ranks::Task;

namespace {

// A network with a clock of its own, which goes on by itself up to the world's next event; a message takes 50 ticks.
class Clocked final : public MessageModel {
 public:
  int nodes() const override { return 0; }
  void send(World& world, MessageId id, const Message&) override {
    if (due_.empty()) next_ = world.now() + tick;
    due_.emplace_back(world.now() + 50 * tick, id);
    world.call_returns(id, world.now() + tick);
    world.buffer_free(id, world.now() + tick);
    world.model_sooner(next_);
  }
  void serve(World& world) override {
    do {
      served = next_;
      next_ += tick;
      for (const auto& [time, id] : due_)
        if (time == served) world.arrives(id, served);
      std::erase_if(due_, [this](const auto& each) { return each.first <= served; });
    } while (!due_.empty() && static_cast<std::uint64_t>(next_) < world.next_event());
    world.model_next(due_.empty() ? never : next_);
  }
  static constexpr Time tick = 1'000'000;
  Time served = 0;  // up to this time

 private:
  Time next_ = 0;
  std::vector<std::pair<Time, MessageId>> due_;
};

Constant constant{1e-5, 1e-9, 0};
Handshaking handshaking;

// Everything that a rank can have under way, for ever.
Task busy(Simulated& comm) {
  std::vector<std::byte> out(300), in(300), kept(300);
  const int n = comm.size(), next = (comm.rank() + 1) % n, before = (comm.rank() + n - 1) % n;
  auto window = co_await comm.expose(300);
  while (true) {
    auto due = co_await comm.irecv(in.data(), in.size(), any_source, 3);
    auto sent = co_await comm.isend(out.data(), out.size(), next, 3);
    std::int64_t word = 0;  // which travels with the message itself
    auto small = co_await comm.irecv(&word, sizeof word, before, 6);
    co_await comm.isend(&word, sizeof word, next, 6);
    co_await comm.isend(out.data(), out.size(), next, 4);  // which nobody takes
    co_await comm.compute(1e-6 * (1 + comm.rank()), [] {});
    co_await comm.wait(due);
    co_await comm.wait(sent);
    co_await comm.wait(small);
    co_await comm.put(window, out.data(), out.size(), next, 0);
    co_await comm.get(window, kept.data(), kept.size(), before, 0);
    co_await comm.complete(window, next);
    co_await comm.sendrecv(out.data(), out.size(), next, in.data(), in.size(), before, 5);
    Simulated half = co_await comm.split(comm.rank() % 2, 0);
    co_await half.barrier(half.size());
    co_await comm.release(half);
  }
}

Task checked(Simulated& comm, std::vector<std::string>& wrong) { return assay::ranks::check_groups(comm, 3, wrong); }

Time alone(int ranks, Time at, MessageModel& machine) {
  Beside beside(ranks, machine);
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
  std::vector<std::string> wrong;
  Beside::Job& job = beside.begin(at, all, [&](Simulated& comm) { return checked(comm, wrong); });
  beside.go_on(never - 1);
  for (const auto& each : wrong) expect(false, "alone: " + each);
  expect(job.end != never, "alone: it ends");
  return job.end - job.begun;
}

// A program is ended at any moment; the next one on its ranks finds nothing of it, and one beside it no other times.
void ended_at_any_moment(MessageModel& machine, int trials) {
  std::mt19937_64 dice(7);
  const Time takes = alone(6, 0, machine);
  expect(alone(6, 12'345, machine) == takes && alone(6, 7 * second + 1, machine) == takes, "whenever it starts");
  for (int trial = 0; trial < trials; ++trial) {
    Beside beside(14, machine);
    std::vector<std::string> wrong;
    Beside::Job& first = beside.begin(0, {0, 2, 4, 6, 8, 10, 12}, busy);
    Beside::Job& other = beside.begin(static_cast<Time>(dice() % 50'000'000), {1, 3, 5, 7, 9, 11},
                                      [&](Simulated& comm) { return checked(comm, wrong); });
    beside.go_on(beside.world.now() + static_cast<Time>(dice() % 400'000'000));
    expect(!beside.world.stuck(first.group), "it still moves");
    beside.end(first);
    Beside::Job& next = beside.begin(beside.world.now() + static_cast<Time>(dice() % 20'000'000), {12, 0, 8, 2, 10, 4},
                                     [&](Simulated& comm) { return checked(comm, wrong); });
    beside.go_on(never - 1);
    expect(other.end - other.begun == takes, "the one beside it takes as long as alone");
    expect(next.end - next.begun == takes, "and so does the one after it");
    for (const auto& each : wrong) expect(false, "trial " + std::to_string(trial) + ": " + each);
  }
}

// What a program leaves behind is none of the next one's, from the same rank with the same tag.
void messages_of_another() {
  Beside beside(2, constant);
  int got = 0;
  beside.begin(0, {0, 1}, [](Simulated& comm) -> Task {
    const int value = 1;
    if (comm.rank() == 1) co_await comm.send(&value, sizeof value, 0, 5);
  });
  beside.begin(second, {0, 1}, [&got](Simulated& comm) -> Task {
    const int value = 2;
    if (comm.rank() == 1) co_await comm.send(&value, sizeof value, 0, 5);
    if (comm.rank() == 0) co_await comm.recv(&got, sizeof got, any_source, 5);
  });
  beside.go_on(never - 1);
  expect(got == 2, "the second program's message, not the first one's");
}

// A program may start at the time up to which the world has gone: what the network has done by then is known, and no
// more.
void the_network_is_not_served_beyond_the_time() {
  Clocked machine;
  Beside beside(2, machine);
  int got = 0;
  Beside::Job& job = beside.begin(0, {0, 1}, [&got](Simulated& comm) -> Task {
    const int value = 7;
    if (comm.rank() == 0) co_await comm.send(&value, sizeof value, 1, 1);
    if (comm.rank() == 1) co_await comm.recv(&got, sizeof got, 0, 1);
  });
  for (const Time until : {Time{0}, Clocked::tick / 2, 20 * Clocked::tick, 33 * Clocked::tick + 5}) {
    beside.go_on(until);
    expect(machine.served <= until && machine.served + Clocked::tick > until, "served up to the time, and no further");
  }
  beside.go_on(never - 1);
  expect(got == 7 && job.end == 50 * Clocked::tick, "and then to the end");
}

// Ended in the second of its start: nothing of it has run, and nothing of it ever does.
void ended_before_it_has_begun() {
  Beside beside(2, constant);
  int ran = 0;
  Beside::Job& first = beside.begin(second, {0, 1}, [&ran](Simulated&) -> Task {
    ran += 100;
    co_return;
  });
  beside.end(first);
  beside.begin(second, {1, 0}, [&ran](Simulated&) -> Task {
    ++ran;
    co_return;
  });
  beside.go_on(never - 1);
  expect(ran == 2, "the second program's ranks alone");
}

// A rank that computes is wanted for its part in handshakes, and ended before it can do it; two more stand in a
// barrier. The next program there has neither.
void what_waited_for_a_call_is_gone() {
  const auto other = [](Simulated& comm) -> Task {
    std::vector<std::byte> some(300);
    if (comm.rank() > 1) {
      co_await comm.compute(1.0, [] {});
      co_return;
    }
    if (comm.rank() == 0) co_await comm.compute(1e-3, [] {});
    if (comm.rank() == 0) co_await comm.send(some.data(), some.size(), 1, 1);
    if (comm.rank() == 1) co_await comm.recv(some.data(), some.size(), 0, 1);
    co_await comm.compute(1.5, [] {});  // it ends last
  };
  Time takes[2];
  for (const bool after : {false, true}) {
    Handshaking machine(true);
    Beside beside(5, machine);
    if (after) {
      Beside::Job& first = beside.begin(0, {0, 1, 2, 3, 4}, [](Simulated& comm) -> Task {
        std::vector<std::byte> in(16 * 300), out(300);
        if (comm.rank() >= 3) {
          co_await comm.barrier(5);
          co_return;
        }
        for (int i = 0; i < 16 && comm.rank() == 0; ++i) co_await comm.irecv(in.data() + 300 * i, 300, 1, i);
        for (int i = 0; i < 16 && comm.rank() == 1; ++i) co_await comm.isend(out.data(), out.size(), 0, i);
        co_await comm.compute(1.0, [] {});
      });
      beside.go_on(second / 2);
      beside.end(first);
    }
    Beside::Job& next = beside.begin(second, {0, 1, 3, 4}, other);
    beside.go_on(second + second / 2);
    expect(!beside.world.stuck(next.group), "its ranks compute: none stands in the barrier of the one before");
    beside.go_on(never - 1);
    takes[after] = next.end - next.begun;
  }
  expect(takes[0] == takes[1], "it takes as long as on ranks that nobody had");
}

void one_never_goes_on() {
  Beside beside(5, constant);
  Beside::Job& stuck = beside.begin(0, {3, 1, 4}, [](Simulated& comm) -> Task {
    co_await comm.compute(1.0, [] {});
    if (comm.rank() != 2) co_await comm.recv(nullptr, 0, 2, 9);
  });
  Beside::Job& other = beside.begin(second / 2, {0, 2}, [](Simulated& comm) -> Task {
    for (int i = 0; i < 100'000; ++i) co_await comm.compute(1e-5, [] {});
  });
  beside.go_on(second * 3 / 4);
  expect(!beside.world.stuck(stuck.group), "it computes");
  beside.go_on(second + 1);
  expect(beside.world.stuck(stuck.group), "nobody of it will go on");
  expect(!beside.world.stuck(other.group), "the other one goes on");
  const auto waiting = beside.world.waiting(stuck.group);
  expect(waiting.size() == 2 && waiting[0].rank == 0 && waiting[1].rank == 1 && waiting[0].call == "recv" &&
             waiting[0].peer == 2 && waiting[0].tag == 9,
         "ranks by the program's own numbers");
  beside.end(stuck);
  beside.go_on(never - 1);
  expect(other.end == second / 2 + second, "the other's end");
}

void ranks_are_free_or_not() {
  Beside beside(3, constant);
  beside.begin(0, {0, 1}, [](Simulated& comm) -> Task { co_await comm.recv(nullptr, 0, any_source, 1); });
  std::string refusal;
  try {
    beside.world.enter({2, 1});
  } catch (const std::invalid_argument& refused) {
    refusal = refused.what();
  }
  expect(refusal == "a program is to have rank 1, which is not free", "refused: " + refusal);
}

}  // namespace

int main() {
  ended_at_any_moment(constant, 300);
  ended_at_any_moment(handshaking, 300);
  messages_of_another();
  what_waited_for_a_call_is_gone();
  ended_before_it_has_begun();
  the_network_is_not_served_beyond_the_time();
  one_never_goes_on();
  ranks_are_free_or_not();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
