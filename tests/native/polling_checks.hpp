// What asking for messages must keep, as one program for MPI and for the simulated machine: any tag, the first of
// several receives, testing and probing. Every rank appends to `wrong` what it finds otherwise; needs three ranks.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ranks/collectives.hpp"

namespace assay::ranks {

template <Testing C>
  requires Probing<C> && Grouped<C>
Task check_polling(C& comm, std::vector<std::string>& wrong) {
  constexpr int messages = 3, first_tag = 50, go = 7, late = 8;
  const int me = comm.rank(), all = comm.size();
  const auto expect = [&](bool truth, const std::string& what) {
    if (!truth) wrong.push_back("rank " + std::to_string(me) + ": " + what);
  };

  // Any tag: of each sender in the order of its sends, whatever the tags and lengths are.
  for (int turn = 0; me != 0 && turn < messages; ++turn) {
    const std::vector<int> words(static_cast<std::size_t>(turn == 1 ? 20000 : turn + 1), 100 * me + turn);
    co_await comm.send(words.data(), words.size() * sizeof(int), 0, first_tag - turn);
  }
  std::vector<int> turns(static_cast<std::size_t>(all)), room(20000);
  for (int i = 0; me == 0 && i < messages * (all - 1); ++i) {
    const auto got = co_await comm.recv(room.data(), room.size() * sizeof(int), any_source, any_tag);
    int& turn = turns[static_cast<std::size_t>(got.source())];
    expect(got.tag() == first_tag - turn, "tag " + std::to_string(got.tag()) + " of turn " + std::to_string(turn));
    const std::size_t words = got.bytes() / sizeof(int);
    expect(words == static_cast<std::size_t>(turn == 1 ? 20000 : turn + 1), std::to_string(words) + " words");
    expect(room[0] == 100 * got.source() + turn && room[words - 1] == room[0], "holds " + std::to_string(room[0]));
    ++turn;
  }
  // Any tag is one of this communicator's: a group's message, sent before, is not taken.
  C group = co_await comm.split(0, all - me);  // the other way round
  int mine = me, got_group = -1, got_all = -1;
  const int next = (me + 1) % all, before = (me + all - 1) % all;
  auto in_group = co_await group.isend(&mine, sizeof mine, all - 1 - next, go);
  mine = 1000 + me;
  co_await group.wait(in_group);
  int other = 2000 + me;
  auto sent = co_await comm.isend(&other, sizeof other, next, late);
  const auto of_all = co_await comm.recv(&got_all, sizeof got_all, before, any_tag);  // others may be in the barrier
  expect(got_all == 2000 + before && of_all.source() == before && of_all.tag() == late, "any tag of all");
  const auto of_group = co_await group.recv(&got_group, sizeof got_group, any_source, any_tag);
  expect(of_group.tag() == go && of_group.source() == all - 1 - before, "any tag of the group");
  co_await comm.wait(sent);
  co_await comm.release(group);
  co_await barrier(comm);

  // The first of several receives is that whose sender was told to send.
  if (me == 0) {
    std::vector<int> words(static_cast<std::size_t>(all - 1));
    std::vector<typename C::ReceiveRequest> due;
    for (int from = 1; from < all; ++from)
      due.push_back(co_await comm.irecv(&words[static_cast<std::size_t>(from - 1)], sizeof(int), from, late));
    const auto unasked = co_await comm.test(due.back());
    expect(!unasked, "a receive is over before its message was sent");
    for (int from = all - 1; from > 0; --from) {
      co_await comm.send(nullptr, 0, from, go);
      const auto first = co_await comm.wait_any(due.data(), due.size());
      expect(first.place == static_cast<std::size_t>(from - 1), "first is " + std::to_string(first.place));
      expect(first.received.source() == from && words[first.place] == from,
             "word " + std::to_string(words[first.place]));
    }
  } else {
    co_await comm.recv(nullptr, 0, 0, go);
    co_await comm.send(&me, sizeof me, 0, late);
  }

  // Testing and probing: nothing before it was asked for; then what comes, and what it is like before it is taken.
  if (me == 0) {
    const auto early = co_await comm.iprobe(1, late);
    expect(!early, "a message is seen before it was sent");
    int word = 0;
    auto due = co_await comm.irecv(&word, sizeof word, 1, go);
    auto request = co_await comm.isend(&word, sizeof word, 1, go);
    while (true) {
      const bool over = co_await comm.test(request);
      if (over) break;
    }
    int got_tag = -1;
    while (true) {
      const auto got = co_await comm.test(due);
      if (!got) continue;
      got_tag = got->tag();
      break;
    }
    expect(word == 77 && got_tag == go, "tested receive holds " + std::to_string(word));
    const auto seen = co_await comm.probe(any_source, late);
    const auto again = co_await comm.probe(1, any_tag);
    expect(seen.source() == 1 && seen.tag() == late && seen.bytes() == 70000 && again.bytes() == 70000, "probe");
    std::vector<char> text(seen.bytes());
    const auto taken = co_await comm.recv(text.data(), text.size(), seen.source(), seen.tag());
    expect(taken.bytes() == 70000 && text.front() == 'x' && text.back() == 'x', "what was probed");
    const auto after = co_await comm.iprobe(1, late);
    expect(!after, "a message is left");
    co_await comm.send(nullptr, 0, 2, go);
    while (true) {
      const auto there = co_await comm.iprobe(2, any_tag);
      if (!there) continue;
      expect(there->tag() == late && there->bytes() == 0, "iprobe");
      break;
    }
    co_await comm.recv(nullptr, 0, 2, late);
  } else if (me == 1) {
    int word = 0;
    co_await comm.recv(&word, sizeof word, 0, go);
    word = 77;
    co_await comm.send(&word, sizeof word, 0, go);
    const std::vector<char> text(70000, 'x');
    co_await comm.send(text.data(), text.size(), 0, late);
  } else if (me == 2) {
    co_await comm.recv(nullptr, 0, 0, go);
    co_await comm.send(nullptr, 0, 0, late);
  }

  // Who looks for a message takes no other for it: rank 2's of that tag and rank 1's of another come first. Of two that
  // fit the one that was sent first is seen.
  constexpr int other_tag = 9;
  const char text[24] = {};
  if (me == 0) {
    char room_for[24];
    co_await comm.send(nullptr, 0, 2, go);
    const auto seen = co_await comm.probe(1, late);
    expect(seen.source() == 1 && seen.tag() == late && seen.bytes() == 16, "a probe sees another message");
    const auto strange = co_await comm.iprobe(2, other_tag);
    expect(!strange, "an iprobe sees another tag");
    co_await comm.recv(nullptr, 0, 1, go);
    const auto first = co_await comm.probe(1, other_tag);
    expect(first.bytes() == 8, "a probe sees the later of two");
    for (const auto& [from, tag, bytes] :
         {std::array{1, other_tag, 8}, {1, late, 16}, {1, other_tag, 24}, {2, late, 4}}) {
      const auto taken = co_await comm.recv(room_for, sizeof room_for, from, tag);
      expect(taken.bytes() == static_cast<std::size_t>(bytes), "what was left of those looked for");
    }
  } else if (me == 1) {
    co_await comm.recv(nullptr, 0, 2, go);
    co_await comm.send(text, 8, 0, other_tag);
    co_await comm.send(text, 16, 0, late);
    co_await comm.send(text, 24, 0, other_tag);
    co_await comm.send(nullptr, 0, 0, go);
  } else if (me == 2) {
    co_await comm.recv(nullptr, 0, 0, go);
    co_await comm.send(text, 4, 0, late);
    co_await comm.send(nullptr, 0, 1, go);
  }
}

}  // namespace assay::ranks
