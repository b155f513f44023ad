#include "mpi_library/windows/epochs.hpp"

#include <algorithm>
#include <utility>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/collectives/bodies.hpp"
#include "mpi_library/windows/accesses.hpp"

namespace assay::abi {
namespace {

constexpr int opened_tag = 0, done_tag = 1;  // of the window's own messages; the simulator's are above

[[noreturn]] void wrong(const char* what) { fail(MPI_ERR_RMA_SYNC, what); }

// Those of a group that messages go to: what a rank calls for itself comes one after the other anyway.
std::vector<int> others(const Window& window, std::vector<int> ranks) {
  std::erase(ranks, window.comm->rank);
  return ranks;
}

std::vector<int> ranks_of(const Window& window, const Group& group) {
  std::vector<int> ranks;
  for (const int each : group.members()) {
    ranks.push_back(window.comm->peer_of(each));
    if (ranks.back() == MPI_UNDEFINED) fail(MPI_ERR_GROUP, "a member that is not of the window's group");
  }
  return ranks;
}

void barrier(Window& window) {
  Steps steps(*window.comm);
  barrier_call(steps);
  steps.finish();
  flush();
}

Op& ask(Window& window, Access does, int rank) {
  Op& op = add(Does::access);
  op.mode = static_cast<std::uint8_t>(does);
  op.peer = window.comm->world(rank);
  op.word = window.comm->context;
  op.word2 = 1;
  return op;
}

void wait_for(std::vector<Pending>& all) {
  for (const Pending& each : all) add_wait(each);
  flush();
  for (const Pending& each : std::exchange(all, {})) release(each);
}

}  // namespace

void fence(Window& window, int assertion) {
  if (window.started || window.posted || window.locked_all || !window.locks.empty())
    wrong("MPI_Win_fence within an epoch of another kind");
  complete_accesses(window, MPI_ANY_SOURCE);
  barrier(window);
  window.fenced = (assertion & MPI_MODE_NOSUCCEED) == 0;
}

void post(Window& window, const Group& group, int assertion) {
  if (window.posted) wrong("the window is exposed already: MPI_Win_post without MPI_Win_wait after the last one");
  const std::vector<int> ranks = others(window, ranks_of(window, group));
  const Communicator& comm = *window.comm;
  for (const int each : ranks) window.ends.push_back(post_recv(0, 0, comm.world(each), comm.word(done_tag)));
  if ((assertion & MPI_MODE_NOCHECK) == 0)
    for (const int each : ranks) window.posts.push_back(post_send(0, 0, comm.world(each), comm.word(opened_tag)));
  window.posted = true;
}

void start(Window& window, const Group& group, int assertion) {
  if (window.started || window.locked_all || !window.locks.empty()) wrong("the last access epoch is not over");
  window.targets = ranks_of(window, group);
  window.started = true;
  if ((assertion & MPI_MODE_NOCHECK) != 0) return;
  for (const int each : others(window, window.targets))
    add_recv(0, 0, window.comm->world(each), window.comm->word(opened_tag));
}

void complete(Window& window) {
  if (!window.started) wrong("MPI_Win_complete without MPI_Win_start");
  for (const int each : window.targets) complete_accesses(window, each);
  for (const int each : others(window, std::exchange(window.targets, {})))
    add_send(0, 0, window.comm->world(each), window.comm->word(done_tag));
  window.started = false;
}

bool end_exposure(Window& window, bool waits) {
  if (!window.posted) wrong("the window is not exposed: there was no MPI_Win_post");
  if (!waits && !window.ends.empty()) {
    const Place list = take(window.ends.size() * sizeof(Listed)), result = take(sizeof(Result));
    for (std::size_t i = 0; i < window.ends.size(); ++i)
      (&in_arena<Listed>(list))[i] = {window.ends[i].slot, 0, window.ends[i].result};
    Op& op = add(Does::test);
    op.mode = static_cast<std::uint8_t>(TestMode::all);
    op.at = list;
    op.bytes = window.ends.size();
    op.result = result;
    flush();
    const bool over = in_arena<Result>(result).flag != 0;
    give(list);
    give(result);
    if (!over) return false;
    for (const Pending& each : std::exchange(window.ends, {})) release(each);
  }
  wait_for(window.ends);
  wait_for(window.posts);
  window.posted = false;
  return true;
}

namespace {
void lock_ranks(Window& window, const std::vector<int>& ranks, bool exclusive) {
  std::vector<Slot> slots;
  for (const int each : ranks) {
    slots.push_back(take_slot());
    Op& op = ask(window, Access::lock, each);
    op.type = exclusive;
    op.slot = slots.back();
  }
  for (const Slot each : slots) add(Does::wait).slot = each;
  flush();
  for (const Slot each : slots) give_slot(each);
}
std::vector<int> all_ranks(const Window& window) {
  std::vector<int> all(static_cast<std::size_t>(window.comm->size()));
  for (int rank = 0; rank < window.comm->size(); ++rank) all[static_cast<std::size_t>(rank)] = rank;
  return all;
}
}  // namespace

void lock(Window& window, int kind, int rank, int assertion) {
  if (kind != MPI_LOCK_EXCLUSIVE && kind != MPI_LOCK_SHARED) fail(MPI_ERR_LOCKTYPE, std::to_string(kind));
  check_peer(*window.comm, rank);
  if (window.started || window.locked_all) wrong("MPI_Win_lock within another access epoch");
  if (window.locks.contains(rank)) wrong("the rank is locked already");
  const bool locks = rank != MPI_PROC_NULL && (assertion & MPI_MODE_NOCHECK) == 0;
  if (locks) lock_ranks(window, {rank}, kind == MPI_LOCK_EXCLUSIVE);
  window.locks[rank] = locks;
}
void unlock(Window& window, int rank) {
  check_peer(*window.comm, rank);
  const auto found = window.locks.find(rank);
  if (found == window.locks.end()) wrong("the rank is not locked");
  complete_accesses(window, rank);
  if (found->second) ask(window, Access::unlock, rank);
  window.locks.erase(found);
}
void lock_all(Window& window, int assertion) {
  if (window.started || window.locked_all || !window.locks.empty())
    wrong("MPI_Win_lock_all within another access epoch");
  window.asked_all = (assertion & MPI_MODE_NOCHECK) == 0;
  if (window.asked_all) lock_ranks(window, all_ranks(window), false);
  window.locked_all = true;
}
void unlock_all(Window& window) {
  if (!window.locked_all) wrong("MPI_Win_unlock_all without MPI_Win_lock_all");
  complete_accesses(window, MPI_ANY_SOURCE);
  if (window.asked_all)
    for (const int each : all_ranks(window)) ask(window, Access::unlock, each);
  window.locked_all = false;
}
void check_locked(const Window& window, int rank) {
  if (window.locked_all || (rank == MPI_ANY_SOURCE ? !window.locks.empty() : window.locks.contains(rank))) return;
  wrong("without a lock");
}

void look_at_memory() {
  add(Does::look);
  flush();
}

void close_window(Window& window) {
  if (window.started || window.posted || window.locked_all || !window.locks.empty())
    wrong("the window is freed within an epoch");
  complete_accesses(window, MPI_ANY_SOURCE);
  barrier(window);
}

}  // namespace assay::abi
