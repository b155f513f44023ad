// One-sided messages on described machines against closed forms: when the caller goes on, when the data are there, when
// it knows; who pays, by progress; what is read and written; many at once against plain memory.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "closed_forms.hpp"
#include "played.hpp"
#include "ranks/collectives.hpp"
#include "ranks/networked.hpp"

using assay::described::Constant;
using assay::described::MachineParameters;
using assay::described::Networked;
using assay::described::Played;
using assay::described::Progress;
using assay::described::Protocol;
using assay::described::Simulated;
using assay::described::Time;
using assay::network::Table;
using assay::ranks::Task;

using namespace assay::described::closed_forms;

namespace {

// A message asks for a posted receive, which one-sided ones have no use for.
MachineParameters machine(Progress progress) {
  MachineParameters m;
  m.name = "test";
  m.tick = static_cast<double>(ns);
  Protocol p;
  p.startup = 100 * us;
  p.receive = 40 * us;
  p.copy = static_cast<double>(30 * ns);
  p.receive_copy = static_cast<double>(20 * ns);
  p.handshake = p.posted = true;
  m.protocols = {p};
  m.progress = progress;
  m.interrupt = 50 * us;
  return m;
}

using Program = std::function<Task(Simulated&)>;
// Puts and gets as ordinary messages, where the machine does not say otherwise.
Played play(MachineParameters m, const Table& keys, int ranks, const Program& program) {
  if (m.one_sided.empty()) m.one_sided = m.protocols;
  Networked model(std::move(m), assay::network::make_live(keys, false));
  return play(model, ranks, program);
}

struct Times {
  Time returned = 0, known = 0, computed = 0, there = 0;
};
// Rank 0 puts to, or gets from, rank 1, which computes for `busy`, and then looks at its memory.
Times access(const MachineParameters& m, bool put, std::size_t bytes, Time busy) {
  Times times;
  const Program program = [&](Simulated& comm) -> Task {
    std::vector<std::byte> mine(bytes, std::byte{7});
    auto window = co_await comm.expose(bytes + 8);
    if (comm.rank() == 0) {
      if (put)
        co_await comm.put(window, mine.data(), bytes, 1, 8);
      else
        co_await comm.get(window, mine.data(), bytes, 1, 8);
      times.returned = comm.now();
      co_await comm.complete(window, 1);
      times.known = comm.now();
      const auto wrong = std::ranges::count_if(mine, [&](std::byte each) { return each != std::byte(put ? 7 : 9); });
      EXPECT(wrong, 0);
    } else {
      if (!put) std::fill_n(window.data() + 8, bytes, std::byte{9});
      co_await comm.compute(static_cast<double>(busy) * 1e-12, [] {});
      times.computed = comm.now();
      co_await comm.recv(nullptr, 0, 0, 1);
      if (put) EXPECT(std::count(window.data() + 8, window.data() + 8 + bytes, std::byte{7}), Time(bytes));
    }
    if (comm.rank() == 0) co_await comm.send(nullptr, 0, 1, 1);
    co_await comm.withdraw(window);
  };
  const Played played = play(m, cube(1), 2, program);
  EXPECT(Time(played.waiting.size()), 0);
  EXPECT(played.failure.empty(), 1);
  return times;
}

void closed_forms() {
  const Time word = hop + ends + byte;
  for (const std::size_t bytes : {1, 100, 5000}) {
    const Time n = static_cast<Time>(bytes), data = hop + ends + n * byte;
    const Time sent = 100 * us + n * 30 * ns, taken = 40 * us + n * 20 * ns, busy = 50000 * us;
    for (const auto kind : {Progress::hardware, Progress::interrupt, Progress::calls}) {
      const bool hardware = kind == Progress::hardware, interrupt = kind == Progress::interrupt;
      // The target waits in a call: nothing is interrupted, but its processor does its part where it must.
      const Times idle = access(machine(kind), true, bytes, 0);
      EXPECT(idle.returned, sent);
      EXPECT(idle.known, sent + data + (hardware ? 0 : taken) + word);
      const Times got = access(machine(kind), false, bytes, 0);
      EXPECT(got.returned, 100 * us);
      EXPECT(got.known, 100 * us + word + (hardware ? 0 : sent) + data + (hardware ? 0 : taken));
      // The target computes.
      const Times put = access(machine(kind), true, bytes, busy);
      EXPECT(put.returned, sent);
      EXPECT(put.computed, busy + (interrupt ? 50 * us + taken : 0));
      EXPECT(put.known, hardware ? sent + data + word : (interrupt ? sent + data + 50 * us : busy) + taken + word);
      const Times get = access(machine(kind), false, bytes, busy);
      EXPECT(get.computed, busy + (interrupt ? 50 * us + sent : 0));
      const Time served = hardware ? 100 * us + word : (interrupt ? 150 * us + word : busy) + sent;
      EXPECT(get.known, served + data + (hardware ? 0 : taken));
    }
  }
  // A constant machine's processor carries the whole transfer; within a node it is [self].
  Constant constant(10e-6, 1e-9, 0);
  Time known = 0;
  const Program program = [&](Simulated& comm) -> Task {
    auto window = co_await comm.expose(1000);
    if (comm.rank() == 0) co_await comm.put(window, nullptr, 1000, 1, 0);
    if (comm.rank() == 0) co_await comm.complete(window, 1);
    if (comm.rank() == 0) known = comm.now();
    co_await comm.withdraw(window);
  };
  play(constant, 2, program);
  EXPECT(known, 11 * us);
  MachineParameters inside = machine(Progress::hardware);
  inside.processors = 2;
  inside.self = {Protocol{}};
  inside.self[0].startup = 3 * us;
  play(inside, cube(1), 2, program);
  EXPECT(known, 3 * us);
}

// Several at once, and packets: each waits for the interface; complete() waits for all of that target.
void several() {
  MachineParameters m = machine(Progress::hardware);
  m.protocols[0].packet = 100;
  m.protocols[0].handshake_every = 2;  // one-sided messages ask for no buffers
  m.protocols[0].packet_startup = 5 * us;
  Time both = 0, other = 0;
  play(m, cube(2), 4, [&](Simulated& comm) -> Task {
    auto window = co_await comm.expose(1000);
    if (comm.rank() == 0) {
      co_await comm.put(window, nullptr, 300, 1, 0);
      co_await comm.put(window, nullptr, 1, 2, 0);
      co_await comm.put(window, nullptr, 10, 1, 500);
      co_await comm.complete(window, 1);
      both = comm.now();
      co_await comm.complete(window, 2);
      other = comm.now();
    }
    co_await comm.withdraw(window);
  });
  // 109 us of the first, 100.03 and 100.3 of the others; by then the first's three packets have long left.
  const Time last = 309330 * ns;
  EXPECT(both, last + hop + ends + 10 * byte + hop + ends + byte);
  EXPECT(other, both);
}

// Random puts and gets, one at a time and checked against plain vectors; the ranks take turns.
void against_plain_memory() {
  constexpr int ranks = 5;
  constexpr std::size_t room = 300;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::vector<std::byte>> plain(ranks, std::vector<std::byte>(room));
    Time wrong = 0;
    const auto progress = static_cast<Progress>(seed % 3);
    MachineParameters with_self = machine(progress);
    with_self.self = {Protocol{}};  // a rank puts to itself, too
    const Played played = play(with_self, cube(3), ranks, [&](Simulated& comm) -> Task {
      auto window = co_await comm.expose(room);
      for (int turn = 0; turn < 40; ++turn) {
        if (turn % ranks == comm.rank()) {
          const int with = static_cast<int>(random() % ranks);
          const std::size_t offset = random() % room, bytes = random() % (room - offset + 1);
          std::vector<std::byte> mine(bytes);
          auto& there = plain[static_cast<std::size_t>(with)];
          const auto from = there.begin() + static_cast<std::ptrdiff_t>(offset);
          if (random() % 2 == 0) {
            for (auto& each : mine) each = std::byte(random());
            std::ranges::copy(mine, from);
            co_await comm.put(window, mine.data(), bytes, with, offset);
            std::ranges::fill(mine, std::byte{0});  // it was copied, or is at the latest with complete()
            co_await comm.complete(window, with);
          } else {
            co_await comm.get(window, mine.data(), bytes, with, offset);
            co_await comm.complete(window, with);
            wrong += !std::ranges::equal(mine, std::ranges::subrange(from, from + static_cast<std::ptrdiff_t>(bytes)));
          }
        }
        co_await assay::ranks::barrier(comm);
      }
      wrong += !std::equal(window.data(), window.data() + room, plain[static_cast<std::size_t>(comm.rank())].begin());
      co_await assay::ranks::barrier(comm);
      co_await comm.withdraw(window);
    });
    EXPECT(wrong, 0);
    EXPECT(played.failure.empty() && played.waiting.empty(), 1);
  }
}

void faults() {
  const Played beyond = play(machine(Progress::hardware), cube(1), 2, [](Simulated& comm) -> Task {
    auto window = co_await comm.expose(100);
    if (comm.rank() == 0) co_await comm.put(window, nullptr, 8, 1, 93);
  });
  EXPECT(beyond.failure == "rank 0 puts 8 bytes at offset 93 of rank 1, which exposes 100", 1);
  const Played absent = play(machine(Progress::hardware), cube(1), 2, [](Simulated& comm) -> Task {
    auto window = co_await comm.expose(100);
    if (comm.rank() == 0) co_await comm.get(window, nullptr, 8, 5, 0);
  });
  EXPECT(absent.failure.find("rank 5") != std::string::npos, 1);
  // Exposing waits for all.
  const Played alone = play(machine(Progress::hardware), cube(1), 2, [](Simulated& comm) -> Task {
    if (comm.rank() == 0) co_await comm.expose(100);
  });
  EXPECT(Time(alone.waiting.size()), 1);
}

}  // namespace

int main() {
  closed_forms();
  several();
  against_plain_memory();
  faults();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
