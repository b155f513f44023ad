// Communicators between two groups.
#include <algorithm>
#include <cstring>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/collectives/rooted.hpp"
#include "mpi_library/communicators/communicator.hpp"
#include "mpi_library/messages/message.hpp"

using namespace assay::abi;

namespace {

// `numbers` of the root to all; the others give as many.
void broadcast(Communicator& comm, std::vector<int>& numbers, int root) {
  Steps steps(comm);
  const std::size_t bytes = numbers.size() * sizeof(int);
  const Place data = steps.room(static_cast<std::int64_t>(bytes));
  if (bytes > 0) std::memcpy(at(data), numbers.data(), bytes);
  broadcast_binomial(steps, data, static_cast<std::int64_t>(bytes), root);
  steps.then([&] {
    if (bytes > 0) std::memcpy(numbers.data(), at(data), bytes);
  });
  steps.finish();
}

// Two leaders exchange numbers; each knows how many come.
std::vector<int> exchange(int peer, std::int32_t word, const std::vector<int>& mine, std::size_t theirs) {
  const auto sent = static_cast<std::uint64_t>(mine.size() * sizeof(int)),
             room = static_cast<std::uint64_t>(theirs * sizeof(int));
  const Place from = take(sent), into = take(room);
  std::memcpy(at(from), mine.data(), sent);
  add_sendrecv(from, sent, peer, into, room, peer, word);
  flush();
  std::vector<int> got(theirs);
  std::memcpy(got.data(), at(into), room);
  give(from);
  give(into);
  return got;
}

}  // namespace

MPI_FUNCTION(MPI_Intercomm_create,
             (MPI_Comm local, int leader, MPI_Comm peers, int remote_leader, int tag, MPI_Comm* out)) {
  return call(__func__, local, [&] {
    Communicator& comm = communicator(local);
    if (comm.is_inter()) fail(MPI_ERR_COMM, "the local communicator has two groups");
    check_peer(comm, leader);
    const int context = greatest_of_all(comm, free_context());
    std::vector<int> head(2), remote;
    if (comm.rank == leader) {
      Communicator& between = communicator(peers);
      check_peer(between, remote_leader);
      check_tag(tag);
      const int peer = between.world(remote_leader);
      head = exchange(peer, between.word(tag), {comm.size(), context}, 2);
      remote = exchange(peer, between.word(tag), comm.local->members(), static_cast<std::size_t>(head[0]));
    }
    broadcast(comm, head, leader);
    remote.resize(static_cast<std::size_t>(head[0]));
    broadcast(comm, remote, leader);
    *out = handle_or_null(
        make_intercommunicator(comm, comm.local->members(), std::move(remote), std::max(context, head[1])));
  });
}

// The group of those that say `high` comes second; where both say the same, the one with the lower first rank comes
// first.
MPI_FUNCTION(MPI_Intercomm_merge, (MPI_Comm handle, int high, MPI_Comm* out)) {
  return call(__func__, handle, [&] {
    Communicator& comm = communicator(handle);
    if (!comm.is_inter()) fail(MPI_ERR_COMM, "not an intercommunicator");
    const int context = greatest_of_all(comm, free_context());
    std::vector<int> theirs{0};
    if (comm.rank == 0) theirs = exchange(comm.world(0), word_of(comm.context + 1, greatest_tag), {high != 0}, 1);
    broadcast(*comm.inner, theirs, 0);
    const bool first = (high != 0) == (theirs[0] != 0) ? comm.local->world(0) < comm.remote->world(0) : high == 0;
    auto members = first ? comm.local->members() : comm.remote->members();
    const auto& others = first ? comm.remote->members() : comm.local->members();
    members.insert(members.end(), others.begin(), others.end());
    *out = handle_or_null(make_communicator(comm, std::move(members), context));
  });
}
