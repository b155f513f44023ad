// The skeleton of point-to-point messages: contiguous bytes in MPI_COMM_WORLD.
#include <cstring>

#include "mpi/calls/call.hpp"
#include "mpi/calls/functions.hpp"
#include "mpi/transport/transport.hpp"

using namespace assay::abi;

namespace {
std::uint64_t size_of(MPI_Datatype type) {
  return type == MPI_BYTE || type == MPI_CHAR ? 1 : type == MPI_INT || type == MPI_FLOAT ? 4 : 8;
}
}  // namespace

MPI_FUNCTION(MPI_Comm_rank, (MPI_Comm, int* rank)) {
  *rank = process.rank;
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Comm_size, (MPI_Comm, int* size)) {
  *size = process.ranks;
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Send, (const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm)) {
  begin_call(static_cast<int>(Function::MPI_Send));
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * size_of(type);
  const Place data = take(bytes);
  if (data != 0) std::memcpy(at(data), from, bytes);
  add_send(data, bytes, to, word_of(first_context, tag));
  give_later(data);
  end_call(static_cast<int>(Function::MPI_Send), bytes, to);
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Recv, (void* into, int count, MPI_Datatype type, int from, int tag, MPI_Comm, MPI_Status* status)) {
  begin_call(static_cast<int>(Function::MPI_Recv));
  const std::uint64_t room = static_cast<std::uint64_t>(count) * size_of(type);
  const std::int32_t word = tag == MPI_ANY_TAG ? any_tag_word(first_context) : word_of(first_context, tag);
  const Pending pending = post_recv(take(room), room, from == MPI_ANY_SOURCE ? any_source_rank : from, word);
  add_wait(pending, true);
  flush();
  const Result result = result_of(pending);
  if (result.bytes != 0) std::memcpy(into, at(pending.data), result.bytes);
  if (status) {
    status->MPI_SOURCE = result.source;
    status->MPI_TAG = result.tag;
  }
  release(pending);
  end_call(static_cast<int>(Function::MPI_Recv), result.bytes, result.source);
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Barrier, (MPI_Comm)) {
  add(Does::barrier);
  return MPI_SUCCESS;
}
