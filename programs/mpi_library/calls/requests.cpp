// Point-to-point messages behind a call, persistent ones, and what waits for requests of any kind.
#include <algorithm>
#include <span>
#include <vector>

#include "mpi_library/calls/status.hpp"
#include "mpi_library/calls/timed.hpp"
#include "mpi_library/messages/buffered.hpp"
#include "mpi_library/messages/message.hpp"
#include "mpi_library/requests/several.hpp"

using namespace assay::abi;

namespace {

template <class Kind, class... Rest>
Kind& made(Timed& timed, const void* memory, std::int64_t count, MPI_Datatype type, int peer, int tag, MPI_Comm handle,
           Rest... rest) {
  constexpr bool receives = sizeof...(Rest) == 0;
  const Buffer data = buffer(memory, count, type);
  Communicator& comm = communicator(handle);
  check_peer(comm, peer, receives);
  check_tag(tag, receives);
  timed.about(data.bytes(), peer < 0 ? -1 : comm.world(peer));
  return *new Kind(comm, data, peer, tag, rest...);
}

// Of a request that is over: its error goes to the handler of its communicator.
void finish_one(MPI_Request& handle, MPI_Status* status) {
  const int error = finish(handle, status);
  if (error != MPI_SUCCESS) fail(error, "the message is longer than the receive's buffer");
}
MPI_Comm comm_of(const MPI_Request* handle) {
  return handle && *handle != MPI_REQUEST_NULL ? request(*handle).comm() : MPI_COMM_WORLD;
}

// Of several: each status has its error where one of them has any.
void finish_some(MPI_Request* requests, std::span<const int> places, MPI_Status* statuses, bool in_order) {
  std::vector<int> errors(places.size());
  bool wrong = false;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto place = static_cast<std::size_t>(places[i]);
    MPI_Status* const status = statuses ? statuses + (in_order ? place : i) : nullptr;
    errors[i] = finish(requests[place], status);
    wrong = wrong || errors[i] != MPI_SUCCESS;
  }
  if (!wrong) return;
  for (std::size_t i = 0; statuses && i < places.size(); ++i)
    statuses[in_order ? static_cast<std::size_t>(places[i]) : i].MPI_ERROR = errors[i];
  fail(MPI_ERR_IN_STATUS, "a message is longer than its receive's buffer");
}

void set_inactive(int count, const MPI_Request* requests, MPI_Status* statuses) {
  for (int i = 0; statuses && i < count; ++i)
    if (requests[i] == MPI_REQUEST_NULL || !request(requests[i]).active) set_empty(statuses + i);
}
std::vector<int> active_places(int count, const MPI_Request* requests) {
  std::vector<int> places;
  for (int i = 0; i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL && request(requests[i]).active) places.push_back(i);
  return places;
}
std::span<const MPI_Request> all_of(int count, const MPI_Request* requests) {
  check_count(count);
  return {requests, static_cast<std::size_t>(count)};
}

}  // namespace

#define SENDS(name, Count, mode, persists)                                                                             \
  MPI_FUNCTION(                                                                                                        \
      name, (const void* data, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* handle)) { \
    return timed_call(Function::name, comm, [&](Timed& timed) {                                                        \
      Request& its = made<Sending>(timed, data, count, type, to, tag, comm, SendMode::mode);                           \
      its.persistent = persists;                                                                                       \
      *handle = persists ? handle_of<MPI_Request>(static_cast<Object&>(its)) : started(its);                           \
    });                                                                                                                \
  }
SENDS(MPI_Isend, int, standard, false)
SENDS(MPI_Isend_c, MPI_Count, standard, false)
SENDS(MPI_Irsend, int, ready, false)
SENDS(MPI_Irsend_c, MPI_Count, ready, false)
SENDS(MPI_Issend, int, synchronous, false)
SENDS(MPI_Issend_c, MPI_Count, synchronous, false)
SENDS(MPI_Send_init, int, standard, true)
SENDS(MPI_Send_init_c, MPI_Count, standard, true)
SENDS(MPI_Rsend_init, int, ready, true)
SENDS(MPI_Rsend_init_c, MPI_Count, ready, true)
SENDS(MPI_Ssend_init, int, synchronous, true)
SENDS(MPI_Ssend_init_c, MPI_Count, synchronous, true)
SENDS(MPI_Bsend_init, int, standard, true)  // it has a copy of its own while active
SENDS(MPI_Bsend_init_c, MPI_Count, standard, true)

