// What a group of ranks must keep, as one program for MPI and for the simulated machine: every rank appends to `wrong`
// what it finds otherwise. Needs six ranks or more; `turns` groups of all ranks are made and released in turn.
#pragma once

#include <string>
#include <vector>

#include "ranks/collectives.hpp"
#include "ranks/own_collectives.hpp"

namespace assay::ranks {

inline constexpr int group_tag = 5;

template <OwnBarrier C>
  requires Grouped<C>
Task check_groups(C& comm, int turns, std::vector<std::string>& wrong) {
  const int me = comm.rank(), all = comm.size(), colour = me % 3;
  const auto expect = [&](bool truth, const std::string& what) {
    if (!truth) wrong.push_back("rank " + std::to_string(me) + ": " + what);
  };
  // Of rank r's colour, in falling order of rank.
  std::vector<int> members;
  for (int rank = all - 1; rank >= 0; --rank)
    if (rank % 3 == colour) members.push_back(rank);
  C group = co_await comm.split(colour, -me);
  expect(group.size() == static_cast<int>(members.size()), "size " + std::to_string(group.size()));
  expect(members[static_cast<std::size_t>(group.rank())] == me, "place " + std::to_string(group.rank()));

  // One pair and one tag, in the group and among all: the receives are posted the other way round than the sends, so
  // that only the context can tell the messages apart.
  const int next = (group.rank() + 1) % group.size(), previous = (group.rank() + group.size() - 1) % group.size();
  const int after = members[static_cast<std::size_t>(next)], before = members[static_cast<std::size_t>(previous)];
  int in_group = -1, among_all = -1;
  const int first = 1000 + me, second = 2000 + me;
  auto due_all = co_await comm.irecv(&among_all, sizeof among_all, before, group_tag);
  auto due_group = co_await group.irecv(&in_group, sizeof in_group, any_source, group_tag);
  auto sent = co_await group.isend(&first, sizeof first, next, group_tag);
  auto other = co_await comm.isend(&second, sizeof second, after, group_tag);
  const auto arrived = co_await group.wait(due_group);
  expect(in_group == 1000 + before, "the group's message holds " + std::to_string(in_group));
  expect(arrived.source() == previous, "the group's message is from " + std::to_string(arrived.source()));
  const auto beside = co_await comm.wait(due_all);
  expect(among_all == 2000 + before && beside.source() == before, "the other holds " + std::to_string(among_all));
  co_await group.wait(sent);
  co_await comm.wait(other);

  // Collectives within, and groups of a group.
  std::int64_t sum = me, room = 0, expected = 0;
  for (const int rank : members) expected += rank;
  co_await reduce(group, group.size(), &sum, &room, 1, [](auto& mine, auto theirs) { mine += theirs; });
  co_await broadcast(group, &sum, sizeof sum);
  expect(sum == expected, "sum " + std::to_string(sum));
  co_await group.barrier(group.size());
  C halves = co_await group.split(group.rank() % 2, 0);
  expect(halves.rank() == group.rank() / 2, "place in the half " + std::to_string(halves.rank()));
  int word = halves.rank() == 0 ? members[static_cast<std::size_t>(group.rank())] : -1;
  co_await broadcast(halves, &word, sizeof word);
  expect(word == members[static_cast<std::size_t>(group.rank() % 2)], "the half's first is " + std::to_string(word));
  co_await group.release(halves);
  co_await comm.release(group);

  // Contexts come back.
  for (int turn = 0; turn < turns; ++turn) {
    C again = co_await comm.split(0, 0);
    expect(again.rank() == me, "turn " + std::to_string(turn));
    co_await comm.release(again);
  }
}

}  // namespace assay::ranks
