// Messages that are taken out before they are received: MPI_Mprobe, MPI_Improbe, MPI_Mrecv, MPI_Imrecv.
#include "mpi_library/calls/status.hpp"
#include "mpi_library/calls/timed.hpp"
#include "mpi_library/messages/message.hpp"

using namespace assay::abi;

namespace {

struct Message : Object {
  static constexpr Kind kind_of = Kind::message;
  explicit Message(Communicator& of) : Object(kind_of), comm(of) { hold(comm); }
  ~Message() override { release(comm); }
  Communicator& comm;
  Slot slot = 0;
};

// A receive of such a message.
class Claiming final : public Request {
 public:
  Claiming(Message& message, const Buffer& data) : message_(message), data_(data) { hold(data_.type); }
  ~Claiming() override {
    release(data_.type);
    release(message_);
  }
  void start() override {
    under_way = true;
    pending = post_claimed(message_.slot, take(data_.bytes()), data_.bytes());
  }
  int complete(MPI_Status* status) override {
    const Result result = result_of(pending);
    set_status(status, message_.comm, result);
    int error = MPI_SUCCESS;
    try {
      unpacked(data_, pending.data, result);
    } catch (const Error& failure) {
      error = failure.code;
    }
    assay::abi::release(pending);
    return error;
  }
  MPI_Comm comm() const override { return handle_of(message_.comm); }

 private:
  Message& message_;
  Buffer data_;
};

void claim(int from, int tag, MPI_Comm handle, bool waits, int* flag, MPI_Message* message, MPI_Status* status) {
  Communicator& comm = communicator(handle);
  check_peer(comm, from, true);
  check_tag(tag, true);
  *flag = 1;
  *message = MPI_MESSAGE_NO_PROC;
  if (from == MPI_PROC_NULL) return set_no_peer(status);
  const Slot slot = take_slot();
  const Result result = look(Does::claim, comm, from, tag, slot, waits);
  *flag = result.flag;
  if (!result.flag) {
    *message = MPI_MESSAGE_NULL;
    return give_slot(slot);
  }
  set_status(status, comm, result);
  auto* const made = new Message(comm);
  made->slot = slot;
  *message = handle_of<MPI_Message>(static_cast<Object&>(*made));
}

MPI_Request begun(const void* memory, std::int64_t count, MPI_Datatype type, MPI_Message& handle) {
  const Buffer data = buffer(memory, count, type);
  Message& its = object<Message>(handle);
  handle = MPI_MESSAGE_NULL;
  return started(*new Claiming(its, data));
}

void receive(void* memory, std::int64_t count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    return set_no_peer(status);
  }
  MPI_Request handle = begun(memory, count, type, *message);
  add_wait(request(handle).pending, true);
  flush();
  const int error = finish(handle, status);
  if (error != MPI_SUCCESS) fail(error, "the message is longer than the receive's buffer");
}

}  // namespace

MPI_FUNCTION(MPI_Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status)) {
  int flag = 0;
  return timed_call(Function::MPI_Mprobe, comm, [&](Timed&) { claim(from, tag, comm, true, &flag, message, status); });
}
MPI_FUNCTION(MPI_Improbe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status)) {
  return timed_call(Function::MPI_Improbe, comm, [&](Timed&) { claim(from, tag, comm, false, flag, message, status); });
}

#define RECEIVES(name, Count)                                                                                        \
  MPI_FUNCTION(name, (void* data, Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status)) {       \
    return timed_call(Function::name, MPI_COMM_WORLD, [&](Timed&) { receive(data, count, type, message, status); }); \
  }
RECEIVES(MPI_Mrecv, int)
RECEIVES(MPI_Mrecv_c, MPI_Count)
#define BEGINS(name, Count)                                                                                       \
  MPI_FUNCTION(name, (void* data, Count count, MPI_Datatype type, MPI_Message* message, MPI_Request* request)) {  \
    return timed_call(Function::name, MPI_COMM_WORLD, [&](Timed&) {                                               \
      if (*message == MPI_MESSAGE_NO_PROC) {                                                                      \
        *message = MPI_MESSAGE_NULL;                                                                              \
        *request = started(                                                                                       \
            *new Receiving(communicator(MPI_COMM_WORLD), buffer(data, count, type), MPI_PROC_NULL, MPI_ANY_TAG)); \
        return;                                                                                                   \
      }                                                                                                           \
      *request = begun(data, count, type, *message);                                                              \
    });                                                                                                           \
  }
BEGINS(MPI_Imrecv, int)
BEGINS(MPI_Imrecv_c, MPI_Count)
