// Described machines with a network, by programs of a few lines, against closed forms: an empty network's times by hops
// and length, one channel shared, one interface into memory, a late receiver, an interrupted and a robbed processor,
// packets, forwarding, and what a perfect network changes.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "closed_forms.hpp"
#include "played.hpp"
#include "ranks/networked.hpp"
#include "ranks/simulated.hpp"

using assay::described::KernelCost;
using assay::described::KernelLevel;
using assay::described::MachineParameters;
using assay::described::Networked;
using assay::described::Played;
using assay::described::Progress;
using assay::described::Protocol;
using assay::described::Simulated;
using assay::described::Time;
using assay::described::Waiting;
using assay::described::World;
using assay::network::Table;
using assay::network::Value;
using assay::ranks::any_source;
using assay::ranks::Task;
using assay::ranks::Work;

using namespace assay::described::closed_forms;

namespace {

Protocol eager() {
  Protocol p;
  p.startup = 60 * us;
  return p;
}
Protocol shaken(bool posted) {
  Protocol p;
  p.startup = 100 * us;
  p.handshake = true;
  p.posted = posted;
  p.copy = 30 * ns;
  p.copy_limit = 2048;
  return p;
}
MachineParameters machine(const Protocol& protocol) {
  MachineParameters m;
  m.name = "test";
  m.tick = static_cast<double>(ns);
  m.protocols = {protocol};
  return m;
}

Played play(const MachineParameters& machine, const Table& keys, int ranks,
            const std::function<Task(Simulated&)>& program) {
  const bool passing = machine.forward > 0 || machine.forward_byte > 0;
  Networked model(machine, assay::network::make_live(keys, passing));
  return assay::described::play(model, ranks, program, machine.costs, machine.processors);
}

// --- an empty network

Time echo(const MachineParameters& m, int partner, std::size_t bytes, bool ready = false) {
  Time took = 0;
  const auto program = [&](Simulated& comm) -> Task {
    if (comm.rank() == 0) {
      const Time start = comm.now();
      if (ready)
        co_await comm.rsend(nullptr, bytes, partner, 1);
      else
        co_await comm.send(nullptr, bytes, partner, 1);
      co_await comm.recv(nullptr, bytes, partner, 1);
      took = comm.now() - start;
    } else if (comm.rank() == partner) {
      co_await comm.recv(nullptr, bytes, 0, 1);
      if (ready)
        co_await comm.rsend(nullptr, bytes, 0, 1);
      else
        co_await comm.send(nullptr, bytes, 0, 1);
    }
  };
  play(m, cube(4), 16, program);
  return took / 2;
}

void alone() {
  for (const int hops : {1, 2, 3, 4}) {
    const int partner = (1 << hops) - 1;
    for (const std::size_t bytes : {1, 8, 100, 4096}) {
      const Time length = static_cast<Time>(bytes);
      EXPECT(echo(machine(eager()), partner, bytes), 60 * us + length * byte + hops * hop + ends);
      // Request and reply: a flit each, over the same hops; copying up to 2 KiB.
      const Time message = 100 * us + std::min<Time>(length, 2048) * 30 * ns + length * byte;
      EXPECT(echo(machine(shaken(false)), partner, bytes), message + 3 * (hops * hop + ends) + 2 * byte);
      EXPECT(echo(machine(shaken(true)), partner, bytes), message + 3 * (hops * hop + ends) + 2 * byte);
      MachineParameters unasked = machine(shaken(false));
      unasked.ready = {eager()};
      EXPECT(echo(unasked, partner, bytes, true), 60 * us + length * byte + hops * hop + ends);
      MachineParameters received = machine(eager());
      received.protocols[0].receive = 7 * us;
      received.protocols[0].receive_copy = 10 * ns;
      received.protocols[0].minimum = 64;
      received.protocols[0].header = 3;
      EXPECT(echo(received, partner, bytes),
             67 * us + length * 10 * ns + (std::max<Time>(length, 64) + 3) * byte + hops * hop + ends);
    }
  }
  // Packets, one behind the other: each leaves before the next one's start-up begins.
  MachineParameters cut = machine(eager());
  cut.protocols[0].packet = 1000;
  cut.protocols[0].packet_startup = 20 * us;
  for (const Time packets : {1, 2, 5})  // a packet has left when it is there, but for the channel's last nanosecond
    EXPECT(echo(cut, 1, static_cast<std::size_t>(1000 * packets)),
           60 * us + packets * (1000 * byte + hop + ends) + (packets - 1) * 20 * us);
  // Every second packet is acknowledged by a header, which an answer sent at once waits for: half of it in the mean of
  // both ways.
  MachineParameters silent = cut;
  silent.protocols[0].startup = 0;
  silent.protocols[0].header = 90;
  MachineParameters acknowledging = silent;
  acknowledging.protocols[0].acknowledge_every = 2;
  for (const int packets : {1, 2, 3, 4, 5}) {
    const auto length = static_cast<std::size_t>(1000 * packets);
    const Time extra = echo(acknowledging, 1, length) - echo(silent, 1, length);
    EXPECT(packets % 2 == 0 ? extra >= 45 * byte && extra <= 45 * byte + hop + ends : extra == 0, true);
  }
  // A handshake before every third packet, from the second on: before packets 2 and 5 of 6.
  cut.protocols[0].handshake_every = 3;
  cut.protocols[0].handshake_from = 2;
  cut.protocols[0].handshake_startup = 5 * us;
  EXPECT(echo(cut, 1, 6000),
         60 * us + 6 * (1000 * byte + hop + ends) + 5 * 20 * us + 2 * (5 * us + 2 * (byte + hop + ends)));
}

// --- channels

void shared_channel() {
  // Ranks 0 and 2 send at once to 3 and 1... over the cube's links 0 to 2 (shared by 0's) no: from 4 and 0 over link
  // 0-1.
  std::vector<Time> arrived(8, 0);
  const auto program = [&](Simulated& comm) -> Task {
    // e-cube, highest dimension first: 4 to 1 goes 4, 0, 1; 0 to 1 takes the same last link.
    if (comm.rank() == 4) co_await comm.send(nullptr, 1000, 1, 4);
    if (comm.rank() == 0) {
      co_await comm.compute(20e-6, [] {});
      co_await comm.send(nullptr, 1000, 1, 0);
    }
    if (comm.rank() == 1) {
      auto first = co_await comm.irecv(nullptr, 1000, 4, 4);
      auto second = co_await comm.irecv(nullptr, 1000, 0, 0);
      co_await comm.wait(first);
      arrived[4] = comm.now();
      co_await comm.wait(second);
      arrived[0] = comm.now();
    }
  };
  play(machine(eager()), cube(3), 8, program);
  const Time first = 60 * us + 2 * hop + ends + 1000 * byte;
  EXPECT(arrived[4], first);
  // The channel is free when the first one's tail has crossed it; then the other's head, and its data.
  EXPECT(arrived[0], first + hop + ns + 1000 * byte);
}

// Seven neighbours' messages into one node: an interface of one channel takes them one behind the other.
Time fan_in(const Table& keys, int senders) {
  Time last = 0;
  const auto program = [&](Simulated& comm) -> Task {
    if (comm.rank() == 0) {
      for (int i = 0; i < senders; ++i) co_await comm.recv(nullptr, 10000, any_source, 1);
      last = comm.now();
    } else if ((comm.rank() & (comm.rank() - 1)) == 0 && comm.rank() < 1 << senders) {
      co_await comm.send(nullptr, 10000, 0, 1);
    }
  };
  play(machine(eager()), keys, 16, program);
  return last;
}

void interfaces() {
  const Time one = 60 * us + hop + ends + 10000 * byte;
  EXPECT(fan_in(cube(4), 1), one);
  for (const int senders : {2, 3, 4}) {
    EXPECT(fan_in(cube(4), senders), one + (senders - 1) * (10000 * byte + ns));
    Table wide = cube(4);
    wide["ejection_channels"] = Value(4);
    EXPECT(fan_in(wide, senders), one);
  }
  // Every message passes the network: idealised, a crossbar of one hop, it changes contention inside, not at the node.
  Table crossbar;
  crossbar["topology"] = Value("crossbar");
  crossbar["nodes"] = Value(16);
  crossbar["flit_ticks"] = Value(400);
  EXPECT(fan_in(crossbar, 4) < fan_in(cube(4), 4), 1);
  Time through[2];
  for (const int ideal : {0, 1}) {
    const auto pairs = [&](Simulated& comm) -> Task {  // 4 to 1 and 0 to 3: e-cube shares no node, but a channel
      if (comm.rank() == 4) co_await comm.send(nullptr, 10000, 1, 1);
      if (comm.rank() == 0) co_await comm.send(nullptr, 10000, 1, 1);
      if (comm.rank() == 12) co_await comm.send(nullptr, 10000, 3, 1);
      if (comm.rank() == 8) co_await comm.send(nullptr, 10000, 2, 1);
      if (comm.rank() == 3) co_await comm.recv(nullptr, 10000, 12, 1);
      if (comm.rank() == 2) co_await comm.recv(nullptr, 10000, 8, 1);
      if (comm.rank() == 1) {
        co_await comm.recv(nullptr, 10000, any_source, 1);
        co_await comm.recv(nullptr, 10000, any_source, 1);
      }
      if (comm.rank() == 3 || comm.rank() == 2) through[ideal] = comm.now();
    };
    play(machine(eager()), ideal == 0 ? cube(4) : crossbar, 16, pairs);
  }
  EXPECT(through[1] < through[0] - 1000 * byte, 1);  // 12 to 3 and 8 to 2 meet on 8-0-2: one waits for the other
}

// --- protocols and progress

void late_receiver() {
  for (const bool posted : {false, true}) {
    Time returned = 0, arrived = 0;
    const auto program = [&](Simulated& comm) -> Task {
      if (comm.rank() == 0) {
        co_await comm.send(nullptr, 1000, 1, 1);
        returned = comm.now();
      } else {
        co_await comm.compute(1e-3, [] {});
        co_await comm.recv(nullptr, 1000, 0, 1);
        arrived = comm.now();
      }
    };
    play(machine(shaken(posted)), cube(1), 2, program);
    const Time message = hop + ends + 1000 * byte, small = hop + ends + byte;
    if (posted) {
      EXPECT(arrived, 1000 * us + small + message);
      EXPECT(returned, arrived - ns * 0);
    } else {
      EXPECT(returned, 100 * us + 1000 * 30 * ns + 2 * small + message);
      EXPECT(arrived, 1000 * us);
    }
  }
}

// A computing node answers a request in its calls, at an interrupt's cost, or for nothing.
void progress() {
  const Time small = hop + ends + byte, message = hop + ends + 1000 * byte, sent = 100 * us + 30 * us;
  for (const auto kind : {Progress::calls, Progress::interrupt, Progress::hardware}) {
    MachineParameters m = machine(shaken(false));
    m.progress = kind;
    m.interrupt = 50 * us;
    Time returned = 0, computed = 0;
    const auto program = [&](Simulated& comm) -> Task {
      if (comm.rank() == 0) {
        co_await comm.send(nullptr, 1000, 1, 1);
        returned = comm.now();
      } else {
        co_await comm.compute(2e-3, [] {});
        computed = comm.now();
        co_await comm.recv(nullptr, 1000, 0, 1);
      }
    };
    play(m, cube(1), 2, program);
    const Time at_once = sent + 2 * small + message;
    if (kind == Progress::calls) {
      EXPECT(returned, 2000 * us + small + message);
      EXPECT(computed, 2000 * us);
    } else if (kind == Progress::interrupt) {  // one for the request, one for the message
      EXPECT(returned, at_once + 50 * us);
      EXPECT(computed, 2000 * us + 2 * 50 * us);
    } else {
      EXPECT(returned, at_once);
      EXPECT(computed, 2000 * us);
    }
  }
  // Passing messages rob the processor between, on a store-and-forward machine; and the bus is the node's own.
  Table stored = cube(2);
  stored["switching"] = Value("store-and-forward");
  stored["buffer_packets"] = Value(0);
  stored.erase("acknowledgement");
  MachineParameters m = machine(eager());
  m.forward = 30 * us;
  m.forward_byte = static_cast<double>(100 * ns);
  Time computed[4] = {};
  const auto program = [&](Simulated& comm) -> Task {
    if (comm.rank() == 3) {
      for (int i = 0; i < 5; ++i) co_await comm.send(nullptr, 100, 0, 1);
    } else if (comm.rank() == 0) {
      for (int i = 0; i < 5; ++i) co_await comm.recv(nullptr, 100, 3, 1);
    } else {
      co_await comm.compute(20e-3, [] {});
      computed[comm.rank()] = comm.now();
    }
  };
  play(m, stored, 4, program);
  EXPECT(computed[1], 20000 * us + 5 * (30 * us + 100 * 100 * ns));  // from 3 to 0 by 1
  EXPECT(computed[2], 20000 * us);
  MachineParameters bus = machine(eager());
  bus.bus = static_cast<double>(20 * ns);
  bus.processors = 2;
  bus.costs["stream"] = KernelCost{.levels = {KernelLevel{.bus = 1}}};
  Time robbed = 0, robbed_there = 0;
  bus.protocols[0].packet = 300;  // the bus sees bytes, however they are cut
  play(bus, cube(1), 4, [&](Simulated& comm) -> Task {
    if (comm.rank() == 0) co_await comm.send(nullptr, 1000, 2, 1);
    if (comm.rank() == 2) co_await comm.recv(nullptr, 1000, 0, 1);
    if (comm.rank() % 2 == 1) {
      co_await comm.compute(Work{"stream", 1e-3}, [] {});
      (comm.rank() == 1 ? robbed : robbed_there) = comm.now();
    }
  });
  EXPECT(robbed, 1000 * us + 1000 * 20 * ns);
  EXPECT(robbed_there, 1000 * us + 1000 * 20 * ns);
  bus.costs["stream"] =
      KernelCost{.levels = {KernelLevel{.own = 1}}};  // what does not come from memory waits for no message
  play(bus, cube(1), 4, [&](Simulated& comm) -> Task {
    if (comm.rank() == 0) co_await comm.send(nullptr, 1000, 2, 1);
    if (comm.rank() == 2) co_await comm.recv(nullptr, 1000, 0, 1);
    if (comm.rank() == 1) {
      co_await comm.compute(Work{"stream", 1e-3}, [] {});
      robbed = comm.now();
    }
  });
  EXPECT(robbed, 1000 * us);
}

// A short message may pass a long one that goes in packets; a receive takes them in the order of their sends.
void overtaking() {
  MachineParameters cut = machine(eager());
  cut.protocols[0].packet = 100;
  cut.protocols[0].packet_startup = 500 * us;
  std::vector<std::size_t> seen;
  Time first = 0, second = 0;
  const auto program = [&](Simulated& comm) -> Task {
    if (comm.rank() == 0) {
      auto a = co_await comm.isend(nullptr, 300, 1, 1);
      auto b = co_await comm.isend(nullptr, 8, 1, 1);
      auto c = co_await comm.isend(nullptr, 9, 1, 1);
      auto other = co_await comm.isend(nullptr, 7, 1, 2);
      co_await comm.wait(a);
      co_await comm.wait(b);
      co_await comm.wait(c);
      co_await comm.wait(other);
    } else {
      co_await comm.recv(nullptr, 7, 0, 2);  // another tag need not wait
      first = comm.now();
      for (int i = 0; i < 3; ++i) seen.push_back((co_await comm.recv(nullptr, 300, any_source, 1)).bytes());
      second = comm.now();
    }
  };
  const Played played = play(cut, cube(1), 2, program);
  EXPECT(static_cast<Time>(played.waiting.size()), 0);
  EXPECT(seen == std::vector<std::size_t>({300, 8, 9}), 1);
  EXPECT(first < second - 500 * us, 1);
}

// A rendezvous without a receiver, a message that no node has room for, and clocks of whole ticks.
void faults() {
  const Played stuck = play(machine(shaken(true)), cube(2), 4, [](Simulated& comm) -> Task {
    co_await comm.send(nullptr, 8, comm.rank() ^ 1, 5);
    co_await comm.recv(nullptr, 8, comm.rank() ^ 1, 5);
  });
  EXPECT(static_cast<Time>(stuck.waiting.size()), 4);
  for (const Waiting& each : stuck.waiting) EXPECT(each.call == "send" && each.peer == (each.rank ^ 1), 1);
  MachineParameters small = machine(eager());
  small.memory = 1000;
  const Played large = play(small, cube(1), 2, [](Simulated& comm) -> Task {
    if (comm.rank() == 0) co_await comm.send(nullptr, 1001, 1, 5);
    if (comm.rank() == 1) co_await comm.recv(nullptr, 1001, 0, 5);
  });
  EXPECT(large.failure.find("1001 bytes") != std::string::npos, 1);
}

}  // namespace

int main() {
  alone();
  shared_channel();
  interfaces();
  late_receiver();
  progress();
  overtaking();
  faults();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
