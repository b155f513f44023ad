// Communicators: what they are, and new ones from groups, colours and copies.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "mpi_library/calls/attributes.hpp"
#include "mpi_library/calls/call.hpp"
#include "mpi_library/calls/text.hpp"
#include "mpi_library/calls/timed.hpp"
#include "mpi_library/collectives/between.hpp"
#include "mpi_library/collectives/forms.hpp"
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

// Members of one colour, by key and then by rank, as ranks of MPI_COMM_WORLD. `all`: colour and key of each of a group.
std::vector<int> of_colour(int colour, const std::vector<std::vector<int>>& all, const Group& group) {
  struct Member {
    int key, world;
  };
  std::vector<Member> members;
  int rank = 0;
  for (const auto& each : all) {
    if (each[0] == colour) members.push_back({each[1], group.world(rank)});
    ++rank;
  }
  std::ranges::stable_sort(members, {}, &Member::key);
  std::vector<int> world;
  for (const Member& each : members) world.push_back(each.world);
  return world;
}

Communicator* split(Communicator& comm, int colour, int key) {
  int context = 0;
  const auto all = gather_all(comm.inner ? *comm.inner : comm, {colour, key, free_context()});
  for (const auto& each : all) context = std::max(context, each[2]);
  if (!comm.is_inter())
    return colour == MPI_UNDEFINED ? nullptr : make_communicator(comm, of_colour(colour, all, *comm.local), context);
  const auto theirs = gather_remote(comm, {colour, key, context});
  context = std::max(context, theirs.front()[2]);
  if (colour == MPI_UNDEFINED) return nullptr;
  return make_intercommunicator(comm, of_colour(colour, all, *comm.local), of_colour(colour, theirs, *comm.remote),
                                context);
}

Communicator& duplicate(Communicator& comm, int context) {
  Communicator& made = comm.is_inter()
                           ? *make_intercommunicator(comm, comm.local->members(), comm.remote->members(), context)
                           : *make_communicator(comm, comm.local->members(), context);
  if (comm.topology) made.topology = std::make_unique<Topology>(*comm.topology);
  return made;
}
Communicator& duplicate(Communicator& comm) {
  Communicator& made = duplicate(comm, greatest_of_all(comm, free_context()));
  try {
    copy_attributes(handle_of(comm), comm.attributes, made.attributes);
  } catch (const Error&) {
    release(made);
    throw;
  }
  return made;
}

// A copy that is made while the rank goes on. `out` is set when it is complete.
void begin_duplicate(Communicator& comm, MPI_Comm* out, Info* info, MPI_Request* request) {
  const int mine = keep_context(comm);
  const auto attributes = std::make_shared<Attributes>();
  copy_attributes(handle_of(comm), comm.attributes, *attributes);
  auto made = std::make_unique<CollectiveRequest>(comm, [&comm, mine, attributes, info, out](Steps& s) {
    constexpr std::int64_t each = sizeof mine;
    const Place own = s.room(each), ours = s.room(each * s.size());
    const Place theirs = s.comm().is_inter() ? s.room(each * s.peers()) : Place{0};
    std::memcpy(at(own), &mine, sizeof mine);
    std::memcpy(at(ours) + each * s.rank(), &mine, sizeof mine);
    s.within();
    allgather_bruck(s, ours, each);
    if (theirs != 0) between::allgather(s, own, each, theirs, each * s.peers());
    s.then([&, ours, theirs, mine, attributes, info, out] {
      const auto greatest = [](Place all, int count) {
        const int* const first = &in_arena<int>(all);
        return *std::max_element(first, first + count);
      };
      int context = greatest(ours, s.size());
      if (theirs != 0) context = std::max(context, greatest(theirs, s.peers()));
      give_context(mine);
      if (has_context(context)) fail(MPI_ERR_OTHER, "two communicators that were begun in different orders");
      Communicator& copy = duplicate(comm, context);
      copy.attributes = std::move(*attributes);
      copy.info = info;
      *out = handle_of(copy);
    });
  });
  *request = started(*made);
  made.release();
}

// Of an intercommunicator the two groups' parts, which both name their own.
Communicator* create(Communicator& comm, const Group& members) {
  for (const int each : members.members())
    if (comm.local->rank_of(each) == MPI_UNDEFINED) fail(MPI_ERR_GROUP, "a member that is not of the communicator");
  const int context = greatest_of_all(comm, free_context());
  if (!comm.is_inter()) return make_communicator(comm, members.members(), context);
  std::map<int, int> theirs;  // by rank in the new group
  int rank = 0;
  for (const auto& each : gather_remote(comm, {members.own_rank()})) {
    if (each[0] != MPI_UNDEFINED) theirs[each[0]] = comm.remote->world(rank);
    ++rank;
  }
  std::vector<int> remote;
  for (const auto& [place, world] : theirs) remote.push_back(world);
  return make_intercommunicator(comm, members.members(), std::move(remote), context);
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
    *out = MPI_COMM_NULL;
    Communicator& from = communicator(comm);
    Communicator& made = duplicate(from);
    if (from.info) made.info = kept(handle_of<MPI_Info>(static_cast<Object&>(*from.info)));
    *out = handle_of(made);
  });
}
MPI_FUNCTION(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* out)) {
  return call(__func__, comm, [&] {
    *out = MPI_COMM_NULL;
    Communicator& made = duplicate(communicator(comm));
    made.info = kept(info);
    *out = handle_of(made);
  });
}
MPI_FUNCTION(MPI_Comm_idup, (MPI_Comm comm, MPI_Comm* out, MPI_Request* request)) {
  return timed_call(Function::MPI_Comm_idup, comm, [&](Timed&) {
    Communicator& from = communicator(comm);
    Info* const info = from.info ? kept(handle_of<MPI_Info>(static_cast<Object&>(*from.info))) : nullptr;
    begin_duplicate(from, out, info, request);
  });
}
MPI_FUNCTION(MPI_Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* out, MPI_Request* request)) {
  return timed_call(Function::MPI_Comm_idup_with_info, comm,
                    [&](Timed&) { begin_duplicate(communicator(comm), out, kept(info), request); });
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
  return call(__func__, comm, [&] { *out = handle_or_null(create(communicator(comm), group(members))); });
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
