// Communicators: what they are, and new ones from groups, colours and copies.
#include <algorithm>
#include <memory>

#include "mpi_library/calls/attributes.hpp"
#include "mpi_library/calls/call.hpp"
#include "mpi_library/calls/text.hpp"
#include "mpi_library/communicators/communicator.hpp"
#include "mpi_library/info/info.hpp"
#include "mpi_library/messages/message.hpp"
#include "mpi_library/transport/process.hpp"

using namespace assay::abi;

namespace {

MPI_Group group_handle(Group& group) {
  hold(group);
  return handle_of<MPI_Group>(static_cast<Object&>(group));
}

// Members of one colour, by key and then by rank.
Communicator* split(Communicator& comm, int colour, int key) {
  if (comm.is_inter()) fail(MPI_ERR_COMM, "an intercommunicator cannot be split in Assay's library");
  struct Member {
    int key, rank;
  };
  std::vector<Member> members;
  int context = 0, rank = 0;
  for (const auto& each : gather_all(comm, {colour, key, free_context()})) {
    context = std::max(context, each[2]);
    if (each[0] == colour) members.push_back({each[1], rank});
    ++rank;
  }
  if (colour == MPI_UNDEFINED) return nullptr;
  std::ranges::stable_sort(members, {}, &Member::key);
  std::vector<int> world;
  for (const Member& each : members) world.push_back(comm.world(each.rank));
  return make_communicator(comm, std::move(world), context);
}

Communicator& duplicate(Communicator& comm) {
  const int context = greatest_of_all(comm, free_context());
  Communicator& made = comm.is_inter()
                           ? *make_intercommunicator(comm, comm.local->members(), comm.remote->members(), context)
                           : *make_communicator(comm, comm.local->members(), context);
  copy_attributes(handle_of(comm), comm.attributes, made.attributes);
  if (comm.topology) made.topology = std::make_unique<Topology>(*comm.topology);
  return made;
}

Communicator* create(Communicator& comm, const Group& members) {
  for (const int each : members.members())
    if (comm.local->rank_of(each) == MPI_UNDEFINED) fail(MPI_ERR_GROUP, "a member that is not of the communicator");
  return make_communicator(comm, members.members(), greatest_of_all(comm, free_context()));
}

}  // namespace