// The message is copied into the attached buffer, so that nothing is left to wait for.
#define SENDS_BUFFERED(name, Count)                                                                                    \
  MPI_FUNCTION(                                                                                                        \
      name, (const void* data, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* handle)) { \
    return timed_call(Function::name, comm, [&](Timed& timed) {                                                        \
      const Buffer its = buffer(data, count, type);                                                                    \
      send_buffered(communicator(comm), its, to, tag);                                                                 \
      timed.about(its.bytes(), to < 0 ? -1 : communicator(comm).world(to));                                            \
      *handle = started(*new Sending(communicator(comm), its, MPI_PROC_NULL, 0, SendMode::standard));                  \
    });                                                                                                                \
  }
SENDS_BUFFERED(MPI_Ibsend, int)
SENDS_BUFFERED(MPI_Ibsend_c, MPI_Count)

#define RECEIVES(name, Count, persists)                                                                               \
  MPI_FUNCTION(name,                                                                                                  \
               (void* data, Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* handle)) { \
    return timed_call(Function::name, comm, [&](Timed& timed) {                                                       \
      Request& its = made<Receiving>(timed, data, count, type, from, tag, comm);                                      \
      its.persistent = persists;                                                                                      \
      *handle = persists ? handle_of<MPI_Request>(static_cast<Object&>(its)) : started(its);                          \
    });                                                                                                               \
  }
RECEIVES(MPI_Irecv, int, false)
RECEIVES(MPI_Irecv_c, MPI_Count, false)
RECEIVES(MPI_Recv_init, int, true)
RECEIVES(MPI_Recv_init_c, MPI_Count, true)

MPI_FUNCTION(MPI_Start, (MPI_Request * handle)) {
  return timed_call(Function::MPI_Start, comm_of(handle), [&](Timed&) { started(request(*handle)); });
}
MPI_FUNCTION(MPI_Startall, (int count, MPI_Request* handles)) {
  return timed_call(Function::MPI_Startall, MPI_COMM_WORLD, [&](Timed&) {
    for (const MPI_Request each : all_of(count, handles)) started(request(each));
  });
}
MPI_FUNCTION(MPI_Request_free, (MPI_Request * handle)) {
  return call(__func__, [&] {
    Request& its = request(*handle);
    *handle = MPI_REQUEST_NULL;
    let_go(its);
  });
}
MPI_FUNCTION(MPI_Cancel, (MPI_Request * handle)) {
  return timed_call(Function::MPI_Cancel, comm_of(handle), [&](Timed&) { request(*handle).cancel(); });
}

MPI_FUNCTION(MPI_Wait, (MPI_Request * handle, MPI_Status* status)) {
  return timed_call(Function::MPI_Wait, comm_of(handle), [&](Timed& timed) {
    wait_all({handle, 1});
    if (*handle == MPI_REQUEST_NULL || !request(*handle).active) return set_empty(status);
    timed.about(request(*handle).pending.bytes);
    finish_one(*handle, status);
  });
}
MPI_FUNCTION(MPI_Waitall, (int count, MPI_Request* handles, MPI_Status* statuses)) {
  return timed_call(Function::MPI_Waitall, MPI_COMM_WORLD, [&](Timed&) {
    wait_all(all_of(count, handles));
    set_inactive(count, handles, statuses);
    finish_some(handles, active_places(count, handles), statuses, true);
  });
}
MPI_FUNCTION(MPI_Waitany, (int count, MPI_Request* handles, int* index, MPI_Status* status)) {
  return timed_call(Function::MPI_Waitany, MPI_COMM_WORLD, [&](Timed&) {
    Several several(all_of(count, handles));
    *index = MPI_UNDEFINED;
    if (!several.any_active()) return set_empty(status);
    several.wait(TestMode::any);
    *index = several.over().front();
    finish_one(handles[*index], status);
  });
}
MPI_FUNCTION(MPI_Waitsome, (int count, MPI_Request* handles, int* over, int* indices, MPI_Status* statuses)) {
  return timed_call(Function::MPI_Waitsome, MPI_COMM_WORLD, [&](Timed&) {
    Several several(all_of(count, handles));
    *over = MPI_UNDEFINED;
    if (!several.any_active()) return;
    several.wait(TestMode::some);
    *over = static_cast<int>(several.over().size());
    std::ranges::copy(several.over(), indices);
    finish_some(handles, several.over(), statuses, false);
  });
}

