#include "libfabric/messages.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libfabric/addresses.hpp"
#include "mpi_library/transport/transport.hpp"

namespace assay::fabric {
namespace {

using abi::Does;
using abi::Op;
using abi::Place;

constexpr int looks_in_vain = 50;             // for completions, until all that is under way is waited for
constexpr std::size_t active_room = 8 << 20;  // bytes; pages that no message touches cost nothing
constexpr int active_receives = 4;
constexpr std::uint64_t active_tag = abi::wide_compared & ~abi::wide_tag;  // a space that no communicator has

enum class Kind : std::uint8_t { send, receive, active };
struct UnderWay {
  abi::Pending pending{};
  void* context = nullptr;
  void* buffer = nullptr;
  std::size_t room = 0;
  Kind kind = Kind::send;
  std::uint64_t flags = 0;  // of its completion
  bool reports = true;
};
struct Several {
  char* buffer;
  std::size_t room, used;
  void* context;
};
struct Early {
  std::uint64_t data;
  std::vector<std::byte> bytes;
};

// Never destroyed: a program may go on in functions that run at its exit.
struct State {
  std::vector<UnderWay> under_way;
  std::deque<fi_cq_tagged_entry> done;
  std::deque<fi_cq_err_entry> failed;
  std::deque<Several> several;
  std::deque<Early> early;
  std::unordered_map<void*, std::pair<abi::Slot, std::uint64_t>> claimed;  // by context: slot, bytes
  std::size_t least = 0;
  int in_vain = 0;
  bool waited = false;
};
State& state() {
  static auto* const only = new State;
  return *only;
}

Op& last_op() { return abi::process.control->ops[abi::process.control->count - 1]; }
Op& with_tag(Op& op, std::uint64_t tag, std::uint64_t beside) {
  op.word = abi::wide_word;
  op.at2 = tag;
  op.bytes2 = beside;
  return op;
}

void post_active() {
  UnderWay mine{.kind = Kind::active};
  mine.room = active_room;
  mine.pending = abi::post_recv(abi::take(active_room), active_room, abi::any_source_rank, abi::wide_word);
  with_tag(last_op(), active_tag, 0);
  state().under_way.push_back(mine);
}

bool into_several(const std::byte* data, std::size_t bytes, std::uint64_t beside) {
  auto& several = state().several;
  if (several.empty()) return false;
  Several& first = several.front();
  char* const to = first.buffer + first.used;
  std::memcpy(to, data, bytes);
  first.used = std::min(first.room, (first.used + bytes + 63) / 64 * 64);
  const bool last = first.room - first.used < std::max<std::size_t>(1, state().least);
  const std::uint64_t flags = FI_RECV | FI_MSG | FI_REMOTE_CQ_DATA | (last ? FI_MULTI_RECV : 0);
  state().done.push_back({first.context, flags, bytes, to, beside, 0});
  if (last) several.pop_front();
  return true;
}

void complete(const UnderWay& each) {
  State& mine = state();
  const abi::Result result = abi::result_of(each.pending);
  const std::byte* const data = abi::at(each.pending.data);
  if (each.kind == Kind::send) {
    if (each.reports) mine.done.push_back({each.context, each.flags, 0, nullptr, 0, 0});
  } else if (each.kind == Kind::active) {
    if (result.truncated) abi::end_with("a message of MPICH's own of more than 8 MiB");
    if (!mine.early.empty() || !into_several(data, result.bytes, result.data))
      mine.early.push_back({result.data, {data, data + result.bytes}});
    post_active();
  } else {
    const std::size_t came = std::min<std::size_t>(result.bytes, each.room);
    if (came != 0) std::memcpy(each.buffer, data, came);
    if (result.truncated) {
      fi_cq_err_entry failure{};
      failure.op_context = each.context;
      failure.flags = each.flags;
      failure.len = came;
      failure.buf = each.buffer;
      failure.data = result.data;
      failure.tag = result.wide;
      failure.olen = result.bytes - came;
      failure.err = FI_ETRUNC;
      mine.failed.push_back(failure);
    } else {
      mine.done.push_back({each.context, each.flags, came, each.buffer, result.data, result.wide});
    }
  }
  abi::release(each.pending);
}

void wait_for_some() {
  State& mine = state();
  if (!std::exchange(mine.waited, true)) unlink_shared_memory();
  const std::size_t count = mine.under_way.size();
  const Place list = abi::take(count * sizeof(abi::Listed));
  auto* const listed = &abi::in_arena<abi::Listed>(list);
  for (std::size_t i = 0; i < count; ++i)
    listed[i] = {mine.under_way[i].pending.slot, 0, mine.under_way[i].pending.result};
  Op& op = abi::add(Does::wait_any);
  op.at = list;
  op.bytes = count;
  op.mode = static_cast<std::uint8_t>(abi::TestMode::some);
  abi::flush();
  std::vector<UnderWay> over, rest;
  for (std::size_t i = 0; i < count; ++i) (listed[i].over != 0 ? over : rest).push_back(mine.under_way[i]);
  mine.under_way = std::move(rest);
  for (const UnderWay& each : over) complete(each);
  abi::give(list);
}

int peer_of(fi_addr_t address) { return address == FI_ADDR_UNSPEC ? abi::any_source_rank : rank_at(address); }

}  // namespace

ssize_t send(const Sent& sent) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < sent.count; ++i) bytes += sent.parts[i].iov_len;
  const Place block = abi::take(bytes);
  std::byte* to = abi::at(block);
  for (std::size_t i = 0; i < sent.count; ++i) {
    if (sent.parts[i].iov_len != 0) std::memcpy(to, sent.parts[i].iov_base, sent.parts[i].iov_len);
    to += sent.parts[i].iov_len;
  }
  UnderWay mine{.context = sent.context, .kind = Kind::send, .reports = sent.reports};
  mine.flags = FI_SEND | (sent.tagged ? FI_TAGGED : FI_MSG);
  mine.pending = abi::post_send(block, bytes, rank_at(sent.to), abi::wide_word);
  with_tag(last_op(), sent.tagged ? sent.tag : active_tag, sent.data);
  state().under_way.push_back(mine);
  return 0;
}

