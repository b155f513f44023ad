#include "mpi_library/messages/buffered.hpp"

#include <algorithm>
#include <vector>

#include "mpi_library/calls/call.hpp"

namespace assay::abi {
namespace {

struct Left {
  Pending pending;
  std::int64_t bytes;  // of the buffer
  Request* request;    // that is freed when it is over
};
struct State {
  void* memory = nullptr;
  std::int64_t room = 0, used = 0;
  bool attached = false;
  std::vector<Left> left;
};
State& state() {
  static auto* const all = new State;
  return *all;
}

void end(const Left& each) {
  state().used -= each.bytes;
  if (!each.request) return release(each.pending);
  each.request->complete(MPI_STATUS_IGNORE);
  release(static_cast<Object&>(*each.request));
}

// Those that are over by now.
void reclaim() {
  State& its = state();
  if (its.left.empty()) return;
  const Place list = take(its.left.size() * sizeof(Listed));
  for (std::size_t i = 0; i < its.left.size(); ++i)
    (&in_arena<Listed>(list))[i] = {its.left[i].pending.slot, 0, its.left[i].pending.result};
  Op& op = add(Does::test);
  op.mode = static_cast<std::uint8_t>(TestMode::some);
  op.at = list;
  op.bytes = its.left.size();
  flush();
  std::vector<Left> left;
  for (std::size_t i = 0; i < its.left.size(); ++i)
    (&in_arena<Listed>(list))[i].over ? end(its.left[i]) : left.push_back(its.left[i]);
  its.left = std::move(left);
  give(list);
}

}  // namespace

void send_buffered(const Communicator& comm, const Buffer& data, int to, int tag) {
  check_peer(comm, to);
  check_tag(tag);
  if (to == MPI_PROC_NULL) return;
  State& its = state();
  const std::int64_t needs = static_cast<std::int64_t>(data.bytes()) + MPI_BSEND_OVERHEAD;
  if (its.used + needs > its.room) reclaim();
  if (its.used + needs > its.room)
    fail(MPI_ERR_BUFFER, "a buffered send of " + std::to_string(data.bytes()) + " bytes, where " +
                             (its.attached ? std::to_string(std::max<std::int64_t>(0, its.room - its.used)) +
                                                 " bytes of the attached buffer are free"
                                           : "no buffer is attached"));
  its.used += needs;
  its.left.push_back({post_send(packed(data), data.bytes(), comm.world(to), comm.word(tag)), needs, nullptr});
}

void attach_buffer(void* memory, std::int64_t bytes) {
  State& its = state();
  if (its.attached) fail(MPI_ERR_BUFFER, "a buffer is attached already");
  its.memory = memory;
  its.room = bytes;
  its.attached = true;
}

Attached detach_buffer() {
  State& its = state();
  flush_buffered();
  const Attached was{its.memory, its.room};
  its.memory = nullptr;
  its.room = 0;
  its.attached = false;
  return was;
}

void flush_buffered(bool freed) {
  State& its = state();
  std::vector<Left> over, left;
  for (const Left& each : its.left) (freed || !each.request ? over : left).push_back(each);
  if (over.empty()) return;
  for (const Left& each : over) add_wait(each.pending);
  flush();
  its.left = std::move(left);
  for (const Left& each : over) end(each);
}

void let_go(Request& request) {
  if (!request.under_way || request.leave()) return release(static_cast<Object&>(request));
  request.under_way = false;
  state().left.push_back({request.pending, 0, &request});
}

}  // namespace assay::abi
