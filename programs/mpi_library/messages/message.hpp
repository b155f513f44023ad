// Messages of a communicator: what sends and receives have in common.
#pragma once

#include <cstdint>

#include "mpi_library/communicators/communicator.hpp"
#include "mpi_library/requests/request.hpp"
#include "mpi_library/types/datatype.hpp"

namespace assay::abi {

// So many elements of a type in the program's memory.
struct Buffer {
  void* memory;
  std::int64_t count;
  Datatype& type;
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(count * type.size); }
};
// An Error for a count below zero, or a type that cannot be used.
Buffer buffer(const void* memory, std::int64_t count, MPI_Datatype type);

// Its bytes in a block of the arena; and back, an Error where the message was longer.
Place packed(const Buffer& data);
void unpacked(const Buffer& into, Place place, const Result& result);

inline constexpr std::uint64_t most_unsent = 1 << 20;  // bytes of a blocking send that stay in a batch

void check_tag(int tag, bool any = false);
// The word of a receive or a probe, and its source.
std::int32_t word_of(const Communicator& comm, int tag);
inline int source_of(const Communicator& comm, int from) {
  return from == MPI_ANY_SOURCE ? any_source_rank : comm.world(from);
}
// What a probe or a claim, which puts it into `slot`, finds: the flag says whether there was something.
Result look(Does does, const Communicator& comm, int from, int tag, Slot slot = 0, bool waits = true);
void set_status(MPI_Status* status, const Communicator& comm, const Result& result);
// Of a message to or from MPI_PROC_NULL.
void set_no_peer(MPI_Status* status);

// --- behind the call; all hold their communicator and type
class Transfer : public Request {
 public:
  ~Transfer() override;
  MPI_Comm comm() const override;

 protected:
  Transfer(Communicator& comm, const Buffer& data, int peer, int tag);
  Communicator& comm_;
  Buffer data_;
  int peer_, tag_;
};

class Sending final : public Transfer {
 public:
  Sending(Communicator& comm, const Buffer& data, int to, int tag, SendMode mode);
  void start() override;
  int complete(MPI_Status* status) override;

 private:
  SendMode mode_;
};

class Receiving final : public Transfer {
 public:
  Receiving(Communicator& comm, const Buffer& data, int from, int tag);
  void start() override;
  int complete(MPI_Status* status) override;
  void cancel() override;

 private:
  bool cancelled_ = false;
};

}  // namespace assay::abi
