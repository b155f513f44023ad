#include "mpi/owned_segment.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "ranks/communicator.hpp"
#include "ranks/message_model.hpp"
#include "timing/faults.hpp"

namespace assay::mpirun {
namespace {
constexpr std::uint64_t most_arena = std::uint64_t{1} << 34, all_arenas = std::uint64_t{1} << 45;  // bytes, untouched

[[noreturn]] void refuse(const char* what) {
  throw timing::MeasurementFault(std::string("memory shared with the ranks: ") + what + ": " + std::strerror(errno));
}
}  // namespace

OwnedSegment::OwnedSegment(const std::vector<std::uint32_t>& nodes, double factor, bool marks, bool in_regions) {
  const std::uint64_t ranks = nodes.size();
  const std::uint64_t arenas_at = abi::controls_at + ranks * abi::control_bytes;
  const std::uint64_t arena = std::min(most_arena, std::bit_floor(all_arenas / std::max<std::uint64_t>(1, ranks)));
  bytes_ = arenas_at + ranks * arena;
  file_ = memfd_create("assay-mpi", MFD_CLOEXEC);
  if (file_ < 0) refuse("cannot be made");
  if (ftruncate(file_, static_cast<off_t>(bytes_)) != 0) {
    close(file_);
    refuse("cannot have its length");
  }
  void* const mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (mapped == MAP_FAILED) {
    close(file_);
    refuse("cannot be mapped");
  }
  header_ = new (mapped) abi::Header{};
  header_->layout = abi::segment_layout;
  header_->ranks = static_cast<std::int32_t>(ranks);
  header_->controls_at = abi::controls_at;
  header_->arenas_at = arenas_at;
  header_->arena_bytes = arena;
  header_->poll = static_cast<std::int64_t>(ranks::poll_seconds * described::picoseconds_a_second);
  header_->factor = factor;
  header_->marks = marks;
  header_->in_regions = in_regions;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) control(static_cast<int>(rank)).node = nodes[rank];
}

OwnedSegment::~OwnedSegment() {
  munmap(header_, bytes_);
  close(file_);
}

std::byte* OwnedSegment::data(int rank, std::uint64_t at, std::uint64_t bytes) const {
  if (at == 0) return nullptr;
  const std::uint64_t whole = header_->arena_bytes;
  if (at >= whole || bytes > whole - at)
    throw timing::MeasurementFault("rank " + std::to_string(rank) +
                                   ": the memory that it shares with the simulator was overwritten");
  return reinterpret_cast<std::byte*>(header_) + header_->arenas_at + whole * static_cast<std::uint64_t>(rank) + at;
}

}  // namespace assay::mpirun
