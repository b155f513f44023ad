#include "mpi_library/messages/message.hpp"

#include "mpi_library/calls/call.hpp"
#include "mpi_library/calls/status.hpp"

namespace assay::abi {

Buffer buffer(const void* memory, std::int64_t count, MPI_Datatype type) {
  check_count(count);
  return {const_cast<void*>(memory), count, committed(type)};
}

Place packed(const Buffer& data) {
  const Place place = take(data.bytes());
  if (place != 0) pack(data.type, data.memory, data.count, at(place));
  return place;
}

void unpacked(const Buffer& into, Place place, const Result& result) {
  if (result.truncated)
    fail(MPI_ERR_TRUNCATE, "a message of " + std::to_string(result.bytes) + " bytes, tag " +
                               std::to_string(result.tag) + ", into room for " + std::to_string(into.bytes()));
  if (result.bytes != 0) unpack(into.type, at(place), static_cast<std::int64_t>(result.bytes), into.memory);
}

void check_tag(int tag, bool any) {
  if ((tag < 0 || tag > greatest_tag) && !(any && tag == MPI_ANY_TAG))
    fail(MPI_ERR_TAG, std::to_string(tag) + "; expected 0 to " + std::to_string(greatest_tag));
}
std::int32_t word_of(const Communicator& comm, int tag) {
  return tag == MPI_ANY_TAG ? comm.any_word() : comm.word(tag);
}

Result look(Does does, const Communicator& comm, int from, int tag, Slot slot, bool waits) {
  const Place at_result = take(sizeof(Result));
  Op& op = add(does);
  op.mode = waits ? 0 : 1;
  op.slot = slot;
  op.peer = source_of(comm, from);
  op.word = word_of(comm, tag);
  op.result = at_result;
  flush();
  const Result result = in_arena<Result>(at_result);
  give(at_result);
  return result;
}

void set_status(MPI_Status* status, const Communicator& comm, const Result& result) {
  if (status) set_status(status, comm.peer_of(result.source), result.tag, static_cast<std::int64_t>(result.bytes));
}
void set_no_peer(MPI_Status* status) { set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0); }

Transfer::Transfer(Communicator& comm, const Buffer& data, int peer, int tag)
    : comm_(comm), data_(data), peer_(peer), tag_(tag) {
  hold(comm_);
  hold(data_.type);
}
Transfer::~Transfer() {
  release(data_.type);
  release(comm_);
}
MPI_Comm Transfer::comm() const { return abi::handle_of(comm_); }

Sending::Sending(Communicator& comm, const Buffer& data, int to, int tag, SendMode mode)
    : Transfer(comm, data, to, tag), mode_(mode) {}
void Sending::start() {
  under_way = peer_ != MPI_PROC_NULL;
  if (under_way) pending = post_send(packed(data_), data_.bytes(), comm_.world(peer_), comm_.word(tag_), mode_);
}
int Sending::complete(MPI_Status* status) {
  if (peer_ != MPI_PROC_NULL) abi::release(pending);
  set_empty(status);
  return MPI_SUCCESS;
}

Receiving::Receiving(Communicator& comm, const Buffer& data, int from, int tag) : Transfer(comm, data, from, tag) {}
void Receiving::start() {
  cancelled_ = false;
  under_way = peer_ != MPI_PROC_NULL;
  const std::uint64_t room = data_.bytes();
  if (under_way) pending = post_recv(take(room), room, source_of(comm_, peer_), word_of(comm_, tag_));
}
int Receiving::complete(MPI_Status* status) {
  if (peer_ == MPI_PROC_NULL) {
    set_no_peer(status);
    return MPI_SUCCESS;
  }
  const Result result = result_of(pending);
  int error = MPI_SUCCESS;
  if (cancelled_) {
    set_empty(status);
    if (status) set_cancelled(*status, true);
  } else {
    set_status(status, comm_, result);
    try {
      unpacked(data_, pending.data, result);
    } catch (const Error& failure) {
      error = failure.code;
    }
  }
  abi::release(pending);
  return error;
}
void Receiving::cancel() {
  if (!under_way) return;
  Op& op = add(Does::cancel);
  op.slot = pending.slot;
  op.result = pending.result;
  flush();
  cancelled_ = result_of(pending).flag != 0;
  under_way = !cancelled_;
}

}  // namespace assay::abi
