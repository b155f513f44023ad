#include "mpi_library/windows/accesses.hpp"

#include <algorithm>
#include <cstring>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/calls/status.hpp"

namespace assay::abi {
namespace {

void check_epoch(const Window& window, int rank) {
  if (window.fenced || window.locked_all || window.locks.contains(rank)) return;
  if (window.started && std::ranges::find(window.targets, rank) != window.targets.end()) return;
  fail(MPI_ERR_RMA_SYNC, "rank " + std::to_string(rank) +
                             " is accessed outside of an epoch: after neither MPI_Win_fence nor an MPI_Win_start with "
                             "it, and without a lock");
}

// Where the displacement lies in the target's process; an Error where the elements reach beyond its part.
std::uint64_t address_of(const Window& window, const Target& target) {
  if (window.dynamic()) return static_cast<std::uint64_t>(target.displacement);
  const Window::Part& part = window.parts[static_cast<std::size_t>(target.rank)];
  if (target.displacement < 0)
    fail(MPI_ERR_DISP, "a displacement of " + std::to_string(target.displacement) + "; expected 0 or more");
  const std::int64_t across = target.count == 0 ? 0 : (target.count - 1) * target.type.extent;
  const std::int64_t lowest = std::min<std::int64_t>(across, 0) + target.type.true_lower;
  const std::int64_t reach = std::max(across, -across) + target.type.true_extent;
  const bool inside = target.displacement <= part.bytes / part.unit;
  const std::int64_t begin = inside ? target.displacement * part.unit : 0;
  if (target.bytes() > 0 && (!inside || begin + lowest < 0 || begin + lowest > part.bytes - reach))
    fail(MPI_ERR_RMA_RANGE, std::to_string(target.bytes()) + " bytes at displacement " +
                                std::to_string(target.displacement) + " (units of " + std::to_string(part.unit) +
                                " B) of rank " + std::to_string(target.rank) + ", which exposes " +
                                std::to_string(part.bytes) + " bytes");
  return part.base + static_cast<std::uint64_t>(begin);
}

// The elements' pieces, neighbours joined, in a block of the arena.
Place spans_of(std::uint64_t address, const Target& target, std::uint64_t& count) {
  std::vector<Span> spans;
  if (target.bytes() == 0) {
    count = 0;
    return 0;
  }
  if (target.type.dense()) spans.push_back({address, target.bytes()});
  for (std::int64_t i = 0; !target.type.dense() && i < target.count; ++i)
    for (const Piece& piece : target.type.pieces) {
      const std::uint64_t at = address + static_cast<std::uint64_t>(i * target.type.extent + piece.offset);
      const auto bytes = static_cast<std::uint64_t>(piece.bytes);
      if (!spans.empty() && spans.back().address + spans.back().bytes == at)
        spans.back().bytes += bytes;
      else
        spans.push_back({at, bytes});
    }
  count = spans.size();
  const Place block = take(count * sizeof(Span));
  std::memcpy(at(block), spans.data(), count * sizeof(Span));
  return block;
}

// What was fetched goes into the program's memory.
void finish(UnderWay& access) {
  if (access.type) {
    unpack(*access.type, at(access.fetched), access.bytes, access.into);
    release(*access.type);
  }
  give(access.fetched);
  give_slot(access.slot);
}

}  // namespace

Target target(int rank, std::int64_t displacement, std::int64_t count, MPI_Datatype type) {
  check_count(count, "target count");
  return {rank, displacement, count, committed(type)};
}

UnderWay* begin_access(Window& window, const Target& target, const AccessKind& does, Place brings, std::uint64_t bytes,
                       const Buffer* fetched) {
  give_later(brings);
  check_peer(*window.comm, target.rank);
  if (target.rank == MPI_PROC_NULL) return nullptr;
  check_epoch(window, target.rank);
  std::uint64_t count = 0;
  const Place spans = spans_of(address_of(window, target), target, count);
  UnderWay& made = window.under_way.emplace_back(UnderWay{target.rank, take_slot()});
  if (fetched) {
    made.fetched = take(target.bytes());
    made.bytes = static_cast<std::int64_t>(target.bytes());
    made.into = fetched->memory;
    made.type = &fetched->type;
    hold(fetched->type);
  }
  Op& op = add(Does::access);
  op.mode = static_cast<std::uint8_t>(does.access);
  op.type = static_cast<std::uint8_t>(does.type);
  op.operation = static_cast<std::uint8_t>(does.reduction);
  op.peer = window.comm->world(target.rank);
  op.peer2 = window.dynamic() ? 1 : 0;
  op.word = window.comm->context;
  op.word2 = static_cast<std::int32_t>(does.element);
  op.slot = made.slot;
  op.at = brings;
  op.bytes = bytes;
  op.at2 = spans;
  op.bytes2 = count;
  op.result = made.fetched;
  give_later(spans);
  if (std::max(bytes, target.bytes()) > most_unsent) flush();
  return &made;
}

void complete_accesses(Window& window, int rank, bool local) {
  const auto concerns = [&](const UnderWay& each) {
    return (rank == MPI_ANY_SOURCE || each.target == rank) && (!local || each.type);
  };
  bool any = false;
  for (const UnderWay& each : window.under_way)
    if (concerns(each)) {
      add(Does::wait).slot = each.slot;
      any = true;
    }
  if (!any) return;
  flush();
  for (auto each = window.under_way.begin(); each != window.under_way.end();) {
    if (!concerns(*each)) {
      ++each;
      continue;
    }
    if (each->request) each->request->over();
    finish(*each);
    each = window.under_way.erase(each);
  }
}

AccessRequest::AccessRequest(Window& window, UnderWay* access)
    : window_(window), access_(access && access->type ? access : nullptr) {
  if (access_) access_->request = this;
}
void AccessRequest::start() {
  under_way = access_ != nullptr;
  if (access_) pending.slot = access_->slot;
}
int AccessRequest::complete(MPI_Status* status) {
  set_empty(status);
  if (!access_) return MPI_SUCCESS;
  finish(*access_);
  std::erase_if(window_.under_way, [this](const UnderWay& each) { return &each == access_; });
  return MPI_SUCCESS;
}
bool AccessRequest::leave() {
  if (access_) access_->request = nullptr;
  return true;
}
void AccessRequest::over() {
  access_ = nullptr;
  under_way = false;
}

}  // namespace assay::abi