MPI_FUNCTION(MPI_Test, (MPI_Request * handle, int* flag, MPI_Status* status)) {
  return timed_call(Function::MPI_Test, comm_of(handle), [&](Timed&) {
    Several several({handle, 1});
    *flag = 1;
    if (!several.any_active()) return set_empty(status);
    several.test(TestMode::all);
    *flag = !several.over().empty();
    if (*flag) finish_one(*handle, status);
  });
}
MPI_FUNCTION(MPI_Testall, (int count, MPI_Request* handles, int* flag, MPI_Status* statuses)) {
  return timed_call(Function::MPI_Testall, MPI_COMM_WORLD, [&](Timed&) {
    Several several(all_of(count, handles));
    const auto active = active_places(count, handles);
    several.test(TestMode::all);
    *flag = several.over().size() == active.size();
    if (!*flag) return;
    set_inactive(count, handles, statuses);
    finish_some(handles, active, statuses, true);
  });
}
MPI_FUNCTION(MPI_Testany, (int count, MPI_Request* handles, int* index, int* flag, MPI_Status* status)) {
  return timed_call(Function::MPI_Testany, MPI_COMM_WORLD, [&](Timed&) {
    Several several(all_of(count, handles));
    *index = MPI_UNDEFINED;
    *flag = 1;
    if (!several.any_active()) return set_empty(status);
    several.test(TestMode::any);
    *flag = !several.over().empty();
    if (!*flag) return;
    *index = several.over().front();
    finish_one(handles[*index], status);
  });
}
MPI_FUNCTION(MPI_Testsome, (int count, MPI_Request* handles, int* over, int* indices, MPI_Status* statuses)) {
  return timed_call(Function::MPI_Testsome, MPI_COMM_WORLD, [&](Timed&) {
    Several several(all_of(count, handles));
    *over = MPI_UNDEFINED;
    if (!several.any_active()) return;
    several.test(TestMode::some);
    *over = static_cast<int>(several.over().size());
    std::ranges::copy(several.over(), indices);
    finish_some(handles, several.over(), statuses, false);
  });
}

#define ATTACHES(name, Count)                       \
  MPI_FUNCTION(name, (void* memory, Count bytes)) { \
    return call(__func__, [&] {                     \
      check_count(bytes);                           \
      attach_buffer(memory, bytes);                 \
    });                                             \
  }
ATTACHES(MPI_Buffer_attach, int)
ATTACHES(MPI_Buffer_attach_c, MPI_Count)
#define DETACHES(name, Count)                                       \
  MPI_FUNCTION(name, (void* memory, Count* bytes)) {                \
    return timed_call(Function::name, MPI_COMM_WORLD, [&](Timed&) { \
      const Attached was = detach_buffer();                         \
      *static_cast<void**>(memory) = was.memory;                    \
      *bytes = static_cast<Count>(was.bytes);                       \
    });                                                             \
  }
DETACHES(MPI_Buffer_detach, int)
DETACHES(MPI_Buffer_detach_c, MPI_Count)
MPI_FUNCTION(MPI_Buffer_flush, ()) {
  return timed_call(Function::MPI_Buffer_flush, MPI_COMM_WORLD, [&](Timed&) { flush_buffered(); });
}