ssize_t receive(void* buffer, std::size_t room, fi_addr_t from, std::uint64_t tag, std::uint64_t open, void* context) {
  UnderWay mine{.context = context, .buffer = buffer, .room = room, .kind = Kind::receive};
  mine.flags = FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA;
  mine.pending = abi::post_recv(abi::take(room), room, peer_of(from), abi::wide_word);
  with_tag(last_op(), tag, open);
  state().under_way.push_back(mine);
  return 0;
}

ssize_t look(fi_addr_t from, std::uint64_t tag, std::uint64_t open, void* context, bool claims) {
  state().in_vain = 0;  // who looks for a message does not wait for what is under way
  const Place place = abi::take(sizeof(abi::Result));
  Op& op = abi::add(claims ? Does::claim : Does::iprobe);
  op.mode = 1;
  op.peer = peer_of(from);
  op.result = place;
  const abi::Slot slot = claims ? abi::take_slot() : 0;
  op.slot = slot;
  with_tag(op, tag, open);
  abi::flush();
  const abi::Result result = abi::in_arena<abi::Result>(place);
  abi::give(place);
  if (result.flag == 0) {
    if (claims) abi::give_slot(slot);
    return -FI_ENOMSG;
  }
  if (claims) state().claimed[context] = {slot, result.bytes};
  state().done.push_back(
      {context, FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA, result.bytes, nullptr, result.data, result.wide});
  return 0;
}

ssize_t receive_claimed(void* buffer, std::size_t room, void* context) {
  const auto found = state().claimed.find(context);
  if (found == state().claimed.end()) return -FI_ENOMSG;
  UnderWay mine{.context = context, .buffer = buffer, .room = room, .kind = Kind::receive};
  mine.flags = FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA;
  mine.pending = abi::post_claimed(found->second.first, abi::take(room), room);
  state().claimed.erase(found);
  state().under_way.push_back(mine);
  return 0;
}

ssize_t receive_several(void* buffer, std::size_t room, void* context) {
  State& mine = state();
  mine.several.push_back({static_cast<char*>(buffer), room, 0, context});
  while (!mine.early.empty() &&
         into_several(mine.early.front().bytes.data(), mine.early.front().bytes.size(), mine.early.front().data))
    mine.early.pop_front();
  return 0;
}

void least_room(std::size_t bytes) { state().least = bytes; }

bool cancel(void* context) {
  auto& all = state().under_way;
  const auto found = std::find_if(all.begin(), all.end(), [&](const UnderWay& each) {
    return each.kind == Kind::receive && each.context == context;
  });
  if (found == all.end()) return false;
  Op& op = abi::add(Does::cancel);
  op.slot = found->pending.slot;
  op.result = found->pending.result;
  abi::flush();
  if (abi::result_of(found->pending).flag == 0) return false;
  fi_cq_err_entry failure{};
  failure.op_context = context;
  failure.flags = found->flags;
  failure.err = FI_ECANCELED;
  state().failed.push_back(failure);
  abi::release(found->pending);
  all.erase(found);
  return true;
}

ssize_t completions(fi_cq_tagged_entry* entries, std::size_t count) {
  State& mine = state();
  while (mine.done.empty() && mine.failed.empty()) {
    if (++mine.in_vain <= looks_in_vain || mine.under_way.empty()) return -FI_EAGAIN;
    wait_for_some();
  }
  mine.in_vain = 0;
  if (!mine.failed.empty()) return -FI_EAVAIL;
  std::size_t given = 0;
  for (; given < count && !mine.done.empty(); ++given) {
    entries[given] = mine.done.front();
    mine.done.pop_front();
  }
  return static_cast<ssize_t>(given);
}

ssize_t failure(fi_cq_err_entry* entry) {
  State& mine = state();
  if (mine.failed.empty()) return -FI_EAGAIN;
  *entry = mine.failed.front();
  mine.failed.pop_front();
  return 1;
}

void start_active_messages() {
  for (int i = 0; i < active_receives; ++i) post_active();
}

void finish() {
  abi::add(Does::finishes);
  abi::flush();
}

double clock() {
  state().in_vain = 0;
  return abi::clock_now();
}

}  // namespace assay::fabric
