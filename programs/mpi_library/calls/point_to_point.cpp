// Point-to-point messages that block: sends in all modes, receives, both at once, probes.
#include "mpi_library/calls/timed.hpp"
#include "mpi_library/messages/buffered.hpp"
#include "mpi_library/messages/message.hpp"

using namespace assay::abi;

namespace {

// Blocks that are free again however the call ends.
struct Freed {
  Place places[2];
  ~Freed() {
    for (const Place each : places) give(each);
  }
};

void send(const void* memory, std::int64_t count, MPI_Datatype type, int to, int tag, MPI_Comm handle, SendMode mode,
          Timed& timed) {
  const Buffer data = buffer(memory, count, type);
  const Communicator& comm = communicator(handle);
  check_peer(comm, to);
  check_tag(tag);
  if (to == MPI_PROC_NULL) return;
  const Place place = packed(data);
  Op& op = add(Does::send);
  op.mode = static_cast<std::uint8_t>(mode);
  op.at = place;
  op.bytes = data.bytes();
  op.peer = comm.world(to);
  op.word = comm.word(tag);
  give_later(place);
  timed.about(data.bytes(), comm.world(to));
  if (data.bytes() > most_unsent || (mode == SendMode::synchronous && windows > 0)) flush();
}

void receive(void* memory, std::int64_t count, MPI_Datatype type, int from, int tag, MPI_Comm handle,
             MPI_Status* status, Timed& timed) {
  const Buffer data = buffer(memory, count, type);
  const Communicator& comm = communicator(handle);
  check_peer(comm, from, true);
  check_tag(tag, true);
  if (from == MPI_PROC_NULL) return set_no_peer(status);
  const std::uint64_t room = data.bytes();
  const Pending pending = post_recv(take(room), room, source_of(comm, from), word_of(comm, tag));
  add_wait(pending, true);
  flush();
  const Result result = result_of(pending);
  timed.about(result.bytes, result.source);
  set_status(status, comm, result);
  const Freed freed{{pending.data, pending.result}};
  give_slot(pending.slot);
  unpacked(data, pending.data, result);
}

// The receive is posted first, then sent, as the simulator's own sendrecv. `into` may be the memory of `data`.
void exchange(const Buffer& data, int to, int tag, const Buffer& into, int from, int receive_tag,
              const Communicator& comm, MPI_Status* status, Timed& timed) {
  check_peer(comm, to);
  check_tag(tag);
  check_peer(comm, from, true);
  check_tag(receive_tag, true);
  const std::uint64_t room = into.bytes();
  const Place sent = to == MPI_PROC_NULL ? 0 : packed(data);
  give_later(sent);
  if (from == MPI_PROC_NULL) {
    if (to != MPI_PROC_NULL) add_send(sent, data.bytes(), comm.world(to), comm.word(tag));
    return set_no_peer(status);
  }
  const Place received = take(room), at_result = take(sizeof(Result));
  if (to == MPI_PROC_NULL) {
    const Slot slot = take_slot();
    Op& post = add(Does::irecv);
    post.slot = slot;
    post.at = received;
    post.bytes = room;
    post.peer = source_of(comm, from);
    post.word = word_of(comm, receive_tag);
    Op& wait = add(Does::wait);
    wait.slot = slot;
    wait.result = at_result;
    wait.mode = 1;
    give_slot(slot);
  } else {
    Op& op = add(Does::sendrecv);
    op.at = sent;
    op.bytes = data.bytes();
    op.peer = comm.world(to);
    op.word = comm.word(tag);
    op.at2 = received;
    op.bytes2 = room;
    op.peer2 = source_of(comm, from);
    op.word2 = word_of(comm, receive_tag);
    op.result = at_result;
  }
  flush();
  const Result result = in_arena<Result>(at_result);
  timed.about(result.bytes, result.source);
  set_status(status, comm, result);
  const Freed freed{{received, at_result}};
  unpacked(into, received, result);
}

void probe(int from, int tag, MPI_Comm handle, MPI_Status* status) {
  const Communicator& comm = communicator(handle);
  check_peer(comm, from, true);
  check_tag(tag, true);
  if (from == MPI_PROC_NULL) return set_no_peer(status);
  set_status(status, comm, look(Does::probe, comm, from, tag));
}

void probe_now(int from, int tag, MPI_Comm handle, int* flag, MPI_Status* status) {
  const Communicator& comm = communicator(handle);
  check_peer(comm, from, true);
  check_tag(tag, true);
  *flag = 1;
  if (from == MPI_PROC_NULL) return set_no_peer(status);
  const Result result = look(Does::iprobe, comm, from, tag);
  *flag = result.flag;
  if (*flag) set_status(status, comm, result);
}

}  // namespace

