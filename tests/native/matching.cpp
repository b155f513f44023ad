// Plays a random program of sends and receives, read from standard input, and says what each receive took
// (tests/test_matching.py makes the programs and knows what must come out).
//
//   MACHINE RANKS            constant, eager, posted, interrupt, packets (networks of 8 nodes)
//   COUNT                    for each rank, then its steps:
//   s TO TAG BYTES ID        send        i TO TAG BYTES ID   immediate send
//   r FROM TAG               receive     p FROM TAG          post a receive (FROM -1: any source)
//   w K                      wait for the K-th posted receive      c NANOSECONDS   compute
//   x TO TAG BYTES ID FROM   sendrecv
//
// With the argument `plain` or `far` the World takes none of its short cuts, or all. Out: for each receive that was
// waited for, in order of posting: RANK K SOURCE ID PICOSECONDS.
#include <cstdio>
#include <cstring>
#include <deque>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "ranks/constant.hpp"
#include "ranks/networked.hpp"
#include "ranks/simulated.hpp"

using namespace assay::described;
using assay::network::Table;
using assay::network::Value;
using assay::ranks::Task;

namespace {

struct Step {
  char what;
  int peer = 0, tag = 0, id = 0, from = 0;
  long amount = 0;
};
struct Post {
  Simulated::ReceiveRequest request;
  int id = -1;
  bool done = false;
};

void say(const Simulated& comm, int number, int source, Post& post, const std::byte* data) {
  std::memcpy(&post.id, data, sizeof post.id);
  post.done = true;
  std::printf("%d %d %d %d %lld\n", comm.rank(), number, source, post.id, static_cast<long long>(comm.now()));
}

Task play(Simulated& comm, const std::vector<Step>& steps) {
  constexpr std::size_t room = 100000;
  std::vector<std::unique_ptr<std::byte[]>> memory;
  std::deque<std::vector<std::byte>> out;
  std::vector<Post> posts(steps.size());
  std::vector<Simulated::SendRequest> sent;
  int count = 0;
  for (const Step& step : steps) {
    if (step.what == 'c') co_await comm.compute(static_cast<double>(step.amount) * 1e-9, [] {});
    if (step.what == 's' || step.what == 'i') {
      auto& data =
          out.emplace_back(static_cast<std::size_t>(step.amount));  // an immediate send's until it is waited for
      std::memcpy(data.data(), &step.id, sizeof step.id);
      if (step.what == 's')
        co_await comm.send(data.data(), data.size(), step.peer, step.tag);
      else
        sent.push_back(co_await comm.isend(data.data(), data.size(), step.peer, step.tag));
    }
    if (step.what == 'x') {
      auto& data = out.emplace_back(static_cast<std::size_t>(step.amount));
      std::memcpy(data.data(), &step.id, sizeof step.id);
      memory.push_back(std::make_unique<std::byte[]>(room));
      auto* const in = memory.back().get();
      const int number = count++;
      const auto got = co_await comm.sendrecv(data.data(), data.size(), step.peer, in, room, step.from, step.tag);
      std::memset(data.data(), 0xff, data.size());
      say(comm, number, got.source(), posts[static_cast<std::size_t>(number)], in);
    }
    if (step.what == 'r' || step.what == 'p') {
      Post& post = posts[static_cast<std::size_t>(count)];
      memory.push_back(std::make_unique<std::byte[]>(room));
      post.request = co_await comm.irecv(memory.back().get(), room, step.peer, step.tag);
      const int number = count++;
      if (step.what == 'p') continue;
      const auto got = co_await comm.wait(post.request);
      say(comm, number, got.source(), post, memory.back().get());
    }
    if (step.what == 'w') {
      Post& post = posts[static_cast<std::size_t>(step.peer)];
      if (post.done) continue;
      const auto got = co_await comm.wait(post.request);
      say(comm, step.peer, got.source(), post, memory[static_cast<std::size_t>(step.peer)].get());
    }
  }
  for (auto& request : sent) co_await comm.wait(request);
}

std::unique_ptr<MessageModel> machine(const std::string& kind) {
  if (kind == "constant") return std::make_unique<Constant>(10e-6, 1e-9, 0);
  MachineParameters m;
  m.name = kind;
  m.tick = 1000;
  Protocol p;
  p.startup = 20'000'000;
  p.handshake = p.posted = kind == "posted";
  if (kind == "interrupt") {
    m.progress = Progress::interrupt;
    m.interrupt = 5'000'000;
    p.receive = 7'000'000;
    p.receive_copy = 300;
  }
  if (kind == "packets") {
    p.packet = 500;
    p.packet_startup = 3'000'000;
  }
  m.protocols = {p};
  Table keys;
  keys["topology"] = Value("hypercube");
  keys["dimension"] = Value(3);
  keys["switching"] = Value("wormhole");
  keys["flit_ticks"] = Value(10);
  keys["head_ticks"] = Value(100);
  keys["body_ticks"] = Value(10);
  return std::make_unique<Networked>(std::move(m), assay::network::make_live(keys, false));
}

}  // namespace

int main(int words, char** word) {
  std::string kind;
  int ranks = 0;
  std::cin >> kind >> ranks;
  std::vector<std::vector<Step>> programs(static_cast<std::size_t>(ranks));
  for (auto& program : programs) {
    std::size_t count = 0;
    std::cin >> count;
    program.resize(count);
    for (Step& step : program) {
      std::cin >> step.what;
      if (step.what == 's' || step.what == 'i' || step.what == 'x')
        std::cin >> step.peer >> step.tag >> step.amount >> step.id;
      if (step.what == 'x') std::cin >> step.from;
      if (step.what == 'r' || step.what == 'p') std::cin >> step.peer >> step.tag;
      if (step.what == 'w') std::cin >> step.peer;
      if (step.what == 'c') std::cin >> step.amount;
    }
  }
  const auto model = machine(kind);
  const std::string how = words > 1 ? word[1] : "";
  World world(ranks, *model, {how != "plain", how == "far" ? 0U : 4096U});
  std::vector<Simulated> comms;
  comms.reserve(programs.size());
  for (int rank = 0; rank < ranks; ++rank)
    world.start(rank, play(comms.emplace_back(world, rank), programs[static_cast<std::size_t>(rank)]));
  const auto waiting = world.run();
  std::printf("waiting %zu\n", waiting.size());
  return 0;
}
