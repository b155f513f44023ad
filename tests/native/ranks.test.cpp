// The described machine's ranks: matching, order, deadlock, and times in closed form, by programs of a few lines.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "played.hpp"
#include "ranks/collectives.hpp"
#include "ranks/simulated.hpp"

using assay::described::play;
using assay::described::Played;
using assay::described::Simulated;
using assay::described::Time;
using assay::described::Waiting;
using assay::described::World;
using assay::ranks::any_source;
using assay::ranks::Task;

namespace {

int failures = 0;
void expect(bool truth, const char* what, int line) {
  if (truth) return;
  std::fprintf(stderr, "line %d: %s\n", line, what);
  ++failures;
}
#define EXPECT(truth) expect(truth, #truth, __LINE__)

constexpr double us = 1e-6;

Task everybody_receives_first(Simulated& comm) {
  int word = 0;
  const int next = (comm.rank() + 1) % comm.size(), previous = (comm.rank() + comm.size() - 1) % comm.size();
  co_await comm.recv(&word, sizeof word, previous, 7);
  co_await comm.send(&word, sizeof word, next, 7);
}

Task waits_for_anybody(Simulated& comm) {
  if (comm.rank() == 1) co_await comm.recv(nullptr, 0, any_source, 3);
}

// Messages between two ranks on one tag keep their order, whatever their lengths; other tags are passed over.
Task in_order(Simulated& comm) {
  constexpr int count = 20;
  static std::vector<int> seen;
  if (comm.rank() == 0) {
    std::vector<int> words(5000);
    for (int i = 0; i < count; ++i) {
      words[0] = i;
      co_await comm.send(words.data(), i % 2 == 0 ? 4 * words.size() : sizeof(int), 1, i == 3 ? 9 : 1);
    }
  } else {
    seen.clear();
    std::vector<int> words(5000);
    co_await comm.compute(1, [] {});  // everything has arrived by then
    for (int i = 0; i < count; ++i) {
      if (i == 3) continue;
      const auto got = co_await comm.recv(words.data(), 4 * words.size(), 0, 1);
      EXPECT(got.source() == 0 && got.bytes() == (i % 2 == 0 ? 20000U : 4U));
      seen.push_back(words[0]);
    }
    co_await comm.recv(words.data(), 4 * words.size(), 0, 9);
    seen.push_back(words[0]);
    std::vector<int> expected{0, 1, 2};
    for (int i = 4; i < count; ++i) expected.push_back(i);
    expected.push_back(3);
    EXPECT(seen == expected);
  }
}

Task fan_in(Simulated& comm) {
  if (comm.rank() > 0) {
    const int mine = comm.rank() * comm.rank();
    co_await comm.compute(us * (comm.size() - comm.rank()), [] {});
    co_await comm.send(&mine, sizeof mine, 0, 1);
  } else {
    for (int i = comm.size() - 1; i > 0; --i) {  // the last rank computed least, so it comes first
      int got = 0;
      const auto from = co_await comm.recv(&got, sizeof got, any_source, 1);
      EXPECT(from.source() == i && got == i * i);
    }
  }
}

// What arrives at the same time is taken in the order in which it was sent off: here the last rank sends first, and the
// longest message, so that all arrive together.
Task all_at_once(Simulated& comm) {
  if (comm.rank() > 0) {
    co_await comm.compute(us * (comm.size() - comm.rank()), [] {});
    co_await comm.send(nullptr, 1000U * static_cast<unsigned>(comm.rank()), 0, 1);
    co_return;
  }
  for (int i = comm.size() - 1; i > 0; --i) {
    const auto from = co_await comm.recv(nullptr, 100000, any_source, 1);
    EXPECT(from.source() == i);
  }
}

// The last of both queues is taken out of turn, and both go on.
Task last_first(Simulated& comm) {
  int a = 0, b = 0, c = 0;
  if (comm.rank() == 0) {
    for (const int word : {1, 2}) co_await comm.send(&word, sizeof word, 1, word);
    co_await comm.recv(nullptr, 0, 1, 9);
    for (const int word : {3, 5, 4, 6}) co_await comm.send(&word, sizeof word, 1, word);
  } else {
    co_await comm.compute(1, [] {});
    co_await comm.recv(&b, sizeof b, 0, 2);
    co_await comm.send(nullptr, 0, 0, 9);
    co_await comm.compute(1, [] {});
    co_await comm.recv(&c, sizeof c, 0, 3);
    co_await comm.recv(&a, sizeof a, 0, 1);
    EXPECT(a == 1 && b == 2 && c == 3);
    for (const int word : {5, 4, 6}) {
      co_await comm.recv(&a, sizeof a, 0, word);
      EXPECT(a == word);
    }
  }
}
Task last_posted_first(Simulated& comm) {
  int words[3] = {};
  if (comm.rank() == 0) {
    co_await comm.compute(1, [] {});
    for (const int word : {2, 3, 1}) co_await comm.send(&word, sizeof word, 1, word);
  } else {
    auto one = co_await comm.irecv(&words[0], sizeof(int), 0, 1);
    auto two = co_await comm.irecv(&words[1], sizeof(int), any_source, 2);
    co_await comm.wait(two);
    auto three = co_await comm.irecv(&words[2], sizeof(int), 0, 3);
    co_await comm.wait(three);
    co_await comm.wait(one);
    EXPECT(words[0] == 1 && words[1] == 2 && words[2] == 3);
  }
}

// The sender may write over its buffer as soon as send returns.
Task reuse(Simulated& comm) {
  if (comm.rank() == 0) {
    int word = 1;
    auto request = co_await comm.isend(&word, sizeof word, 1, 1);
    co_await comm.wait(request);
    word = 2;
    co_await comm.send(&word, sizeof word, 1, 1);
    word = 3;
  } else {
    int first = 0, second = 0;
    auto two = co_await comm.irecv(&first, sizeof first, 0, 1);
    co_await comm.compute(1, [] {});
    co_await comm.recv(&second, sizeof second, any_source, 1);
    co_await comm.wait(two);
    EXPECT(first == 1 && second == 2);
  }
}

Task too_long(Simulated& comm) {
  char room[16] = {};
  if (comm.rank() == 0) co_await comm.send(room, 16, 1, 5);
  if (comm.rank() == 1) co_await comm.recv(room, 8, 0, 5);
}

Task nobody_there(Simulated& comm) {
  if (comm.rank() == 0) co_await comm.send(nullptr, 0, comm.size(), 1);
}

// What is so short that a receive holds it itself until its rank looks, and what is longer; posted before or after.
Task each_length(Simulated& comm) {
  for (std::size_t length = 0; length <= 20; ++length) {
    for (const bool early : {false, true}) {
      std::array<unsigned char, 24> data{};
      if (early == (comm.rank() == 0)) co_await comm.compute(100 * us, [] {});
      if (comm.rank() == 0) {
        for (std::size_t i = 0; i < length; ++i) data[i] = static_cast<unsigned char>(length + i + 1);
        co_await comm.send(data.data(), length, 1, 3);
        continue;
      }
      auto due = co_await comm.irecv(data.data(), length, 0, 3);
      EXPECT((co_await comm.wait(due)).bytes() == length);
      for (std::size_t i = 0; i < data.size(); ++i) EXPECT(data[i] == (i < length ? length + i + 1 : 0));
    }
  }
}
Task too_long_by_a_byte(Simulated& comm) {
  std::uint64_t word = 7;
  if (comm.rank() == 0) co_await comm.send(&word, sizeof word, 1, 1);
  if (comm.rank() == 1) co_await comm.recv(&word, sizeof word - 1, 0, 1);
}

Task agree(Simulated& comm) {
  int word = comm.rank() == 0 ? 42 : 0;
  co_await assay::ranks::broadcast(comm, &word, sizeof word);
  EXPECT(word == 42);
  std::vector<int> all(static_cast<std::size_t>(comm.size()));
  const int mine = 3 * comm.rank();
  co_await assay::ranks::gather(comm, &mine, sizeof mine, all.data());
  if (comm.rank() != 0) co_return;
  EXPECT(std::accumulate(all.begin(), all.end(), 0) == 3 * comm.size() * (comm.size() - 1) / 2);
}

// Whether an address cannot be an event's: the event's kind has the highest byte.
bool refuses(std::uint64_t address) {
  assay::described::Constant machine(10 * us, 1e-9, 0);
  World world(1, machine);
  try {
    world.wake(0, std::coroutine_handle<>::from_address(reinterpret_cast<void*>(address)));
  } catch (const std::logic_error&) {
    return true;
  }
  return false;
}

}  // namespace