#define SENDS(name, Count, mode)                                                                             \
  MPI_FUNCTION(name, (const void* data, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm)) {   \
    return timed_call(Function::name, comm,                                                                  \
                      [&](Timed& timed) { send(data, count, type, to, tag, comm, SendMode::mode, timed); }); \
  }
SENDS(MPI_Send, int, standard)
SENDS(MPI_Send_c, MPI_Count, standard)
SENDS(MPI_Rsend, int, ready)
SENDS(MPI_Rsend_c, MPI_Count, ready)
SENDS(MPI_Ssend, int, synchronous)
SENDS(MPI_Ssend_c, MPI_Count, synchronous)

#define SENDS_BUFFERED(name, Count)                                                                        \
  MPI_FUNCTION(name, (const void* data, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm)) { \
    return timed_call(Function::name, comm, [&](Timed& timed) {                                            \
      const Buffer its = buffer(data, count, type);                                                        \
      send_buffered(communicator(comm), its, to, tag);                                                     \
      timed.about(its.bytes(), to == MPI_PROC_NULL ? -1 : communicator(comm).world(to));                   \
    });                                                                                                    \
  }
SENDS_BUFFERED(MPI_Bsend, int)
SENDS_BUFFERED(MPI_Bsend_c, MPI_Count)

#define RECEIVES(name, Count)                                                                                        \
  MPI_FUNCTION(name,                                                                                                 \
               (void* data, Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status)) { \
    return timed_call(Function::name, comm,                                                                          \
                      [&](Timed& timed) { receive(data, count, type, from, tag, comm, status, timed); });            \
  }
RECEIVES(MPI_Recv, int)
RECEIVES(MPI_Recv_c, MPI_Count)

#define EXCHANGES(name, Count)                                                                                   \
  MPI_FUNCTION(name, (const void* data, Count count, MPI_Datatype type, int to, int tag, void* into, Count room, \
                      MPI_Datatype into_type, int from, int receive_tag, MPI_Comm comm, MPI_Status* status)) {   \
    return timed_call(Function::name, comm, [&](Timed& timed) {                                                  \
      exchange(buffer(data, count, type), to, tag, buffer(into, room, into_type), from, receive_tag,             \
               communicator(comm), status, timed);                                                               \
    });                                                                                                          \
  }
EXCHANGES(MPI_Sendrecv, int)
EXCHANGES(MPI_Sendrecv_c, MPI_Count)

#define EXCHANGES_IN_PLACE(name, Count)                                                                       \
  MPI_FUNCTION(name, (void* data, Count count, MPI_Datatype type, int to, int tag, int from, int receive_tag, \
                      MPI_Comm comm, MPI_Status* status)) {                                                   \
    return timed_call(Function::name, comm, [&](Timed& timed) {                                               \
      const Buffer its = buffer(data, count, type);                                                           \
      exchange(its, to, tag, its, from, receive_tag, communicator(comm), status, timed);                      \
    });                                                                                                       \
  }
EXCHANGES_IN_PLACE(MPI_Sendrecv_replace, int)
EXCHANGES_IN_PLACE(MPI_Sendrecv_replace_c, MPI_Count)

MPI_FUNCTION(MPI_Probe, (int from, int tag, MPI_Comm comm, MPI_Status* status)) {
  return timed_call(Function::MPI_Probe, comm, [&](Timed&) { probe(from, tag, comm, status); });
}
MPI_FUNCTION(MPI_Iprobe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status)) {
  return timed_call(Function::MPI_Iprobe, comm, [&](Timed&) { probe_now(from, tag, comm, flag, status); });
}