MPI_FUNCTION(MPI_Comm_size, (MPI_Comm comm, int* size)) {
  return call(__func__, comm, [&] { *size = communicator(comm).size(); });
}
MPI_FUNCTION(MPI_Comm_rank, (MPI_Comm comm, int* rank)) {
  return call(__func__, comm, [&] { *rank = communicator(comm).rank; });
}
MPI_FUNCTION(MPI_Comm_test_inter, (MPI_Comm comm, int* flag)) {
  return call(__func__, comm, [&] { *flag = communicator(comm).is_inter(); });
}
namespace {
Communicator& intercommunicator(MPI_Comm handle) {
  Communicator& comm = communicator(handle);
  if (!comm.is_inter()) fail(MPI_ERR_COMM, "not an intercommunicator");
  return comm;
}
}  // namespace
MPI_FUNCTION(MPI_Comm_remote_size, (MPI_Comm comm, int* size)) {
  return call(__func__, comm, [&] { *size = intercommunicator(comm).remote->size(); });
}
MPI_FUNCTION(MPI_Comm_remote_group, (MPI_Comm comm, MPI_Group* out)) {
  return call(__func__, comm, [&] { *out = group_handle(*intercommunicator(comm).remote); });
}
MPI_FUNCTION(MPI_Comm_group, (MPI_Comm comm, MPI_Group* out)) {
  return call(__func__, comm, [&] { *out = group_handle(*communicator(comm).local); });
}
MPI_FUNCTION(MPI_Comm_compare, (MPI_Comm a, MPI_Comm b, int* result)) {
  return call(__func__, a, [&] {
    const Communicator &first = communicator(a), &second = communicator(b);
    const auto similar = [](const Group* x, const Group* y) {
      if (!x || !y) return !x && !y;
      return x->size() == y->size() &&
             std::ranges::all_of(x->members(), [y](int each) { return y->rank_of(each) != MPI_UNDEFINED; });
    };
    const auto same = [](const Group* x, const Group* y) { return !x || x->members() == y->members(); };
    if (&first == &second)
      *result = MPI_IDENT;
    else if (!similar(first.local, second.local) || !similar(first.remote, second.remote))
      *result = MPI_UNEQUAL;
    else
      *result = same(first.local, second.local) && same(first.remote, second.remote) ? MPI_CONGRUENT : MPI_SIMILAR;
  });
}
MPI_FUNCTION(MPI_Comm_get_parent, (MPI_Comm * parent)) {
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

MPI_FUNCTION(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* out)) {
  return call(__func__, comm, [&] {
    Communicator& from = communicator(comm);
    Communicator& made = duplicate(from);
    if (from.info) made.info = kept(handle_of<MPI_Info>(static_cast<Object&>(*from.info)));
    *out = handle_of(made);
  });
}
MPI_FUNCTION(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* out)) {
  return call(__func__, comm, [&] {
    Communicator& made = duplicate(communicator(comm));
    made.info = kept(info);
    *out = handle_of(made);
  });
}
MPI_FUNCTION(MPI_Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm* out)) {
  return call(__func__, comm, [&] {
    check_argument(colour >= 0 || colour == MPI_UNDEFINED, "a colour below zero");
    *out = handle_or_null(split(communicator(comm), colour, key));
  });
}
// Ranks of one node of the described machine; finer parts of it are not described.
MPI_FUNCTION(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info, MPI_Comm* out)) {
  return call(__func__, comm, [&] {
    check_argument(type == MPI_UNDEFINED || (type >= MPI_COMM_TYPE_SHARED && type <= MPI_COMM_TYPE_RESOURCE_GUIDED),
                   "unknown split type");
    const int colour = type == MPI_COMM_TYPE_SHARED ? static_cast<int>(process.control->node) : int{MPI_UNDEFINED};
    *out = handle_or_null(split(communicator(comm), colour, key));
  });
}
MPI_FUNCTION(MPI_Comm_create, (MPI_Comm comm, MPI_Group members, MPI_Comm* out)) {
  return call(__func__, comm, [&] {
    Communicator& parent = communicator(comm);
    if (parent.is_inter()) fail(MPI_ERR_COMM, "an intercommunicator has no parts in Assay's library");
    *out = handle_or_null(create(parent, group(members)));
  });
}
// Only the members call it: they agree among themselves, with messages that the tag tells from others'.
MPI_FUNCTION(MPI_Comm_create_group, (MPI_Comm comm, MPI_Group members, int tag, MPI_Comm* out)) {
  return call(__func__, comm, [&] {
    Communicator& parent = communicator(comm);
    check_tag(tag);
    *out = MPI_COMM_NULL;
    if (group(members).own_rank() == MPI_UNDEFINED) return;
    Communicator* among = make_communicator(parent, group(members).members(), parent.context);
    among->calls = static_cast<std::uint32_t>(greatest_tag / 2 + tag);
    const int context = greatest_of_all(*among, free_context());
    *out = handle_or_null(make_communicator(parent, group(members).members(), context));
    release(*among);
  });
}

namespace {
int freed(const char* function, MPI_Comm* handle) {
  return call(function, *handle, [&] {
    Communicator& comm = communicator(*handle);
    if (comm.predefined) fail(MPI_ERR_COMM, "a predefined communicator cannot be freed");
    delete_attributes(*handle, comm.attributes);
    release(comm);
    *handle = MPI_COMM_NULL;
  });
}
}  // namespace
MPI_FUNCTION(MPI_Comm_free, (MPI_Comm * comm)) { return freed(__func__, comm); }
MPI_FUNCTION(MPI_Comm_disconnect, (MPI_Comm * comm)) { return freed(__func__, comm); }

MPI_FUNCTION(MPI_Comm_set_name, (MPI_Comm comm, const char* name)) {
  return call(__func__, comm, [&] { communicator(comm).name = cut(name, MPI_MAX_OBJECT_NAME); });
}
MPI_FUNCTION(MPI_Comm_get_name, (MPI_Comm comm, char* name, int* length)) {
  return call(__func__, comm, [&] { write(communicator(comm).name, name, length, MPI_MAX_OBJECT_NAME); });
}
MPI_FUNCTION(MPI_Comm_set_info, (MPI_Comm comm, MPI_Info info)) {
  return call(__func__, comm, [&] {
    Communicator& of = communicator(comm);
    Info* now = kept(info);
    if (of.info) release(*of.info);
    of.info = now;
  });
}
MPI_FUNCTION(MPI_Comm_get_info, (MPI_Comm comm, MPI_Info* info)) {
  return call(__func__, comm, [&] { *info = copy_of(communicator(comm).info); });
}
