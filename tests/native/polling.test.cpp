// Asking for messages on the described machine: what every communicator's must keep, when answers come, what is an
// error.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "expect.hpp"
#include "played.hpp"
#include "polling_checks.hpp"
#include "ranks/simulated.hpp"

using assay::described::play;
using assay::described::Played;
using assay::described::Simulated;
using assay::ranks::Task;

namespace {

// As the constant machine, but a sender goes on at once: short messages overtake long ones.
class Overtaking final : public assay::described::MessageModel {
 public:
  int nodes() const override { return 0; }
  bool keeps_order() const override { return false; }
  void send(assay::described::World& world, assay::described::MessageId id,
            const assay::described::Message& message) override {
    world.call_returns(id, world.now());
    world.buffer_free(id, world.now());
    world.arrives(id, world.after(1e-5 + 1e-9 * static_cast<double>(message.bytes)));
  }
};

// Messages of 1000 bytes take 11 us. Rank 1 sends at once, rank 2 after `later`; rank 0 begins to wait after `busy`.
std::vector<double> first_of_two(double later, double busy, std::vector<int>& order) {
  std::vector<double> times;
  play(3, [&](Simulated& comm) -> Task {
    static std::byte data[3][1000];
    if (comm.rank() == 0) {
      Simulated::ReceiveRequest due[2];
      due[0] = co_await comm.irecv(data[1], 1000, 2, 1);
      due[1] = co_await comm.irecv(data[2], 1000, 1, 1);
      co_await comm.compute(busy, [] {});
      for (int turn = 0; turn < 2; ++turn) {
        const auto first = co_await comm.wait_any(due, 2);
        order.push_back(first.received.source());
        times.push_back(static_cast<double>(comm.now()) / Simulated::ticks_a_second);
      }
    } else {
      if (comm.rank() == 2) co_await comm.compute(later, [] {});
      co_await comm.send(data[0], 1000, 0, 1);
    }
  });
  return times;
}
bool near(double a, double b) { return std::abs(a - b) < 1e-12; }

Task asks_for_ever(Simulated& comm) {
  if (comm.rank() != 0) co_return;
  auto due = co_await comm.irecv(nullptr, 0, 1, 1);
  while (true) {
    const auto got = co_await comm.test(due);
    if (got) break;
  }
}
Task waits_for_none(Simulated& comm) {
  if (comm.rank() != 1) co_return;
  Simulated::ReceiveRequest due[2];
  due[0] = co_await comm.irecv(nullptr, 0, 0, 3);
  due[1] = co_await comm.irecv(nullptr, 0, assay::ranks::any_source, assay::ranks::any_tag);
  co_await comm.wait_any(due, 2);
}
Task looks_for_none(Simulated& comm) {
  if (comm.rank() == 1) co_await comm.probe(0, assay::ranks::any_tag);
}
Task nothing_to_wait_for(Simulated& comm) {
  Simulated::ReceiveRequest due;
  co_await comm.wait_any(&due, 1);
}

}  // namespace

int main() {
  for (const int ranks : {3, 4, 7, 33}) {
    std::vector<std::string> wrong;
    const auto checks = [&](Simulated& comm) { return assay::ranks::check_polling(comm, wrong); };
    Overtaking overtaking;
    for (const Played& played : {play(ranks, checks), play(overtaking, ranks, checks)}) {
      expect(played.failure.empty(), played.failure);
      expect(played.waiting.empty(), std::to_string(ranks) + " ranks: somebody waits");
    }
    for (const auto& each : wrong) expect(false, std::to_string(ranks) + " ranks, " + each);
  }
  for (const double busy : {0.0, 3e-6, 20e-6}) {
    std::vector<int> order;
    const std::vector<double> times = first_of_two(5e-6, busy, order);
    expect(order == (busy > 16e-6 ? std::vector{2, 1} : std::vector{1, 2}), "order");
    expect(near(times[0], std::max(11e-6, busy)) && near(times[1], std::max(16e-6, busy)), "times of the first");
  }
  // Asked in vain every 100 ns until the message of 11 us is there.
  int polls = 0;
  play(2, [&](Simulated& comm) -> Task {
    static std::byte data[2][1000];
    if (comm.rank() == 1) co_await comm.send(data[1], 1000, 0, 1);
    if (comm.rank() != 0) co_return;
    auto due = co_await comm.irecv(data[0], 1000, 1, 1);
    for (bool over = false; !over; ++polls) {
      const auto got = co_await comm.test(due);
      over = got.has_value();
    }
  });
  expect(polls == 111, std::to_string(polls) + " polls");

  expect(play(2, asks_for_ever).failure == "rank 0 asks for ever: nothing is under way", "asks for ever");
  expect(play(1, nothing_to_wait_for).failure == "wait_any: none of the receives is under way", "none under way");
  const Played none = play(2, waits_for_none), looks = play(2, looks_for_none);
  expect(none.waiting.size() == 2 && none.waiting[0].call == "wait_any" && none.waiting[1].tag == -1, "who waits");
  expect(looks.waiting.size() == 1 && looks.waiting[0].call == "probe" && looks.waiting[0].peer == 0, "who looks");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