int main() {
  for (const int ranks : {2, 3, 17}) {
    const Played stuck = play(ranks, everybody_receives_first);
    EXPECT(stuck.waiting.size() == static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks && stuck.waiting.size() == static_cast<std::size_t>(ranks); ++rank) {
      const Waiting& each = stuck.waiting[static_cast<std::size_t>(rank)];
      EXPECT(each.rank == rank && each.call == "recv" && each.peer == (rank + ranks - 1) % ranks && each.tag == 7);
    }
  }
  const Played alone = play(3, waits_for_anybody);
  EXPECT(alone.waiting.size() == 1 && alone.waiting[0].rank == 1 && alone.waiting[0].peer == any_source);

  EXPECT(play(2, in_order).waiting.empty());
  EXPECT(play(9, fan_in).waiting.empty());
  EXPECT(play(9, all_at_once).waiting.empty());
  EXPECT(play(2, last_first).waiting.empty());
  EXPECT(play(2, last_posted_first).waiting.empty());
  EXPECT(play(2, reuse).waiting.empty());
  const std::string truncated = play(2, too_long).failure;
  EXPECT(truncated.find("16 bytes") != std::string::npos && truncated.find("rank 1") != std::string::npos);
  EXPECT(play(2, too_long_by_a_byte).failure.find("8 bytes from rank 0, tag 1, into room for 7") != std::string::npos);
  const Played lengths = play(2, each_length);
  EXPECT(lengths.waiting.empty() && lengths.failure.empty());
  EXPECT(play(2, nobody_there).failure.find("sends to rank 2; expected 0 to 1") != std::string::npos);

  EXPECT(refuses(std::uint64_t{0xb4} << 56 | 0x1000));  // a tag in the highest byte, as Arm's top byte ignore permits
  EXPECT(refuses(std::uint64_t{1} << 56));
  EXPECT(!refuses((std::uint64_t{1} << 56) - 1));  // the highest user address of 5-level page tables

  for (const int ranks : {1, 2, 3, 4, 5, 31, 32, 33, 1000}) {
    EXPECT(play(ranks, agree).failure.empty());
    // A dissemination barrier of empty messages is its number of rounds times the start-up.
    const Played barrier = play(ranks, [](Simulated& comm) { return assay::ranks::barrier(comm); });
    const int rounds = static_cast<int>(std::ceil(std::log2(ranks)));
    EXPECT(barrier.waiting.empty() && barrier.end == Time{10'000'000} * rounds);
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
