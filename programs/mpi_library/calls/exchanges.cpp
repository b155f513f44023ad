// A send and a receive that go on together behind the call: MPI_Isendrecv and MPI_Isendrecv_replace.
#include "mpi_library/calls/status.hpp"
#include "mpi_library/calls/timed.hpp"
#include "mpi_library/messages/message.hpp"

using namespace assay::abi;

namespace {

class Exchanging final : public Request {
 public:
  Exchanging(Communicator& comm, const Buffer& into, const Op& op) : comm_(comm), into_(into), op_(op) {
    hold(comm_);
    hold(into_.type);
  }
  ~Exchanging() override {
    release(into_.type);
    release(comm_);
  }
  void start() override {
    under_way = true;
    const Place list = take(sizeof op_);
    in_arena<Op>(list) = op_;
    pending = {take_slot(), list, take(sizeof(Result)), 0};
    Op& op = add(Does::behind);
    op.slot = pending.slot;
    op.at = list;
    op.bytes = 1;
  }
  int complete(MPI_Status* status) override {
    set_status(status, comm_, in_arena<Result>(op_.result));
    int error = MPI_SUCCESS;
    try {
      unpacked(into_, op_.at2, in_arena<Result>(op_.result));
    } catch (const Error& failure) {
      error = failure.code;
    }
    for (const Place each : {op_.at, op_.at2, op_.result}) give(each);
    assay::abi::release(pending);
    return error;
  }
  MPI_Comm comm() const override { return handle_of(comm_); }

 private:
  Communicator& comm_;
  Buffer into_;
  Op op_;
};

MPI_Request begun(const Buffer& data, int to, int tag, const Buffer& into, int from, int receive_tag,
                  Communicator& comm) {
  check_peer(comm, to);
  check_peer(comm, from, true);
  check_tag(tag);
  check_tag(receive_tag, true);
  if (from == MPI_PROC_NULL && to == MPI_PROC_NULL)
    return started(*new Receiving(comm, into, MPI_PROC_NULL, MPI_ANY_TAG));
  if (to == MPI_PROC_NULL) return started(*new Receiving(comm, into, from, receive_tag));
  if (from == MPI_PROC_NULL) return started(*new Sending(comm, data, to, tag, SendMode::standard));
  Op op;
  op.does = Does::sendrecv;
  op.at = packed(data);
  op.bytes = data.bytes();
  op.peer = comm.world(to);
  op.word = comm.word(tag);
  op.bytes2 = into.bytes();
  op.at2 = take(op.bytes2);
  op.peer2 = source_of(comm, from);
  op.word2 = word_of(comm, receive_tag);
  op.result = take(sizeof(Result));
  return started(*new Exchanging(comm, into, op));
}

}  // namespace

#define EXCHANGES(name, Count)                                                                                   \
  MPI_FUNCTION(name, (const void* data, Count count, MPI_Datatype type, int to, int tag, void* into, Count room, \
                      MPI_Datatype into_type, int from, int receive_tag, MPI_Comm comm, MPI_Request* request)) { \
    return timed_call(Function::name, comm, [&](Timed& timed) {                                                  \
      const Buffer its = buffer(data, count, type);                                                              \
      *request = begun(its, to, tag, buffer(into, room, into_type), from, receive_tag, communicator(comm));      \
      timed.about(its.bytes(), to < 0 ? -1 : communicator(comm).world(to));                                      \
    });                                                                                                          \
  }
EXCHANGES(MPI_Isendrecv, int)
EXCHANGES(MPI_Isendrecv_c, MPI_Count)

#define EXCHANGES_IN_PLACE(name, Count)                                                                       \
  MPI_FUNCTION(name, (void* data, Count count, MPI_Datatype type, int to, int tag, int from, int receive_tag, \
                      MPI_Comm comm, MPI_Request* request)) {                                                 \
    return timed_call(Function::name, comm, [&](Timed& timed) {                                               \
      const Buffer its = buffer(data, count, type);                                                           \
      *request = begun(its, to, tag, its, from, receive_tag, communicator(comm));                             \
      timed.about(its.bytes(), to < 0 ? -1 : communicator(comm).world(to));                                   \
    });                                                                                                       \
  }
EXCHANGES_IN_PLACE(MPI_Isendrecv_replace, int)
EXCHANGES_IN_PLACE(MPI_Isendrecv_replace_c, MPI_Count)
