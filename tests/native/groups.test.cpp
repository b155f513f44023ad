// Groups of ranks on the described machine: what every communicator's must keep, and what is refused.
#include <cstdio>
#include <cstdlib>

#include "expect.hpp"
#include "group_checks.hpp"
#include "played.hpp"
#include "ranks/simulated.hpp"

using assay::described::play;
using assay::described::Played;
using assay::described::Simulated;
using assay::ranks::Task;

namespace {

Task one_does_not_come(Simulated& comm) {
  if (comm.rank() != 2) co_await comm.split(0, 0);
}
Task below_zero(Simulated& comm) { co_await comm.split(-1, 0); }
Task beyond_the_group(Simulated& comm) {
  Simulated group = co_await comm.split(comm.rank() % 2, 0);
  if (comm.rank() == 3) co_await group.send(nullptr, 0, 2, 1);
}
Task a_tag_of_another_context(Simulated& comm) {
  co_await comm.split(0, 0);
  if (comm.rank() == 1) co_await comm.send(nullptr, 0, 0, (1 << 15) + 1);
}
Task releases_twice(Simulated& comm) {
  Simulated group = co_await comm.split(0, 0);
  co_await comm.release(group);
  co_await comm.release(group);
}
Task more_groups_than_contexts(Simulated& comm) {
  for (int turn = 0; turn <= assay::described::Groups::contexts; ++turn) {
    Simulated group = co_await comm.split(0, 0);
    co_await comm.release(group);
  }
}
Task waits_in_a_group(Simulated& comm) {
  Simulated group = co_await comm.split(comm.rank() % 2, 0);
  if (comm.rank() == 3) co_await group.recv(nullptr, 0, 0, 9);
}
// Half of the ranks have a barrier of their own, which takes no time of the others.
Task apart(Simulated& comm) {
  Simulated group = co_await comm.split(comm.rank() % 2, 0);
  if (comm.rank() % 2 == 0) co_await assay::ranks::barrier(group);
}

}  // namespace

int main() {
  for (const int ranks : {6, 7, 12, 33}) {
    std::vector<std::string> wrong;
    const Played played = play(ranks, [&](Simulated& comm) { return assay::ranks::check_groups(comm, 10, wrong); });
    expect(played.failure.empty() && played.waiting.empty(), "failed: " + played.failure);
    for (const auto& each : wrong) expect(false, each);
  }
  const auto absent = play(4, one_does_not_come).waiting;
  expect(absent.size() == 3 && absent[0].call == "split", "three wait in the split");
  expect(play(2, below_zero).failure == "rank 0 splits with colour -1; expected 0 or more", "colour below zero");
  expect(play(4, beyond_the_group).failure == "rank 1 of a group sends to rank 2; expected 0 to 1", "beyond");
  expect(play(2, a_tag_of_another_context).failure == "rank 1 sends with tag 32769; expected 0 to 29999", "tag");
  expect(play(2, releases_twice).failure.starts_with("a group is released that no split made"), "released twice");
  expect(play(2, more_groups_than_contexts).failure.empty(), "contexts come back");
  const auto stuck = play(4, waits_in_a_group).waiting;
  expect(stuck.size() == 1 && stuck[0].rank == 3 && stuck[0].peer == 1 && stuck[0].tag == 9, "rank 3 waits for 1");
  expect(play(8, apart).end == assay::described::Time{20'000'000}, "two rounds among four ranks");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
