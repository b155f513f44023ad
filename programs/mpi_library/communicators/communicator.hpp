// Communicators: a group (two of an intercommunicator), a context of its own for the program's messages and the next
// one for those of collective calls.
#pragma once

#include <memory>
#include <string>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/groups/group.hpp"
#include "mpi_library/shared/segment.hpp"
#include "mpi_library/topologies/topology.hpp"

namespace assay::abi {

struct Errhandler;
struct Info;

struct Communicator : Object {
  static constexpr Kind kind_of = Kind::communicator;
  Communicator() : Object(kind_of) {}
  ~Communicator() override;

  Group* local = nullptr;         // held
  Group* remote = nullptr;        // of an intercommunicator: held
  Communicator* inner = nullptr;  // of an intercommunicator, held: the local group's, for its part of collective calls
  int context = 0;                // and context + 1
  int rank = 0;                   // of this process, in `local`
  Errhandler* errhandler = nullptr;
  std::string name;
  Attributes attributes;
  std::unique_ptr<Topology> topology;
  Info* info = nullptr;
  std::uint32_t calls = 0;  // collective ones so far: their messages' tags

  int size() const { return local->size(); }
  bool is_inter() const { return remote != nullptr; }
  const Group& peers() const { return remote ? *remote : *local; }  // whom messages go to
  int world(int peer) const { return peers().world(peer); }         // of a rank that is in range
  int peer_of(int world) const { return peers().rank_of(world); }

  std::int32_t word(int tag) const { return word_of(context, tag); }
  std::int32_t any_word() const { return any_tag_word(context); }
  // The word of the next collective call's messages.
  std::int32_t next_word() { return word_of(context + 1, static_cast<int>(calls++ & greatest_tag)); }
};

inline Communicator& communicator(MPI_Comm handle) { return object<Communicator>(handle); }
MPI_Comm handle_of(Communicator& comm);
MPI_Comm handle_or_null(Communicator* comm);

// MPI_COMM_WORLD and MPI_COMM_SELF, of process.rank and process.ranks. Once, in MPI_Init.
void define_communicators();

// A peer's rank, any source or MPI_PROC_NULL, as arguments of messages: an Error where it is none of these.
[[noreturn, gnu::cold]] void wrong_peer(const Communicator& comm, int rank);
inline void check_peer(const Communicator& comm, int rank, bool any = false) {
  if ((rank < 0 || rank >= comm.peers().size()) && rank != MPI_PROC_NULL && !(any && rank == MPI_ANY_SOURCE))
    wrong_peer(comm, rank);
}

// --- making new ones (making.cpp)
// A communicator of these members, MPI_COMM_NULL's null where this process is none of them. It inherits the parent's
// error handler.
Communicator* make_communicator(const Communicator& parent, std::vector<int> members, int context);
Communicator* make_intercommunicator(const Communicator& parent, std::vector<int> local, std::vector<int> remote,
                                     int context);
inline constexpr int contexts_of_one =
    4;  // messages, collective calls, and the same of an intercommunicator's inner one
// The least context that is above all that this process has in use; new ones take the greatest of their members'.
int free_context();
// One for a communicator that is made while the rank goes on; kept from others until give_context(). Its number depends
// on the parent's, so that those of two parents hardly meet when their members begin them in different orders.
int keep_context(const Communicator& parent);
void give_context(int context);
bool has_context(int context);  // whether a communicator of this process has it

// What each member of an intracommunicator has, in order of rank. All call it.
std::vector<std::vector<int>> gather_all(Communicator& comm, const std::vector<int>& mine);
// What each rank of an intercommunicator's other group has. All of both groups call it.
std::vector<std::vector<int>> gather_remote(Communicator& comm, const std::vector<int>& mine);
// The greatest of all members' values, of both groups.
int greatest_of_all(Communicator& comm, int mine);

}  // namespace assay::abi
