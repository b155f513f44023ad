#include "mpi_library/communicators/communicator.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "mpi_library/errors/errhandler.hpp"
#include "mpi_library/info/info.hpp"
#include "mpi_library/transport/process.hpp"

namespace assay::abi {
namespace {

std::multiset<int>& contexts() {
  static auto* all = new std::multiset<int>;
  return *all;
}
std::set<int>& kept() {
  static auto* all = new std::set<int>;
  return *all;
}
Communicator& world() {
  static auto* comm = new Communicator;
  return *comm;
}
Communicator& self() {
  static auto* comm = new Communicator;
  return *comm;
}

void fill(Communicator& comm, std::vector<int> members, int context) {
  comm.local = new Group(std::move(members));
  comm.rank = comm.local->own_rank();
  comm.context = context;
  contexts().insert(context);
}

Communicator& made(const Communicator& parent, std::vector<int> members, int context) {
  auto& comm = *new Communicator;
  fill(comm, std::move(members), context);
  comm.errhandler = parent.errhandler;
  if (comm.errhandler) hold(*comm.errhandler);
  return comm;
}

}  // namespace

void define_communicators() {
  std::vector<int> ranks(static_cast<std::size_t>(process.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  fill(world(), std::move(ranks), first_context);
  fill(self(), {process.rank}, first_context + contexts_of_one);
  world().name = "MPI_COMM_WORLD";
  self().name = "MPI_COMM_SELF";
  predefine(reinterpret_cast<std::uintptr_t>(MPI_COMM_WORLD), world());
  predefine(reinterpret_cast<std::uintptr_t>(MPI_COMM_SELF), self());
}

Communicator::~Communicator() {
  if (inner) release(*inner);
  if (local) release(*local);
  if (remote) release(*remote);
  if (errhandler) release(*errhandler);
  if (info) release(*info);
  if (context != 0) contexts().erase(contexts().find(context));
}

MPI_Comm handle_of(Communicator& comm) {
  if (&comm == &world()) return MPI_COMM_WORLD;
  if (&comm == &self()) return MPI_COMM_SELF;
  return handle_of<MPI_Comm>(static_cast<Object&>(comm));
}
MPI_Comm handle_or_null(Communicator* comm) { return comm ? handle_of(*comm) : MPI_COMM_NULL; }

void wrong_peer(const Communicator& comm, int rank) {
  fail(MPI_ERR_RANK,
       "no rank " + std::to_string(rank) + " in a communicator of " + std::to_string(comm.peers().size()));
}

int free_context() {
  const int greatest = kept().empty() ? 0 : *kept().rbegin();
  return std::max(*contexts().rbegin(), greatest) + contexts_of_one;
}
int keep_context(const Communicator& parent) {
  constexpr int classes = 16;
  const auto number = [](int context) { return (context - first_context) / contexts_of_one; };
  const int parents = number(parent.context), mine = (parents + parents / classes) % classes;
  int context = free_context();
  while (number(context) % classes != mine) context += contexts_of_one;
  kept().insert(context);
  return context;
}
void give_context(int context) { kept().erase(context); }
bool has_context(int context) { return contexts().contains(context); }

Communicator* make_communicator(const Communicator& parent, std::vector<int> members, int context) {
  if (context + contexts_of_one > last_context) fail(MPI_ERR_OTHER, "no communicators are left");
  bool in = false;
  for (const int each : members) in = in || each == process.rank;
  return in ? &made(parent, std::move(members), context) : nullptr;
}

Communicator* make_intercommunicator(const Communicator& parent, std::vector<int> local, std::vector<int> remote,
                                     int context) {
  if (local.empty() || remote.empty()) return nullptr;
  Communicator* inner = make_communicator(parent, local, context + 2);
  if (!inner) return nullptr;
  Communicator& comm = made(parent, std::move(local), context);
  comm.remote = new Group(std::move(remote));
  comm.inner = inner;
  return &comm;
}

}  // namespace assay::abi
